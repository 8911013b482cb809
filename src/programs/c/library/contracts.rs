//! What functions of the library that have no model demand of their arguments, and what they return (C11 §7, POSIX), a line a function: what
//! is not met is undefined. Who executes a program looks at it himself; proofs ask for it ([`crate::question::demands`]).

/// What has to hold of the arguments of a call; numbers are those of arguments, from 0 on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Demand {
    /// A text, or, if it may be, NULL.
    Text(usize, Null),
    /// A stream.
    Stream(usize),
    /// So many bytes, which are read, or written to.
    Bytes(usize, Size, Access),
    /// An object of the type to which the pointer points, or NULL.
    Object(usize, Null, Access),
    /// The first argument divided by the second has a quotient.
    Quotient,
    /// What the format of printf's family says, and room for what it makes.
    Print,
    /// What the format of scanf's family says.
    Scan,
}

/// Whether NULL will do, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Null {
    /// It will.
    Allowed,
    /// It will not.
    Refused,
}

/// What is done with an object.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// It is read.
    Read,
    /// It is written to.
    Write,
}

/// How many bytes: as many as an argument says, or the product of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// As this argument says.
    Of(usize),
    /// As the product of these says.
    Product(usize, usize),
}

/// The table: `text0` a text, `text0?` or NULL, `stream1` a stream, `from0:1*2` bytes that are read, `to0:1` bytes that are written to,
/// `in0` an object that is read, `out0?` one that is written to, or NULL; and what is known of the number that is returned: `=-1..255` from one
/// to another, `=0..#2` up to an argument, `=print` and `=scan` what formats say.
const TABLE: &str = "
    printf print =print
    fprintf print =print
    sprintf print =print
    snprintf print =print
    vprintf print =print
    vfprintf print =print
    vsprintf print =print
    vsnprintf print =print
    scanf scan =scan
    fscanf scan =scan
    sscanf scan =scan
    vscanf scan =scan
    vfscanf scan =scan
    vsscanf scan =scan
    puts text0 =-1..
    perror text0?
    putchar =-1..255
    getchar =-1..255
    getpid =1..
    getppid =0..
    sleep =0..#0
    usleep =-1..0
    close =-1..0
    dup =-1..
    dup2 =-1..
    isatty =0..1
    lseek =-1..
    clock =-1..
    fsync =-1..0
    fputs text0 stream1 =-1..
    fputc stream1 =-1..255
    putc stream1 =-1..255
    putw stream1
    ungetc stream1 =-1..255
    fgetc stream0 =-1..255
    getc stream0 =-1..255
    getw stream0
    fgets to0:1 stream2
    fread to0:1*2 stream3 =0..#2
    fwrite from0:1*2 stream3 =0..#2
    fflush =-1..0
    fclose stream0 =-1..0
    feof stream0
    ferror stream0
    clearerr stream0
    fileno stream0
    rewind stream0
    fseek stream0
    fseeko stream0
    ftell stream0 =-1..
    ftello stream0 =-1..
    flockfile stream0
    funlockfile stream0
    fopen text0 text1
    fdopen text1
    freopen text0? text1 stream2
    popen text0 text1
    pclose stream0
    remove text0
    rename text0 text1
    atof text0
    strtod text0 out1?
    strtof text0 out1?
    strtold text0 out1?
    getenv text0
    secure_getenv text0
    setenv text0 text1 =-1..0
    unsetenv text0 =-1..0
    system text0?
    strcoll text0 text1
    setlocale text1?
    localeconv
    realloc
    div quotient
    ldiv quotient
    lldiv quotient
    imaxdiv quotient
    frexp out1
    frexpf out1
    frexpl out1
    modf out1
    modff out1
    modfl out1
    remquo out2
    remquof out2
    remquol out2
    time out0?
    ctime in0
    asctime in0
    gmtime in0
    localtime in0
    mktime out0
    gmtime_r in0 out1
    localtime_r in0 out1
    strftime to0:1 text2 in3 =0..#1
    clock_gettime out1 =-1..0
    gettimeofday out0? out1? =-1..0
    nanosleep in0 out1? =-1..0
    stat text0 out1 =-1..0
    lstat text0 out1 =-1..0
    fstat out1 =-1..0
    link text0 text1 =-1..0
    symlink text0 text1 =-1..0
    chmod text0 =-1..0
    truncate text0 =-1..0
    ftruncate =-1..0
    readlink text0 to1:2 =-1..#2
    gethostname to0:1 =-1..0
    read to1:2 =-1..#2
    write from1:2 =-1..#2
    open text0 =-1..
    creat text0 =-1..
    access text0 =-1..0
    unlink text0 =-1..0
    rmdir text0 =-1..0
    mkdir text0 =-1..0
    chdir text0 =-1..0
    nan text0
    nanf text0
    nanl text0
";

/// What a function demands; none if that is not known, and it may demand anything.
pub fn demands(name: &str) -> Option<Vec<Demand>> {
    let plain = plain(name);
    let mut lines = TABLE.lines().map(str::split_ascii_whitespace);
    let line = lines.find_map(|mut words| (words.next() == Some(plain)).then_some(words))?;
    line.filter(|word| !word.starts_with('=')).map(demand).collect()
}

/// What is known of the number that a function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Returned {
    /// It is between these, or not less than the first.
    Between(i128, Option<i128>),
    /// It is not less than a number, and not greater than an argument.
    UpTo(i128, usize),
    /// What printf's family says with this format; or less than 0.
    Printed,
    /// What scanf's family says with this format.
    Scanned,
}

/// What is known of the number that a function returns; none if it may be any.
pub fn returned(name: &str) -> Option<Returned> {
    let plain = plain(name);
    let mut lines = TABLE.lines().map(str::split_ascii_whitespace);
    let mut line = lines.find_map(|mut words| (words.next() == Some(plain)).then_some(words))?;
    match line.find_map(|word| word.strip_prefix('='))? {
        "print" => Some(Returned::Printed),
        "scan" => Some(Returned::Scanned),
        range => {
            let (least, most) = range.split_once("..")?;
            let least = least.parse().ok()?;
            match most.strip_prefix('#') {
                Some(at) => Some(Returned::UpTo(least, at.parse().ok()?)),
                None if most.is_empty() => Some(Returned::Between(least, None)),
                None => Some(Returned::Between(least, Some(most.parse().ok()?))),
            }
        }
    }
}

/// The name under which a function stands in the table: without what compilers and headers put before and behind it.
pub fn plain(name: &str) -> &str {
    let name = name.strip_prefix("__builtin_").unwrap_or(name);
    let name = name.strip_prefix("__isoc99_").or_else(|| name.strip_prefix("__isoc23_")).unwrap_or(name);
    let checked = name.strip_prefix("__").and_then(|name| name.strip_suffix("_chk")).unwrap_or(name);
    let old = checked.strip_prefix("_IO_").unwrap_or(checked);
    old.strip_suffix("_unlocked").unwrap_or(old)
}

fn demand(word: &str) -> Option<Demand> {
    let plain = match word {
        "print" => return Some(Demand::Print),
        "scan" => return Some(Demand::Scan),
        "quotient" => return Some(Demand::Quotient),
        _ => word.strip_suffix('?'),
    };
    let null = if plain.is_some() { Null::Allowed } else { Null::Refused };
    let word = plain.unwrap_or(word);
    let (kind, rest) = word.split_at(word.find(|c: char| c.is_ascii_digit())?);
    let access = if matches!(kind, "to" | "out") { Access::Write } else { Access::Read };
    Some(match (kind, rest.split_once(':')) {
        ("text", None) => Demand::Text(rest.parse().ok()?, null),
        ("stream", None) => Demand::Stream(rest.parse().ok()?),
        ("in" | "out", None) => Demand::Object(rest.parse().ok()?, null, access),
        ("from" | "to", Some((at, size))) => {
            let size = match size.split_once('*') {
                None => Size::Of(size.parse().ok()?),
                Some((a, b)) => Size::Product(a.parse().ok()?, b.parse().ok()?),
            };
            Demand::Bytes(at.parse().ok()?, size, access)
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_says_what_is_demanded() {
        for line in TABLE.lines().filter(|line| !line.trim().is_empty()) {
            let name = line.split_ascii_whitespace().next().unwrap_or_default();
            assert!(demands(name).is_some(), "{line}");
            assert_eq!(returned(name).is_some(), line.contains('='), "{line}");
            assert!(crate::c::bodiless::library(name).is_some(), "{name} is none of the library's");
        }
    }

    #[test]
    fn names_of_headers_are_those_of_the_functions() {
        let writes = Demand::Bytes(0, Size::Product(1, 2), Access::Write);
        assert_eq!(demands("fread_unlocked"), Some(vec![writes, Demand::Stream(3)]));
        assert_eq!(demands("__builtin___sprintf_chk"), Some(vec![Demand::Print]));
        assert_eq!(demands("__isoc99_sscanf"), Some(vec![Demand::Scan]));
        assert_eq!(
            demands("freopen"),
            Some(vec![Demand::Text(0, Null::Allowed), Demand::Text(1, Null::Refused), Demand::Stream(2)])
        );
        assert_eq!(demands("glob"), None);
    }
}
