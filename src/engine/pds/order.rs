//! The static variable order: which bit lies above which in every BDD.
//!
//! Locals lie above globals, and with them the global scalars that have to do with some local scalar: what is copied, added or
//! compared must lie together. Within each group variables that meet in rules lie together. The arrangement is FORCE
//! (Aloul, Markov & Sakallah, GLSVLSI 2003): every variable moves to the mean of the centres of gravity of the
//! hyperedges it lies on, until the total span no longer shrinks. A hyperedge is a target with what it depends on, or a
//! part of a condition: what is assigned at the same time has nothing to do with each other. Bits of integers are interleaved by significance,
//! the most significant uppermost. Arrays lie below the scalars of their group: whoever reads a cell at a computed index must
//! know the whole index first, or else remember all cells. Integers that meet cells and are no index lie among
//! wide cells, by significance: otherwise all their values would be told apart. Some arrays lie cell by cell: who chooses them says why.

use petgraph::unionfind::UnionFind;

use crate::bdd::Bit;
use crate::options::Order;
use crate::packed::Rows;

use super::layout::{Field, Layout};
use super::{Pds, SetId, cells};

/// The bits of state, uppermost first. In these arrays the bits of each cell lie together, cell by cell.
pub fn order(pds: &Pds, choice: Order, together: SetId) -> Vec<Bit> {
    let layout = &pds.layout;
    let arrays = of_arrays(layout);
    let together = marked(layout, pds.sets.bits(together));
    let (choice, together) = match choice {
        // Sifting begins where FORCE ends.
        Order::Sifted => (Order::Force, together),
        Order::Together => (Order::Force, arrays.clone()),
        choice => (choice, together),
    };
    let of_cells = |bit: Bit| arrays[bit.0 as usize] && together[bit.0 as usize];
    let position = match choice {
        Order::Declared => (0..layout.bits()).map(f64::from).collect(),
        _ => force(pds),
    };
    let ranks = significance(layout);
    let cells = match choice {
        Order::Apart => first_positions(layout, &position),
        _ if !all(layout).any(of_cells) => Vec::new(),
        _ => cell_by_cell(pds, &marked(layout, all(layout).filter(|&bit| of_cells(bit)))),
    };
    let cell = |bit: Bit| cells.get(bit.0 as usize).copied().unwrap_or(0.0);
    let upper = if choice == Order::Force { with_locals(pds, &arrays) } else { slots(layout) };
    let is_upper = |bit: &Bit| upper[bit.0 as usize];
    let met = |bit: &Bit| pds.companions.get(bit.0 as usize).copied().unwrap_or(false);
    let group = |bits: Vec<Bit>| {
        let mut bits = bits;
        bits.sort_by(|&a, &b| {
            let key =
                |bit: Bit| (arrays[bit.0 as usize], std::cmp::Reverse(ranks[bit.0 as usize]), position[bit.0 as usize]);
            let ((na, ra, pa), (nb, rb, pb)) = (key(a), key(b));
            na.cmp(&nb).then(cell(a).total_cmp(&cell(b))).then(ra.cmp(&rb)).then(pa.total_cmp(&pb)).then(a.cmp(&b))
        });
        bits
    };
    let fixed = matches!(choice, Order::Apart | Order::GlobalsFirst);
    if !fixed && pds.companions.iter().any(|is| *is) && cells::wide(layout).any(|field| !field.bits().all(of_cells)) {
        let above = |bit: &Bit| !met(bit) && !arrays[bit.0 as usize];
        let scalars =
            [true, false].map(|upper| group(all(layout).filter(|bit| above(bit) && is_upper(bit) == upper).collect()));
        let mut cells: Vec<Bit> = layout.slots().chain(layout.global_bits()).filter(|bit| !above(bit)).collect();
        cells.sort_by(|&a, &b| {
            let key = |bit: Bit| (std::cmp::Reverse(ranks[bit.0 as usize]), !met(&bit));
            let position = |bit: Bit| position[bit.0 as usize];
            let by_rank = key(a).cmp(&key(b)).then(position(a).total_cmp(&position(b)));
            cell(a).total_cmp(&cell(b)).then(by_rank).then(a.cmp(&b))
        });
        return [scalars.concat(), cells].concat();
    }
    let (locals, globals): (Vec<Bit>, Vec<Bit>) = all(layout).partition(is_upper);
    let (locals, globals) = (group(locals), group(globals));
    if choice == Order::GlobalsFirst { [globals, locals].concat() } else { [locals, globals].concat() }
}

/// Which bits these are.
fn marked(layout: &Layout, bits: impl IntoIterator<Item = Bit>) -> Vec<bool> {
    let mut marked = vec![false; layout.bits() as usize];
    bits.into_iter().for_each(|bit| marked[bit.0 as usize] = true);
    marked
}

/// All bits.
fn all(layout: &Layout) -> impl Iterator<Item = Bit> + use<> {
    (0..layout.bits()).map(Bit)
}

/// The same order, upside down if in it bits with which much meets lie above those with which little does. FORCE does not tell one
/// end from the other, yet it matters: what is compared is known as soon as its most significant bits are, and of these a sum or
/// a counter has those that depend on all others and on which nothing else does. Integers lie by significance already.
pub fn turned(pds: &Pds, mut order: Vec<Bit>) -> Vec<Bit> {
    let mut fields = pds.layout.globals().iter().chain(pds.layout.shapes().flatten());
    if !fields.all(|field| super::layout::is_bool(field.ty)) {
        return order;
    }
    let mut weights = vec![0.0; order.len()];
    for (bits, weight) in hyperedges(pds) {
        bits.iter().for_each(|bit| weights[bit.0 as usize] += weight);
    }
    let middle = order.len().saturating_sub(1) as f64 / 2.0;
    let slope: f64 = (0..).zip(&order).map(|(place, bit)| (f64::from(place) - middle) * weights[bit.0 as usize]).sum();
    if slope < 0.0 {
        order.reverse();
    }
    order
}

/// Which bits are local slots.
fn slots(layout: &Layout) -> Vec<bool> {
    (0..layout.bits()).map(|bit| !layout.is_global(Bit(bit))).collect()
}

/// Which bits are local slots, or of global scalars that meet local ones, directly or by way of others.
fn with_locals(pds: &Pds, arrays: &[bool]) -> Vec<bool> {
    let layout = &pds.layout;
    let own: Vec<Bit> = layout.automaton_bits().chain(layout.mark()).collect();
    let counts = |bit: &Bit| !arrays[bit.0 as usize] && !own.contains(bit);
    let mut reached: Vec<Bit> = layout.slots().filter(counts).collect();
    if reached.is_empty() {
        return slots(layout);
    }
    let globals = layout.globals().iter().map(|field| field.bits().collect::<Vec<_>>());
    let mut parts: Vec<Vec<Bit>> = globals.chain(ties(pds).into_iter().map(|(tie, _)| pds.sets.bits(tie))).collect();
    parts.iter_mut().for_each(|part| part.retain(counts));
    let mut upper = slots(layout);
    for_each_met(layout, &parts, &mut reached, |bit| !std::mem::replace(&mut upper[bit.0 as usize], true));
    upper
}

/// Goes from the bits given to all that are in one of these parts with them, as long as a bit is new; breadth first.
fn for_each_met(layout: &Layout, parts: &[Vec<Bit>], reached: &mut Vec<Bit>, mut is_new: impl FnMut(Bit) -> bool) {
    let of_bit = Rows::collect(layout.bits() as usize, |pair| {
        for (number, part) in (0u32..).zip(parts) {
            part.iter().for_each(|bit| pair(bit.0, number));
        }
    });
    let mut open = vec![true; parts.len()];
    let mut next = 0;
    while let Some(&bit) = reached.get(next) {
        next += 1;
        for &part in &of_bit[bit.0 as usize] {
            if std::mem::replace(&mut open[part as usize], false) {
                reached.extend(parts[part as usize].iter().copied().filter(|bit| is_new(*bit)));
            }
        }
    }
}

/// For each bit, the least position of a bit of its cell. A slot that frames use differently is where the first says.
fn first_positions(layout: &Layout, position: &[f64]) -> Vec<f64> {
    let mut first = position.to_vec();
    let mut known = vec![false; position.len()];
    for field in layout.globals().iter().chain(layout.shapes().flatten()) {
        for cell in 0..field.ty.cells() {
            let places = field.cell(cell).map(|bit| position[bit.0 as usize]);
            let least = places.fold(f64::MAX, f64::min);
            for bit in field.cell(cell).map(|bit| bit.0 as usize) {
                if !std::mem::replace(&mut known[bit], true) {
                    first[bit] = least;
                }
            }
        }
    }
    first
}

/// For each of these bits of arrays, where its cell comes: array by array, but those of arrays that meet in some rule cell by cell.
/// 0 for all other bits.
fn cell_by_cell(pds: &Pds, together: &[bool]) -> Vec<f64> {
    let is_in = |bit: &Bit| together[bit.0 as usize];
    let fields: Vec<Field> = fields(&pds.layout).filter(|field| field.bits().any(|bit| is_in(&bit))).collect();
    let mut groups = UnionFind::<usize>::new(fields.len());
    let mut of_bit: Vec<Option<usize>> = vec![None; together.len()];
    for (i, field) in fields.iter().enumerate() {
        for bit in field.bits().filter(is_in) {
            let first = *of_bit[bit.0 as usize].get_or_insert(i);
            groups.union(first, i);
        }
    }
    for (tie, _) in ties(pds) {
        let bits = pds.sets.bits(tie);
        let mut met = bits.iter().filter_map(|bit| of_bit[bit.0 as usize]);
        let first = met.next();
        met.zip(first.into_iter().cycle()).for_each(|(other, first)| {
            groups.union(first, other);
        });
    }
    let most = fields.iter().map(|field| field.ty.cells()).max().unwrap_or(0) as usize;
    let mut places = vec![0.0; together.len()];
    for (field, group) in fields.iter().zip(groups.into_labeling()) {
        for cell in 0..field.ty.cells() {
            let place = (group * most + cell as usize + 1) as f64;
            field.cell(cell).filter(is_in).for_each(|bit| places[bit.0 as usize] = place);
        }
    }
    places
}

/// All variables, globals first.
fn fields(layout: &Layout) -> impl Iterator<Item = Field> {
    layout.globals().iter().chain(layout.shapes().flatten()).copied()
}

/// Which bits are in cells of arrays only. A slot that frames use differently is where scalars are.
fn of_arrays(layout: &Layout) -> Vec<bool> {
    let mut arrays = vec![false; layout.bits() as usize];
    for field in fields(layout).filter(|field| field.ty.range.is_some()) {
        field.bits().for_each(|bit| arrays[bit.0 as usize] = true);
    }
    for field in fields(layout).filter(|field| field.ty.range.is_none()) {
        field.bits().for_each(|bit| arrays[bit.0 as usize] = false);
    }
    arrays
}

/// How significant each bit is: 0 for the lowest bits of integers, more for higher ones; Booleans lie above all.
/// A slot that frames use differently takes the highest of its roles.
fn significance(layout: &Layout) -> Vec<u32> {
    let mut ranks = vec![0u32; layout.bits() as usize];
    let mut mark = |field: &Field| {
        let width = field.ty.scalar.bits();
        for (i, bit) in field.bits().enumerate() {
            let rank = if super::layout::is_bool(field.ty) { u32::MAX } else { i as u32 % width };
            let old = &mut ranks[bit.0 as usize];
            *old = (*old).max(rank);
        }
    };
    layout.globals().iter().for_each(&mut mark);
    layout.shapes().for_each(|fields| fields.iter().for_each(&mut mark));
    ranks
}

/// Positions of the bits after FORCE, from two beginnings: as they are declared, and breadth first along the hyperedges,
/// so that what has nothing to do with each other lies apart.
fn force(pds: &Pds) -> Vec<f64> {
    let edges = hyperedges(pds);
    let declared: Vec<f64> = (0..pds.layout.bits()).map(f64::from).collect();
    let (span, position) = moved(&edges, declared);
    let (other_span, other) = moved(&edges, along(pds, &edges));
    if other_span < span { other } else { position }
}

/// Positions in which bits are met along hyperedges, those of a component side by side.
fn along(pds: &Pds, edges: &[(Vec<Bit>, f64)]) -> Vec<f64> {
    let parts: Vec<Vec<Bit>> = edges.iter().map(|(bits, _)| bits.clone()).collect();
    let mut position = vec![f64::MAX; pds.layout.bits() as usize];
    let mut next = 0.0;
    for bit in (0..pds.layout.bits()).map(Bit) {
        let mut place = |bit: Bit| {
            let new = position[bit.0 as usize] == f64::MAX;
            if new {
                position[bit.0 as usize] = next;
                next += 1.0;
            }
            new
        };
        if place(bit) {
            for_each_met(&pds.layout, &parts, &mut vec![bit], place);
        }
    }
    position
}

/// The span of all hyperedges and the positions after FORCE, from these on.
fn moved(edges: &[(Vec<Bit>, f64)], mut position: Vec<f64>) -> (f64, Vec<f64>) {
    let count = position.len();
    let span = |position: &[f64]| -> f64 {
        edges
            .iter()
            .map(|(bits, weight)| {
                let places = bits.iter().map(|bit| position[bit.0 as usize]);
                let (low, high) = places.fold((f64::MAX, f64::MIN), |(l, h), p| (l.min(p), h.max(p)));
                (high - low) * weight
            })
            .sum()
    };
    let mut best = span(&position);
    let rounds = 4 * (usize::BITS - count.leading_zeros()) as usize;
    for _ in 0..rounds {
        let mut sum = vec![0.0; count];
        let mut weights = vec![0.0; count];
        for (bits, weight) in edges {
            let centre = bits.iter().map(|bit| position[bit.0 as usize]).sum::<f64>() / bits.len() as f64;
            for bit in bits {
                sum[bit.0 as usize] += centre * weight;
                weights[bit.0 as usize] += weight;
            }
        }
        let mut ranked: Vec<usize> = (0..count).collect();
        let wish = |i: usize| if weights[i] > 0.0 { sum[i] / weights[i] } else { position[i] };
        ranked.sort_by(|&a, &b| wish(a).total_cmp(&wish(b)).then(a.cmp(&b)));
        let mut next = vec![0.0; count];
        for (rank, &bit) in ranked.iter().enumerate() {
            next[bit] = rank as f64;
        }
        let now = span(&next);
        if now >= best {
            break;
        }
        (best, position) = (now, next);
    }
    (best, position)
}

/// The sets of bits that meet, with the number of rules in which they do.
fn ties(pds: &Pds) -> Vec<(SetId, u32)> {
    let (mut sets, mut counts) = (Vec::new(), vec![0; pds.sets.count()]);
    for (action, count) in pds.rules.uses().into_iter().enumerate().filter(|(_, count)| *count > 0) {
        for &tie in pds.rules.ties_of(action) {
            let all = &mut counts[tie.number() as usize];
            if *all == 0 {
                sets.push(tie);
            }
            *all += count;
        }
    }
    sets.sort_unstable();
    sets.into_iter().map(|set| (set, counts[set.number() as usize])).collect()
}

/// The same with weights: numbers are damped, a thousand equal procedures say the same thing once.
fn hyperedges(pds: &Pds) -> Vec<(Vec<Bit>, f64)> {
    let weighted = ties(pds).into_iter().map(|(set, count)| (pds.sets.bits(set), 1.0 + f64::from(count).log2()));
    weighted.filter(|(bits, _)| bits.len() > 1).collect()
}
