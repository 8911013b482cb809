/* Figure 1 of Ball and Rajamani, Bebop (SPIN 2000), as a C program: R is reached if g is 1 at the start. */
_Bool __VERIFIER_nondet_bool(void);

_Bool g;

void A(_Bool a1, _Bool a2) {
  if (a1)
    A(a2, a1);
  else
    g = a2;
}

int main(void) {
  g = __VERIFIER_nondet_bool();
  _Bool h = !g;
  A(g, h);
  A(g, h);
  if (g)
    reach_error();
  return 0;
}
