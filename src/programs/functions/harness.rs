//! A run from a state that was made object by object, in C: a file that includes the one of the function, makes the same state, and calls the
//! function, for who has a compiler and something that tells failures.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use crate::c::Program;
use crate::c::expression::{ExpressionId, ExpressionKind, LvalueId, LvalueKind};
use crate::c::program::{Storage, VariableId};
use crate::c::types::{Type, TypeId};
use crate::refinement::{Input, undefined_in_c};

use super::copied::written;
use super::objects::Made;

/// How the file is compiled.
const COMPILED: &str = "cc -g -fsanitize=address,undefined -fno-sanitize-recover=all -Wl,--unresolved-symbols=ignore-all harness.c && ./a.out";

/// What `main` of the program is called.
const MAIN: &str = "main_of_the_program";

/// What gives values to what lies somewhere.
const PUT: &str = "
/* What lies somewhere gets a value. */
#define OWN_PUT(at, type, value) do { type own_put = (value); __builtin_memcpy((at), &own_put, sizeof own_put); } while (0)

static void own_put_bits(unsigned char *at, unsigned first, unsigned count, unsigned long long value) {
    for (unsigned i = 0; i < count; i++) {
        unsigned char bit = 1u << ((first + i) % 8);
        if (value >> i & 1) at[(first + i) / 8] |= bit; else at[(first + i) / 8] &= ~bit;
    }
}
";

/// What a run does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Does {
    /// Something goes wrong.
    Fail,
    /// It goes on for ever.
    GoOn,
}

/// The beginning: the file is included in which this function is; these procedures have names of their own there.
fn begun(function: &str, file: &str, renamed: &[&str], does: Does) -> String {
    let each = |line: &dyn Fn(&str) -> String| renamed.iter().map(|name| line(name)).collect::<String>();
    let (renamed, named) =
        (each(&|name| format!("#define {name} own_{name}\n")), each(&|name| format!("#undef {name}\n")));
    let about = "It includes the file of the function, and is compiled with the same options, for instance:";
    let does = match does {
        Does::Fail => "fail",
        Does::GoOn => "go on for ever",
    };
    format!(
        "/* Makes `{function}` {does}. {about}\n   {COMPILED} */\n#define main {MAIN}\n{renamed}\
         #include \"{file}\"\n#undef main\n{named}{PUT}"
    )
}

/// The file for a run with these inputs, the first of which make the state. None where C cannot say it: where a structure is handed over, or what is
/// `static` in a function has a value.
pub fn harness(made: &Made, inputs: &[Input], does: Does) -> Option<String> {
    let mut this = Writer { made, program: &made.program, objects: BTreeMap::new(), body: String::new() };
    let function = this.program.procedure(made.function);
    let (state, rest) = inputs.split_at_checked(made.asked.len())?;
    let (allocating, undefined) = undefined_in_c(this.program, &made.external, rest);
    this.arguments()?;
    for (one, input) in made.asked.iter().zip(state) {
        this.put(one.to, one.value(input.value), input.value)?;
    }
    let given = (0..).zip(&function.formals).filter(|(_, formal)| !this.program.is_count(**formal));
    let given: Vec<String> = given.map(|(number, _): (usize, _)| format!("argument{number}")).collect();
    let name = function.name.rsplit(':').next()?;
    let called = if name == "main" { MAIN } else { name };
    let call = format!("    {called}({});\n    return 0;\n", given.join(", "));
    let mut text = begun(name, this.program.file(function.place), &allocating, does) + &undefined;
    text += "\nint main(void) {\n";
    for (number, size) in this.objects.values() {
        let _ = writeln!(text, "    static char *object{number}; object{number} = __builtin_calloc(1, {size});");
    }
    Some(text + &this.body + &call + "}\n")
}

/// Where something lies.
struct At {
    /// The object: a pointer to characters.
    base: String,
    /// Bytes from there.
    offset: u64,
    /// For a bit-field: its first bit there.
    bit: Option<u32>,
}

struct Writer<'m> {
    made: &'m Made,
    program: &'m Program,
    /// What was made: its number and its size, in bytes.
    objects: BTreeMap<VariableId, (usize, u64)>,
    body: String,
}

impl Writer<'_> {
    /// Declares what is handed over.
    fn arguments(&mut self) -> Option<()> {
        for (number, formal) in self.program.procedure(self.made.function).formals.iter().enumerate() {
            let known = self.program.variable(*formal);
            // A structure is handed over as its scalars.
            if known.name.contains('.') {
                return None;
            }
            if !self.program.is_count(*formal) {
                let _ = writeln!(self.body, "    {} argument{number} = 0;", self.scalar(known.ty)?);
            }
        }
        Some(())
    }

    /// A type of scalars, in which it does not matter to what a pointer leads.
    fn scalar(&self, ty: TypeId) -> Option<String> {
        match self.program.types.get(ty) {
            Type::Pointer(_) => Some("void *".to_owned()),
            Type::Integer(_) | Type::Float(_) => Some(self.program.types.name(ty).to_string()),
            _ => None,
        }
    }

    /// Something gets a value: this expression, or the number.
    fn put(&mut self, to: LvalueId, value: Option<ExpressionId>, number: i128) -> Option<()> {
        let ty = self.program.terms.at(to).ty;
        // How many elements there are is no object.
        if self.program.terms.variable_of(to).is_some_and(|id| self.is_own_count(id)) {
            return Some(());
        }
        let at = self.at(to)?;
        let value = match value {
            Some(value) => self.value(value)?,
            None => literal(number),
        };
        let At { base, offset, bit } = at;
        let _ = match (bit, self.program.types.as_integer(ty)) {
            (Some(bit), Some(integer)) => {
                writeln!(
                    self.body,
                    "    own_put_bits((unsigned char *) {base} + {offset}, {bit}, {}, {value});",
                    integer.width
                )
            }
            _ => writeln!(self.body, "    OWN_PUT({base} + {offset}, {}, {value});", self.scalar(ty)?),
        };
        Some(())
    }

    /// Which argument a variable of the procedure is that makes the state.
    fn argument(&self, id: VariableId) -> Option<usize> {
        let is_own = self.program.variable(id).storage == Storage::Local(self.program.main);
        let formals = &self.program.procedure(self.made.function).formals;
        let name = &self.program.variable(id).name;
        formals.iter().position(|formal| is_own && self.program.variable(*formal).name == *name)
    }

    fn is_own_count(&self, id: VariableId) -> bool {
        let formals = &self.program.procedure(self.made.function).formals;
        self.argument(id).is_some_and(|number| self.program.is_count(formals[number]))
    }

    fn at(&mut self, lvalue: LvalueId) -> Option<At> {
        let known = self.program.terms.at(lvalue);
        Some(match known.kind {
            LvalueKind::Variable(id) => {
                let variable = self.program.variable(id);
                let base = match (self.argument(id), variable.storage) {
                    (Some(number), _) => format!("(char *) &argument{number}"),
                    (_, Storage::Global) if variable.name.starts_with('.') => self.object(id, variable.ty)?,
                    (_, Storage::Global) => format!("(char *) &{}", variable.name.rsplit(':').next()?),
                    _ => return None,
                };
                At { base, offset: 0, bit: None }
            }
            LvalueKind::Field(of, member) => {
                let Type::Record(record) = *self.program.types.get(self.program.terms.at(of).ty) else { return None };
                let field = &self.program.types.records[record.0 as usize].fields[member as usize];
                let of = self.at(of)?;
                At { offset: of.offset + field.offset, bit: field.bit, ..of }
            }
            LvalueKind::Element(of, index) => {
                let ExpressionKind::Constant(index) = self.program.terms.get(index).kind else { return None };
                let of = self.at(of)?;
                let size = self.program.types.size(known.ty)?;
                At { offset: of.offset + u64::try_from(index).ok()? * size, ..of }
            }
            LvalueKind::Deref(pointer) => {
                let ExpressionKind::Read(from) = self.program.terms.get(pointer).kind else { return None };
                let id = self.program.terms.variable_of(from)?;
                At { base: self.object(id, known.ty)?, offset: 0, bit: None }
            }
        })
    }

    /// An object that was made.
    fn object(&mut self, id: VariableId, ty: TypeId) -> Option<String> {
        let (number, size) = (self.objects.len(), self.program.types.size(ty)?);
        let (number, _) = self.objects.entry(id).or_insert((number, size));
        Some(format!("object{number}"))
    }

    fn value(&mut self, of: ExpressionId) -> Option<String> {
        match self.program.terms.get(of).kind {
            ExpressionKind::Constant(bits) => i128::try_from(bits).ok().map(literal),
            ExpressionKind::AddressOf(lvalue) => {
                let At { base, offset, .. } = self.at(lvalue)?;
                Some(format!("(void *) ({base} + {offset})"))
            }
            ExpressionKind::Convert(inner) => self.value(inner),
            ExpressionKind::Procedure(id) => {
                Some(format!("(void *) &{}", written(&self.program.procedure(id).name).rsplit(':').next()?))
            }
            _ => None,
        }
    }
}

/// A number in C.
fn literal(number: i128) -> String {
    match number {
        _ if number == i128::from(i64::MIN) => format!("{}ll - 1", number + 1),
        _ if number > i128::from(i64::MAX) => format!("{number}ull"),
        _ => format!("{number}ll"),
    }
}
