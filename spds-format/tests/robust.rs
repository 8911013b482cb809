//! Whatever the input: no panic, no overflow, no waiting.

mod support;

use std::time::{Duration, Instant};

use spds_format::parse;
use support::checks::parse_anything;
use support::models;
use support::random::Random;

#[test]
fn random_bytes_are_refused_in_good_order() {
    let mut random = Random::new(1);
    for _ in 0..3000 {
        let length = random.below(200);
        let bytes: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
        parse_anything(&bytes);
    }
}

#[test]
fn random_tokens_are_refused_in_good_order() {
    const TOKENS: [&str; 60] = [
        "spds 1",
        "file",
        "global",
        "frame",
        "control",
        "symbol",
        "rule",
        "silent",
        "start",
        "atom",
        "end",
        "fail",
        "in",
        "at",
        "labels",
        "invariant",
        "when",
        "with",
        "label",
        "hidden",
        "schoose",
        "true",
        "false",
        "x",
        "p",
        "f",
        "x'",
        "x''",
        "::",
        ":",
        ":=",
        "=",
        ";",
        ",",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        "<",
        ">",
        "->",
        "<->",
        "&",
        "|",
        "!",
        "*",
        "+",
        "?",
        "3",
        "1..8",
        "bool",
        "u3",
        "\"q\"",
        "\"",
        "\\",
        "//",
        "\n",
        "é",
    ];
    let mut random = Random::new(2);
    for _ in 0..8_000 {
        let mut text = String::from("spds 1 global x: u3; frame f {} control p; symbol x in f;\n");
        for _ in 0..random.below(30) {
            text.push_str(random.pick::<&str>(&TOKENS));
            text.push_str(random.pick::<&str>(&[" ", " ", "", "\n"]));
        }
        parse_anything(text.as_bytes());
    }
}

#[test]
fn mutated_texts_are_read_or_refused_in_good_order() {
    let mut random = Random::new(3);
    let (mut read, mut refused) = (0, 0);
    for seed in 0..200 {
        let text = models::model(seed).to_string().into_bytes();
        for _ in 0..10 {
            let mut bytes = text.clone();
            for _ in 0..1 + random.below(3) {
                let at = random.below(bytes.len());
                let other = *random.pick(&text);
                match random.below(4) {
                    0 => bytes[at] = other,
                    1 => bytes.insert(at, other),
                    2 => drop(bytes.remove(at)),
                    _ => bytes.truncate(at.max(1)),
                }
            }
            parse_anything(&bytes);
            if parse(&String::from_utf8_lossy(&bytes)).is_ok() { read += 1 } else { refused += 1 }
        }
    }
    assert!(read > 50 && refused > 50, "{read} read, {refused} refused");
}

const HEAD: &str = "spds 1 global b: bool, x: u3, a: u3[0..7]; control p; symbol s; start <p, s> when ";

/// Runs on a small stack, as a thread of a host program may have it.
fn on_a_small_stack(body: impl FnOnce() + Send + 'static) {
    std::thread::Builder::new().stack_size(256 * 1024).spawn(body).unwrap().join().unwrap();
}

#[test]
fn deep_nesting_needs_no_call_stack() {
    on_a_small_stack(|| {
        let n = 100_000;
        let nested =
            |open: &str, inside: &str, close: &str| format!("{HEAD}{}{inside}{};", open.repeat(n), close.repeat(n));
        for text in [
            nested("(", "b", ")"),
            nested("!", "b", ""),
            nested("!(b & ", "b", ")"),
            nested("b -> ", "b", ""),
            nested("b ? b : ", "b", ""),
            nested("b ? ", "b", " : b"),
            nested("(b = ", "b", ")"),
            nested("schoose[b, ", "b", "]"),
            nested("schoose[", "b", ", b]"),
            nested("", "b", " & b"),
            nested("x + ", "x", "").replace(';', " < 3;").replacen(" < 3;", ";", 3),
            format!("{HEAD}{}0{} < 3;", "a[".repeat(n), "]".repeat(n)),
            // Unfinished ones.
            format!("{HEAD}{}", "(".repeat(n)),
            format!("{HEAD}{};", "a[".repeat(n)),
            format!("{HEAD}{};", "b ? ".repeat(n)),
            format!("{HEAD}b{};", ")".repeat(n)),
            format!("spds 1 {}", "{".repeat(n)),
        ] {
            parse_anything(text.as_bytes());
        }
    });
}

#[test]
fn long_silent_chains_need_no_call_stack() {
    on_a_small_stack(|| {
        let n = 20_000;
        let mut text = String::from("spds 1 control p; start <p, s0>;");
        for i in 0..=n {
            text.push_str(&format!("symbol s{i};"));
        }
        for i in 0..n {
            text.push_str(&format!("silent rule <p, s{i}> -> <p, s{}>;", i + 1));
        }
        assert!(parse(&text).is_ok());
        text.push_str(&format!("silent rule <p, s{n}> -> <p, s7>;"));
        let mistakes = parse(&text).unwrap_err();
        assert_eq!(mistakes.len(), 1, "{mistakes:?}");
    });
}

/// A quadratic reader would take minutes for these.
#[test]
fn long_texts_take_linear_time() {
    let million = 1_000_000;
    let many = 200_000;
    let begun = Instant::now();
    let globals = |n: usize| (1..n).map(|i| format!(", v{i}: bool")).collect::<String>();
    for text in [
        "x".repeat(10 * million),
        format!("spds 1 global {}: bool; control p; symbol s; start <p, s>;", "x".repeat(10 * million)),
        format!("spds 1 control p; symbol s; start <p, s> when {};", "x".repeat(10 * million)),
        format!("spds 1 control p; symbol s; start <p, s> when {} < 3;", "9".repeat(10 * million)),
        format!("spds 1 control \"{}\"; symbol s; start <p, s>;", "\\n".repeat(5 * million)),
        format!("spds 1 control \"{}; symbol s; start <p, s>;", "\\n".repeat(5 * million)),
        format!("spds 1 {}", ";".repeat(many)),
        format!("spds 1 {}", "\"".repeat(many)),
        format!("spds 1 {}", "\";".repeat(many)),
        format!("spds 1 {}", "rule\n".repeat(many)),
        format!("spds 1 {}", "// no more\n".repeat(many)),
        format!("spds 1 {}", "{\n".repeat(many)),
        format!("spds 1 control p; {}", "symbol s;".repeat(many / 4)),
        format!("spds 1 control p; {}", "rule <p, s> -> <p>;".repeat(many / 4)),
        format!("spds 1 control p; symbol s; start <p, s> when {};", "y & ".repeat(many / 4)),
        format!("{HEAD}{};", "b = ".repeat(many / 4)),
        format!("spds 1 control p; symbol s; start <p, s> when {}y;", "y & ".repeat(many / 4)),
        format!("{HEAD}b; global v0: bool{}; {}", globals(many / 4), "atom k when nothing;".repeat(many / 4)),
    ] {
        // Two of them are correct. (No `unwrap_err` here: it would print ten million characters.)
        let mistakes = parse(&text).err().unwrap_or_default();
        assert!(mistakes.len() <= 102, "{}", mistakes.len());
        let longest = mistakes.iter().map(|mistake| mistake.message.len()).max();
        assert!(longest.unwrap_or_default() < 1000, "{longest:?}");
    }
    let taken = begun.elapsed();
    assert!(taken < Duration::from_secs(60), "{taken:?}");
}
