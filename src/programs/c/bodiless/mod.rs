//! What a call of a procedure without a body means: the one place that decides it, from the name, from where it is declared, and from what
//! was asked for (`--undefined`).

pub mod builtins;
pub mod operations;

mod names;

use std::collections::BTreeMap;

use super::library::{has_model, is_last_error};
pub use super::meaning::{Does, Failure, Meaning, Room};
pub use names::{declared, is_builtin, is_lender, is_stream, library, library_variable};

/// How procedures without a body are taken of which nothing is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reading {
    /// All that they may do is real: what they return is an input of the program.
    Input,
    /// They do something definite that nobody here knows: no violation may depend on it.
    Unknown,
    /// They are errors.
    Refuse,
}

/// What was asked for about procedures without a body.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Undefined {
    /// For all; if nothing was said, those of the program are inputs, and those of the library unknown.
    pub all: Option<Reading>,
    /// For those of these names.
    pub named: BTreeMap<String, Reading>,
}

/// Procedures that fail, whether or not the program gives them a body, and how.
pub fn failing(name: &str) -> Option<Failure> {
    match name {
        "reach_error" | "__VERIFIER_error" => Some(Failure::Error),
        "__assert_fail" => Some(Failure::Assertion),
        _ => None,
    }
}

/// Whether a procedure that the program does not define fails by its name, always or unless its argument is true.
pub fn fails(name: &str) -> bool {
    matches!(fixed(name), Some(Meaning::Fail(_) | Meaning::Assert))
}

/// Whether a name says that the procedure returns an input.
pub fn is_input(name: &str) -> bool {
    name.starts_with("__VERIFIER_nondet") || name == "nondet" || name.starts_with("nondet_")
}

/// Whether a procedure of that name that is declared not to return ends the program: what is known to return a value does so, whatever
/// is said of it.
pub fn ends(name: &str) -> bool {
    !is_input(name) && fixed(name).is_none()
}

/// Whether who links a program with the library finds a procedure of this name there, or the compiler knows it.
pub fn is_linked(name: &str) -> bool {
    let linked = library(name).is_some() || matches!(known(name), Some(known) if known != Meaning::Idle);
    name == "__assert_fail" || linked && name != "printk"
}

/// What a call of a procedure of that name means that the program does not define; `system` is whether a header of the system declares it.
pub fn meaning(name: &str, system: bool, undefined: &Undefined) -> Meaning {
    if let Some(fixed) = fixed(name) {
        return fixed;
    }
    let read = |reading: Reading| match reading {
        Reading::Input => Meaning::Input,
        Reading::Unknown => Meaning::Unknown(names::declared(name)),
        Reading::Refuse => Meaning::Refused,
    };
    if let Some(reading) = undefined.named.get(name) {
        return read(*reading);
    }
    if is_input(name) {
        return Meaning::Input;
    }
    if let Some(known) = known(name) {
        return known;
    }
    let does = if system { Some(names::declared(name)) } else { library(name) };
    match (does, undefined.all) {
        (_, Some(Reading::Refuse)) => Meaning::Refused,
        (Some(does), _) => Meaning::Unknown(does),
        (None, Some(Reading::Unknown)) => Meaning::Unknown(Does::Writes),
        (None, Some(Reading::Input) | None) => Meaning::Input,
    }
}

/// Whether a name means the same whatever was asked for.
pub fn is_fixed(name: &str) -> bool {
    fixed(name).is_some()
}

/// What is written into programs for verifiers.
fn fixed(name: &str) -> Option<Meaning> {
    if let Some(failure) = failing(name) {
        return Some(Meaning::Fail(failure));
    }
    Some(match name {
        "__assert" | "__assert2" | "__assert_func" | "__assert_rtn" | "__assert_perror_fail" => {
            Meaning::Fail(Failure::Assertion)
        }
        "assert"
        | "__VERIFIER_assert"
        | "__ESBMC_assert"
        | "__CPROVER_assert"
        | "__CPROVER_precondition"
        | "__CPROVER_postcondition"
        | "__goblint_assert"
        | "__goblint_check"
        | "klee_assert" => Meaning::Assert,
        "__VERIFIER_assume"
        | "assume_abort_if_not"
        | "__CPROVER_assume"
        | "__ESBMC_assume"
        | "__goblint_assume"
        | "klee_assume"
        | "__builtin_assume"
        | "__assume" => Meaning::Assume,
        "static_assert" => Meaning::Static,
        "__VERIFIER_atomic_begin" | "__VERIFIER_atomic_end" => Meaning::Idle,
        _ => return None,
    })
}

/// Procedures of the library that are represented, and those that cannot be.
fn known(name: &str) -> Option<Meaning> {
    Some(match name.strip_prefix("__builtin_").unwrap_or(name) {
        "abort" | "exit" | "_Exit" | "_exit" | "quick_exit" => Meaning::Exit,
        "malloc" => Meaning::Allocate(Room::Heap),
        "alloca" => Meaning::Allocate(Room::Frame),
        "calloc" => Meaning::Allocate(Room::Zeros),
        "free" => Meaning::Free,
        "abs" | "labs" | "llabs" | "imaxabs" => Meaning::Absolute,
        "puts" | "fputs" | "putchar" | "putc" | "fputc" | "perror" | "fflush" => Meaning::Unknown(Does::Reads),
        "printf" | "vprintf" | "printk" => Meaning::Print(0),
        "fprintf" | "vfprintf" | "dprintf" | "vdprintf" | "syslog" | "vsyslog" | "__printf_chk" | "__vprintf_chk"
        | "sprintf" | "vsprintf" => Meaning::Print(1),
        "__fprintf_chk" | "__vfprintf_chk" | "snprintf" | "vsnprintf" => Meaning::Print(2),
        "__sprintf_chk" | "__vsprintf_chk" => Meaning::Print(3),
        "__snprintf_chk" | "__vsnprintf_chk" => Meaning::Print(4),
        "at_quick_exit" | "on_exit" | "__cxa_atexit" | "signal" | "sigaction" | "bsd_signal" | "sysv_signal"
        | "sigset" | "alarm" | "ualarm" | "setitimer" | "timer_create" | "timer_settime" | "setjmp" | "_setjmp"
        | "__sigsetjmp" | "sigsetjmp" | "longjmp" | "_longjmp" | "siglongjmp" | "pthread_create" | "pthread_atfork"
        | "thrd_create" | "fmemopen" | "open_memstream" | "open_wmemstream" | "fopencookie" | "clone" | "fork"
        | "vfork" | "posix_spawn" | "posix_spawnp" => Meaning::Unsupported,
        _ if is_last_error(name) => Meaning::Unsupported,
        _ if operations::operation(name).is_some() => Meaning::Operation,
        _ if has_model(name) && library(name).is_some() => Meaning::Model,
        _ => match name {
            "__builtin_trap" => Meaning::Exit,
            "__builtin_expect" | "__builtin_expect_with_probability" => Meaning::First,
            "__builtin_unreachable" => Meaning::Unreachable,
            "__builtin_constant_p"
            | "__builtin_object_size"
            | "__builtin_dynamic_object_size"
            | "__builtin_classify_type" => Meaning::Unevaluated,
            "__builtin_va_start"
            | "__builtin_va_end"
            | "__builtin_va_copy"
            | "__builtin_prefetch"
            | "__sync_synchronize"
            | "__atomic_thread_fence"
            | "__atomic_signal_fence" => Meaning::Idle,
            _ => return None,
        },
    })
}

/// Whether a procedure writes text into a buffer, its first argument, as a format says.
pub fn prints_into_buffer(name: &str) -> bool {
    let name = name.strip_prefix("__builtin_").unwrap_or(name).trim_end_matches("_chk").trim_start_matches("__");
    matches!(name, "sprintf" | "vsprintf" | "snprintf" | "vsnprintf")
}

/// Whether the last argument of a procedure of the library is a list of arguments.
pub fn takes_list(name: &str) -> bool {
    let name = name.strip_prefix("__builtin_").unwrap_or(name).trim_end_matches("_chk").trim_start_matches("__");
    let name = name.trim_start_matches("isoc99_").trim_start_matches("isoc23_");
    name.strip_prefix('v').is_some_and(|rest| rest.ends_with("printf") || rest.ends_with("scanf") || rest == "syslog")
}

/// Whether a format tells who prints by it to write the number of characters somewhere (C11 §7.21.6.1: `%n`), or may: escapes are not
/// looked through.
pub fn writes(format: &str) -> bool {
    let mut rest = format;
    while let Some(at) = rest.find('%') {
        let flags = |c: char| c.is_ascii_digit() || "-+ #'.*$IhlqjztL".contains(c);
        let mut word = rest[at + 1..].trim_start_matches(flags).chars();
        if matches!(word.next(), None | Some('n' | '\\')) {
            return true;
        }
        rest = word.as_str();
    }
    let digits = |c: char| c.is_ascii_digit() || matches!(c, 'x' | 'u' | 'U');
    format.split('\\').skip(1).any(|escape| escape.starts_with(digits))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_write_only_with_an_n() {
        for plain in ["", "n", "%d\\n", "%%n", "%5.2f n", "%-*s", "%f%%n"] {
            assert!(!writes(plain), "{plain}");
        }
        for writing in ["%n", "ab%n", "%hhn", "%d%ln", "\\x25n", "\\45n", "%", "%5$n", "%f%n"] {
            assert!(writes(writing), "{writing}");
        }
    }

    #[test]
    fn a_name_that_was_asked_for_is_what_was_asked_for() {
        let mut undefined = Undefined::default();
        assert_eq!(meaning("strcmp", false, &undefined), Meaning::Model);
        assert_eq!(meaning("ext", false, &undefined), Meaning::Input);
        assert_eq!(meaning("ext", true, &undefined), Meaning::Unknown(Does::Writes));
        undefined.named.insert("strcmp".to_owned(), Reading::Input);
        undefined.all = Some(Reading::Unknown);
        assert_eq!(meaning("strcmp", false, &undefined), Meaning::Input);
        assert_eq!(meaning("ext", false, &undefined), Meaning::Unknown(Does::Writes));
        assert_eq!(meaning("nondet_int", false, &undefined), Meaning::Input);
        undefined.all = Some(Reading::Refuse);
        assert_eq!(meaning("ext", false, &undefined), Meaning::Refused);
        assert_eq!(meaning("malloc", false, &undefined), Meaning::Allocate(Room::Heap));
    }
}
