/* From a hundred pieces on each costs less: can seven more cost less than few? */
int __VERIFIER_nondet_int(void);
void reach_error(void);

int price(int pieces) {
  if (pieces < 100)
    return 9 * pieces;
  return 8 * pieces;
}

int main(void) {
  int few = __VERIFIER_nondet_int();
  int more = __VERIFIER_nondet_int();
  if (0 < few && few < 1000 && more == few + 7) {
    if (price(more) < price(few))
      reach_error();
  }
  return 0;
}
