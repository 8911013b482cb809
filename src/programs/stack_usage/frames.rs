//! From what compilers say to the frames of a program's procedures.
//!
//! An activation of a procedure is one of a clone of it, which may call parts of itself: its frame is the largest of its clones and all its
//! parts. What was inlined lies in the frames of those who call it, so that it takes nothing, if the compiler's call graph shows that it
//! was; and whatever that graph calls besides what the program calls has to be known, too.

use std::collections::{BTreeMap, BTreeSet};

use num_bigint::BigUint;

use crate::stack::Sizes;

use super::{Compiled, INDIRECT, Target, Usage, base, left_out};

/// A procedure of the program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Procedure {
    /// As its compiler knows it.
    pub name: String,
    /// The file that defines it, without its directory; none for those of libraries.
    pub unit: Option<String>,
    /// That directory, as far as it is known.
    pub directory: String,
    /// Those that it may call, by their places among all.
    pub callees: BTreeSet<usize>,
    /// How many of its statements call each procedure of the program by its name, and how many by a pointer ([`INDIRECT`]).
    pub sites: BTreeMap<String, usize>,
}

/// What is known of how calls were compiled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Compilation {
    /// Nothing: some may be inlined, unrolled, or jumps.
    #[default]
    Unknown,
    /// The compiler's call graph has the calls of the program, each as often, and no function that the program has not. Those that are
    /// the last thing that their procedure does may be jumps, and the last frame need not be laid out.
    AsShown,
    /// Each call of the program is one of the compiled program, with all of its frame.
    Plain,
}

/// What frames take.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frames {
    /// That of each procedure.
    pub bytes: Vec<u64>,
    /// What the compiler calls in it, which the program does not.
    pub beside: Vec<u64>,
    /// Beyond the stack pointer, on top of all.
    pub top: u64,
    /// Whether a frame of the program is one of the compiled program, and the other way round.
    pub compilation: Compilation,
    /// What is taken on trust.
    pub assumed: Vec<String>,
}

/// The frames of procedures. Linear, but for what cannot be looked up.
///
/// # Errors
/// Sentences about frames that are not known.
pub fn frames(usage: &Usage, procedures: &[Procedure], given: &Sizes, target: Target) -> Result<Frames, Vec<String>> {
    let twice = same_names(usage, procedures);
    if !twice.is_empty() {
        return Err(twice);
    }
    let lookup = Lookup { usage, procedures, given, target };
    let (mut bytes, mut beside, mut unknown) = (Vec::new(), Vec::new(), Vec::new());
    for at in 0..procedures.len() {
        match lookup.frame(at) {
            Ok(frame) => bytes.push(frame),
            Err(what) => unknown.push(what),
        }
        match lookup.beside(at) {
            Ok(more) => beside.push(more),
            Err(what) => unknown.extend(what),
        }
    }
    if !unknown.is_empty() {
        unknown.sort_unstable();
        unknown.dedup();
        return Err(unknown);
    }
    let top = usage.functions.iter().map(|function| left_out(function.compiler, target).top).max().unwrap_or(0);
    let mut assumed = Vec::new();
    let units = || procedures.iter().filter_map(|procedure| procedure.unit.as_ref());
    if !usage.functions.is_empty() && !units().all(|unit| usage.units.contains(unit)) {
        assumed.push("compilers call nothing by themselves: no `.ci` files say what they call".to_owned());
    }
    if !usage.functions.is_empty() {
        assumed.push(format!("frames are as `.su` and `.ci` files say, of code for {}", name(target)));
        assumed.push("no frame is aligned beyond what its target's calls keep".to_owned());
    }
    let compilation = match lookup.is_as_written() {
        _ if usage.functions.is_empty() => Compilation::Plain,
        true => Compilation::AsShown,
        false => Compilation::Unknown,
    };
    Ok(Frames { bytes, beside, top, compilation, assumed })
}

impl Frames {
    /// The same of code that was compiled without optimisation, as somebody says.
    #[must_use]
    pub fn unoptimized(mut self) -> Frames {
        self.compilation = Compilation::Plain;
        self.assumed.push("the code was compiled without optimisation: each call of the program is one".to_owned());
        self
    }
}

/// Files of one name in several directories, of which something was compiled: what compilers write does not tell them apart.
fn same_names(usage: &Usage, procedures: &[Procedure]) -> Vec<String> {
    let mut directories: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for procedure in procedures {
        let Some(unit) = procedure.unit.as_deref() else { continue };
        if usage.functions.iter().any(|function| function.unit == unit) {
            directories.entry(unit).or_default().insert(&procedure.directory);
        }
    }
    let several = directories.into_iter().filter(|(_, all)| all.len() > 1);
    let told = several.map(|(unit, all)| {
        let files: Vec<String> = all.into_iter().map(|directory| format!("`{directory}{unit}`")).collect();
        format!(
            "{} have one name, and `.su` and `.ci` files do not say of which they are: rename one",
            files.join(" and ")
        )
    });
    told.collect()
}

fn name(target: Target) -> &'static str {
    match target {
        Target::X86_64 => "x86-64",
        Target::I386 => "32 bits of x86",
        Target::Arm => "32 bits of Arm",
        Target::Aarch64 => "64 bits of Arm",
        Target::RiscV => "RISC-V",
    }
}

struct Lookup<'l> {
    usage: &'l Usage,
    procedures: &'l [Procedure],
    given: &'l Sizes,
    target: Target,
}

impl Lookup<'_> {
    /// The clones and the parts of a procedure.
    fn compiled(&self, at: usize) -> Vec<&Compiled> {
        let Procedure { name, unit: Some(unit), .. } = &self.procedures[at] else { return Vec::new() };
        let own = |function: &&Compiled| function.base() == name && function.unit == *unit;
        self.usage.functions.iter().filter(own).collect()
    }

    fn frame(&self, at: usize) -> Result<u64, String> {
        let Procedure { name, unit, .. } = &self.procedures[at];
        if let Some(bytes) = self.named(name) {
            return Ok(bytes);
        }
        let compiled = self.compiled(at);
        if let Some(dynamic) = compiled.iter().find(|function| function.is_dynamic) {
            return Err(format!(
                "`{}` takes more than {} bytes at run time (`dynamic`): `--frame {name}=BYTES` bounds it",
                dynamic.name, dynamic.bytes
            ));
        }
        let size = |function: &&Compiled| function.bytes + left_out(function.compiler, self.target).frame;
        let (parts, clones): (Vec<&Compiled>, Vec<&Compiled>) =
            compiled.into_iter().partition(|function| function.is_part());
        if !parts.is_empty() || !clones.is_empty() {
            return Ok(clones.iter().map(size).max().unwrap_or(0) + parts.iter().map(size).sum::<u64>());
        }
        let gone = match unit {
            Some(unit) => self.usage.units.contains(unit),
            None => self.is_never_called(name),
        };
        match self.others() {
            _ if gone => Ok(0),
            Some(bytes) => Ok(bytes),
            None => Err(format!("the frame of `{name}` is not known: `--frame {name}=BYTES` says how large it is")),
        }
    }

    /// What a user says of the frame of a procedure.
    fn named(&self, name: &str) -> Option<u64> {
        self.given.of.get(name).map(whole)
    }

    /// What a user says of all others.
    fn others(&self) -> Option<u64> {
        self.given.others.as_ref().map(whole)
    }

    /// Whether the call graphs of all that was compiled show that nobody calls a function of a library.
    fn is_never_called(&self, name: &str) -> bool {
        let units = || self.procedures.iter().filter_map(|procedure| procedure.unit.as_ref());
        let complete = units().next().is_some() && units().all(|unit| self.usage.units.contains(unit));
        complete && !self.usage.calls.values().any(|called| called.contains_key(name))
    }

    /// The largest frame that the compiler calls in a procedure and that the program does not know.
    fn beside(&self, at: usize) -> Result<u64, Vec<String>> {
        let (mut most, mut unknown) = (0, Vec::new());
        for function in self.compiled(at) {
            let calls = self.usage.calls.get(&(function.unit.clone(), function.name.clone()));
            for called in calls.into_iter().flat_map(BTreeMap::keys).filter(|called| *called != INDIRECT) {
                match self.called(at, called) {
                    Ok(bytes) => most = most.max(bytes),
                    Err(what) => unknown.push(what),
                }
            }
        }
        if unknown.is_empty() { Ok(most) } else { Err(unknown) }
    }

    /// What a call that the compiler has made takes, if the program has none that it can be.
    fn called(&self, at: usize, called: &str) -> Result<u64, String> {
        let known: BTreeSet<usize> =
            (0..self.procedures.len()).filter(|&other| self.procedures[other].name == base(called)).collect();
        if known.is_empty() {
            let bytes = self.named(called).or_else(|| self.others());
            return bytes.ok_or_else(|| {
                format!("the frame of `{called}` is not known, which the compiler calls in `{}`: `--frame {called}=BYTES` says how large it is", self.procedures[at].name)
            });
        }
        let own = self.reached(at, |next| self.is_gone(next));
        if known.contains(&at) || !known.is_disjoint(&own) {
            return Ok(0);
        }
        // Who is called by somebody who was inlined here and stands elsewhere as well; if nobody has vanished who may be the same function.
        if !own.iter().any(|&next| self.is_gone(next)) && !known.is_disjoint(&self.reached(at, |_| true)) {
            return Ok(0);
        }
        Err(format!(
            "the compiler has made a call of `{called}` in `{}`, where the program has none: the files are of another program, or the compiler has taken one function for another",
            self.procedures[at].name
        ))
    }

    /// Whether the compiler's call graph is that of the program, call by call, as far as its own procedures go.
    fn is_as_written(&self) -> bool {
        let own = self.procedures.iter().filter(|procedure| procedure.unit.is_some());
        let names: BTreeSet<&str> = own.clone().map(|procedure| &*procedure.name).collect();
        let at = |procedure: &Procedure| self.procedures.iter().position(|other| other == procedure);
        own.clone().all(|procedure| {
            let unit = procedure.unit.clone().unwrap_or_default();
            let compiled = at(procedure).map(|at| self.compiled(at)).unwrap_or_default();
            let mut calls = self.usage.calls.get(&(unit.clone(), procedure.name.clone())).cloned().unwrap_or_default();
            calls.retain(|called, _| called == INDIRECT || names.contains(base(called)));
            self.usage.units.contains(&unit)
                && compiled.len() == 1
                && compiled[0].name == procedure.name
                && calls == procedure.sites
        })
    }

    /// Whether nothing was compiled of a procedure of the program by itself.
    fn is_gone(&self, at: usize) -> bool {
        self.procedures[at].unit.is_some() && self.compiled(at).is_empty()
    }

    /// Those that a procedure calls, and that those of them call who pass.
    fn reached(&self, at: usize, passes: impl Fn(usize) -> bool) -> BTreeSet<usize> {
        let mut all = self.procedures[at].callees.clone();
        let mut open: Vec<usize> = all.iter().copied().collect();
        while let Some(next) = open.pop() {
            if passes(next) {
                open.extend(self.procedures[next].callees.iter().filter(|&&callee| all.insert(callee)));
            }
        }
        all
    }
}

fn whole(bytes: &BigUint) -> u64 {
    u64::try_from(bytes.clone()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::super::read;
    use super::*;

    fn known(named: &[(&str, u64)], others: Option<u64>) -> Sizes {
        let of: BTreeMap<String, BigUint> =
            named.iter().map(|&(name, bytes)| (name.to_owned(), bytes.into())).collect();
        Sizes { of, others: others.map(BigUint::from) }
    }

    const CI: &str = r#"graph: { title: "p.c"
node: { title: "p.c:part.constprop.0" label: "part.constprop\np.c:5:38\n104 bytes (static)" }
node: { title: "p.c:rec.part.0" label: "rec.part.0\np.c:9:5\n48 bytes (static)" }
edge: { sourcename: "p.c:rec.part.0" targetname: "p.c:rec.part.0" }
edge: { sourcename: "p.c:rec.part.0" targetname: "p.c:part.constprop.0" label: "p.c:9:64" }
node: { title: "rec" label: "rec\np.c:9:5\n16 bytes (static)" }
edge: { sourcename: "rec" targetname: "p.c:rec.part.0" }
node: { title: "vla" label: "vla\np.c:6:5\n32 bytes (dynamic)" }
node: { title: "memset" label: "memset\n/usr/include/string.h:61:14" shape : ellipse }
edge: { sourcename: "rec" targetname: "memset" label: "p.c:6:29" }
}
"#;

    fn procedures() -> Vec<Procedure> {
        let one = |name: &str, unit: Option<&str>, callees: &[usize]| Procedure {
            name: name.to_owned(),
            unit: unit.map(str::to_owned),
            callees: callees.iter().copied().collect(),
            sites: BTreeMap::new(),
            directory: String::new(),
        };
        let unit = Some("p.c");
        vec![one("rec", unit, &[0, 1]), one("part", unit, &[2]), one("helper", unit, &[3]), one("memset", None, &[])]
    }

    fn usage() -> Usage {
        read([("p.ci", CI)]).expect("it is a call graph")
    }

    #[test]
    fn clones_count_by_the_largest_and_parts_besides() {
        let given = known(&[("memset", 24)], None);
        let all = frames(&usage(), &procedures(), &given, Target::X86_64).expect("all is known");
        assert_eq!(all.bytes, [16 + 48, 104, 0, 24]);
        assert_eq!(all.top, 128);
    }

    #[test]
    fn frames_that_are_not_known_are_errors() {
        let unknown = frames(&usage(), &procedures(), &Sizes::default(), Target::X86_64).expect_err("memset");
        assert_eq!(unknown, ["the frame of `memset` is not known: `--frame memset=BYTES` says how large it is"]);
    }

    #[test]
    fn a_function_is_inlined_only_if_a_call_graph_shows_it() {
        let su = read([("p.su", "p.c:5:38:part\t240\tstatic\np.c:9:5:rec\t48\tstatic\n")]).expect("two frames");
        let given = known(&[("memset", 24)], None);
        let unknown = frames(&su, &procedures(), &given, Target::X86_64).expect_err("helper");
        assert_eq!(unknown, ["the frame of `helper` is not known: `--frame helper=BYTES` says how large it is"]);
    }

    #[test]
    fn what_grows_at_run_time_needs_a_bound() {
        let mut all = procedures();
        all.push(Procedure { name: "vla".to_owned(), unit: Some("p.c".to_owned()), ..Procedure::default() });
        let given = known(&[("memset", 24)], None);
        let unknown = frames(&usage(), &all, &given, Target::X86_64).expect_err("vla");
        assert_eq!(unknown, ["`vla` takes more than 32 bytes at run time (`dynamic`): `--frame vla=BYTES` bounds it"]);
        let given = known(&[("memset", 24), ("vla", 96)], None);
        assert_eq!(frames(&usage(), &all, &given, Target::X86_64).expect("it has a bound").bytes[4], 96);
    }

    #[test]
    fn a_call_that_the_program_does_not_make_is_an_error() {
        let mut all = procedures();
        all[0].callees.remove(&1);
        let given = known(&[], Some(8));
        let wrong = frames(&usage(), &all, &given, Target::X86_64).expect_err("a call of part");
        let told = |called: &str| format!("the compiler has made a call of `{called}` in `rec`");
        // `memset` is called by what is inlined in `part`.
        let all = ["memset", "part.constprop.0"].map(told);
        assert!(wrong.len() == 2 && wrong.iter().zip(&all).all(|(what, told)| what.starts_with(told)), "{wrong:?}");
    }

    #[test]
    fn clang_counts_no_return_address() {
        let usage = read([("q.su", "q.c:3:rec\t40\tstatic\n")]).expect("one frame");
        let callees = BTreeSet::from([0]);
        let rec = Procedure { name: "rec".to_owned(), unit: Some("q.c".to_owned()), callees, ..Procedure::default() };
        let all = frames(&usage, &[rec], &Sizes::default(), Target::X86_64).expect("all is known");
        assert_eq!((all.bytes, all.top), (vec![48], 128));
    }

    #[test]
    fn files_of_one_name_are_not_taken_for_each_other() {
        let mut all = procedures();
        all[1].directory = "lib/".to_owned();
        let given = known(&[("memset", 24)], None);
        let wrong = frames(&usage(), &all, &given, Target::X86_64).expect_err("there are two `p.c`");
        assert!(wrong.len() == 1 && wrong[0].starts_with("`p.c` and `lib/p.c` have one name"), "{wrong:?}");
    }

    #[test]
    fn lines_that_are_not_understood_are_refused() {
        let twice = read([("a/q.su", "q.c:3:5:f\t40\tstatic\n"), ("b/q.su", "q.c:3:5:f\t40\tstatic\n")]);
        assert_eq!(twice.map_err(|all| all.len()), Err(1));
        let wrong = read([("q.su", "q.c:3:rec 40 static\n"), ("r.ci", "nodes\n"), ("x.o", "anything")]);
        let places: Vec<(String, usize)> =
            wrong.expect_err("two lines").into_iter().map(|mistake| (mistake.file, mistake.line)).collect();
        assert_eq!(places, [("q.su".to_owned(), 1), ("r.ci".to_owned(), 1)]);
    }
}
