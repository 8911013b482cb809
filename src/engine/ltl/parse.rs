//! From text to formula: one grammar, a table of precedences for each dialect, and a refusal where they disagree.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::ops::Range;

use spds_format::reading::complaints::{Bounds, Complaints, plural};
use spds_format::reading::precedence::{Expressions, Next, Taken, expression};
use spds_format::{Diagnostic, Severity};

use super::dialect::{Dialect, level, to_the_right};
use super::formula::{Formula, Formulas, Ltl, Op, Traits};
use super::grammar::{Piece, Role, pieces};
use super::lexer::{TokenKind, tokens};
use super::prefix_form;
use super::print::parenthesised;
use super::proposition::{Proposition, PropositionKind};

/// What is done about a formula that only Moped reads differently, when the dialect is [`Dialect::Auto`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MopedDiffers {
    /// A warning shows both readings.
    #[default]
    Warn,
    /// The formula is refused: its author probably uses Moped.
    Refuse,
}

/// How a formula is to be read.
#[derive(Clone, Copy)]
pub struct Reading<'a> {
    /// Whose precedences count.
    pub dialect: Dialect,
    /// What if Moped's differ.
    pub moped: MopedDiffers,
    /// Which words are names in the program at hand. Such a word is not taken apart (`Fail` is not `F ail`).
    pub known: &'a dyn Fn(&str) -> bool,
}

impl Default for Reading<'_> {
    fn default() -> Self {
        Reading { dialect: Dialect::Auto, moped: MopedDiffers::Warn, known: &|_| false }
    }
}

/// How much is said about one formula.
static OF_FORMULAS: Bounds = Bounds {
    listed: 1000,
    guessed: 0,
    more: |number, severity| format!("{number} more {} in this formula are not listed", plural(severity)),
};

/// Reads a formula. Linear in the length of the text; gives warnings, too.
///
/// # Errors
/// All mistakes that could be found, or how the dialects read it, if they do not agree.
pub fn parse(text: &str, reading: &Reading<'_>) -> Result<(Ltl, Vec<Diagnostic>), Vec<Diagnostic>> {
    let mut complaints = Complaints::new(&OF_FORMULAS);
    let tokens = tokens(text, reading.dialect, &mut complaints);
    if reading.dialect == Dialect::Lbt {
        let ltl = prefix_form::parse(text, &tokens, &mut complaints);
        return if complaints.refused() { Err(complaints.into_sorted()) } else { Ok((ltl, Vec::new())) };
    }
    let pieces = pieces(text, &tokens, reading.known, &mut complaints);
    if complaints.refused() {
        return Err(complaints.into_sorted());
    }
    let open = matches!(reading.dialect, Dialect::Auto | Dialect::Wring);
    let dialect = if open { Dialect::Spot } else { reading.dialect };
    let arranged = arrange(&pieces, dialect);
    let mut warnings = Vec::new();
    if open {
        if let Some(refusal) = disagreement(&pieces, &arranged, &[Dialect::Spin, Dialect::NuSmv]) {
            return Err(vec![refusal]);
        }
        let moped = Some(Dialect::Moped).filter(|_| reading.dialect == Dialect::Auto);
        if let Some(refusal) = disagreement(&pieces, &arranged, moped.as_slice()) {
            match reading.moped {
                MopedDiffers::Refuse => return Err(vec![refusal]),
                MopedDiffers::Warn => warnings.push(Diagnostic { severity: Severity::Warning, ..refusal }),
            }
        }
    }
    Ok((arranged.ltl, warnings))
}

/// Reads a single proposition, as in `AP:` of a file in the Hanoi Omega-Automata format.
///
/// # Errors
/// Complaints if it is none, with places in `text`.
pub fn parse_proposition(text: &str) -> Result<Proposition, Vec<Diagnostic>> {
    let mut complaints = Complaints::new(&OF_FORMULAS);
    let tokens = tokens(text, Dialect::Auto, &mut complaints);
    let start = text.len() - text.trim_start().len();
    let whole = start..start + text.trim().len();
    match &tokens[..] {
        [token] if !complaints.refused() => match &token.kind {
            TokenKind::Proposition(kind, inner) => {
                return Ok(Proposition { kind: kind.clone(), span: token.span.clone(), inner: *inner });
            }
            TokenKind::Word if !text.trim().starts_with(|c: char| c.is_ascii_digit()) => {
                let kind = PropositionKind::Name(text[token.span.clone()].to_owned());
                return Ok(Proposition { kind, span: token.span.clone(), inner: token.span.start });
            }
            _ => {}
        },
        _ => {}
    }
    if !complaints.refused() {
        let complaint = Diagnostic::error(format!("`{}` is not an atomic proposition", text.trim()), whole);
        complaints.push(complaint.with_help("a label, a global, `proc:label`, `{expression}`, `@at(proc)`, …"));
    }
    Err(complaints.into_sorted())
}

/// Reads a formula without temporal operators that stands at this place of a larger text, as Spin reads it.
///
/// # Errors
/// What is wrong, with places in the larger text.
pub(super) fn parse_boolean(text: &str, at: Range<usize>) -> Result<Ltl, Vec<Diagnostic>> {
    let reading = Reading { dialect: Dialect::Spin, moped: MopedDiffers::Warn, known: &|_| true };
    let moved = |span: Range<usize>| span.start + at.start..span.end + at.start;
    let read = parse(&text[at.clone()], &reading).map_err(|complaints| {
        let moved = |complaint: Diagnostic| Diagnostic { span: complaint.span.map(moved), ..complaint };
        complaints.into_iter().map(moved).collect::<Vec<_>>()
    });
    let (mut ltl, _) = read?;
    if !ltl.formulas.has(ltl.root, Traits::BOOLEAN) {
        return Err(vec![Diagnostic::error("a temporal operator cannot stand in this condition", at)]);
    }
    ltl.formulas.move_propositions(at.start);
    Ok(ltl)
}

/// A formula as one dialect reads it.
struct Arranged {
    ltl: Ltl,
    /// For each operator, by its index among the pieces, the pieces that it governs.
    extents: Vec<Range<usize>>,
}

/// An operand whose operator is not known yet.
struct Operand {
    /// The operator and operands of a chain such as `a & b & c` that could still grow, and the places of its operators;
    /// or a single formula.
    chain: Option<Op>,
    formulas: VecDeque<Formula>,
    operators: VecDeque<usize>,
    extent: Range<usize>,
}

impl Operand {
    fn single(formula: Formula, extent: Range<usize>) -> Operand {
        Operand { chain: None, formulas: VecDeque::from([formula]), operators: VecDeque::new(), extent }
    }
}

/// The pieces as a dialect reads them.
fn arrange(pieces: &[Piece], dialect: Dialect) -> Arranged {
    let mut arranger = Arranger {
        dialect,
        pieces,
        at: 0,
        formulas: Formulas::new(),
        operands: Vec::new(),
        extents: vec![0..0; pieces.len()],
    };
    let whole = expression(&mut arranger, &mut Vec::new());
    debug_assert!(whole.is_ok() && arranger.at == pieces.len(), "the pieces are known to fit together");
    let whole = arranger.operands.pop().expect("a formula is not empty");
    let root = arranger.whole(whole);
    Arranged { ltl: Ltl { formulas: arranger.formulas, root }, extents: arranger.extents }
}

struct Arranger<'p> {
    dialect: Dialect,
    pieces: &'p [Piece],
    /// The piece to be read next.
    at: usize,
    formulas: Formulas,
    operands: Vec<Operand>,
    extents: Vec<Range<usize>>,
}

/// An operator and which piece it is.
type Placed = (Op, usize);

impl Expressions for Arranger<'_> {
    type Operator = Placed;
    /// Which piece opens it.
    type Bracket = usize;
    type Broken = Infallible;

    fn operand(&mut self) -> Result<Taken<Placed, usize>, Infallible> {
        let place = self.at;
        self.at += 1;
        let formula = match &self.pieces[place].part {
            Role::Open => return Ok(Taken::Open(place)),
            Role::Prefix(op) | Role::Bounded(op, _) => return Ok(Taken::Prefix((*op, place))),
            Role::Constant(true) => Formula::TRUE,
            Role::Proposition(proposition) => self.formulas.proposition(proposition.clone()),
            Role::Constant(false) | Role::Infix(_) | Role::Close => Formula::FALSE,
        };
        self.operands.push(Operand::single(formula, place..place + 1));
        Ok(Taken::Operand)
    }

    fn operator(&mut self, _: bool) -> Result<Next<Placed, usize>, Infallible> {
        let Some(Piece { part: Role::Infix(op), .. }) = self.pieces.get(self.at) else { return Ok(Next::End) };
        self.at += 1;
        Ok(Next::Infix((*op, self.at - 1)))
    }

    fn takes(&mut self, (before, place): &mut Placed, (next, _): &mut Placed) -> bool {
        let (here, coming) = (level(self.dialect, *before), level(self.dialect, *next));
        let is_infix = matches!(self.pieces[*place].part, Role::Infix(_));
        here > coming || here == coming && is_infix && !to_the_right(self.dialect, *next)
    }

    fn apply(&mut self, (op, place): Placed) {
        let right = self.operands.pop().expect("operands and operators alternate");
        let made = if matches!(self.pieces[place].part, Role::Infix(_)) {
            let left = self.operands.pop().expect("operands and operators alternate");
            self.join(left, op, place, right)
        } else {
            let extent = place..right.extent.end;
            let operand = self.whole(right);
            self.extents[place] = extent.clone();
            let formula = match self.pieces[place].part {
                Role::Bounded(op, bounds) => bounds.apply(&mut self.formulas, op, operand),
                _ => self.formulas.make(op, &[operand]),
            };
            Operand::single(formula, extent)
        };
        self.operands.push(made);
    }

    fn close(&mut self, opened: usize) -> Result<Taken<Placed, usize>, Infallible> {
        self.at += 1;
        let inside = self.operands.pop().expect("something is inside of parentheses");
        let formula = self.whole(inside);
        self.operands.push(Operand::single(formula, opened..self.at));
        Ok(Taken::Operand)
    }
}

impl Arranger<'_> {
    fn join(&mut self, mut left: Operand, op: Op, place: usize, mut right: Operand) -> Operand {
        let extent = left.extent.start..right.extent.end;
        if !matches!(op, Op::And | Op::Or | Op::Xor | Op::Iff) {
            let (left, right) = (self.whole(left), self.whole(right));
            self.extents[place] = extent.clone();
            let formula = self.formulas.make(op, &[left, right]);
            return Operand::single(formula, extent);
        }
        if right.chain == Some(op) && left.chain != Some(op) {
            let left = self.whole(left);
            right.formulas.push_front(left);
            right.operators.push_front(place);
            return Operand { extent, ..right };
        }
        if left.chain != Some(op) {
            left = Operand::single(self.whole(left), extent.clone());
        }
        left.operators.push_back(place);
        if right.chain == Some(op) {
            left.formulas.append(&mut right.formulas);
            left.operators.append(&mut right.operators);
        } else {
            let right = self.whole(right);
            left.formulas.push_back(right);
        }
        Operand { chain: Some(op), extent, ..left }
    }

    /// The formula of an operand that does not grow any more.
    fn whole(&mut self, operand: Operand) -> Formula {
        for operator in &operand.operators {
            self.extents[*operator] = operand.extent.clone();
        }
        match operand.chain {
            Some(op) => self.formulas.make(op, &Vec::from(operand.formulas)),
            None => operand.formulas[0],
        }
    }
}

/// Complains if one of the dialects reads the formula in another way than `ours`, which is Spot's.
fn disagreement(pieces: &[Piece], ours: &Arranged, others: &[Dialect]) -> Option<Diagnostic> {
    let mut readings: Vec<(String, Vec<Dialect>)> = Vec::new();
    let mut first: Option<usize> = None;
    for dialect in others {
        let theirs = arrange(pieces, *dialect);
        let differs = (0..pieces.len()).find(|index| ours.extents[*index] != theirs.extents[*index]);
        let Some(differs) = differs else { continue };
        first = Some(first.map_or(differs, |first| first.min(differs)));
        let text = parenthesised(&theirs.ltl);
        match readings.iter_mut().find(|(known, _)| *known == text) {
            Some((_, dialects)) => dialects.push(*dialect),
            None => readings.push((text, vec![*dialect])),
        }
    }
    let first = first?;
    let mut message = format!("tools disagree about this formula: Spot reads `{}`", parenthesised(&ours.ltl));
    for (text, dialects) in &readings {
        let names: Vec<&str> = dialects.iter().map(|dialect| dialect.name()).collect();
        let verb = if names.len() == 1 { "reads" } else { "read" };
        message += &format!(", {} {verb} `{text}`", names.join(" and "));
    }
    let complaint = Diagnostic::error(message, pieces[first].span.clone()).with_label("what does this govern?");
    Some(complaint.with_help("add parentheses, or choose a reading with `--ltl-syntax`"))
}
