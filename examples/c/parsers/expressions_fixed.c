/* The same calculator: signs are a loop, and brackets count. */
extern char __VERIFIER_nondet_char(void); /* the next character of the input */

static char next;

static void advance(void) { next = __VERIFIER_nondet_char(); }

static int sum(int depth);

static int factor(int depth) {
  int value, negative = 0;
  while (next == '-') {
    advance();
    negative = !negative;
  }
  if (next == '(') {
    if (depth >= 32) return 0; /* deeper ones are refused */
    advance();
    value = sum(depth + 1);
    if (next == ')') advance();
  } else {
    value = next - '0';
    advance();
  }
  return negative ? -value : value;
}

static int product(int depth) {
  int value = factor(depth);
  while (next == '*') {
    advance();
    value = value * factor(depth);
  }
  return value;
}

static int sum(int depth) {
  int value = product(depth);
  while (next == '+') {
    advance();
    value = value + product(depth);
  }
  return value;
}

int main(void) {
  advance();
  return sum(0);
}
