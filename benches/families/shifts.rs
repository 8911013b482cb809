//! Shift registers with feedback, as Boolean programs: all states but one on one circle, so that nothing is reached in fewer turns than it has states.

/// From 1 it shifts until it is 1 again, 2ᴺ - 1 times for the numbers of bits that have such feedback: 8, 12, 16. Then comes `R`.
pub fn register(bits: u64) -> String {
    let feedback: &[u64] = match bits {
        8 => &[7, 5, 4, 3],
        12 => &[11, 5, 3, 0],
        _ => &[15, 14, 12, 3],
    };
    let names: Vec<String> = (0..bits).map(|bit| format!("b{bit}")).collect();
    let list = names.join(", ");
    let first = |bit: usize| if bit == 0 { "1" } else { "0" };
    let one = (0..names.len()).map(first).collect::<Vec<_>>().join(", ");
    let sum = feedback.iter().map(|bit| format!("b{bit}")).collect::<Vec<_>>().join(" ^ ");
    let shifted = [vec![sum], names[..names.len() - 1].to_vec()].concat().join(", ");
    let is_one = names.iter().enumerate().map(|(at, name)| format!("{}{name}", if at == 0 { "" } else { "!" }));
    let is_one = is_one.collect::<Vec<_>>().join(" & ");
    format!(
        "void main() begin\n  decl {list};\n  {list} := {one};\n  {list} := {shifted};\n\
         \x20 while (!({is_one})) do\n    {list} := {shifted};\n  od\n  R: skip;\nend\n"
    )
}
