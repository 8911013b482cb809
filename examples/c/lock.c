/* A lock is taken and given back in turns, in two procedures; work may be left early while the lock is held. */
int __VERIFIER_nondet_int(void);

int held;

void take(void) {
  assert(held == 0);
  held = 1;
}

void give(void) {
  assert(held == 1);
  held = 0;
}

int work(int requests) {
  int done = 0;
  while (requests > 0) {
    take();
    requests--;
    if (__VERIFIER_nondet_int() == 7)
      break;
    done++;
    give();
  }
  return done;
}

int main(void) {
  int requests = __VERIFIER_nondet_int();
  int done = work(requests);
  if (done == requests)
    take();
  return done;
}
