/* Slots, of which another file knows where they are: what it demands and promises stands in slots.contracts. */
int *slot(int n);

int level(int n) { return *slot(n); }

__attribute__((nonnull(1))) void store(int *to, int n) { *to = level(n); }

int lowest(int n) {
    int one = 0;
    store(&one, n & 7);
    return one < n ? one : n;
}

int any(int n) { return level(n); }
