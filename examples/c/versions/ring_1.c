// A ring of eight numbers, as it was.

struct ring { unsigned first, used; int cells[8]; };

int size(const struct ring *r) { return r ? (int)r->used : 0; }

int push(struct ring *r, int value)
{
    if (!r || r->used >= 8)
        return 0;
    r->cells[(r->first + r->used) % 8] = value;
    r->used++;
    return 1;
}

int pop(struct ring *r, int *out)
{
    if (!r || r->used == 0)
        return 0;
    if (out)
        *out = r->cells[r->first % 8];
    r->first = (r->first + 1) % 8;
    r->used--;
    return 1;
}

int drop(struct ring *r) { return pop(r, 0); }
