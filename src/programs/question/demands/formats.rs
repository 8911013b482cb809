//! What formats of printf's and scanf's families demand of arguments, and of what they write to.

use super::Writer;
use super::terms::Long;
use crate::c::expression::{Binary, ExpressionId};
use crate::c::format::{Conversion, Count, Kind, Length, Piece, Taken, pieces};
use crate::c::library::contracts::{Access, Demand, Null};
use crate::c::library::shapes::{From, Shape, scanning};

/// How many bytes a call of printf's family makes.
struct Made {
    /// At least.
    least: u64,
    /// At most, if that is known.
    most: Option<u64>,
    /// And as many as these numbers say, if the others are one.
    counted: Vec<ExpressionId>,
}

/// A width or precision of a conversion.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    Nothing,
    Number(u64),
    Argument(ExpressionId),
}

impl Writer {
    /// The pieces of the format that an argument is, if it is known.
    fn pieces(&mut self, at: usize, kind: Kind) -> Option<Vec<Piece>> {
        let format = self.arguments.get(at).copied();
        let pieces = format.and_then(|format| Some(pieces(self.known_text(format)?, kind)));
        self.rest |= pieces.is_none();
        pieces
    }

    pub(super) fn print(&mut self, name: &str) {
        let Some(shape) = Shape::named(name) else {
            self.rest = true;
            return;
        };
        if let Some(at) = shape.stream {
            self.stream(at);
        }
        if shape.list {
            // Nobody knows what is in lists.
            self.unknown.insert(name.into());
            return;
        }
        let Some(pieces) = self.pieces(shape.format, Kind::Print) else { return };
        let mut rest = self.arguments.split_off((shape.format + 1).min(self.arguments.len())).into_iter();
        let mut made = Made { least: 0, most: Some(0), counted: Vec::new() };
        for piece in pieces {
            let known = match piece {
                Piece::Byte(_) => made.plus(1, Some(1)),
                Piece::Conversion(Conversion { letter: b'%', .. }) => made.plus(1, Some(1)),
                Piece::Conversion(one) => self.printed(&one, &mut rest, (&mut made, shape.buffer.is_some())),
                Piece::Unknown => None,
            };
            if known.is_none() {
                self.rest = true;
                return;
            }
        }
        let target = shape.buffer.and_then(|at| self.arguments.get(at).copied());
        if let Some(target) = target {
            let size = shape.size.map(|at| self.arguments.get(at).copied());
            self.room(target, size, made);
        }
    }

    /// What a width or precision is; none if it is no number.
    fn given(&self, count: Option<Count>, rest: &mut impl Iterator<Item = ExpressionId>) -> Option<Given> {
        match count {
            None => Some(Given::Nothing),
            Some(Count::Number(number)) => Some(Given::Number(number as u64)),
            Some(Count::Argument) => {
                let argument = rest.next()?;
                let is_number = Taken::Integer(32).is_of(&self.program.types, self.ty(argument));
                is_number.then_some(Given::Argument(argument))
            }
        }
    }

    /// A conversion; none if it is not known what it demands. How much is made matters where it is written to somewhere.
    fn printed(
        &mut self,
        one: &Conversion,
        rest: &mut impl Iterator<Item = ExpressionId>,
        (made, writes): (&mut Made, bool),
    ) -> Option<()> {
        let (width, precision) = (self.given(one.width, rest)?, self.given(one.precision, rest)?);
        let taken = one.printed(self.program.types.model)?;
        let argument = rest.next()?;
        if !taken.is_of(&self.program.types, self.ty(argument)) {
            return None;
        }
        let text = match taken {
            _ if one.letter == b'n' => {
                let (_, bits) = one.length.bits(self.program.types.model)?;
                let size = self.number(u64::from(bits / 8));
                self.bytes(argument, size, Access::Write);
                (0, None)
            }
            Taken::Pointer if one.letter == b's' => {
                let most = match precision {
                    Given::Nothing => None,
                    Given::Number(number) => Some(self.number(number)),
                    // What is less than 0 is as much as can be.
                    Given::Argument(argument) => self.size(argument),
                };
                if !writes {
                    match most {
                        None => self.text_alone(argument),
                        Some(_) => drop(self.text(argument, most)),
                    }
                    return made.plus(0, None);
                }
                if let (None, Some(longest)) = (self.known_text(argument), self.longest(argument)) {
                    self.begins(argument);
                    let (least, most) = one.made(self.program.types.model, (0, Some(longest)))?;
                    return made.plus(least, most);
                }
                match self.text(argument, most) {
                    Long::Known(length) => (length, Some(length)),
                    Long::Counted(length) if width == Given::Nothing => {
                        made.counted.push(length);
                        return made.plus(0, Some(0));
                    }
                    Long::Counted(_) => (0, None),
                }
            }
            _ => (0, None),
        };
        let (least, most) = one.made(self.program.types.model, text)?;
        made.plus(least, most)
    }

    /// Room for a text and the 0 behind it, of which so many bytes at most.
    fn room(&mut self, target: ExpressionId, size: Option<Option<ExpressionId>>, made: Made) {
        let size = match size {
            None => None,
            Some(Some(size)) => match self.size(size) {
                Some(size) => Some((size, self.constant(size))),
                None => return self.rest = true,
            },
            Some(None) => return self.rest = true,
        };
        let most = made.most.filter(|_| made.counted.is_empty()).map(|most| most + 1);
        let limit = size.and_then(|(_, known)| known);
        if limit == Some(0) {
            return;
        }
        let needed = most.into_iter().chain(limit).min();
        if needed.is_some_and(|needed| self.is_there(target, needed)) {
            return;
        }
        if made.most == Some(made.least) && size.is_none() {
            let mut length = self.number(made.least + 1);
            for counted in made.counted {
                length = self.arithmetic(Binary::Add, length, counted);
            }
            return self.bytes(target, length, Access::Write);
        }
        if size.is_none() {
            let least = self.number(made.least + 1);
            self.bytes(target, least, Access::Write);
        }
        self.rest = true;
    }

    pub(super) fn scan(&mut self, name: &str) {
        let Some((from, list)) = scanning(name) else {
            self.rest = true;
            return;
        };
        match from {
            From::Input => {}
            From::Stream => self.stream(0),
            From::Text => self.demand(Demand::Text(0, Null::Refused), name),
        }
        if list {
            self.unknown.insert(name.into());
            return;
        }
        let at = usize::from(from != From::Input);
        let Some(pieces) = self.pieces(at, Kind::Scan) else { return };
        let mut rest = self.arguments.split_off((at + 1).min(self.arguments.len())).into_iter();
        for piece in pieces {
            let known = match piece {
                Piece::Conversion(one) if one.letter != b'%' && !one.suppressed => self.scanned(&one, rest.next()),
                Piece::Byte(_) | Piece::Conversion(_) => Some(()),
                Piece::Unknown => None,
            };
            if known.is_none() {
                self.rest = true;
                return;
            }
        }
    }

    /// A conversion of scanf's; none if it is not known what it demands.
    fn scanned(&mut self, one: &Conversion, argument: Option<ExpressionId>) -> Option<()> {
        let pointer = argument.filter(|argument| self.is_pointer(*argument))?;
        let model = self.program.types.model;
        let width = match one.width {
            None => None,
            Some(Count::Number(width)) => Some(width as u64),
            Some(Count::Argument) => return None,
        };
        let size = match one.letter {
            b'd' | b'i' | b'u' | b'o' | b'x' | b'X' | b'n' => u64::from(one.length.bits(model)?.1 / 8),
            b'a' | b'A' | b'e' | b'E' | b'f' | b'F' | b'g' | b'G' => match one.printed(model)? {
                _ if one.length == Length::Plain => 4,
                Taken::Real(kind) => u64::from(kind.width() / 8),
                _ => return None,
            },
            b'p' => u64::from(model.pointer / 8),
            b'c' if one.length == Length::Plain => width.unwrap_or(1),
            b's' | b'[' if one.length == Length::Plain => {
                // How much comes is up to who writes it.
                let fits = width.is_some_and(|width| self.is_there(pointer, width + 1));
                self.rest |= !fits;
                1
            }
            _ => return None,
        };
        let size = self.number(size);
        self.bytes(pointer, size, Access::Write);
        Some(())
    }
}

impl Made {
    /// So many bytes more.
    fn plus(&mut self, least: u64, most: Option<u64>) -> Option<()> {
        self.least = self.least.checked_add(least)?;
        self.most = self.most.zip(most).and_then(|(a, b)| a.checked_add(b));
        Some(())
    }
}
