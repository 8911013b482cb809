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

/// Calls from elsewhere are not the program's.
const CALLER: &str = "    if ((char *) caller < &__executable_start || (char *) caller >= &etext) return 0;\n";

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

/// The same for a file that includes one of the program's, where these procedures have other names (`own_malloc`) and the library's are called by them:
/// the names, and the text. What is written into a program says of allocations that fail by inputs of its own.
pub fn included(inputs: &[Input]) -> (Vec<&'static str>, String) {
    let text = text(&failing(inputs)).replace(CALLER, "    (void) caller;\n").replace("__libc_", "__builtin_");
    let is_there = |name: &&str| text.contains(&format!("*{name}("));
    let names: Vec<&str> = TABLE.iter().map(|(name, _)| *name).filter(is_there).collect();
    let begin = text.find("static int is_lacking").unwrap_or(0);
    let own = |text: String, name: &&str| text.replace(&format!("*{name}("), &format!("*own_{name}("));
    let own = names.iter().fold(text[begin..].to_owned(), own);
    (names, own)
}

/// The inputs of a program into which it is written that allocations may fail: there an input says that one does.
fn failing(inputs: &[Input]) -> Vec<Input> {
    let asked = inputs.iter().map(|input| match &input.call {
        Some(InputKind::Returned(name)) if is_known(name) => {
            let call = Some(InputKind::Allocated(name.clone()));
            Input { call, value: i128::from(input.value == 0), ..input.clone() }
        }
        _ => input.clone(),
    });
    asked.collect()
}

/// The procedure that allocates, if an input says whether it fails.
fn allocation(input: &Input) -> Option<&str> {
    match &input.call {
        Some(InputKind::Allocated(name)) => Some(name),
        _ => None,
    }
}
