//! From the resolved tree to the system. See [`super`] for the shape of the result.

use rustc_hash::FxHashSet;
use spds_format::Spds;
use spds_format::expr::{self, Binary, Time};
use spds_format::model::{ControlId, Frame, FrameId, Head, Rule, Stack, Start, Symbol, SymbolId, Type, Var, Variable};

use crate::boolprog::cursor::Cursor;
use spds_format::reading::complaints::Complaints;

use super::Options;
use super::ast::*;
use super::declarations::Leaf;
use super::registers::Registers;
use super::resolve::{Resolved, module_of};
use super::step::{Lowering, conjunction, rule};
use super::store::has_gaps;
use super::symbols::Symbols;
use super::value::Ops;

/// The system of a program, and whether anything in it can fail; or complaints about what is too large.
pub(super) fn lower(
    ast: &Ast,
    resolved: &Resolved,
    text: &str,
    file: &str,
    options: &Options,
) -> Result<(Spds, bool), Complaints> {
    let symbols = Symbols::new(ast, resolved);
    let mut lowering = Lowering {
        ast,
        resolved,
        text,
        arithmetic: options.arithmetic,
        dialect: options.dialect,
        symbols: &symbols,
        registers: Registers::new(ast),
        rules: Vec::new(),
        shared: FxHashSet::default(),
        complaints: Complaints::default(),
        fails: false,
    };
    for index in 0..ast.statements.len() {
        let id = StmtId::new(index);
        if !ast.statement(id).folded {
            lowering.statement(id);
        }
    }
    around(&mut lowering);
    let (end, fail) = (symbols.end, symbols.fail);
    if lowering.complaints.refused() {
        return Err(lowering.complaints);
    }
    let fails = lowering.fails;
    let (rules, registers) = (lowering.rules, lowering.registers);
    let mut globals: Vec<Variable> = ast.declarations.globals.iter().map(variable).collect();
    globals.extend(registers.variables());
    let frame = |(index, module): (usize, &Module)| Frame {
        name: module.name.clone(),
        variables: ast.declarations.locals(index).iter().map(variable).collect(),
    };
    let frames = ast.modules.iter().enumerate().map(frame).collect();
    let members = members(&ast.declarations.globals, Var::Global);
    let stack = ast.init.iter().map(|init| symbols.point(init.point)).chain([end]).collect();
    let spds = Spds {
        files: vec![file.into()],
        globals,
        frames,
        controls: ast.controls.clone(),
        symbols: all_symbols(ast, resolved, text, &symbols),
        rules,
        start: Start { control: ControlId(0), stack, condition: conjunction(members) },
        atoms: Vec::new(),
        end: Some(end),
        fail: Some(fail),
    };
    Ok((spds, fails))
}

/// The rules that no statement stands for: into modules whose entries are apart, out of modules at their ends, and for ever round where
/// the program has ended or failed.
fn around(lowering: &mut Lowering<'_>) {
    let (ast, symbols) = (lowering.ast, lowering.symbols);
    for (number, module) in (0..).zip(&ast.modules) {
        if let Some(entry) = symbols.separate_entry(number) {
            let first = module.body.expect("its first statement is a rule");
            lowering.rules.push(rule(entry, Stack::Swap(symbols.at(first))));
        }
        if let Some(end) = symbols.end_of(number) {
            lowering.rules.push(rule(end, Stack::Pop));
        }
    }
    let (end, fail) = (symbols.end, symbols.fail);
    for control in 0..ast.controls.len() as u32 {
        let control = ControlId(control);
        let from = Head { control, symbol: end };
        lowering.rules.push(Rule { from, to: control, ..rule(end, Stack::Swap(end)) });
    }
    lowering.rules.push(rule(fail, Stack::Swap(fail)));
}

// ---- declarations

fn variable(leaf: &Leaf) -> Variable {
    Variable { name: leaf.name.clone(), ty: Type { scalar: leaf.scalar, range: leaf.dims.flat() }, hidden: false }
}

/// That variables of enum types are members, where some values of their bits are none.
fn members(leaves: &[Leaf], var: impl Fn(u32) -> Var) -> Vec<Ops> {
    let mut all = Vec::new();
    for (index, leaf) in (0..).zip(leaves).filter(|(_, leaf)| has_gaps(leaf)) {
        let is_member = |mut ops: Ops| {
            ops.extend([expr::Op::Number(leaf.members.unwrap_or(1) - 1), expr::Op::Binary(Binary::Le)]);
            ops
        };
        match leaf.dims.flat() {
            None => all.push(is_member(vec![expr::Op::Read(var(index), Time::Before)])),
            Some((first, last)) => {
                all.extend((first..=last).map(|cell| {
                    is_member(vec![expr::Op::Number(cell.into()), expr::Op::Cell(var(index), Time::Before)])
                }))
            }
        }
    }
    all
}

fn all_symbols(ast: &Ast, resolved: &Resolved, text: &str, symbols: &Symbols) -> Vec<Symbol> {
    let mut cursor = Cursor::new(text);
    // Where control enters a module otherwise than by stepping within it, its locals are arbitrary.
    let mut entered: FxHashSet<SymbolId> = (0..ast.modules.len() as u32).map(|module| symbols.entry(module)).collect();
    entered.extend(ast.init.iter().map(|init| symbols.point(init.point)));
    for (statement, owner) in ast.statements.iter().zip(&resolved.flow.owner) {
        if let StmtKind::Goto(jump) = statement.kind {
            let to = ast.jumps[jump as usize].to;
            if module_of(ast, &resolved.flow.owner, to) != *owner {
                entered.insert(symbols.point(to));
            }
        }
    }
    let describe = |(index, planned): (usize, &super::symbols::Planned)| {
        let id = SymbolId(index as u32);
        let invariant = planned
            .module
            .filter(|_| entered.contains(&id))
            .and_then(|module| conjunction(members(ast.declarations.locals(module as usize), Var::Local)));
        Symbol {
            name: planned.name.clone(),
            frame: planned.module.map(FrameId),
            place: planned.at.map(|at| cursor.place(at)),
            labels: planned.labels.clone().into_boxed_slice(),
            invariant,
        }
    };
    symbols.planned.iter().enumerate().map(describe).collect()
}
