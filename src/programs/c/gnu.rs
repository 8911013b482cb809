//! GNU C that lang-c does not read, as changes of the text after which it does: addresses of labels, computed jumps, `__label__`,
//! compound literals without items, `a ?: b`, parts of complex numbers, alignments of objects.

use std::ops::Range;

use super::tokens::{Token, TokenKind};

/// What the name begins with that stands for the address of a label.
pub const LABEL: &str = "__label_address_";

/// The procedure a call of which stands for a computed jump.
pub const JUMP: &str = "__computed_goto";

/// The name that stands between `?` and `:` where nothing does: the value of the condition, which is not evaluated again.
pub const OMITTED: &str = "__omitted_operand";

/// Operators that stand before an operand: no expression of C has these signs in this order, since what they have no address of is
/// needed.
pub const REAL: &str = "& ! & +";
pub const IMAGINARY: &str = "& ! & -";
/// It stands before the size of what the alignment is asked of.
pub const ALIGNMENT: &str = "& ! & ~";

/// What is written where. Linear, but for looking back over brackets.
pub fn changes(text: &str, kept: &[Token]) -> Vec<(Range<usize>, String)> {
    let reader = Reader { text, kept };
    let mut all = Vec::new();
    for index in 0..kept.len() {
        reader.change(index, &mut all);
    }
    all
}

struct Reader<'t> {
    text: &'t str,
    kept: &'t [Token],
}

impl Reader<'_> {
    fn word(&self, index: usize) -> &str {
        self.kept.get(index).and_then(|token| self.text.get(token.range.clone())).unwrap_or("")
    }

    fn is_name(&self, index: usize) -> bool {
        self.kept.get(index).is_some_and(|token| token.kind == TokenKind::Name)
    }

    /// From the first byte of a token to the last of another.
    fn range(&self, from: usize, to: usize) -> Range<usize> {
        self.kept[from].range.start..self.kept[to].range.end
    }

    fn change(&self, index: usize, all: &mut Vec<(Range<usize>, String)>) {
        match (self.word(index), self.word(index + 1)) {
            ("&", "&") if self.is_address(index) => {
                let name = self.word(index + 2);
                all.push((self.range(index, index + 2), format!("{LABEL}{name}")));
            }
            ("goto", "*") => {
                if let Some(end) = self.end_of_statement(index + 2) {
                    all.push((self.range(index, index + 1), format!("{JUMP}(")));
                    let at = self.kept[end].range.start;
                    all.push((at..at, ")".to_owned()));
                }
            }
            ("__real__" | "__real", _) => all.push((self.range(index, index), format!(" {REAL} "))),
            ("__imag__" | "__imag", _) => all.push((self.range(index, index), format!(" {IMAGINARY} "))),
            ("__complex__" | "__complex", _) => all.push((self.range(index, index), "_Complex".to_owned())),
            ("__alignof__" | "__alignof", _) => {
                all.push((self.range(index, index), format!(" {ALIGNMENT} sizeof ")));
            }
            ("__label__", _) => {
                if let Some(end) = self.end_of_statement(index + 1) {
                    all.push((self.range(index, end), ";".to_owned()));
                }
            }
            ("?", ":") => {
                let at = self.kept[index + 1].range.start;
                all.push((at..at, format!(" {OMITTED} ")));
            }
            ("{", "}") if self.begins_literal(index) => {
                all.push((self.range(index, index + 1), "{0}".to_owned()));
            }
            _ => {}
        }
    }

    /// Whether `&&` at a token is no operator between two operands. A sum with it is left to be refused: how far labels are from each
    /// other is not known.
    fn is_address(&self, index: usize) -> bool {
        let signs = self.kept[index].range.end == self.kept[index + 1].range.start;
        let name = self.is_name(index + 2) && !self.word(index + 2).contains('$');
        let Some(before) = index.checked_sub(1) else { return false };
        let operand = match self.kept[before].kind {
            TokenKind::Name => self.word(before) != "return",
            TokenKind::Sign(b')') => !self.is_cast(before),
            TokenKind::Sign(sign) => matches!(sign, b']' | b'}'),
            _ => true,
        };
        let sum = |index: usize| matches!(self.word(index), "+" | "-");
        signs && name && !operand && !sum(before) && !sum(index + 3)
    }

    /// Whether what is in the brackets that end at a token can only be a type: a pointer.
    fn is_cast(&self, close: usize) -> bool {
        self.word(close - 1) == "*" && self.open(close).is_some_and(|open| self.is_name(open + 1))
    }

    /// The bracket that a closing one belongs to.
    fn open(&self, close: usize) -> Option<usize> {
        let mut level = 0usize;
        (0..=close).rev().find(|&at| {
            match self.kept[at].kind {
                TokenKind::Sign(b')') => level += 1,
                TokenKind::Sign(b'(') => level = level.saturating_sub(1),
                _ => {}
            }
            level == 0
        })
    }

    /// The semicolon that ends the statement that goes on at a token.
    fn end_of_statement(&self, from: usize) -> Option<usize> {
        let mut level = 0usize;
        (from..self.kept.len()).find(|&at| {
            match self.kept[at].kind {
                TokenKind::Sign(b'(' | b'[' | b'{') => level += 1,
                TokenKind::Sign(b')' | b']' | b'}') => level = level.saturating_sub(1),
                _ => {}
            }
            level == 0 && self.word(at) == ";"
        })
    }

    /// Whether an empty list at a token is that of a compound literal, and not a body: what is before its type goes on with an operand.
    fn begins_literal(&self, index: usize) -> bool {
        let Some(close) = index.checked_sub(1).filter(|&at| self.word(at) == ")") else { return false };
        let Some(open) = self.open(close).filter(|open| open + 1 < close) else { return false };
        let Some(before) = open.checked_sub(1) else { return false };
        let operator = match self.kept[before].kind {
            TokenKind::Name => self.word(before) == "return",
            TokenKind::Sign(sign) => b"=(,+-/&|!~<>?:".contains(&sign),
            _ => false,
        };
        operator && self.is_name(open + 1) && self.word(close - 1) != "]"
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::tokens::tokens;

    fn written(text: &str) -> Vec<(String, String)> {
        let all = changes(text, &tokens(text));
        all.into_iter().map(|(range, new)| (text[range].to_owned(), new)).collect()
    }

    #[test]
    fn addresses_of_labels_are_told_from_conjunctions() {
        let address = |name: &str| vec![(format!("&&{name}"), format!("{LABEL}{name}"))];
        for text in ["x = &&l;", "{&&l}", "f(&&l)", "return &&l;", "(void *)&&l", "a ? &&l : 0"] {
            assert_eq!(written(text), address("l"), "{text}");
        }
        for text in ["a && l", "a &&l", "(a)&&l", "a[0]&&l", "1&&l", "f()&&l", "&&l - b", "x + &&l", "& &l"] {
            assert!(written(text).is_empty(), "{text}");
        }
    }

    #[test]
    fn an_omitted_operand_has_a_name() {
        assert_eq!(written("a ?: b"), [(String::new(), format!(" {OMITTED} "))]);
        assert!(written("a ? b : c").is_empty());
    }

    #[test]
    fn bodies_are_no_literals() {
        for text in ["void f(void) {}", "if (x) {}", "while (x) {}", "void (*f(int a))(int b) {}", "int x[] = {};"] {
            assert!(written(text).is_empty(), "{text}");
        }
        for text in ["x = (struct s){};", "f((struct s){}, 1)", "return (struct s) {};"] {
            assert_eq!(written(text).len(), 1, "{text}");
        }
    }
}
