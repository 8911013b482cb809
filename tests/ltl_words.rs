//! Translation against the definition of the operators, on words that end in a loop.

#[path = "ltl/lasso.rs"]
mod lasso;
use lasso::*;
use puch::limits::Limits;
use puch::ltl::*;

fn core() -> Vec<String> {
    let shared = std::env::var("PUCH_SHARED").unwrap();
    ["dac55", "eh12", "sb27", "beem20"]
        .iter()
        .flat_map(|set| {
            std::fs::read_to_string(format!("{shared}/ltl-formulas/{set}.ltl"))
                .unwrap()
                .lines()
                .map(str::to_owned)
                .collect::<Vec<_>>()
        })
        .collect()
}

#[test]
fn core_formulas_and_their_negations() {
    let mut random = fastrand::Rng::with_seed(7);
    for line in core() {
        let reading = Reading { dialect: Dialect::Spot, ..Default::default() };
        let (ltl, _) = parse(&line, &reading).unwrap();
        let p = ltl.formulas.propositions().len() as u32;
        let pos = translate(&ltl, &Passes::default(), &Limits::default()).unwrap();
        let neg = translate(&ltl.clone().negated(), &Passes::default(), &Limits::default()).unwrap();
        for _ in 0..60 {
            let w = Lasso::random(&mut random, p, 6);
            let truth = satisfies(&w, &ltl);
            assert_eq!(buchi_accepts(&pos, &w), truth, "{line} {w:?}");
            assert_eq!(buchi_accepts(&neg, &w), !truth, "!{line} {w:?}");
        }
    }
}
