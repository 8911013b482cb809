//! How much work the question about NULL takes, counted by looks at limits: what is seen of all uses together does not wait for what is hard to
//! find of each.

use std::rc::Rc;

use puch::abstraction::Tuning;
use puch::bitvec::Bounds;
use puch::limits::{Bell, Limits};
use puch::nullness::{Malloc, Options, PointerUse, Told, analyse, decided};
use puch::options::Options as CheckOptions;
use puch::refinement;

/// More looks than any of these takes.
const MANY: u32 = 1 << 22;

/// What is found within limits, and how often they were looked at.
fn counted<T>(ask: impl FnOnce(Limits) -> T) -> (T, u32) {
    let bell: &Bell = Box::leak(Box::new(Bell::after(MANY)));
    let found = ask(Limits { bell: Some(bell), ..Limits::default() });
    assert!(bell.rung().is_none(), "it was stopped");
    // The bell has been listened to so many times more when it rings.
    let left = (1..MANY).find(|_| bell.rung().is_some()).unwrap_or(MANY);
    (found, MANY - left)
}

fn usual(limits: Limits) -> Options {
    let usual = Options { malloc: Malloc::Succeeds, ..Options::default() };
    let bounds = Bounds { stop: Some(Rc::new(move || limits.met().is_some())), ..usual.tuning.bounds.clone() };
    let check = CheckOptions { limits, ..usual.check.clone() };
    Options { tuning: Tuning { bounds, ..usual.tuning.clone() }, check, ..usual }
}

/// What is known of all uses together, and of each; with the looks that it takes.
fn together(text: &str, told: Told) -> (refinement::Verdict, Vec<PointerUse>, u32) {
    let program = super::read("main", text);
    let ((answer, uses), looks) = counted(|limits| {
        let Options { overflow, tuning, check, .. } = usual(limits);
        let tuning = Tuning { bounds: tuning.bounds, ..Tuning::default() };
        let options = refinement::Options { overflow, tuning, check, rounds: Some(10), donor: None };
        decided(&program, &[], &options, told, &mut |_| {})
    });
    (answer.outcome.verdict, uses, looks)
}

/// The same of each by itself, by all that is tried.
fn apart(text: &str) -> (Vec<PointerUse>, u32) {
    let program = super::read("main", text);
    counted(|limits| analyse(&program, &usual(limits)))
}

fn words(uses: &[PointerUse]) -> Vec<&'static str> {
    uses.iter().map(PointerUse::word).collect()
}

/// A list is reversed; its last element is used, though there may be none.
const FAILS: &str = "struct list { int value; struct list *next; }; int input(void);
    int main(void) {
        struct list a, *l = 0;
        while (input()) { struct list *n = malloc(sizeof *n); n->next = l; l = n; }
        struct list *r = 0;
        while (l) { struct list *n = l->next; l->next = r; r = l; l = n; }
        r->value = 1;
        return a.value;
    }";

/// The same where each use comes after a look.
const HOLDS: &str = "struct list { int value; struct list *next; }; int input(void);
    int main(void) {
        struct list a, *l = &a;
        a.next = 0;
        while (input()) { struct list *n = malloc(sizeof *n); if (n) { n->next = l; l = n; } }
        struct list *r = 0;
        while (l) { struct list *n = l->next; l->next = r; r = l; l = n; }
        while (r) { r->value = 1; r = r->next; }
        return 0;
    }";

#[test]
fn what_is_soon_seen_of_all_uses_waits_for_none_of_them() {
    let (verdict, uses, looks) = together(FAILS, Told::Answer);
    assert_eq!((verdict.name(), uses.len()), ("violated", 0));
    assert!(looks <= 4 * 11, "it takes {looks} looks, and took 11");
}

#[test]
fn once_one_use_fails_the_others_are_not_worth_all_that_is_tried() {
    let (verdict, uses, looks) = together(FAILS, Told::Uses);
    assert_eq!((verdict.name(), words(&uses)), ("violated", vec!["null", "safe", "safe", "null"]));
    let (uses, all) = apart(FAILS);
    assert_eq!(words(&uses), ["safe", "safe", "safe", "null"], "here memory never runs out");
    assert!(
        looks <= 4 * 74 && looks < all,
        "it takes {looks} looks, and took 74; {all} for each by itself, and took 428"
    );
}

#[test]
fn where_no_use_fails_nothing_is_asked_of_each() {
    let (verdict, _, looks) = together(HOLDS, Told::Answer);
    assert_eq!(verdict.name(), "holds");
    assert!(looks <= 4 * 900, "it takes {looks} looks, and took 900");
    let (verdict, uses, more) = together(HOLDS, Told::Uses);
    assert_eq!((verdict.name(), words(&uses)), ("holds", vec!["safe"; 5]));
    assert!(more <= looks + looks / 4, "it takes {more} looks to tell each, and {looks} for the answer");
}
