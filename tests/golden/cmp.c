int g;

void cmp(int a, int b) {
  if (a == b)
    g = 0;
  else
    g = 1;
}

int main(int x, int y) {
  cmp(x, y);
  if (!g) {
    if (x != y)
      assert(0);
  }
  return 0;
}
