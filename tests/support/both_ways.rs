//! The checker of certificates both ways, by relations and by clauses; and the formula that it writes, given to a SAT solver.

use batsat::{BasicSolver, Lit, SolverInterface, lbool};
use puch::certificate::Certificate;
use puch::certify::{Formula, Found, certify, certify_by_clauses};
use puch::limits::{Limits, Stop};
use spds_format::Spds;

/// What both ways find, and the formula.
pub fn found(spds: &Spds, certificate: &Certificate, limits: &Limits) -> Result<Found, Stop> {
    let own = certify(spds, certificate, limits, None)?;
    let mut formula = Formula::default();
    let other = certify_by_clauses(spds, certificate, limits, &mut formula)?;
    let kinds = [&own, &other].map(std::mem::discriminant);
    assert_eq!(kinds[0], kinds[1], "{own:?}\n{other:?}\n{spds}");
    if !matches!(own, Found::Foreign(_)) {
        let mut text = Vec::new();
        formula.write(&mut text).expect("a vector takes everything");
        let text = String::from_utf8(text).expect("it is text");
        assert_eq!(is_satisfiable(&text), own != Found::Proves, "{own:?}\n{spds}");
    }
    Ok(own)
}

/// Whether a formula in the format of DIMACS can be satisfied.
pub fn is_satisfiable(text: &str) -> bool {
    let mut lines = text.lines().skip_while(|line| line.starts_with('c'));
    let header: Vec<&str> = lines.next().expect("there is a header").split(' ').collect();
    let ["p", "cnf", variables, clauses] = header[..] else { panic!("{header:?}") };
    let mut solver = BasicSolver::default();
    let variables: Vec<_> = (0..variables.parse().expect("a number")).map(|_: u32| solver.new_var_default()).collect();
    let mut count = 0;
    for line in lines {
        let mut literals: Vec<i32> = line.split(' ').map(|word| word.parse().expect("a literal")).collect();
        assert_eq!(literals.pop(), Some(0), "{line}");
        let literal = |literal: i32| Lit::new(variables[literal.unsigned_abs() as usize - 1], literal > 0);
        solver.add_clause_reuse(&mut literals.into_iter().map(literal).collect());
        count += 1;
    }
    assert_eq!(clauses, count.to_string());
    solver.solve_limited(&[]) == lbool::TRUE
}
