/* The same matcher: only a `*` calls it again, and behind it once for each that comes later. */
extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void);

static char pattern[8];

static int matches(unsigned at) {
  for (; at < 7 && pattern[at] != '*'; at++) {
    char character = __VERIFIER_nondet_char();
    if (pattern[at] == 0) return character == 0;
    if (character != pattern[at] && pattern[at] != '?') return 0;
  }
  if (at >= 7) return 1;
  do {
    if (matches(at + 1)) return 1;
  } while (__VERIFIER_nondet_char() != 0);
  return 0;
}

int main(void) {
  for (unsigned at = 0; at < 7; at++) pattern[at] = __VERIFIER_nondet_char();
  pattern[7] = 0;
  return matches(0);
}
