/* A reader of JSON from a buffer: arrays and objects call the reader of values again. */
extern unsigned char __VERIFIER_nondet_uchar(void); /* a byte of the text */

enum { SIZE = 4096 };

static unsigned at;

static unsigned char byte(void) {
  if (at >= SIZE) return 0; /* the end of the text */
  at++;
  return __VERIFIER_nondet_uchar();
}

static int value(void);

static int array(void) {
  do {
    if (!value()) return 0;
  } while (byte() == ',');
  return 1;
}

static int object(void) {
  do {
    if (byte() != '"') return 0;
    while (at < SIZE && byte() != '"') ;
    if (byte() != ':') return 0;
    if (!value()) return 0;
  } while (byte() == ',');
  return 1;
}

static int value(void) {
  switch (byte()) {
  case '[': return array();
  case '{': return object();
  case '0': case 't': case 'f': case 'n': return 1;
  default: return 0;
  }
}

int main(void) { return value(); }
