//! Operations of gcc that are no procedures: their operands are of any types, and the front end says what they do.

use crate::c::expression::Binary;
use crate::c::types::Rank;

/// One of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Arithmetic that says whether its result fits.
    Overflow {
        /// Which.
        op: Binary,
        /// The type of all that it deals with, by rank and sign, if it has one of its own.
        ty: Option<(Rank, bool)>,
        /// Whether its third operand points to where the result goes, or is a value of its type.
        stores: bool,
    },
    /// What no other thread comes between.
    Atomic(Atomic),
}

/// What is done at once with what the first operand points to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Atomic {
    /// Its value.
    Load,
    /// It becomes the second operand.
    Store,
    /// It becomes 0.
    Release,
    /// It becomes the second operand; its value before.
    Exchange,
    /// The second operand is applied to it.
    Modify {
        /// By this operator.
        op: Binary,
        /// And then its bits are turned round.
        negated: bool,
        /// Whether the value is the one after it, or before.
        new: bool,
    },
    /// It becomes the third operand if it is the second.
    Compare {
        /// Whether the value is whether it was, or what was there.
        truth: bool,
    },
    /// It becomes the third operand if it is what the second points to, which otherwise becomes it.
    CompareExchange,
    /// Its value goes to where the second operand points.
    LoadTo,
    /// It becomes what is where the second operand points.
    StoreFrom,
    /// It becomes what is where the second operand points, and its value before goes to where the third points.
    ExchangeWith,
    /// It becomes what is where the third operand points if it is what the second points to, which otherwise becomes it.
    CompareExchangeWith,
    /// A byte becomes 1; whether it was another one than 0.
    TestAndSet,
    /// A byte becomes 0.
    Clear,
    /// Whether objects of so many bytes need no lock.
    LockFree,
}

/// The operation of this name.
pub fn operation(name: &str) -> Option<Operation> {
    if let Some(name) = name.strip_prefix("__sync_") {
        return sync(name).map(Operation::Atomic);
    }
    if let Some(name) = name.strip_prefix("__atomic_") {
        return atomic(name).map(Operation::Atomic);
    }
    let name = name.strip_prefix("__builtin_")?;
    let (name, stores) = name.strip_suffix("_p").map_or((name, true), |name| (name, false));
    let name = name.strip_suffix("_overflow")?;
    let typed = |signed: bool, rest: &str| {
        let (op, length) = rest.split_at_checked(3)?;
        let rank = match length {
            "" => Rank::Int,
            "l" => Rank::Long,
            "ll" => Rank::LongLong,
            _ => return None,
        };
        Some((arithmetic(op)?, Some((rank, signed))))
    };
    let (op, ty) = match arithmetic(name) {
        Some(op) => (op, None),
        None => match name.strip_prefix('s').filter(|rest| !rest.starts_with("ub")) {
            Some(rest) => typed(true, rest)?,
            None => typed(false, name.strip_prefix('u')?)?,
        },
    };
    Some(Operation::Overflow { op, ty, stores })
}

fn arithmetic(name: &str) -> Option<Binary> {
    Some(match name {
        "add" => Binary::Add,
        "sub" => Binary::Subtract,
        "mul" => Binary::Multiply,
        _ => return None,
    })
}

fn modified(op: &str, new: bool) -> Option<Atomic> {
    let (op, negated) = match op {
        "add" => (Binary::Add, false),
        "sub" => (Binary::Subtract, false),
        "or" => (Binary::Or, false),
        "and" => (Binary::And, false),
        "xor" => (Binary::Xor, false),
        "nand" => (Binary::And, true),
        _ => return None,
    };
    Some(Atomic::Modify { op, negated, new })
}

/// The older ones.
fn sync(name: &str) -> Option<Atomic> {
    if let Some(op) = name.strip_prefix("fetch_and_") {
        return modified(op, false);
    }
    if let Some(op) = name.strip_suffix("_and_fetch") {
        return modified(op, true);
    }
    Some(match name {
        "bool_compare_and_swap" => Atomic::Compare { truth: true },
        "val_compare_and_swap" => Atomic::Compare { truth: false },
        "lock_test_and_set" => Atomic::Exchange,
        "lock_release" => Atomic::Release,
        _ => return None,
    })
}

/// Those with an order of memory, which does not matter in one thread.
fn atomic(name: &str) -> Option<Atomic> {
    if let Some(op) = name.strip_prefix("fetch_") {
        return modified(op, false);
    }
    if let Some(op) = name.strip_suffix("_fetch") {
        return modified(op, true);
    }
    Some(match name {
        "load_n" => Atomic::Load,
        "store_n" => Atomic::Store,
        "exchange_n" => Atomic::Exchange,
        "compare_exchange_n" => Atomic::CompareExchange,
        "load" => Atomic::LoadTo,
        "store" => Atomic::StoreFrom,
        "exchange" => Atomic::ExchangeWith,
        "compare_exchange" => Atomic::CompareExchangeWith,
        "test_and_set" => Atomic::TestAndSet,
        "clear" => Atomic::Clear,
        "always_lock_free" | "is_lock_free" => Atomic::LockFree,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_say_operator_and_type() {
        let of = |name: &str| match operation(name) {
            Some(Operation::Overflow { op, ty, stores }) => Some((op, ty, stores)),
            _ => None,
        };
        assert_eq!(of("__builtin_add_overflow"), Some((Binary::Add, None, true)));
        assert_eq!(of("__builtin_sub_overflow_p"), Some((Binary::Subtract, None, false)));
        assert_eq!(of("__builtin_ssub_overflow"), Some((Binary::Subtract, Some((Rank::Int, true)), true)));
        assert_eq!(of("__builtin_umull_overflow"), Some((Binary::Multiply, Some((Rank::Long, false)), true)));
        assert_eq!(of("__builtin_smulll_overflow"), Some((Binary::Multiply, Some((Rank::LongLong, true)), true)));
        assert_eq!(of("__builtin_smul_overflow"), Some((Binary::Multiply, Some((Rank::Int, true)), true)));
        assert_eq!(of("__builtin_uaddll_overflow"), Some((Binary::Add, Some((Rank::LongLong, false)), true)));
        assert_eq!(of("__builtin_trap"), None);
        let nand = Atomic::Modify { op: Binary::And, negated: true, new: true };
        assert_eq!(operation("__sync_nand_and_fetch"), Some(Operation::Atomic(nand)));
    }
}
