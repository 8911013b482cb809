//! dev
use puch::limits::Limits;
use puch::ltl::automaton::ComponentKind;
use puch::ltl::*;
#[test]
fn sizes() {
    let shared = std::env::var("PUCH_SHARED").unwrap();
    let mut total = (0, 0, 0);
    for set in ["dac55", "eh12", "sb27", "beem20"] {
        let text = std::fs::read_to_string(format!("{shared}/ltl-formulas/{set}.ltl")).unwrap();
        let sizes = std::fs::read_to_string(format!("{shared}/ltl-formulas/sizes/{set}.neg.tsv")).unwrap();
        let mut sum = (0, 0, 0);
        let mut spot_sum = (0, 0);
        for (line, spot) in text.lines().zip(sizes.lines().skip(1)) {
            let reading = Reading { dialect: Dialect::Spot, ..Default::default() };
            let (ltl, _) = parse(line, &reading).unwrap();
            let start = std::time::Instant::now();
            let t = translate(&ltl.negated(), &Passes::default(), &Limits::default()).unwrap();
            let took = start.elapsed();
            let n = usize::from(!t.is_deterministic());
            sum.0 += t.states.len();
            sum.1 += t.edges.len();
            sum.2 += n;
            let cols: Vec<&str> = spot.split('\t').collect();
            let s: Vec<&str> = cols[1].split('/').collect();
            spot_sum.0 += s[0].parse::<usize>().unwrap();
            spot_sum.1 += usize::from(s[4] == "N");
            if std::env::var("V").is_ok()
                && (t.states.len() != s[0].parse::<usize>().unwrap() || (n == 1) != (s[4] == "N"))
            {
                println!(
                    "{} {} | spot {} ba {} | {:?} {:?} {line}",
                    t.states.len(),
                    if n == 1 { "N" } else { "D" },
                    cols[1],
                    cols[2],
                    t.strength(),
                    took
                );
            }
        }
        println!("{set}: {sum:?} spot {spot_sum:?}");
        total.0 += sum.0;
        total.1 += sum.1;
        total.2 += sum.2;
    }
    println!("total {total:?}");
    let _ = ComponentKind::Weak;
}
