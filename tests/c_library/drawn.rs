//! Calls of the library, drawn.

use super::*;

/// A random text in quotes, of few letters so that much is the same.
fn text(rng: &mut Rng, most: usize) -> String {
    let letters: Vec<char> = " aAbB1.,z".chars().collect();
    let inner: String = (0..rng.usize(..=most)).map(|_| letters[rng.usize(..letters.len())]).collect();
    format!("\"{inner}\"")
}

/// A random number as a text in quotes.
fn digits(rng: &mut Rng) -> String {
    let sign = ["", "-", "+", "  ", "\\t-", "+-"][rng.usize(..6)];
    let prefix = ["", "0x", "0", "0X", "0xg"][rng.usize(..5)];
    let count = rng.usize(..21);
    let set: Vec<char> = ["0123456789", "01234567", "0123456789abcdefABCDEFxz"][rng.usize(..3)].chars().collect();
    let number: String = (0..count).map(|_| set[rng.usize(..set.len())]).collect();
    format!("\"{sign}{prefix}{number}{}\"", ["", " ", "q", "."][rng.usize(..4)])
}

/// The body of a function of the program that calls the library and makes a `long` of what came of it.
pub fn case(rng: &mut Rng) -> String {
    let (s, t, set) = (text(rng, 9), text(rng, 4), text(rng, 3));
    let (n, c) = (rng.usize(..7), ["'a'", "'B'", "0", "'1'", "' '"][rng.usize(..5)]);
    let buffer = format!("char b[40] = {s}; size_t i; for (i = 12; i < 40; i++) b[i] = (char)(i * 7 | 1);");
    let at = |call: &str| format!("const char *s = {s}; const char *p = {call}; return p ? p - s : -1;");
    let sum = |call: &str| format!("{buffer} char *p = {call}; return sum(b, 40) * 64 + (p ? p - b : 50);");
    let char = rng.i32(-1..=255);
    match rng.usize(..44) {
        0 => at(&format!("memchr(s, {c}, {n} < strlen(s) ? {n} : strlen(s) + 1)")),
        1 => at(&format!("strchr(s, {c})")),
        2 => at(&format!("strrchr(s, {c})")),
        3 => at(&format!("strstr(s, {t})")),
        4 => at(&format!("strpbrk(s, {set})")),
        5 => at(&format!("memrchr(s, {c}, strlen(s) + 1)")),
        6 => at(&format!("strchrnul(s, {c})")),
        7 => format!("return sign(strcmp({s}, {t}));"),
        8 => format!("return sign(strncmp({s}, {t}, {n}));"),
        9 => format!("return sign(strcasecmp({s}, {t}));"),
        10 => format!("return sign(strncasecmp({s}, {t}, {n}));"),
        11 => format!("char a[12] = {s}, b[12] = {t}; return sign(memcmp(a, b, {n})) * 3 + (memcmp(a, b, 12) == 0);"),
        12 => format!("return strspn({s}, {set}) * 100 + strcspn({s}, {set});"),
        13 => format!("return strlen({s}) * 100 + strnlen({s}, {n});"),
        14 => sum(&format!("memcpy(b + 12, {s}, strlen({s}))")),
        15 => sum(&format!("memmove(b + {n}, b + {}, 6)", rng.usize(..9))),
        16 => sum(&format!("memset(b + {n}, {}, {n})", rng.i32(-3..400))),
        17 => sum(&format!("mempcpy(b + 1, {t}, strlen({t}))")),
        18 => sum(&format!("strcpy(b + {n}, {t})")),
        19 => sum(&format!("strncpy(b, {t}, {n})")),
        20 => sum(&format!("stpcpy(b + {n}, {t})")),
        21 => sum(&format!("stpncpy(b, {t}, {n})")),
        22 => sum(&format!("strcat(b, {t})")),
        23 => sum(&format!("strncat(b, {t}, {n})")),
        24 => sum(&format!("memccpy(b + 20, {s}, {c}, strlen({s}))")),
        25 => format!(
            "{buffer} long h = 0; char *p = strtok(b, {set}); while (p) {{ h = h * 31 + (p - b) + strlen(p) * 7; p = strtok(0, {set}); }} return h;"
        ),
        26 => format!(
            "{buffer} long h = 0; char *q = b, *p; while ((p = strsep(&q, {set}))) h = h * 31 + (p - b) + strlen(p) * 7; return h;"
        ),
        27 => format!("char *p = strdup({s}); long h = sum(p, strlen(p) + 1); free(p); return h;"),
        28 => format!("char *p = strndup({s}, {n}); long h = sum(p, strlen(p) + 1); free(p); return h;"),
        29 => format!(
            "return !!isalnum({char}) | !!isalpha({char}) << 1 | !!isblank({char}) << 2 | !!iscntrl({char}) << 3 | !!isdigit({char}) << 4 | !!isgraph({char}) << 5;"
        ),
        30 => format!(
            "return !!islower({char}) | !!isprint({char}) << 1 | !!ispunct({char}) << 2 | !!isspace({char}) << 3 | !!isupper({char}) << 4 | !!isxdigit({char}) << 5 | !!isascii({char}) << 6;"
        ),
        31 if rng.bool() => format!("return (*__ctype_b_loc())[(int){char}];"),
        31 => format!("return tolower({char}) * 1000 + toupper({char}) * 1000000 + toascii({char});"),
        32 => format!("return abs({0}) + labs({0}L * 1000003);", rng.i32(-100_000..100_000)),
        33 => format!("const char *s = \" {}x\"; return atoi(s) * 3L + atol(s) + atoll(s);", rng.i32(..)),
        34 | 35 => {
            let (name, base) =
                (["strtol", "strtoul", "strtoll", "strtoull"][rng.usize(..4)], [0, 10, 16, 8, 2, 36][rng.usize(..6)]);
            format!(
                "const char *s = {}; char *e; long v = {name}(s, &e, {base}); return v * 64 + (e - s);",
                digits(rng)
            )
        }
        36 => {
            let list: Vec<String> = (0..6).map(|_| rng.i32(-9..9).to_string()).collect();
            format!(
                "int a[6] = {{ {} }}; qsort(a, {n} < 6 ? {n} : 6, sizeof *a, order); return sum((char *)a, sizeof a);",
                list.join(", ")
            )
        }
        37 => format!(
            "int a[6] = {{ 1, 3, 5, 7, 9, 11 }}, k = {}; int *p = bsearch(&k, a, 6, sizeof k, order); return p ? p - a : -1;",
            rng.i32(0..13)
        ),
        38 => {
            let n = rng.u64(1..);
            format!(
                "return __builtin_popcountll({n}u) + 100 * __builtin_clzll({n}u) + 10000 * __builtin_ctzll({n}u) + 1000000 * __builtin_parityll({n}u) + 100000000L * __builtin_ffsll({n}u);"
            )
        }
        39 => {
            let n = rng.u32(1..);
            format!(
                "return __builtin_popcount({n}u) + 100 * __builtin_clz({n}u) + 10000 * __builtin_ctz({n}u) + 1000000 * __builtin_clrsb({n}u) + 100000000L * __builtin_ffs({n}u);"
            )
        }
        40 => format!(
            "return __builtin_bswap16({0}u) ^ __builtin_bswap32({0}u) ^ __builtin_bswap64({0}ul * 977);",
            rng.u32(..)
        ),
        41 => {
            let (op, ty) = (
                ["add", "sub", "mul"][rng.usize(..3)],
                ["int", "long", "unsigned", "unsigned long", "signed char", "short"][rng.usize(..6)],
            );
            let number = |rng: &mut Rng| match rng.usize(..3) {
                0 => format!("{}L", i64::from(rng.i32(..)) * i64::from(rng.i32(..))),
                1 => format!("{}u", rng.u32(..)),
                _ => format!("(short){}", rng.i16(..)),
            };
            let (a, b) = (number(rng), number(rng));
            format!(
                "{ty} r; int o = __builtin_{op}_overflow({a}, {b}, &r); return (long)r * 2 + o + 5L * __builtin_{op}_overflow_p({a}, {b}, ({ty})0);"
            )
        }
        42 => {
            let (op, n) = (["add", "sub", "or", "and", "xor", "nand"][rng.usize(..6)], rng.i32(..));
            format!(
                "int x = {n}; long a = __sync_fetch_and_{op}(&x, {0}); a = a * 3 + __sync_{op}_and_fetch(&x, {0}); a = a * 5 + x; a += __atomic_fetch_{op}(&x, 77, 5); a = a * 3 + __atomic_{op}_fetch(&x, 78, 5); return a;",
                rng.i32(..)
            )
        }
        _ => format!(
            "{buffer} char *r; char *p = strtok_r(b, {set}, &r); return p ? (p - b) + 100 * (r - b) + sum(b, 12) * 7 : -1;"
        ),
    }
}

/// The same with what printf's family writes.
pub fn printed(rng: &mut Rng) -> String {
    let format = printing::format(rng);
    let call = match rng.usize(..4) {
        0 => format!("snprintf(b, {}, {format})", rng.usize(..40)),
        1 => format!("listed(b, {format})"),
        _ => format!("sprintf(b, {format})"),
    };
    format!("static char b[40000]; int n; memset(b, 1, 200); n = {call}; return sum(b, n < 200 ? n + 1 : n) * 64 + n;")
}

/// The same with what sscanf reads, where it goes and how much of it there is.
pub fn scanned(rng: &mut Rng) -> String {
    const CONVERSIONS: [&str; 26] = [
        "%d", "%i", "%u", "%x", "%o", "%hd", "%hhu", "%ld", "%llx", "%3d", "%2i", "%*d", "%*s", "%s", "%4s", "%c",
        "%3c", "%[a-c1]", "%2[^,]", "%[^ ]", "%n", "%f", "%lf", "%5lf", "%Lf", "%*c",
    ];
    const BETWEEN: [&str; 7] = ["", "", " ", ",", " , ", "x", "%%"];
    const TEXTS: [&str; 20] = [
        "12",
        "-7",
        "+3",
        "0x1f",
        "077",
        "0",
        "1.5",
        "-2e3",
        ".5",
        "4.",
        "abc",
        "b",
        "xyz",
        "2147483647",
        "-32768",
        "9e-5",
        "c1a",
        "1e",
        "-",
        "0x",
    ];
    const SPACES: [&str; 8] = ["", " ", "  ", "\\t", ",", " ,", "x", "%"];
    let (mut format, mut text, mut arguments) = (String::new(), String::new(), String::new());
    for at in 0..rng.usize(1..4) {
        let conversion = CONVERSIONS[rng.usize(..CONVERSIONS.len())];
        format += conversion;
        format += BETWEEN[rng.usize(..BETWEEN.len())];
        text += TEXTS[rng.usize(..TEXTS.len())];
        text += SPACES[rng.usize(..SPACES.len())];
        if !conversion.contains('*') {
            let _ = write!(arguments, ", (void *)v[{at}]");
        }
    }
    format!(
        "static char v[3][80]; memset(v, 1, sizeof v); int n = sscanf(\"{text}\", \"{format}\"{arguments}); return sum(v[0], 240) * 8 + n;"
    )
}
