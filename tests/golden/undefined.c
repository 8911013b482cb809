int main(int n) {
  int s = 1 << n;
  assert(s != 0);
  return s;
}
