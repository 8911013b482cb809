//! Allocations that fail as they do in a run: procedures of the library's names that count the calls of the program.
//!
//! What the library allocates for itself is not counted: its calls come from outside of the program's own text.

use crate::c::program::InputKind;

use super::super::Input;

/// What all of them need; `@` is where it is said which calls fail.
const BEFORE: &str = "
/* Allocations of the program fail as in that run; glibc makes the objects. */
void *__libc_malloc(__SIZE_TYPE__), *__libc_calloc(__SIZE_TYPE__, __SIZE_TYPE__);
extern char __executable_start, etext;

static int is_lacking(void *caller) {
    static const unsigned char fails[] = {@};
    static unsigned next;
    if ((char *) caller < &__executable_start || (char *) caller >= &etext) return 0;
    return next < sizeof fails && fails[next++];
}
";

/// The procedures, by name.
const TABLE: [(&str, &str); 4] = [
    (
        "malloc",
        "
void *malloc(__SIZE_TYPE__ size) {
    return is_lacking(__builtin_return_address(0)) ? 0 : __libc_malloc(size);
}
",
    ),
    (
        "calloc",
        "
void *calloc(__SIZE_TYPE__ count, __SIZE_TYPE__ size) {
    if (size != 0 && count > (__SIZE_TYPE__) -1 / size) return 0;
    return is_lacking(__builtin_return_address(0)) ? 0 : __libc_calloc(count, size);
}
",
    ),
    (
        "strdup",
        "
char *strdup(const char *text) {
    __SIZE_TYPE__ size = __builtin_strlen(text) + 1;
    char *copy = is_lacking(__builtin_return_address(0)) ? 0 : __libc_malloc(size);
    while (copy != 0 && size-- > 0) copy[size] = text[size];
    return copy;
}
",
    ),
    (
        "strndup",
        "
char *strndup(const char *text, __SIZE_TYPE__ most) {
    __SIZE_TYPE__ size = 0;
    while (size < most && text[size] != 0) size++;
    char *copy = is_lacking(__builtin_return_address(0)) ? 0 : __libc_malloc(size + 1);
    if (copy != 0) copy[size] = 0;
    while (copy != 0 && size-- > 0) copy[size] = text[size];
    return copy;
}
",
    ),
];

/// Whether a harness can make allocations by this procedure fail.
pub fn is_known(name: &str) -> bool {
    TABLE.iter().any(|(known, _)| *known == name)
}

/// The procedures that a run calls to allocate, if one of them fails.
pub fn text(inputs: &[Input]) -> String {
    let allocated = || inputs.iter().filter_map(|input| Some((allocation(input)?, input.value == 0)));
    if !allocated().any(|(_, fails)| fails) {
        return String::new();
    }
    let fails: Vec<String> = allocated().map(|(_, fails)| u8::from(fails).to_string()).collect();
    let mut text = BEFORE.replace('@', &fails.join(", "));
    for (name, body) in TABLE {
        if allocated().any(|(other, _)| other == name) {
            text += body;
        }
    }
    text
}

/// The procedure that allocates, if an input says whether it fails.
fn allocation(input: &Input) -> Option<&str> {
    match &input.call {
        Some(InputKind::Allocated(name)) => Some(name),
        _ => None,
    }
}
