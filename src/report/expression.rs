//! Formulas in the notation of the input.

use spds_format::Spds;
use spds_format::expr::{Binary, Time};
use spds_format::model::{FrameId, SymbolId};

use crate::formula::form::{Cell, Comparisons, Formula, Literal, OrEqual, comparisons};

/// In which language formulas are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notation {
    /// That of Boolean programs.
    #[default]
    Program,
    /// That of Remopla; cells of arrays of several dimensions are counted through, as in traces.
    Remopla,
    /// That of C, for variables that are predicates: their names are expressions in braces.
    C,
    /// That of systems, in all texts that name stack symbols.
    System,
}

/// A formula under a topmost symbol, as an expression that the front end of the input would read; locals are written
/// without their procedure. Products within sums, and in programs comparisons within anything, stand in parentheses:
/// dialects differ about those.
pub fn written(spds: &Spds, notation: Notation, symbol: SymbolId, formula: &Formula) -> String {
    let writer = Writer { spds, notation, frame: spds.symbol(symbol).frame };
    let sums = formula.sums.iter().map(|sum| {
        let products = sum.iter().map(|product| {
            let literals = product.iter().map(|literal| writer.literal(literal));
            writer.joined(Level::And, literals.collect())
        });
        writer.joined(Level::Or, products.collect())
    });
    writer.joined(Level::And, sums.collect()).text
}

/// The name of a scalar under a topmost symbol.
pub fn name(spds: &Spds, notation: Notation, symbol: SymbolId, cell: &Cell) -> String {
    Writer { spds, notation, frame: spds.symbol(symbol).frame }.name(cell)
}

/// The expression that a variable of an abstraction stands for.
fn predicate(name: &str) -> &str {
    name.strip_prefix('{').and_then(|name| name.strip_suffix('}')).unwrap_or(name)
}

struct Writer<'a> {
    spds: &'a Spds,
    notation: Notation,
    frame: Option<FrameId>,
}

/// How tightly the outermost operator of a text binds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Or,
    And,
    Comparison,
    Operand,
}

struct Piece {
    level: Level,
    text: String,
}

impl Writer<'_> {
    /// Several pieces with `&` or `|` between them; one as it is; a constant if there is none.
    fn joined(&self, level: Level, mut pieces: Vec<Piece>) -> Piece {
        if pieces.len() == 1 {
            return pieces.swap_remove(0);
        }
        if pieces.is_empty() {
            let text = match (self.notation, level == Level::And) {
                (Notation::Program | Notation::C, value) => u8::from(value).to_string(),
                (_, value) => value.to_string(),
            };
            return Piece { level: Level::Operand, text };
        }
        let mut text = String::new();
        for (number, piece) in pieces.iter().enumerate() {
            text += match (number, level) {
                (0, _) => "",
                (_, Level::And) if self.notation == Notation::C => " && ",
                (_, Level::And) => " & ",
                _ if self.notation == Notation::C => " || ",
                _ => " | ",
            };
            let bare = match piece.level {
                Level::Operand => true,
                Level::Comparison => self.notation == Notation::System,
                Level::And | Level::Or => piece.level == level,
            };
            if bare {
                text += &piece.text;
            } else {
                text += &format!("({})", piece.text);
            }
        }
        Piece { level, text }
    }

    fn literal(&self, literal: &Literal) -> Piece {
        let comparison = |text: String| Piece { level: Level::Comparison, text };
        let equal = |same: bool| self.sign(if same { Binary::Eq } else { Binary::Ne });
        match literal {
            // Of expressions that are not 0 or 1 only their negations can be compared.
            Literal::Same(a, b, same) if self.notation == Notation::C => {
                comparison(format!("{} {} {}", self.negated(a), equal(*same), self.negated(b)))
            }
            Literal::Is(cell, false) => Piece { level: Level::Operand, text: self.negated(cell) },
            Literal::Is(cell, true) => {
                let text = self.name(cell);
                Piece { level: if self.is_word(&text) { Level::Operand } else { Level::Comparison }, text }
            }
            Literal::Same(a, b, same) => comparison(format!("{} {} {}", self.name(a), equal(*same), self.name(b))),
            Literal::Less(a, b, or_equal) => {
                let op = if *or_equal == OrEqual::Yes { "<=" } else { "<" };
                comparison(format!("{} {op} {}", self.name(a), self.name(b)))
            }
            Literal::Masked(cell, mask, bits, same) => {
                comparison(format!("({} & {mask}) {} {bits}", self.name(cell), equal(*same)))
            }
            Literal::Within(cell, intervals) => {
                let name = self.name(cell);
                let comparisons = comparisons(cell.scalar, intervals);
                let (outer, inner) = match comparisons {
                    Comparisons::Any(_) => (Level::Or, Level::And),
                    Comparisons::All(_) => (Level::And, Level::Or),
                };
                let (Comparisons::Any(groups) | Comparisons::All(groups)) = comparisons;
                let groups = groups.iter().map(|group| {
                    let tests = group.iter().map(|test| {
                        let number = test.number;
                        comparison(match (test.op, inner, group.len()) {
                            // As one reads a range: 2 <= n & n <= 5.
                            (Binary::Ge, Level::And, 2) => format!("{number} <= {name}"),
                            (op, ..) => format!("{name} {} {number}", self.sign(op)),
                        })
                    });
                    self.joined(inner, tests.collect())
                });
                self.joined(outer, groups.collect())
            }
        }
    }

    fn negated(&self, cell: &Cell) -> String {
        let name = self.name(cell);
        if self.is_word(&name) { format!("!{name}") } else { format!("!({name})") }
    }

    /// Whether a name needs no parentheses.
    fn is_word(&self, name: &str) -> bool {
        self.notation != Notation::C || name.chars().all(|c| c.is_alphanumeric() || c == '_')
    }

    fn name(&self, cell: &Cell) -> String {
        let name = match self.notation {
            Notation::Program | Notation::Remopla => self.spds.display_name(self.frame, cell.var).into_owned(),
            Notation::C => predicate(&self.spds.display_name(self.frame, cell.var)).to_owned(),
            Notation::System => self.spds.written_name(self.frame, cell.var),
        };
        let primes = match cell.time {
            Time::Before => "",
            Time::After => "'",
            Time::Saved => "''",
        };
        match cell.index {
            Some(index) => format!("{name}{primes}[{index}]"),
            None => name + primes,
        }
    }

    fn sign(&self, op: Binary) -> &'static str {
        match op {
            Binary::Ne => "!=",
            Binary::Lt => "<",
            Binary::Le => "<=",
            Binary::Gt => ">",
            Binary::Ge => ">=",
            _ if matches!(self.notation, Notation::Remopla | Notation::C) => "==",
            _ => "=",
        }
    }
}
