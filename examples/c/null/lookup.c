/* Which pointers can be NULL where they are used? `puch null lookup.c` */

struct entry {
    struct entry *next;
    int key;
    int *value;
};

extern struct entry *table;

/* The entry of a key, or NULL. */
struct entry *find(struct entry *list, int key)
{
    while (list && list->key != key)
        list = list->next;
    return list;
}

/* 1 and the value, or 0. */
int lookup(int key, int **out)
{
    struct entry *entry = find(table, key);
    if (!entry || !entry->value)
        return 0;
    *out = entry->value;
    return 1;
}

int main(void)
{
    int zero = 0;
    int *value = 0;
    int found;

    found = lookup(7, &value);
    if (found)
        zero = *value;

    value = 0;
    lookup(8, &value);
    return *value + zero;
}
