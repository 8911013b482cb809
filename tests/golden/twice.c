extern int nondet(void);
unsigned rest;

int twice(int n) {
  if (n <= 0)
    return 0;
  return twice(n - 1) + 2;
}

int main(void) {
  int n = nondet(), i = 0, s = 0;
  if (n < 0 || n > 50)
    return 0;
LOOP:
  while (i < n) {
    i++;
    s += 2;
    rest += 3;
  }
  return twice(n) - s;
}
