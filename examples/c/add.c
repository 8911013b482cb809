/* Adds by counting down. That it adds for every n >= 0, however deep the recursion, nobody has to tell. */
int __VERIFIER_nondet_int(void);
void reach_error(void);

int add(int m, int n) {
  if (n == 0)
    return m;
  return add(m, n - 1) + 1;
}

int main(void) {
  int m = __VERIFIER_nondet_int();
  int n = __VERIFIER_nondet_int();
  if (n >= 0) {
    if (add(m, n) != m + n)
      reach_error();
  }
  return 0;
}
