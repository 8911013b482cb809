//! What compilers make of C texts.

use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};

/// Files of one process have different names.
static COUNT: AtomicU64 = AtomicU64::new(0);

/// What a text prints when it is compiled with these flags and run; `None`, with a note, where there is no compiler.
///
/// # Panics
/// If it cannot be compiled, with what the compiler says.
pub fn printed(text: &str, flags: &[&str]) -> Option<String> {
    match tried(text, flags)? {
        Ok(printed) => Some(printed),
        Err(complaints) => panic!("{complaints}"),
    }
}

/// The same; what the compiler says if it cannot be compiled.
pub fn tried(text: &str, flags: &[&str]) -> Option<Result<String, String>> {
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    let name = format!("compiled-{}-{number}", std::process::id());
    let directory = Path::new(option_env!("CARGO_TARGET_TMPDIR").unwrap_or("/tmp"));
    let (source, binary) = (directory.join(format!("{name}.c")), directory.join(name));
    std::fs::write(&source, text).expect("tests can write");
    let compiler = Command::new("cc").args(["-w", "-O0"]).args(flags).arg("-o").arg(&binary).arg(&source).output();
    std::fs::remove_file(&source).expect("tests can remove what they wrote");
    let Ok(compiler) = compiler else {
        eprintln!("there is no `cc`: skipped the comparison with compiled programs");
        return None;
    };
    if !compiler.status.success() {
        return Some(Err(String::from_utf8_lossy(&compiler.stderr).into_owned()));
    }
    let output = Command::new(&binary).output().expect("what was compiled runs");
    std::fs::remove_file(&binary).expect("tests can remove what they wrote");
    Some(Ok(String::from_utf8_lossy(&output.stdout).into_owned()))
}

/// The assembly of a text; what the compiler says if it cannot be compiled. `None`, with a note, where there is no compiler for that.
#[allow(dead_code, reason = "not everybody looks at it")]
pub fn assembly(text: &str, flags: &[&str]) -> Option<Result<String, String>> {
    let probe = command(flags, "int main(void) { return 0; }\n");
    if !probe.is_some_and(|output| output.status.success()) {
        eprintln!("there is no `cc {}`: skipped the comparison with its assembly", flags.join(" "));
        return None;
    }
    let output = command(flags, text)?;
    let lines = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Some(if output.status.success() { Ok(lines(&output.stdout)) } else { Err(lines(&output.stderr)) })
}

/// Assembly on standard output, of a text on standard input.
fn command(flags: &[&str], text: &str) -> Option<Output> {
    let mut command = Command::new("cc");
    command.args(["-w", "-O0", "-S", "-x", "c", "-o", "-", "-"]).args(flags);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().ok()?;
    child.stdin.take()?.write_all(text.as_bytes()).ok()?;
    child.wait_with_output().ok()
}
