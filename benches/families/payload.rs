//! Data that nothing depends on, beside what decides: payloads of messages, and a wide counter.

use super::put;

/// A buffer of one place between a sender and a receiver, who each negate a bit whenever they fill or empty it. So it is full
/// exactly where the two bits differ, and `R`, which needs the contrary, is unreachable. What is sent is moved through as
/// many variables as one likes, copied, and now and then exchanged with its neighbours; no condition reads it.
pub(super) fn payload(sizes: &[u64], text: &mut String) {
    let last = sizes[0] - 1;
    let names = |from: u64, to: u64| (from..to).map(|i| format!("d{i}")).collect::<Vec<_>>().join(", ");
    let all = names(0, last + 1);
    let shifted = if last == 0 { String::new() } else { format!(", {}", names(0, last)) };
    put(
        text,
        format_args!(
            "decl full, sent, got;\n\
             decl {all};\n\
             void main() begin\n\
             \x20 full, sent, got := 0, 0, 0;\n\
             \x20 while (*) do\n\
             \x20   if (full) then receive(); else send(); fi\n\
             \x20   if (*) then keep(); else skip; fi\n\
             \x20 od\n\
             \x20 if (full ^ sent ^ got) then R: skip; else skip; fi\n\
             end\n\
             void send() begin\n\
             \x20 decl message;\n\
             \x20 {all} := message{shifted};\n\
             \x20 full, sent := 1, !sent;\n\
             end\n\
             void receive() begin\n\
             \x20 decl copy;\n\
             \x20 copy := d{last};\n\
             \x20 full, got := 0, !got;\n\
             \x20 if (*) then d0 := copy; else skip; fi\n\
             end\n\
             void keep() begin\n\
             \x20 while (*) do\n\
             \x20   skip;\n"
        ),
    );
    for i in 0..last {
        let next = i + 1;
        match i % 7 {
            3 => put(text, format_args!("    if (*) then d{i}, d{next} := d{next}, d{i}; else skip; fi\n")),
            5 => put(text, format_args!("    if (*) then d{i} := d{next}; else skip; fi\n")),
            _ => {}
        }
    }
    put(text, format_args!("  od\nend\n"));
}

/// In Remopla: two who take turns, and an integer of so many bits that counts the turns and is read by nobody. It does not
/// terminate, and whether the first one's turn comes again and again does not depend on the counter either: it does.
pub fn counted(bits: u64) -> String {
    format!(
        "define DEFAULT_INT_BITS {bits}\n\nint turns;\nbool first;\n\ninit main;\n\nmodule void count() {{\n  \
         turns = turns + 1;\n}}\n\nmodule void main() {{\n  do\n  :: first -> FIRST: first = false; count();\n  \
         :: else -> first = true;\n  od\n}}\n"
    )
}
