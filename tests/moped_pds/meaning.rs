//! Relations, read by `puch` and evaluated by the oracle, against their own meaning.

use crate::relations;
use crate::support::seeds;

#[test]
fn relations_mean_what_they_say() {
    let (mut steps, mut guards, mut relations, mut cells) = (0, 0, 0, 0);
    for seed in seeds(0..250) {
        let seen = relations::means_what_it_says(seed, 16).unwrap_or_else(|what| panic!("seed {seed}: {what}"));
        steps += seen.steps;
        guards += usize::from(seen.guard);
        relations += usize::from(seen.relation);
        cells += usize::from(seen.cell);
    }
    println!("{steps} steps; {guards} guards, {relations} relations; cells with variable indices in {cells} without");
    assert!(steps > 10_000 && guards > 10 && relations > 40 && cells > 10);
}
