//! The command `puch`.

fn main() -> std::process::ExitCode {
    puch::command()
}
