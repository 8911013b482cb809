/* How deep do brackets go, and how deep does the parser? */
extern char __VERIFIER_nondet_char(void); /* the next character of the input */

static int open;

static int value(void) {
  char c = __VERIFIER_nondet_char();
  if (c != '[') return c == '0';
  if (open >= 16) return 0; /* deeper ones are refused */
  open++;
  int inside = value();
  open--;
  return inside && __VERIFIER_nondet_char() == ']';
}

int task(void) { return value(); }

static int unlimited(void) {
  char c = __VERIFIER_nondet_char();
  if (c != '[') return c == '0';
  return unlimited() && __VERIFIER_nondet_char() == ']';
}

int other(void) { return unlimited(); }

int main(void) { return task() && other(); }
