//! Entries on one stack: each may begin while those before it have not ended, as handlers of interrupts do.

use num_bigint::BigUint;

use super::{Height, Range, Verdict, Why};

/// The height of a stack on which each of some entries runs at most once at a time: no more than their heights together, and no less than the
/// greatest of them. Linear.
pub fn nested(heights: &[Height], limit: Option<BigUint>) -> Height {
    let entry = heights.iter().map(|height| &*height.entry).collect::<Vec<_>>().join(" + ");
    let of = |verdict: fn(&Verdict) -> bool| heights.iter().find(|height| verdict(&height.verdict));
    let unbounded = of(|verdict| *verdict == Verdict::Unbounded);
    let verdict = match (unbounded, of(|verdict| matches!(verdict, Verdict::Unknown(_)))) {
        (Some(_), _) => Verdict::Unbounded,
        (None, Some(Height { entry, verdict: Verdict::Unknown(why), .. })) => {
            Verdict::Unknown(Why { sentence: format!("{entry}: {}", why.sentence), kind: why.kind })
        }
        (None, _) => Verdict::Bounded,
    };
    let bytes: Option<Vec<&Range>> = heights.iter().map(|height| height.bytes.as_ref()).collect();
    let mut assumed: Vec<String> = Vec::new();
    for one in heights.iter().flat_map(|height| &height.assumed) {
        if !assumed.contains(one) {
            assumed.push(one.clone());
        }
    }
    assumed.push("an entry begins only when no call of it has yet to end".to_owned());
    if bytes.is_some() {
        assumed.push("what the machine itself saves when it interrupts is not counted".to_owned());
    }
    Height {
        entry,
        verdict,
        frames: together(heights.iter().map(|height| &height.frames)),
        bytes: bytes.map(|all| together(all.into_iter())),
        expression: None,
        limit,
        witness: unbounded.and_then(|height| height.witness.clone()),
        assumed,
        explanation: vec![
            "what is on the stack is the sum of what each entry may take, as if each were interrupted where it is highest".to_owned(),
        ],
    }
}

/// All of them, one on top of the other.
fn together<'r>(mut ranges: impl Iterator<Item = &'r Range> + Clone) -> Range {
    let least = ranges.clone().map(|range| range.least.clone()).max().unwrap_or_default();
    let most = ranges.try_fold(BigUint::ZERO, |sum, range| Some(sum + range.most.as_ref()?));
    Range { least, most }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn height(entry: &str, verdict: Verdict, frames: Range, bytes: Range) -> Height {
        let why = Why { sentence: String::new(), kind: "" };
        Height { verdict, frames, bytes: Some(bytes), ..Height::unknown(entry.to_owned(), why) }
    }

    fn between(least: u32, most: u32) -> Range {
        Range { least: least.into(), most: Some(most.into()) }
    }

    #[test]
    fn heights_add_up_and_the_greatest_is_reached() {
        let task = height("task", Verdict::Bounded, between(3, 4), between(96, 128));
        let timer = height("timer", Verdict::Bounded, between(2, 2), between(64, 64));
        let both = nested(&[task.clone(), timer.clone()], Some(150u8.into()));
        assert_eq!((&*both.entry, &both.verdict), ("task + timer", &Verdict::Bounded));
        assert_eq!((both.frames.clone(), both.bytes.clone()), (between(3, 6), Some(between(96, 192))));
        assert_eq!(both.kept(), super::super::Kept::Unknown);
        let open = Verdict::Unknown(Why { sentence: "it recurs".to_owned(), kind: "recursion" });
        let unknown = height("f", open, Range::open(), Range::open());
        let Verdict::Unknown(why) = nested(&[task, unknown.clone()], None).verdict else { panic!("not known") };
        assert_eq!((&*why.sentence, why.kind), ("f: it recurs", "recursion"));
        let endless = height("g", Verdict::Unbounded, Range::open(), Range::open());
        assert_eq!(nested(&[unknown, timer, endless], None).verdict, Verdict::Unbounded);
    }
}
