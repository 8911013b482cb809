//! The attributes of gcc 12 and of newer compilers, for functions, variables, types, labels, enumerations and statements.

use super::{Meaning, Modelled};

/// Those without meaning for runs. They say how code is made, where it is put, how it is called, what is warned of; or they
/// are promises.
const IDLE: &str = "
    access alloc_align alloc_size always_inline artificial assume_aligned cold const copy_assignment deprecated error externally_visible
    fd_arg fd_arg_read fd_arg_write flatten format format_arg gnu_inline hot leaf malloc no_icf no_instrument_function
    no_profile_instrument_function no_reorder no_sanitize no_sanitize_address no_sanitize_coverage no_sanitize_memory
    no_sanitize_thread no_sanitize_undefined no_address_safety_analysis no_split_stack no_stack_limit no_stack_protector
    stack_protect noclone noinline noipa nonnull nonnull_if_nonzero noplt nothrow null_terminated_string_arg
    patchable_function_entry pure returns_nonnull section sentinel simd symver tainted_args target target_clones unavailable unused
    used retain visibility warn_unused_result warning zero_call_used_regs expected_throw nodirect_extern_access
    common nocommon nonstring tls_model uninitialized dllexport dllimport counted_by strict_flex_array warn_if_not_aligned
    transparent_union designated_init may_alias gcc_struct type_generic no_dangling __CPROVER_requires __CPROVER_ensures
    fallthrough musttail unsequenced reproducible maybe_unused nodiscard likely unlikely
    cdecl stdcall fastcall thiscall regparm sseregparm ms_abi sysv_abi force_align_arg_pointer ms_hook_prologue callee_pop_aggregate_return
    function_return indirect_branch indirect_return cf_check nocf_check fentry_name fentry_section nodirect_extern_access
    no_caller_saved_registers no_callee_saved_registers general_regs_only record_return_section
    long_call short_call pcs sign_return_address branch_protection
    availability annotate diagnose_if disable_tail_calls not_tail_called internal_linkage minsize nodebug noescape optnone
    no_builtin suppress assert_capability guarded_by pt_guarded_by
    flag_enum enum_extensibility objc_bridge swift_name cf_returns_retained ns_returns_retained
";

/// Those that are not represented, and why.
const REFUSED: [(&str, &str); 26] = [
    ("ext_vector_type", "vectors are not supported"),
    ("neon_vector_type", "vectors are not supported"),
    ("altivec", "vectors are not supported"),
    ("scalar_storage_order", "the bytes of numbers are in the order of the machine here"),
    ("ms_struct", "structures are laid out as the System V ABI has it"),
    ("cleanup", "procedures that are called where a variable ends are not supported"),
    ("destructor", "procedures that are called after `main` are not supported"),
    ("ifunc", "which procedure is meant is found out when the program is loaded"),
    ("weakref", "names that another file may define or not are not supported"),
    ("naked", "only assembly stands in such a procedure"),
    ("interrupt", "it is called at any time"),
    ("interrupt_handler", "it is called at any time"),
    ("isr", "it is called at any time"),
    ("signal", "it is called at any time"),
    ("optimize", "only levels of optimisation are known not to change what a program does"),
    ("address_space", "there is one address space"),
    ("overloadable", "a name has one meaning"),
    ("enable_if", "a name has one meaning"),
    ("copy", "which attributes it copies is not known"),
    ("transaction_safe", "transactions are not supported"),
    ("__CPROVER_requires_contract", "contracts of what is called through pointers are not supported"),
    ("__CPROVER_ensures_contract", "contracts of what is called through pointers are not supported"),
    ("__CPROVER_assigns", "what a function writes is found out, and not checked against anything"),
    ("__CPROVER_frees", "what a function frees is not checked"),
    ("__CPROVER_loop_invariant", "invariants are found, and not read from programs"),
    ("__CPROVER_decreases", "measures are found, and not read from programs"),
];

/// What an attribute means, by its name without underscores around it, and by its arguments as they are written. Nothing if
/// it is not known.
pub fn attribute(name: &str, arguments: &[Box<str>]) -> Option<Meaning> {
    let modelled = match name {
        "packed" => Some(Modelled::Packed),
        "aligned" => Some(Modelled::Aligned),
        "mode" => Some(Modelled::Mode),
        "vector_size" => Some(Modelled::Vector),
        "noreturn" | "_Noreturn" => Some(Modelled::Noreturn),
        "constructor" => Some(Modelled::Constructor),
        "alias" => Some(Modelled::Alias),
        "weak" => Some(Modelled::Weak),
        "noinit" | "persistent" => Some(Modelled::Arbitrary),
        "returns_twice" => Some(Modelled::Twice),
        _ => None,
    };
    if let Some(modelled) = modelled {
        return Some(Meaning::Modelled(modelled));
    }
    let harmless = match name {
        "optimize" => arguments.iter().all(|argument| is_level(argument)),
        "scalar_storage_order" => arguments.iter().all(|argument| argument.contains("little-endian")),
        _ => IDLE.split_ascii_whitespace().any(|idle| idle == name),
    };
    if harmless {
        return Some(Meaning::Idle);
    }
    REFUSED.iter().find(|(refused, _)| *refused == name).map(|(_, why)| Meaning::Refused(why))
}

/// Whether an argument of `optimize` is a level, as `3`, `"O0"`, `"-Os"`, but for `fast`, which computes with real numbers as it
/// likes; or says that memory may be read as any type, as it may here.
pub fn is_level(argument: &str) -> bool {
    let text = argument.trim_matches(|c: char| c == '"' || c.is_ascii_whitespace());
    let level = text.strip_prefix('-').unwrap_or(text);
    let level = level.strip_prefix('O').unwrap_or(level);
    let aliasing = text.strip_prefix("-f").unwrap_or(text) == "no-strict-aliasing";
    aliasing || matches!(level, "" | "0" | "1" | "2" | "3" | "s" | "g" | "z")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_attribute_stands_twice_in_the_table() {
        for (name, _) in REFUSED {
            let idle = IDLE.split_ascii_whitespace().any(|idle| idle == name);
            assert!(!idle, "{name}");
        }
    }

    #[test]
    fn arguments_decide_where_they_matter() {
        let meaning = |name: &str, argument: &str| attribute(name, &[argument.into()]);
        assert_eq!(meaning("optimize", "\"O3\""), Some(Meaning::Idle));
        assert!(matches!(meaning("optimize", "\"Ofast\""), Some(Meaning::Refused(_))));
        assert!(matches!(meaning("optimize", "\"trapv\""), Some(Meaning::Refused(_))));
        assert_eq!(meaning("scalar_storage_order", "\"little-endian\""), Some(Meaning::Idle));
        assert!(matches!(meaning("scalar_storage_order", "\"big-endian\""), Some(Meaning::Refused(_))));
        assert_eq!(meaning("surely_not_known", "1"), None);
    }
}
