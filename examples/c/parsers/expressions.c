/* A calculator reads its input by recursive descent. How deep? As deep as somebody opens brackets, or writes signs. */
extern char __VERIFIER_nondet_char(void); /* the next character of the input */

static char next;

static void advance(void) { next = __VERIFIER_nondet_char(); }

static int sum(void);

static int factor(void) {
  int value;
  if (next == '-') {
    advance();
    return -factor();
  }
  if (next == '(') {
    advance();
    value = sum();
    if (next == ')') advance();
    return value;
  }
  value = next - '0';
  advance();
  return value;
}

static int product(void) {
  int value = factor();
  while (next == '*') {
    advance();
    value = value * factor();
  }
  return value;
}

static int sum(void) {
  int value = product();
  while (next == '+') {
    advance();
    value = value + product();
  }
  return value;
}

int main(void) {
  advance();
  return sum();
}
