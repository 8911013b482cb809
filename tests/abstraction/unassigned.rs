//! Pointers that may be read before the program gave them a value are arbitrary; of all others it is known where they point.

use puch::abstraction::Tuning;
use puch::analyses::Analyses;
use puch::c::program::Overflow;
use puch::c::types::DataModel;
use puch::refinement::{Options, Round, Verdict, refine};

use super::parsed;

const HEAD: &str = "void *malloc(unsigned long); void *calloc(unsigned long, unsigned long); void free(void *);
    extern int nondet(void); int x, y; int *seen;
    struct node { int value; int *data; struct node *next; }; struct node *head;
    void set(int **to) { *to = &x; } void fill(struct node *n) { n->data = &x; n->next = 0; }\n";

/// Whether what is assigned to `seen` may be any pointer.
fn is_arbitrary(body: &str) -> bool {
    let program = parsed(&format!("{HEAD} int main(void) {{ {body} return 0; }}"), DataModel::LP64);
    let analyses = Analyses::of(&program);
    let points_to = analyses.points_to();
    let seen = (0..).map(puch::c::program::VariableId).zip(&program.variables).find(|(_, one)| &*one.name == "seen");
    let (seen, _) = seen.expect("it is declared");
    let targets = points_to.content(points_to.objects.variable(seen).expect("it has a place"));
    targets.iter().any(|target| target.object == points_to.objects.outside())
}

#[test]
fn a_local_pointer_that_may_be_read_before_it_is_assigned_may_point_anywhere() {
    for body in [
        "int *p; seen = p;",
        "int *p; if (nondet()) p = &x; seen = p;",
        "int *p; while (nondet()) { p = &x; } seen = p;",
        "int *p; switch (nondet()) { case 1: p = &x; break; case 2: p = &y; } seen = p;",
        "for (int i = 0; i < 2; i++) { int *p; if (i == 0) p = &x; seen = p; }",
        "if (nondet()) goto late; int *p; p = &x; late: seen = p;",
        "int *p, *q; q = p; seen = q;",
        "int **pp; seen = *pp;",
        "struct node n; seen = n.data;",
        "struct node n; n.next = 0; seen = n.data;",
        "struct node n, *p = &n; n.data = &x; if (p->next) seen = p->next->data;",
        "int *a[3]; a[0] = &x; seen = a[1];",
        "struct { struct { int *p, *q; } in; } s; s.in.p = &x; seen = s.in.q;",
        "union { int *p; long l; } u; u.l = 3; seen = u.p;",
    ] {
        assert!(is_arbitrary(body), "{body}");
    }
}

#[test]
fn a_local_pointer_that_is_assigned_on_every_way_points_where_it_was_let() {
    for body in [
        "int *p; p = &x; seen = p;",
        "int *p; if (nondet()) p = &x; else p = &y; seen = p;",
        "int *p; do { p = &x; } while (nondet()); seen = p;",
        "int *p; p = 0; while (nondet()) { p = &x; } seen = p;",
        "for (int i = 0; i < 2; i++) { int *p; p = &x; seen = p; }",
        "int *p, *q; if (nondet()) { p = &x; q = p; } else { q = &y; } seen = q;",
        "struct node n; n.data = &x; seen = n.data;",
        "struct node n = {1}; seen = n.data;",
        "struct { struct { int *p, *q; } in; } s; s.in.p = &x; s.in.q = 0; seen = s.in.q;",
        "struct node a, b; a.data = &x; a.next = 0; b = a; seen = b.data;",
        "int *p = &x, **pp; pp = &p; seen = *pp;",
        "static int *p; seen = p;",
        "int *a[3] = {&x}; seen = a[nondet() & 1];",
    ] {
        assert!(!is_arbitrary(body), "{body}");
    }
}

#[test]
fn what_is_allocated_is_arbitrary_until_it_is_assigned() {
    let list = "struct node *n = malloc(sizeof *n); if (!n) return 1;";
    for body in [
        "seen = n->data;",
        "n->data = &x; if (n->next) seen = n->next->data;",
        "if (nondet()) n->data = &x; seen = n->data;",
        "head = n; n->data = &x; n->next = 0; seen = head->data;",
        "struct node *m = n; n = 0; seen = m->data;",
        "n->data = &x; n = malloc(sizeof *n); if (n) seen = n->data;",
        "fill(n); n->next = n; seen = n->data;",
    ] {
        assert!(is_arbitrary(&format!("{list} {body}")), "{body}");
    }
    assert!(is_arbitrary("int **p = malloc(2 * sizeof *p); p[1] = &x; seen = p[0];"));
    assert!(is_arbitrary("head = malloc(sizeof *head); if (head) seen = head->data;"));
    for body in [
        "n->data = &x; n->next = 0; seen = n->data;",
        "n->data = &x; n->next = head; head = n; seen = head->data;",
        "struct node *m = n; m->data = &x; m->next = 0; head = n; seen = head->data;",
        "if (nondet()) n->data = &x; else n->data = &y; seen = n->data;",
        "while (nondet()) { n->data = &x; n->next = head; head = n; n = malloc(sizeof *n); if (!n) return 1; } if (head) seen = head->data;",
    ] {
        assert!(!is_arbitrary(&format!("{list} {body}")), "{body}");
    }
    assert!(!is_arbitrary("struct node *n = calloc(1, sizeof *n); if (n) seen = n->data;"));
}

#[test]
fn what_lies_behind_an_access_through_a_pointer_that_was_never_assigned_may_be_reached() {
    let text = "struct s { int state; struct s *next; }; void reach_error(void); void *malloc(unsigned long);
        int main(void) { struct s *s; s->next = malloc(sizeof *s); s->state = 3; if (s->state == 3) reach_error(); return 0; }";
    let program = parsed(text, DataModel::LP64);
    let check = puch::options::Options::default();
    let options = Options { overflow: Overflow::Wrap, tuning: Tuning::default(), check, rounds: Some(6), donor: None };
    let outcome = refine(&program, &options, &mut |_: &Round<'_>| {});
    assert_ne!(outcome.verdict, Verdict::Holds);
}
