//! Formulas in the notation of the input.

use spds_format::Spds;
use spds_format::expr::Binary;
use spds_format::model::{FrameId, SymbolId};

use crate::facts::formula::{Cell, Comparisons, Formula, Literal, OrEqual, comparisons};

/// In which language formulas are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Notation {
    /// That of Boolean programs.
    #[default]
    Program,
    /// That of Remopla; cells of arrays of several dimensions are counted through, as in traces.
    Remopla,
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
                (Notation::Program, value) => u8::from(value).to_string(),
                (_, value) => value.to_string(),
            };
            return Piece { level: Level::Operand, text };
        }
        let mut text = String::new();
        for (number, piece) in pieces.iter().enumerate() {
            text += match (number, level) {
                (0, _) => "",
                (_, Level::And) => " & ",
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
            Literal::Is(cell, value) => {
                let not = if *value { "" } else { "!" };
                Piece { level: Level::Operand, text: format!("{not}{}", self.name(cell)) }
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

    fn name(&self, cell: &Cell) -> String {
        let name = match self.notation {
            Notation::Program | Notation::Remopla => self.spds.display_name(self.frame, cell.var).into_owned(),
            Notation::System => self.spds.written_name(self.frame, cell.var),
        };
        match cell.index {
            Some(index) => format!("{name}[{index}]"),
            None => name,
        }
    }

    fn sign(&self, op: Binary) -> &'static str {
        match op {
            Binary::Ne => "!=",
            Binary::Lt => "<",
            Binary::Le => "<=",
            Binary::Gt => ">",
            Binary::Ge => ">=",
            _ if self.notation == Notation::Remopla => "==",
            _ => "=",
        }
    }
}
