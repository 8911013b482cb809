//! gcc's own execution tests (`gcc.c-torture/execute`), where `PUCH_GCC_TESTS` says that they lie: which of them a compiler builds and ends
//! with 0, and what puch says of those.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A test and the options that it names.
pub struct GccTest {
    /// Its file.
    pub path: PathBuf,
    /// Its options, but for those about optimisation.
    options: Vec<String>,
}

/// What is asked of a test that a compiler's program ends with 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Asked {
    /// `abort` is never called: `violated` is wrong.
    Abort,
    /// `G !@end`, the program never ends: `holds` is wrong.
    End,
}

/// What puch says.
pub struct Answer {
    /// Its exit code; none if it was ended from outside.
    pub code: Option<i32>,
    /// The verdict, or the first complaint.
    pub told: String,
    /// How long it took.
    #[allow(dead_code, reason = "tests do not judge times")]
    pub seconds: f64,
}

impl Asked {
    /// Whether an answer is wrong.
    pub fn is_wrong(self, code: Option<i32>) -> bool {
        !matches!((self, code), (Asked::Abort, Some(0 | 2 | 3)) | (Asked::End, Some(1..=3)))
    }
}

/// All tests, in the order of their names; none, with a note, where nobody says where they are.
pub fn all() -> Option<Vec<GccTest>> {
    let Some(folder) = std::env::var_os("PUCH_GCC_TESTS") else {
        eprintln!("note: PUCH_GCC_TESTS is not set: gcc's own tests are not asked about");
        return None;
    };
    let mut open = vec![PathBuf::from(folder)];
    let mut found = Vec::new();
    while let Some(folder) = open.pop() {
        let entries = std::fs::read_dir(&folder).unwrap_or_else(|error| panic!("{}: {error}", folder.display()));
        for entry in entries {
            let path = entry.expect("folders can be read").path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "c") {
                found.push(path);
            }
        }
    }
    found.sort();
    assert!(!found.is_empty(), "PUCH_GCC_TESTS names a place without C files");
    Some(found.into_iter().map(|path| GccTest { options: options(&path), path }).collect())
}

/// What `dg-options` and `dg-additional-options` say, for all machines or this one.
fn options(path: &Path) -> Vec<String> {
    let text = String::from_utf8_lossy(&std::fs::read(path).expect("tests can be read")).into_owned();
    let mut options = Vec::new();
    for line in text.lines() {
        let Some((_, said)) = line.split_once("dg-options").or_else(|| line.split_once("dg-additional-options")) else {
            continue;
        };
        let mut parts = said.splitn(3, '"').skip(1);
        let (list, rest) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if !rest.contains("target") || rest.contains("x86_64") || rest.contains("i?86") {
            options.extend(list.split_whitespace().filter(|one| !one.starts_with("-O")).map(str::to_owned));
        }
    }
    options
}

impl GccTest {
    /// Its name under the folder of the tests.
    pub fn name(&self) -> String {
        self.path.file_name().unwrap_or_default().to_string_lossy().into_owned()
    }

    /// Whether `gcc -w -O0 -fwrapv` builds it, and what it builds ends with 0 within ten seconds, without arguments and with many:
    /// puch is asked about any number of them.
    pub fn ends_well(&self) -> bool {
        let directory = Path::new(option_env!("CARGO_TARGET_TMPDIR").unwrap_or("/tmp"));
        let binary = directory.join(format!("gcc-{}-{}", std::process::id(), self.name()));
        let mut compiler = Command::new("gcc");
        compiler.args(["-w", "-O0", "-fwrapv"]).args(&self.options).arg(&self.path).arg("-o").arg(&binary).arg("-lm");
        let built = ended(&mut compiler, Duration::from_secs(60)) == Some(0);
        let many: Vec<String> = (1..100).map(|number: u8| number.to_string()).collect();
        let ends =
            |arguments: &[String]| ended(Command::new(&binary).args(arguments), Duration::from_secs(10)) == Some(0);
        let well = built && ends(&[]) && ends(&many);
        // Where nothing was built there is nothing to remove.
        let _ = std::fs::remove_file(&binary);
        well
    }

    /// What a binary of puch says of it.
    pub fn ask(&self, puch: &Path, asked: Asked, property: &Path, seconds: u32) -> Answer {
        let read = |one: &&String| ["-D", "-U", "-I", "-std", "-include"].iter().any(|start| one.starts_with(start));
        let options: Vec<&str> = self.options.iter().filter(read).map(String::as_str).collect();
        let mut command = Command::new(puch);
        command.arg("check").arg(&self.path).arg("--cpp").arg(format!("cc -E {}", options.join(" ")));
        command.args(["--overflow", "wrap", "--trace", "none", "--timeout", &seconds.to_string()]);
        match asked {
            Asked::Abort => command.arg("--property").arg(property),
            Asked::End => command.args(["--ltl", "G !@end"]),
        };
        let begin = Instant::now();
        let output = command.output().expect("puch can be started");
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).lines().next().unwrap_or_default().to_owned();
        let told = if output.stdout.is_empty() { text(&output.stderr) } else { text(&output.stdout) };
        Answer { code: output.status.code(), told, seconds: begin.elapsed().as_secs_f64() }
    }
}

/// The exit code of a command, if it ends within a time.
fn ended(command: &mut Command, within: Duration) -> Option<i32> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().ok()?;
    let until = Instant::now() + within;
    while Instant::now() < until {
        if let Some(status) = child.try_wait().ok()? {
            return status.code();
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    // It has ended by itself since, or is ended now.
    let _ = child.kill();
    let _ = child.wait();
    None
}

/// A file of properties that asks whether `abort` is called.
pub fn abort_property() -> PathBuf {
    let directory = Path::new(option_env!("CARGO_TARGET_TMPDIR").unwrap_or("/tmp"));
    let path = directory.join(format!("abort-{}.prp", std::process::id()));
    std::fs::write(&path, "CHECK( init(main()), LTL(G ! call(abort())) )\n").expect("tests can write");
    path
}
