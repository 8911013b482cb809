/* A list is searched; what is not found is a null pointer, and one of the two uses forgets that. */
int __VERIFIER_nondet_int(void);

struct item {
  int key;
  unsigned char value;
  struct item *next;
};

struct item third = {3, 30, 0}, second = {2, 20, &third}, first = {1, 10, &second};

struct item *find(struct item *list, int key) {
  while (list != 0 && list->key != key)
    list = list->next;
  return list;
}

int main(void) {
  struct item *here = find(&first, 2);
  if (here != 0)
    here->value += 250;
  here = find(&first, __VERIFIER_nondet_int());
  return here->value;
}
