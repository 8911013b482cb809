//! Only what the entry may reach is looked at; what may be reached in some way is.

use puch::analyses::Analyses;
use puch::c::types::DataModel;

use super::parsed;

/// The procedures with a body that the entry may reach.
fn reached(text: &str) -> Vec<String> {
    let program = parsed(text, DataModel::LP64);
    let analyses = Analyses::of(&program);
    let named = |name: &str| program.procedure_named(name).expect("it is there");
    let all = program.procedures.iter().filter(|procedure| procedure.body.is_some());
    all.map(|procedure| procedure.name.to_string()).filter(|name| analyses.is_reached(named(name))).collect()
}

#[test]
fn what_is_never_called_is_not_reached() {
    let text =
        "int g; void a(void) { g = 1; } void b(void) { a(); } void c(void) { b(); } int main(void) { a(); return g; }";
    assert_eq!(reached(text), ["a", "main"]);
}

#[test]
fn what_calls_itself_and_nobody_else_calls_is_not_reached() {
    assert_eq!(
        reached("void even(int n); void odd(int n) { even(n); } void even(int n) { odd(n); } int main(void) {}"),
        ["main"]
    );
}

#[test]
fn a_procedure_whose_address_is_taken_is_reached() {
    let text = "int g; void a(void) { g = 1; } void b(void) { g = 2; } int main(void) { void (*p)(void) = a; p(); }";
    assert_eq!(reached(text), ["a", "main"]);
}

#[test]
fn procedures_of_a_table_are_reached_where_the_table_is_read() {
    let table = "int g; void a(void) { g = 1; } void b(void) { g = 2; } void (*const table[])(void) = {a, b};";
    assert_eq!(reached(&format!("{table} int main(void) {{ table[1](); }}")), ["a", "b", "main"]);
    assert_eq!(reached(&format!("{table} int main(void) {{ }}")), ["main"]);
}

#[test]
fn tables_that_tables_lead_to_are_followed() {
    let text = "struct ops { void (*run)(void); }; int g; void a(void) { g = 1; } struct ops own = {a};
                struct driver { struct ops *ops; } d = {&own}; int main(void) { d.ops->run(); }";
    assert_eq!(reached(text), ["a", "main"]);
}

#[test]
fn a_procedure_that_is_handed_to_others_is_reached() {
    let text =
        "void ext(void (*)(void)); int g; void a(void) { g = 1; } void b(void) { g = 2; } int main(void) { ext(a); }";
    assert_eq!(reached(text), ["a", "main"]);
}

#[test]
fn a_pointer_of_which_nothing_is_known_may_lead_to_every_procedure() {
    let text =
        "void (*get(void))(void); int g; void a(void) { g = 1; } int main(void) { void (*p)(void) = get(); p(); }";
    assert_eq!(reached(text), ["a", "main"]);
}

#[test]
fn a_procedure_that_returns_a_structure_is_reached_with_what_it_calls() {
    let text = "struct s { int a, b; }; int h(void) { return 1; } struct s f(void) { struct s x = {h(), 2}; return x; }
                int main(void) { return f().b; }";
    assert_eq!(reached(text), ["h", "f", "main"]);
}
