//! What a program names and nobody defines, written in C so that the compiled program makes the run that was found:
//! `cc prog.c harness.c && ./a.out`.
//!
//! Procedures are written without parameters: what callers give them is not looked at, and where it lies is the caller's business. Results
//! have the types that the program declares. What the library or the compiler has is left to them. Locals that nobody has assigned have the
//! values of the run in copies of the program's files ([`Copies`]).

mod allocations;
mod copies;
mod depth;
mod types;

use std::fmt::Write as _;

use crate::c::Program;
use crate::c::bodiless::Meaning;
use crate::c::program::{Foreign, InputKind, Procedure, Storage, VariableId};
use crate::c::subobject::Subobject;
use crate::c::types::TypeId;

use super::{Input, orders};
pub use copies::Copies;
use types::{Written, number};

/// More arguments are not given to a program.
const ARGUMENTS: i128 = 4096;

/// The text of the harness for a run with these inputs. What it cannot give ([`not_given`]) a comment lists.
pub fn harness(program: &Program, inputs: &[Input], copies: &Copies) -> String {
    made(program, inputs, copies, "Makes the program fail")
}

/// The same for a run whose stack gets high, with what measures it.
pub fn harness_of_depth(program: &Program, inputs: &[Input], copies: &Copies) -> String {
    made(program, inputs, copies, "Makes the stack of the program high") + depth::METER
}

fn made(program: &Program, inputs: &[Input], copies: &Copies, what: &str) -> String {
    let mut text = format!("/* {what}: compile it together with this file, and run it. */\n");
    for (name, _) in &copies.files {
        let name = name.replace("*/", "* /");
        let _ = writeln!(
            text,
            "/* In place of {name}, its copy beside this file is to be compiled: locals have values there. */"
        );
    }
    text += "void abort(void);\nvoid exit(int);\n";
    for input in not_given(program, inputs, copies) {
        let _ = writeln!(text, "/* {} */", cannot(program, input));
    }
    for told in orders::comments(program, inputs) {
        let _ = writeln!(text, "/* {} */", told.replace("*/", "* /"));
    }
    let mut written = Written::new(program);
    let mut body = String::new();
    for &variable in &program.external {
        if program.unknown.iter().all(|(unknown, _)| *unknown != variable) {
            body += &object(program, variable, inputs);
        }
    }
    for procedure in &program.procedures {
        if let Some(foreign) = procedure.foreign.as_ref().filter(|foreign| !foreign.library) {
            // A name that files share has that of its file before it.
            let name = procedure.name.rsplit(':').next().unwrap_or(&procedure.name);
            body += &definition(program, (procedure, name), foreign, inputs, &mut written);
        }
    }
    body += &allocations::text(inputs);
    body += &beginning(program, inputs, &mut written);
    text + &written.text + &body
}

/// The procedures and variables that a program does not define, for a file that includes one of its own: there they have other names, and what is
/// linked has theirs. Allocations fail as they do in the run, if these procedures of the library are called by names of their own (`own_malloc`).
pub fn undefined(program: &Program, external: &[VariableId], inputs: &[Input]) -> (Vec<&'static str>, String) {
    let mut written = Written::new(program);
    let mut body = String::new();
    for &variable in external {
        let known = program.variable(variable);
        let size = program.types.size(known.ty).filter(|size| *size > 0).unwrap_or(1 << 16);
        let (name, own) = (&known.name, format!("own_{}", known.name));
        let _ = writeln!(body, "\nchar {own}[{size}] __asm__(\"{name}\") __attribute__((aligned(16)));");
    }
    // What models of the library are made of is none of the program's.
    let is_own = |procedure: &&Procedure| !crate::c::library::is_header(program.file(procedure.place));
    for procedure in program.procedures.iter().filter(is_own) {
        if let Some(foreign) = procedure.foreign.as_ref().filter(|foreign| !foreign.library && !foreign.left_out) {
            let name = procedure.name.rsplit(':').next().unwrap_or(&procedure.name);
            let own = format!("own_{name}");
            let declared = written.result(foreign.result, &format!("{own}()"));
            let _ = write!(body, "\n{declared} __asm__(\"{name}\");");
            body += &definition(program, (procedure, &own), foreign, inputs, &mut written);
        }
    }
    let (names, allocations) = allocations::included(inputs);
    (names, written.text + &body + &allocations)
}

/// The inputs that neither a harness nor copies can give: values of other variables of the program that nobody has assigned, and results of
/// what the library has.
pub fn not_given<'i>(program: &Program, inputs: &'i [Input], copies: &Copies) -> Vec<&'i Input> {
    let is_given = |input: &&Input| match (&input.call, input.scalar) {
        (Some(InputKind::Returned(call)), _) => !program.procedures.iter().any(|procedure| {
            procedure.name == *call && procedure.foreign.as_ref().is_some_and(|foreign| foreign.library)
        }),
        (None, Some(scalar)) if copies.give(scalar) => true,
        (None, Some(Subobject { variable, .. })) => {
            let external =
                program.external.contains(&variable) && program.types.is_represented(program.variable(variable).ty);
            external || formal(program, variable).is_some_and(|at| !starts(program) || at == 0 && is_count(input.value))
        }
        (None, None) | (Some(InputKind::Volatile(_)), _) => false,
        (Some(InputKind::Allocated(name)), _) => input.value != 0 || allocations::is_known(name),
        (Some(InputKind::Order | InputKind::Unspecified(_) | InputKind::Choice), _) => true,
    };
    inputs.iter().filter(|input| !is_given(input)).collect()
}

/// That an input cannot be given.
pub fn cannot(program: &Program, input: &Input) -> String {
    let (line, value) = (input.place.line, input.value);
    let what = match &input.call {
        Some(InputKind::Volatile(text)) => format!("`{text}`, which is volatile,"),
        Some(call) => format!("what `{call}` of the library returns"),
        None => match input.variable(program) {
            Some(name) => format!("`{name}`, which nobody has assigned,"),
            None => input.origin(program),
        },
    };
    format!("line {line}: {what} is {value}: that cannot be set here")
}

/// Whether the system starts the program where its runs begin.
fn starts(program: &Program) -> bool {
    &*program.procedure(program.main).name == "main"
}

/// Which argument of the first procedure a variable is.
fn formal(program: &Program, variable: VariableId) -> Option<usize> {
    program.procedure(program.main).formals.iter().position(|formal| *formal == variable)
}

fn is_count(value: i128) -> bool {
    (1..=ARGUMENTS).contains(&value)
}

/// The value of a variable that nobody assigns, if it is asked for.
fn value_of(inputs: &[Input], variable: VariableId) -> Option<&Input> {
    inputs.iter().find(|input| input.call.is_none() && input.scalar.is_some_and(|scalar| scalar.variable == variable))
}

/// A variable that the program declares and does not define.
fn object(program: &Program, variable: VariableId, inputs: &[Input]) -> String {
    let known = program.variable(variable);
    if !matches!(known.storage, Storage::Global) {
        return String::new();
    }
    if program.types.is_represented(known.ty) {
        let value = value_of(inputs, variable).map_or_else(|| "0".to_owned(), |input| number(program, input));
        let declared = match program.types.pointee(known.ty) {
            Some(_) => format!("void *{}", known.name),
            None => program.types.declaration(known.ty, &known.name),
        };
        return format!("\n{declared} = {value};\n");
    }
    // Of an array without a length there may be much.
    let size = program.types.size(known.ty).filter(|size| *size > 0).unwrap_or(1 << 16);
    format!("\nchar {}[{size}] __attribute__((aligned(16)));\n", known.name)
}

/// A procedure that the program does not define, by this name.
fn definition(
    program: &Program,
    (procedure, name): (&Procedure, &str),
    foreign: &Foreign,
    inputs: &[Input],
    written: &mut Written<'_>,
) -> String {
    let result = written.result(foreign.result, &format!("{name}()"));
    let is_void = program.types.size(foreign.result).is_none();
    let back = if is_void { String::new() } else { format!(" {}", written.nothing(foreign.result)) };
    let condition = || written.result(foreign.result, &format!("{name}(int condition)"));
    match foreign.meaning {
        Meaning::Fail(_) => format!("\n{result} {{ abort();{back} }}\n"),
        Meaning::Exit => format!("\n{result} {{ exit(0);{back} }}\n"),
        Meaning::Assert => format!("\n{} {{ if (!condition) abort();{back} }}\n", condition()),
        Meaning::Assume => format!("\n{} {{ if (!condition) exit(0);{back} }}\n", condition()),
        _ => {
            let values: Vec<String> = inputs
                .iter()
                .filter(|input| input.call.as_ref().and_then(InputKind::procedure) == Some(&*procedure.name))
                .map(|input| number(program, input))
                .collect();
            if values.is_empty() || !program.types.is_represented(foreign.result) {
                return format!("\n{result} {{{back} }}\n");
            }
            let element = written.element(foreign.result);
            let (count, values) = (values.len(), values.join(", "));
            format!(
                "\n{result} {{\n    static {element} values[] = {{{values}}};\n    static unsigned next;\n    \
                 return next < {count} ? values[next++] : 0;\n}}\n"
            )
        }
    }
}

/// What begins the run: the arguments of `main`, or a `main` that calls the procedure in which it begins.
fn beginning(program: &Program, inputs: &[Input], written: &mut Written<'_>) -> String {
    let first = program.procedure(program.main);
    if !starts(program) {
        let defined = program.procedures.iter().any(|other| &*other.name == "main" && other.body.is_some());
        return if defined { String::new() } else { starter(program, inputs, written) };
    }
    let Some(count) = first.formals.first().and_then(|formal| value_of(inputs, *formal)) else { return String::new() };
    if program.types.as_integer(count.ty).is_none() || !is_count(count.value) {
        return String::new();
    }
    let count = count.value;
    format!(
        "\n/* The program is started once more, with as many arguments as it is to have. */\n\
         int execv(const char *, char *const *);\n\n\
         __attribute__((constructor)) static void begin(int count, char **all) {{\n    \
         static char *given[{count} + 1];\n    \
         if (count != {count}) {{\n        \
         for (int i = 0; i < {count}; i++) given[i] = i == 0 ? all[0] : \"\";\n        \
         execv(\"/proc/self/exe\", given);\n    }}\n}}\n"
    )
}

/// A `main` for a program without one.
fn starter(program: &Program, inputs: &[Input], written: &mut Written<'_>) -> String {
    let first = program.procedure(program.main);
    let name = first.name.rsplit(':').next().unwrap_or(&first.name);
    let types: Vec<TypeId> = first.formals.iter().map(|formal| program.variable(*formal).ty).collect();
    let parameters: Vec<String> = types.iter().map(|ty| written.element(*ty)).collect();
    let values = first.formals.iter().map(|formal| value_of(inputs, *formal));
    let values: Vec<String> =
        values.map(|input| input.map_or_else(|| "0".to_owned(), |input| number(program, input))).collect();
    let parameters = if parameters.is_empty() { "void".to_owned() } else { parameters.join(", ") };
    let result = written.result(first.result, &format!("{name}({parameters})"));
    format!("\n{result};\n\nint main(void) {{\n    {name}({});\n    return 0;\n}}\n", values.join(", "))
}
