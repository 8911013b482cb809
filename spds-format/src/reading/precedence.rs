//! Expressions by precedence, for all languages: one machine with a stack of its own, so that depth costs memory, never the
//! call stack (Floyd, *Syntactic analysis and operator precedence*, JACM 1963; Dijkstra's shunting yard).
//!
//! A language says what stands in the place of an operand, what may come after one, which of two operators takes the operand
//! between them, and what an operator does to its operands. Everything that is closed by something (`( )`, `a[ ]`, the
//! alternatives of `c ? a : b`, the arguments of `schoose[a, b]`) is a bracket.

/// What waits for an operand that has not been read, or for its end.
#[derive(Clone, Copy, Debug)]
pub enum Waiting<O, B> {
    /// An operator waits for its last operand.
    Operator(O),
    /// A bracket waits for what closes it.
    Bracket(B),
}

/// What was taken in the place of an operand, or by closing a bracket.
#[derive(Clone, Copy, Debug)]
pub enum Taken<O, B> {
    /// A whole operand.
    Operand,
    /// An operator that waits for the operand to come.
    Prefix(O),
    /// A bracket with an operand inside it.
    Open(B),
}

/// What comes after a whole operand.
#[derive(Clone, Copy, Debug)]
pub enum Next<O, B> {
    /// An operator between two operands; it was taken.
    Infix(O),
    /// An operator that takes operands as this one would, and then opens a bracket: `c ?`. It was taken.
    Opening(O, B),
    /// Something that belongs to the operand; it was taken.
    Postfix,
    /// Nothing of these: the innermost bracket ends here, or, where none is open, the expression.
    End,
}

/// A language of expressions.
pub trait Expressions {
    /// What waits for operands. An operator knows where it stands.
    type Operator;
    /// What is closed by something.
    type Bracket;
    /// A complaint has been made, and the expression is given up.
    type Broken;

    /// In the place of an operand: takes it, or what comes before it.
    ///
    /// # Errors
    /// If nothing begins here.
    fn operand(&mut self) -> Result<Taken<Self::Operator, Self::Bracket>, Self::Broken>;

    /// After a whole operand. `inside`: something waits for this operand.
    ///
    /// # Errors
    /// If what comes next is known to be wrong.
    fn operator(&mut self, inside: bool) -> Result<Next<Self::Operator, Self::Bracket>, Self::Broken>;

    /// Whether `before`, whose last operand has just been read, takes it, though `next` follows.
    fn takes(&mut self, before: &mut Self::Operator, next: &mut Self::Operator) -> bool;

    /// Gives an operator the operands read last.
    fn apply(&mut self, operator: Self::Operator);

    /// Takes what closes the innermost bracket.
    ///
    /// # Errors
    /// If something else stands here.
    fn close(&mut self, bracket: Self::Bracket) -> Result<Taken<Self::Operator, Self::Bracket>, Self::Broken>;
}

/// The stack; kept from one expression to the next, it allocates next to nothing.
pub type Stack<E> = Vec<Waiting<<E as Expressions>::Operator, <E as Expressions>::Bracket>>;

/// Reads one expression, as far as it goes. Linear; the stack is empty before and after.
///
/// # Errors
/// Those of the language.
pub fn expression<E: Expressions>(language: &mut E, stack: &mut Stack<E>) -> Result<(), E::Broken> {
    let outcome = read(language, stack);
    stack.clear();
    outcome
}

fn read<E: Expressions>(language: &mut E, stack: &mut Stack<E>) -> Result<(), E::Broken> {
    loop {
        let mut taken = language.operand()?;
        loop {
            match taken {
                Taken::Prefix(operator) => stack.push(Waiting::Operator(operator)),
                Taken::Open(bracket) => stack.push(Waiting::Bracket(bracket)),
                Taken::Operand => match language.operator(!stack.is_empty())? {
                    Next::Infix(mut operator) => {
                        reduce(language, stack, &mut operator);
                        stack.push(Waiting::Operator(operator));
                    }
                    Next::Opening(mut operator, bracket) => {
                        reduce(language, stack, &mut operator);
                        stack.push(Waiting::Bracket(bracket));
                    }
                    Next::Postfix => {
                        taken = Taken::Operand;
                        continue;
                    }
                    Next::End => match innermost(language, stack) {
                        Some(bracket) => {
                            taken = language.close(bracket)?;
                            continue;
                        }
                        None => return Ok(()),
                    },
                },
            }
            break;
        }
    }
}

/// Gives the operand that has just been read to those operators that take it before the next one.
fn reduce<E: Expressions>(language: &mut E, stack: &mut Stack<E>, next: &mut E::Operator) {
    while let Some(Waiting::Operator(before)) = stack.last_mut()
        && language.takes(before, next)
        && let Some(Waiting::Operator(before)) = stack.pop()
    {
        language.apply(before);
    }
}

/// The same for all operators inside of the innermost bracket, which is taken from the stack.
fn innermost<E: Expressions>(language: &mut E, stack: &mut Stack<E>) -> Option<E::Bracket> {
    loop {
        match stack.pop()? {
            Waiting::Operator(operator) => language.apply(operator),
            Waiting::Bracket(bracket) => return Some(bracket),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums, differences, products, `!`, `a[i]`, `c ? a : b`, `x²`: written out in postorder.
    struct Letters<'t> {
        rest: std::str::Chars<'t>,
        out: String,
    }

    impl Letters<'_> {
        fn peek(&self) -> Option<char> {
            self.rest.clone().next()
        }
    }

    fn level(operator: char) -> u32 {
        "?+*!".chars().position(|known| known == operator).unwrap_or(1) as u32
    }

    impl Expressions for Letters<'_> {
        type Operator = char;
        type Bracket = char;
        type Broken = usize;

        fn operand(&mut self) -> Result<Taken<char, char>, usize> {
            match self.rest.next() {
                Some('!') => Ok(Taken::Prefix('!')),
                Some('(') => Ok(Taken::Open('(')),
                Some(letter @ 'a'..='z') => {
                    self.out.push(letter);
                    Ok(Taken::Operand)
                }
                _ => Err(self.out.len()),
            }
        }

        fn operator(&mut self, _: bool) -> Result<Next<char, char>, usize> {
            let Some(next) = self.peek() else { return Ok(Next::End) };
            let found = match next {
                '+' | '-' | '*' => Next::Infix(next),
                '?' => Next::Opening('?', '?'),
                '[' => Next::Opening('[', '['),
                '²' => Next::Postfix,
                _ => return Ok(Next::End),
            };
            self.rest.next();
            self.out.extend((next == '²').then_some('²'));
            Ok(found)
        }

        fn takes(&mut self, before: &mut char, next: &mut char) -> bool {
            *next != '[' && level(*before) >= level(*next) && *before != '?'
        }

        fn apply(&mut self, operator: char) {
            self.out.push(operator);
        }

        fn close(&mut self, bracket: char) -> Result<Taken<char, char>, usize> {
            let end = self.rest.next();
            match (bracket, end) {
                ('(', Some(')')) => Ok(Taken::Operand),
                ('[', Some(']')) => {
                    self.out.push('[');
                    Ok(Taken::Operand)
                }
                ('?', Some(':')) => Ok(Taken::Prefix('?')),
                _ => Err(self.out.len()),
            }
        }
    }

    fn postorder(text: &str) -> Result<String, usize> {
        let mut letters = Letters { rest: text.chars(), out: String::new() };
        expression(&mut letters, &mut Vec::new()).map(|()| letters.out)
    }

    #[test]
    fn operators_bind_as_the_language_says() {
        assert_eq!(postorder("a+b*c-d").as_deref(), Ok("abc*+d-"));
        assert_eq!(postorder("!(a+b)*!c").as_deref(), Ok("ab+!c!*"));
        assert_eq!(postorder("a?b:c?d:e").as_deref(), Ok("abcde??"));
        assert_eq!(postorder("a?b?c:d:e+f").as_deref(), Ok("abcd?ef+?"));
        assert_eq!(postorder("a[b+c]*d²").as_deref(), Ok("abc+[d²*"));
    }

    #[test]
    fn what_is_not_closed_or_missing_is_an_error() {
        for text in ["", "(a", "a+", "(a]", "a?b)", "a[b"] {
            assert!(postorder(text).is_err(), "{text}");
        }
        assert_eq!(postorder("a)b").as_deref(), Ok("a"));
    }

    #[test]
    fn depth_costs_no_call_stack() {
        let deep = 1_000_000;
        let text = format!("{}a{}", "!(".repeat(deep), ")".repeat(deep));
        assert_eq!(postorder(&text).map(|out| out.len()), Ok(deep + 1));
    }
}
