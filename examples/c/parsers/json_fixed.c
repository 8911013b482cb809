/* The same reader: what is open is counted, and more than 20 are refused. */
extern unsigned char __VERIFIER_nondet_uchar(void); /* a byte of the text */

enum { SIZE = 4096 };
enum { DEEPEST = 20 };

static unsigned at;

static unsigned char byte(void) {
  if (at >= SIZE) return 0; /* the end of the text */
  at++;
  return __VERIFIER_nondet_uchar();
}

static int value(unsigned open);

static int array(unsigned open) {
  do {
    if (!value(open)) return 0;
  } while (byte() == ',');
  return 1;
}

static int object(unsigned open) {
  do {
    if (byte() != '"') return 0;
    while (at < SIZE && byte() != '"') ;
    if (byte() != ':') return 0;
    if (!value(open)) return 0;
  } while (byte() == ',');
  return 1;
}

static int value(unsigned open) {
  switch (byte()) {
  case '[': return open < DEEPEST && array(open + 1);
  case '{': return open < DEEPEST && object(open + 1);
  case '0': case 't': case 'f': case 'n': return 1;
  default: return 0;
  }
}

int main(void) { return value(0); }
