//! A meter of the stack for programs that are compiled with `-finstrument-functions`.

/// It says at the end how deep calls went and how many bytes that took, and on the way whenever it is twice as deep as it said before, since not
/// all runs come to an end.
pub(super) const METER: &str = r#"
/* Compiled with -finstrument-functions, the program says how deep its calls go, and how many bytes lie between the first frame and the last. */
int dprintf(int, const char *, ...);
static long depth, deepest, said = 500, most;
static char *bottom;

__attribute__((no_instrument_function)) void __cyg_profile_func_enter(void *callee, void *caller) {
    char *here = __builtin_frame_address(0);
    (void) callee, (void) caller;
    if (!bottom) bottom = here;
    if (++depth > deepest) deepest = depth;
    if (bottom - here > most) most = bottom - here;
    if (depth >= 2 * said) dprintf(2, "%ld frames, %ld bytes\n", said = depth, most);
}

__attribute__((no_instrument_function)) void __cyg_profile_func_exit(void *callee, void *caller) {
    (void) callee, (void) caller;
    depth--;
}

__attribute__((no_instrument_function, destructor)) static void tell(void) {
    dprintf(2, "deepest: %ld frames, %ld bytes\n", deepest, most);
}
"#;
