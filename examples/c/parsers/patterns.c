/* A matcher of patterns with `*`, as shells have them: it calls itself for each character. */
extern unsigned __VERIFIER_nondet_uint(void);
extern char __VERIFIER_nondet_char(void);

static char pattern[8];

static int matches(unsigned at) {
  char character = __VERIFIER_nondet_char(); /* of the name, which may be long */
  switch (pattern[at & 7]) {
  case 0: return character == 0;
  case '*': /* nothing, or one character more */
    return matches(at + 1) || character != 0 && matches(at);
  case '?': return character != 0 && matches(at + 1);
  default: return character == pattern[at & 7] && matches(at + 1);
  }
}

int main(void) {
  for (unsigned at = 0; at < 7; at++) pattern[at] = __VERIFIER_nondet_char();
  pattern[7] = 0;
  return matches(0);
}
