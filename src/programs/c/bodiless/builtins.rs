//! The types of procedures that compilers know without a declaration.

use crate::c::types::{FloatKind, Rank, TypeId, Types};

/// Results and parameters, a letter each: `v` void, `b` bool, `s` short, `i` int, `l` long, `L` long long, with a
/// capital `U` before it without sign; `z` `size_t`, `p` pointer, `f` `d` `e` real numbers, `a` a list of arguments, `.` and so on, `*` what the first argument
/// points to.
const TYPES: &str = "
    bswap16:Us(Us) bswap32:Ui(Ui) bswap64:UL(UL)
    ffs:i(i) ffsl:i(l) ffsll:i(L) clz:i(Ui) clzl:i(Ul) clzll:i(UL) ctz:i(Ui) ctzl:i(Ul) ctzll:i(UL) clrsb:i(i) clrsbl:i(l) clrsbll:i(L)
    popcount:i(Ui) popcountl:i(Ul) popcountll:i(UL) parity:i(Ui) parityl:i(Ul) parityll:i(UL)
    abs:i(i) labs:l(l) llabs:L(L) imaxabs:l(l)
    add_overflow:b(.) sub_overflow:b(.) mul_overflow:b(.) add_overflow_p:b(.) sub_overflow_p:b(.) mul_overflow_p:b(.)
    sadd_overflow:b(iip) saddl_overflow:b(llp) saddll_overflow:b(LLp) uadd_overflow:b(UiUip) uaddl_overflow:b(UlUlp)
    uaddll_overflow:b(ULULp) ssub_overflow:b(iip) ssubl_overflow:b(llp) ssubll_overflow:b(LLp) usub_overflow:b(UiUip)
    usubl_overflow:b(UlUlp) usubll_overflow:b(ULULp) smul_overflow:b(iip) smull_overflow:b(llp) smulll_overflow:b(LLp)
    umul_overflow:b(UiUip) umull_overflow:b(UlUlp) umulll_overflow:b(ULULp)
    constant_p:i(.) object_size:z(pi) dynamic_object_size:z(pi) classify_type:i(.) expect:l(ll) expect_with_probability:l(lld)
    assume_aligned:p(pz.) unreachable:v() trap:v() abort:v() exit:v(i) _exit:v(i) _Exit:v(i) prefetch:v(p.) frame_address:p(Ui)
    return_address:p(Ui) extract_return_addr:p(p) frob_return_addr:p(p) alloca:p(z) alloca_with_align:p(zz)
    malloc:p(z) calloc:p(zz) realloc:p(pz) aligned_alloc:p(zz) free:v(p)
    memchr:p(piz) memcmp:i(ppz) memcpy:p(ppz) memmove:p(ppz) memset:p(piz) mempcpy:p(ppz) bcmp:i(ppz) bcopy:v(ppz) bzero:v(pz)
    strcasecmp:i(pp) strcat:p(pp) strchr:p(pi) strcmp:i(pp) strcpy:p(pp) strcspn:z(pp) strdup:p(p) strlen:z(p) strncasecmp:i(ppz)
    strncat:p(ppz) strncmp:i(ppz) strncpy:p(ppz) strndup:p(pz) strnlen:z(pz) strpbrk:p(pp) strrchr:p(pi) strspn:z(pp) strstr:p(pp)
    stpcpy:p(pp) stpncpy:p(ppz) index:p(pi) rindex:p(pi)
    __memcpy_chk:p(ppzz) __memmove_chk:p(ppzz) __memset_chk:p(pizz) __mempcpy_chk:p(ppzz) __strcat_chk:p(ppz) __strcpy_chk:p(ppz)
    __stpcpy_chk:p(ppz) __strncat_chk:p(ppzz) __strncpy_chk:p(ppzz) __stpncpy_chk:p(ppzz) __sprintf_chk:i(pizp.)
    __snprintf_chk:i(pzizp.) __printf_chk:i(ip.) __fprintf_chk:i(pip.) __vsprintf_chk:i(pizpa) __vsnprintf_chk:i(pzizpa)
    __vprintf_chk:i(ipa) __vfprintf_chk:i(pipa)
    isalnum:i(i) isalpha:i(i) isascii:i(i) isblank:i(i) iscntrl:i(i) isdigit:i(i) isgraph:i(i) islower:i(i) isprint:i(i) ispunct:i(i)
    isspace:i(i) isupper:i(i) isxdigit:i(i) toascii:i(i) tolower:i(i) toupper:i(i)
    printf:i(p.) fprintf:i(pp.) sprintf:i(pp.) snprintf:i(pzp.) vprintf:i(pa) vfprintf:i(ppa) vsprintf:i(ppa) vsnprintf:i(pzpa)
    scanf:i(p.) sscanf:i(pp.) fscanf:i(pp.) puts:i(p) fputs:i(pp) putchar:i(i) fputc:i(ip) fwrite:z(pzzp)
    va_start:v(.) va_end:v(.) va_copy:v(.)
    isnan:i(.) isinf:i(.) isinf_sign:i(.) isfinite:i(.) isnormal:i(.) finite:i(.) signbit:i(.) signbitf:i(f) signbitl:i(e) fpclassify:i(.)
    isnanf:i(f) isnanl:i(e) isinff:i(f) isinfl:i(e) finitef:i(f) finitel:i(e)
    isgreater:i(.) isgreaterequal:i(.) isless:i(.) islessequal:i(.) islessgreater:i(.) isunordered:i(.) flt_rounds:i()
    huge_val:d() huge_valf:f() huge_vall:e() inf:d() inff:f() infl:e() nan:d(p) nanf:f(p) nanl:e(p) nans:d(p) nansf:f(p) nansl:e(p)
    powi:d(di) powif:f(fi) powil:e(ei)
    ilogb:i(d) ldexp:d(di) frexp:d(dp) modf:d(dp) scalbn:d(di) scalbln:d(dl) lrint:l(d) llrint:L(d) lround:l(d) llround:L(d)
";

/// The functions of real numbers from real numbers: as many parameters as there are `d`.
const REAL: &str = "
    acos:d acosh:d asin:d asinh:d atan:d atanh:d cbrt:d ceil:d cos:d cosh:d erf:d erfc:d exp:d exp2:d expm1:d fabs:d floor:d lgamma:d
    log:d log10:d log1p:d log2:d logb:d nearbyint:d rint:d round:d sin:d sinh:d sqrt:d tan:d tanh:d tgamma:d trunc:d atan2:dd
    copysign:dd fdim:dd fmax:dd fmin:dd fmod:dd hypot:dd nextafter:dd pow:dd remainder:dd fma:ddd
";

/// Operations that no other thread comes between.
const ATOMIC: &str = "
    __sync_fetch_and_add:* __sync_fetch_and_sub:* __sync_fetch_and_or:* __sync_fetch_and_and:* __sync_fetch_and_xor:*
    __sync_fetch_and_nand:* __sync_add_and_fetch:* __sync_sub_and_fetch:* __sync_or_and_fetch:* __sync_and_and_fetch:*
    __sync_xor_and_fetch:* __sync_nand_and_fetch:* __sync_bool_compare_and_swap:b __sync_val_compare_and_swap:* __sync_synchronize:v
    __sync_lock_test_and_set:* __sync_lock_release:v
    __atomic_load_n:* __atomic_load:v __atomic_store_n:v __atomic_store:v __atomic_exchange_n:* __atomic_exchange:v
    __atomic_compare_exchange_n:b __atomic_compare_exchange:b __atomic_add_fetch:* __atomic_sub_fetch:* __atomic_and_fetch:*
    __atomic_xor_fetch:* __atomic_or_fetch:* __atomic_nand_fetch:* __atomic_fetch_add:* __atomic_fetch_sub:* __atomic_fetch_and:*
    __atomic_fetch_xor:* __atomic_fetch_or:* __atomic_fetch_nand:* __atomic_test_and_set:b __atomic_clear:v __atomic_thread_fence:v
    __atomic_signal_fence:v __atomic_always_lock_free:b __atomic_is_lock_free:b
";

/// The type of a procedure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// What it returns; none for what its first argument points to.
    pub result: Option<TypeId>,
    /// Its parameters.
    pub parameters: Vec<TypeId>,
    /// Whether more arguments may follow, of any types.
    pub open: bool,
}

/// The type of a procedure that compilers know by this name.
pub fn signature(name: &str, types: &mut Types) -> Option<Signature> {
    if let Some(result) = entry(ATOMIC, name) {
        let result = if result == "*" { None } else { read(result, types).first().copied() };
        return Some(Signature { result, parameters: Vec::new(), open: true });
    }
    let plain = name.strip_prefix("__builtin_")?;
    if let Some(text) = entry(TYPES, plain) {
        let (result, parameters) = text.strip_suffix(')')?.split_once('(')?;
        let (parameters, open) = parameters.strip_suffix('.').map_or((parameters, false), |list| (list, true));
        let result = read(result, types).first().copied();
        return Some(Signature { result, parameters: read(parameters, types), open });
    }
    let of = |suffix: char, letter: &str| {
        let list = entry(REAL, plain.strip_suffix(suffix)?)?;
        Some(list.replace('d', letter))
    };
    let list = entry(REAL, plain).map(str::to_owned).or_else(|| of('f', "f")).or_else(|| of('l', "e"))?;
    let parameters = read(&list, types);
    Some(Signature { result: parameters.first().copied(), parameters, open: false })
}

/// What stands after a name in a list.
fn entry(list: &'static str, name: &str) -> Option<&'static str> {
    let mut all = list.split_ascii_whitespace().filter_map(|one| one.split_once(':'));
    all.find(|(other, _)| *other == name).map(|(_, text)| text)
}

fn read(letters: &str, types: &mut Types) -> Vec<TypeId> {
    let (mut list, mut signed) = (Vec::new(), true);
    for letter in letters.chars() {
        let ty = match letter {
            'U' => {
                signed = false;
                continue;
            }
            'v' => types.void(),
            'b' => types.integer(Rank::Bool, false),
            's' => types.integer(Rank::Short, signed),
            'l' => types.integer(Rank::Long, signed),
            'L' => types.integer(Rank::LongLong, signed),
            'z' => types.size_type(),
            'p' => {
                let void = types.void();
                types.pointer(void)
            }
            'a' => types.argument_list(),
            'f' => types.float(FloatKind::Single),
            'd' => types.float(FloatKind::Double),
            'e' => types.float(FloatKind::Extended),
            _ => types.integer(Rank::Int, signed),
        };
        list.push(ty);
        signed = true;
    }
    list
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::c::types::DataModel;

    #[test]
    fn builtins_have_their_types() {
        let mut types = Types::new(DataModel::LP64);
        let wide = types.integer(Rank::LongLong, false);
        let swap = signature("__builtin_bswap64", &mut types).map(|one| (one.result, one.parameters, one.open));
        assert_eq!(swap, Some((Some(wide), vec![wide], false)));
        let float = types.float(FloatKind::Single);
        assert_eq!(signature("__builtin_sqrtf", &mut types).map(|one| one.parameters), Some(vec![float]));
        assert_eq!(signature("__sync_fetch_and_add", &mut types).map(|one| one.result), Some(None));
        assert_eq!(signature("__builtin_nothing", &mut types), None);
    }

    #[test]
    fn every_entry_can_be_read() {
        let mut types = Types::new(DataModel::LP64);
        for name in TYPES.split_ascii_whitespace().filter_map(|one| one.split_once(':')).map(|(name, _)| name) {
            let found = signature(&format!("__builtin_{name}"), &mut types);
            assert!(found.is_some_and(|found| found.result.is_some()), "{name}");
        }
    }
}
