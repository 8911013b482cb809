//! Whether a word satisfies a formula: by the definition of the operators, from the end to the beginning, and never by way
//! of an automaton.
//!
//! What holds at a place follows from its letter and from what holds at the next place. So each letter, each folded call
//! and each turn of the cycle takes truth values of all subformulas after it to those before it. A call is walked once for
//! each combination of values that is met after it.

use std::collections::BTreeMap;

use super::word::{Letter, Word, WordItem};
use crate::ltl::formula::{Formula, Formulas, Ltl, Op};

/// Whether the word satisfies the formula.
///
/// Takes time in the length of the folded word, the number of subformulas, the depth to which temporal operators are nested
/// (the cycle is walked so many times) and the number of different combinations of values after a call.
pub(super) fn satisfies(word: &Word, ltl: &Ltl) -> bool {
    let mut evaluator = Evaluator::new(word, ltl);
    let after_stem = evaluator.always();
    let first = evaluator.before(&word.stem, after_stem);
    evaluator.known[first as usize][evaluator.place(ltl.root)]
}

/// For each subformula, operands before operators, whether it holds.
type Truth = Box<[bool]>;

struct Evaluator<'w> {
    word: &'w Word,
    formulas: &'w Formulas,
    parts: Vec<Formula>,
    /// For each part its operands, by their places among the parts.
    operands: Vec<Box<[usize]>>,
    /// All combinations met so far, and their numbers.
    known: Vec<Truth>,
    numbers: BTreeMap<Truth, u32>,
    /// From a letter and what holds after it to what holds there.
    steps: BTreeMap<(u32, u32), u32>,
    /// From a call and what holds after its return to what holds at its entry.
    calls: BTreeMap<(usize, u32), u32>,
}

/// A list being walked from its end.
struct Walk<'w> {
    places: &'w [WordItem],
    /// What holds after them.
    truth: u32,
    /// For a call: its number, and what holds after its return.
    call: Option<(usize, u32)>,
}

impl<'w> Evaluator<'w> {
    fn new(word: &'w Word, ltl: &'w Ltl) -> Evaluator<'w> {
        let parts = ltl.formulas.below(ltl.root);
        let place = |part: &Formula| parts.binary_search(part).expect("operands are below");
        let operands = |part: &Formula| ltl.formulas.operands(*part).iter().map(place).collect();
        let operands = parts.iter().map(operands).collect();
        Evaluator {
            word,
            formulas: &ltl.formulas,
            operands,
            parts,
            known: Vec::new(),
            numbers: BTreeMap::new(),
            steps: BTreeMap::new(),
            calls: BTreeMap::new(),
        }
    }

    fn place(&self, part: Formula) -> usize {
        self.parts.binary_search(&part).expect("the formula is among its parts")
    }

    fn number(&mut self, truth: Truth) -> u32 {
        let next = self.known.len() as u32;
        *self.numbers.entry(truth).or_insert_with_key(|truth| {
            self.known.push(truth.clone());
            next
        })
    }

    /// What holds where the cycle begins, which is also what holds after each of its turns.
    ///
    /// A formula whose operands are known after a turn is known before it: `a U b` and their like are true for ever only if
    /// `b` comes, so they begin as false, and one turn will show; for `a R b` and their like it is the other way round. So
    /// each turn settles one more level of nesting.
    fn always(&mut self) -> u32 {
        let word = self.word;
        let begin = |part: &Formula| matches!(self.formulas.op(*part), Op::Globally | Op::Release | Op::WeakUntil);
        let levels = self.levels();
        let mut after: Truth = self.parts.iter().map(begin).collect();
        for level in 0..=levels.iter().copied().max().unwrap_or(0) {
            let number = self.number(after.clone());
            let number = self.before(&word.cycle, number);
            let before = &self.known[number as usize];
            for part in (0..levels.len()).filter(|part| levels[*part] == level) {
                after[part] = before[part];
            }
        }
        self.number(after)
    }

    /// How deep temporal operators are nested in each part.
    fn levels(&self) -> Vec<u32> {
        let mut levels: Vec<u32> = Vec::with_capacity(self.parts.len());
        for (part, operands) in self.parts.iter().zip(&self.operands) {
            let inside = operands.iter().map(|operand| levels[*operand]).max().unwrap_or(0);
            levels.push(inside + u32::from(is_temporal(self.formulas.op(*part))));
        }
        levels
    }

    /// What holds before the places if that holds after them.
    fn before(&mut self, places: &'w [WordItem], truth: u32) -> u32 {
        let word = self.word;
        let mut walks = vec![Walk { places, truth, call: None }];
        loop {
            let walk = walks.last_mut().expect("the first list is the last to be finished");
            let Some((place, rest)) = walk.places.split_last() else {
                let (truth, call) = (walk.truth, walk.call);
                walks.pop();
                match call {
                    Some(call) => self.calls.insert(call, truth),
                    None => return truth,
                };
                continue;
            };
            let mut truth = walk.truth;
            if let Some(call) = place.call {
                match self.calls.get(&(call, truth)) {
                    Some(before) => truth = *before,
                    None => {
                        walks.push(Walk { places: &word.calls[call], truth, call: Some((call, truth)) });
                        continue;
                    }
                }
            }
            walk.places = rest;
            walk.truth = match place.letter {
                Some(letter) => self.at(letter, truth),
                None => truth,
            };
        }
    }

    /// What holds at a place with that letter if this holds at the next one.
    fn at(&mut self, letter: u32, after: u32) -> u32 {
        if let Some(now) = self.steps.get(&(letter, after)) {
            return *now;
        }
        let now = self.now(&self.word.letters[letter as usize], &self.known[after as usize]);
        let now = self.number(now);
        self.steps.insert((letter, after), now);
        now
    }

    fn now(&self, letter: &Letter, after: &Truth) -> Truth {
        let mut now: Vec<bool> = Vec::with_capacity(self.parts.len());
        for (place, operands) in self.operands.iter().enumerate() {
            let later = after[place];
            let it = |operand: usize| now[operands[operand]];
            let holds = match self.formulas.op(self.parts[place]) {
                Op::True => true,
                Op::False => false,
                Op::Proposition(proposition) => letter[proposition as usize],
                Op::Not => !it(0),
                Op::And => operands.iter().all(|operand| now[*operand]),
                Op::Or => operands.iter().any(|operand| now[*operand]),
                Op::Xor => operands.iter().fold(false, |odd, operand| odd ^ now[*operand]),
                Op::Iff => operands[1..].iter().fold(it(0), |same, operand| same == now[*operand]),
                Op::Implies => !it(0) || it(1),
                Op::Next => after[operands[0]],
                Op::Finally => it(0) || later,
                Op::Globally => it(0) && later,
                Op::Until | Op::WeakUntil => it(1) || it(0) && later,
                Op::Release | Op::StrongRelease => it(1) && (it(0) || later),
            };
            now.push(holds);
        }
        now.into()
    }
}

fn is_temporal(op: Op) -> bool {
    matches!(op, Op::Next | Op::Finally | Op::Globally | Op::Until | Op::Release | Op::WeakUntil | Op::StrongRelease)
}
