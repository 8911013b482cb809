//! The procedures without a body of a program, written in C so that the compiled program makes the run that was found:
//! `cc prog.c harness.c && ./a.out`.

use std::fmt::Write as _;

use crate::c::Program;
use crate::c::program::Procedure;
use crate::c::types::Type;

use super::{Input, orders};

/// What ends a program that is wrong.
const ERRORS: [&str; 2] = ["reach_error", "__VERIFIER_error"];

/// What blocks a run.
const ASSUMPTIONS: [&str; 2] = ["__VERIFIER_assume", "assume_abort_if_not"];

/// The text of the harness for a run with these inputs. Arguments of `main` and values that nobody has assigned cannot be given by
/// procedures: a comment lists them.
pub fn harness(program: &Program, inputs: &[Input]) -> String {
    let mut text = "/* Makes the program fail: compile it together with this file, and run it. */\n".to_owned();
    text += "#include <stdlib.h>\n";
    for input in inputs.iter().filter(|input| input.call.is_none()) {
        let _ = writeln!(text, "/* line {}: a value that nobody has assigned is {} */", input.place.line, input.value);
    }
    for told in orders::comments(program, inputs) {
        let _ = writeln!(text, "/* {} */", told.replace("*/", "* /"));
    }
    let mut written: Vec<&str> = Vec::new();
    for procedure in program.procedures.iter().filter(|procedure| procedure.body.is_none()) {
        let name = &*procedure.name;
        if ERRORS.contains(&name) {
            let _ = writeln!(text, "\nvoid {name}() {{ abort(); }}");
        } else if ASSUMPTIONS.contains(&name) {
            let _ = writeln!(text, "\nvoid {name}(int condition) {{ if (!condition) exit(0); }}");
        } else if inputs.iter().any(|input| input.call.as_deref() == Some(name)) && !written.contains(&name) {
            written.push(name);
            text += &answers(program, procedure, inputs);
        }
    }
    text
}

/// A procedure that returns one value after the other.
fn answers(program: &Program, procedure: &Procedure, inputs: &[Input]) -> String {
    let name = &*procedure.name;
    let pointer = matches!(program.types.get(procedure.result), Type::Pointer(_));
    let mut values = Vec::new();
    for input in inputs.iter().filter(|input| input.call.as_deref() == Some(name)) {
        values.push(match program.types.as_integer(input.ty) {
            _ if pointer => (if input.value == 0 { "0" } else { "(void *) 1" }).to_owned(),
            Some(integer) if input.value == integer.least() && integer.signed => format!("{} - 1", input.value + 1),
            Some(integer) if !integer.signed => format!("{}u", input.value),
            _ => input.value.to_string(),
        });
    }
    let result = program.types.declaration(procedure.result, &format!("{name}()"));
    let element = if pointer { "void *".to_owned() } else { program.types.name(procedure.result) };
    let (count, values) = (values.len(), values.join(", "));
    format!(
        "\n{result} {{\n    static {element} values[] = {{{values}}};\n    static unsigned next;\n    \
         return next < {count} ? values[next++] : 0;\n}}\n"
    )
}
