//! Arrays, those whose length is computed among them.

use super::making::Making;

/// A length that is computed: 1 to 4.
fn length(making: &mut Making<'_>) -> (String, String) {
    let name = making.name("n");
    let value = making.pick(&["(a & 3) + 1", "b + 1", "b + 2", "3", "1 + a / 2", "a > 3 ? 2 : 4", "4 - b"]).to_owned();
    let ty = making.pick(&["int", "int", "unsigned", "long", "unsigned char", "short"]).to_owned();
    making.line(format!("{ty} {name} = {value};"));
    (name, value)
}

/// An array of the block whose length is computed.
pub fn local(making: &mut Making<'_>) {
    let (n, _) = length(making);
    let (name, ty) = (making.name("m"), making.integer().name);
    match making.rng.u8(..5) {
        0 => {
            let (k, _) = length(making);
            making.line(format!("{ty} {name}[{n}][{k}];"));
            filled(making, &name, &n, &k);
        }
        1 => {
            let k = making.rng.usize(1..4).to_string();
            making.line(format!("{ty} {name}[{n}][{k}];"));
            filled(making, &name, &n, &k);
        }
        2 => {
            let k = making.rng.usize(1..4).to_string();
            making.line(format!("{ty} {name}[{k}][{n}];"));
            filled(making, &name, &k, &n);
        }
        3 => {
            making.line(format!("typedef {ty} {name}t[{n}]; {name}t {name};"));
            row(making, &name, &n);
            making.places.push(format!("sizeof({name}t)"));
        }
        _ => {
            making.line(format!("{ty} {name}[{n}];"));
            row(making, &name, &n);
        }
    }
    if making.one_in(3) {
        // What there is does not change with it; places that are found by it do.
        making.line(format!("{n} += 3;"));
        making.places.retain(|place| !place.contains(&n));
        making.places.push(n);
    }
    making.places.push(format!("sizeof {name}"));
    making.places.push(format!("sizeof {name} / sizeof {name}[0]"));
    making.observe();
}

/// Every element of the array is written, and some are read.
fn row(making: &mut Making<'_>, name: &str, n: &str) {
    let value = making.value(1);
    making.line(format!("for (int i = 0; i < {n}; i++) {name}[i] = {value} + i;"));
    let changed = making.value(1);
    making.line(format!("{name}[a % {n}] = {changed};"));
    making.places.extend([format!("{name}[0]"), format!("{name}[{n} - 1]"), format!("{name}[b % {n}]")]);
    making.places.push(format!("(&{name}[{n}] - {name})"));
}

/// The same of an array of arrays.
fn filled(making: &mut Making<'_>, name: &str, n: &str, k: &str) {
    let value = making.value(1);
    making.line(format!(
        "for (int i = 0; i < {n}; i++) for (int j = 0; j < {k}; j++) {name}[i][j] = {value} + i * 4 + j;"
    ));
    let changed = making.value(1);
    making.line(format!("{name}[a % {n}][b % {k}] = {changed};"));
    making.places.extend([
        format!("{name}[0][0]"),
        format!("{name}[{n} - 1][{k} - 1]"),
        format!("(*{name})[{k} - 1]"),
        format!("{name}[b % {n}][0]"),
        format!("sizeof {name}[0]"),
        format!("sizeof *{name} / sizeof **{name}"),
        format!("(&{name}[{n} - 1][0] - &{name}[0][0])"),
        format!("((char *) ({name} + 1) - (char *) {name})"),
    ]);
}

/// An array that is handed to a function as one of arrays whose length is a parameter.
pub fn parameter(making: &mut Making<'_>) {
    let (rows, columns) = (making.rng.usize(1..4), making.rng.usize(1..4));
    let (ty, name, f) = (making.integer().name, making.name("m"), making.name("f"));
    let declared = making.pick(&[
        "int r, int c, T (*m)[c]",
        "int r, int c, T m[r][c]",
        "int r, int c, T m[][c]",
        "unsigned char r, long c, T m[static 1][c]",
    ]);
    let parameters = declared.replace('T', ty);
    let (i, j) = (making.pick(&["r - 1", "0", "(r > 1)"]), making.pick(&["c - 1", "0", "(c > 1)"]));
    let done = match making.rng.u8(..6) {
        0 => format!("m[{i}][{j}] = 7; return 0;"),
        1 => "long long s = 0; for (int i = 0; i < r; i++) for (int j = 0; j < c; j++) s = s * 3 + m[i][j]; return s;"
            .to_owned(),
        2 => format!("m += {i}; (*m)[{j}] += 5; return sizeof *m;"),
        3 => "for (int i = 0; i < r; i++, m++) (*m)[0] = i; return 1;".to_owned(),
        4 => format!("{ty} *p = m[{i}]; p[{j}] = 9; return &m[r - 1][0] - &m[0][0];"),
        _ => format!("{ty} (*p)[c] = m + {i}; return p[0][{j}] + sizeof(p[0]) * 10 + (p - m);"),
    };
    making.file(format!("long long {f}({parameters}) {{ {done} }}"));
    let elements: Vec<String> = (0..rows * columns).map(|_| making.rng.i32(0..100).to_string()).collect();
    let rows_of: Vec<String> = elements.chunks(columns).map(|row| format!("{{{}}}", row.join(", "))).collect();
    if making.one_in(4) {
        let (n, _) = length(making);
        making.line(format!("{n} = {columns}; {ty} {name}[{rows}][{n}];"));
        making.line(format!(
            "for (int i = 0; i < {rows}; i++) for (int j = 0; j < {columns}; j++) {name}[i][j] = i * 10 + j;"
        ));
    } else {
        making.line(format!("{ty} {name}[{rows}][{columns}] = {{{}}};", rows_of.join(", ")));
    }
    let changed = making.value(1);
    let (i, j) = (making.rng.usize(..rows), making.rng.usize(..columns));
    making.line(format!("{name}[{i}][{j}] = {changed};"));
    let result = making.name("r");
    making.line(format!("long long {result} = {f}({rows}, {columns}, {name});"));
    making.places.push(result);
    for i in 0..rows {
        for j in 0..columns {
            making.places.push(format!("{name}[{i}][{j}]"));
        }
    }
    making.observe();
}

/// What `sizeof` says of types whose length is computed, when lengths may be nothing at all.
pub fn size(making: &mut Making<'_>) {
    let (n, ty, name) = (making.name("n"), making.integer().name, making.name("m"));
    let value = making.pick(&["(a & 3) + 1", "a - 1", "a", "b", "2 - a", "a + b - 2"]).to_owned();
    making.line(format!("int {n} = {value};"));
    let text = match making.rng.u8(..6) {
        0 => format!("{ty} {name}[{n}]; long long s{name} = sizeof {name};"),
        1 => format!("long long s{name} = sizeof({ty} [{n} > 0 ? {n} : 1]); int {name} = 0;"),
        2 => format!("{ty} {name}[2][{n}]; long long s{name} = sizeof {name} + sizeof {name}[1];"),
        3 => {
            format!("{ty} (*{name})[{n} > 0 ? {n} : 2] = 0; long long s{name} = sizeof *{name} * 100 + sizeof {name};")
        }
        4 => format!("if ({n} < 1) {n} = 1; long long s{name} = sizeof({ty} [{n}++]); int {name} = 0;"),
        _ => format!(
            "if ({n} < 1) {n} = 1; {ty} {name}[{n}]; {n} = 9; long long s{name} = sizeof {name} + sizeof({ty} [{n}]);"
        ),
    };
    making.line(text);
    making.places.extend([format!("s{name}"), n]);
    making.observe();
}

/// Arrays of fixed lengths, with constant and computed indices, pointers into them, and initialisers.
pub fn fixed(making: &mut Making<'_>) {
    let (name, ty) = (making.name("t"), making.integer().name);
    let (rows, columns) = (making.rng.usize(1..4), making.rng.usize(1..4));
    let initial = making.pick(&["{1, 2}", "{{1}, [0] = {4}}", "{[0] = {[0] = 3}}", "{{0}}"]);
    let (initial, static_) = (if columns == 1 { "{{5}}" } else { initial }, making.pick(&["", "static "]));
    making.line(format!("{static_}{ty} {name}[{rows}][{columns}] = {initial};"));
    for _ in 0..making.rng.usize(1..4) {
        let (i, j, value) = (making.index(rows), making.index(columns), making.value(2));
        let text = match making.rng.u8(..5) {
            0 => format!("{name}[{i}][{j}] = {value};"),
            1 => format!("{{ {ty} *p = &{name}[0][0]; p += {i} * {columns} + {j}; *p += {value}; }}"),
            2 => format!("{{ {ty} (*p)[{columns}] = {name} + {i}; p[0][{j}] = {value}; }}"),
            3 => format!("{j}[{i}[{name}]] ^= {value};"),
            _ => format!("*(*({name} + {i}) + {j}) -= {value};"),
        };
        making.line(text);
        making.places.push(format!("{name}[{i}][{j}]"));
    }
    making.places.push(format!("{name}[{}][{}]", rows - 1, columns - 1));
    making.places.push(format!("sizeof {name} / sizeof **{name}"));
    making.observe();
}
