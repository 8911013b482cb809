/* What does each function of this library ask of its callers? `puch check stack.c --functions` */

#define ROOM 8

struct stack {
    int used;
    int cells[ROOM];
};

int pop(struct stack *s)
{
    s->used--;
    return s->cells[s->used];
}

/* The mean of the first cells. */
int mean(struct stack *s, int count)
{
    int sum = 0;
    for (int at = 0; at < count; at++)
        sum += s->cells[at];
    return sum / count;
}

/* Nothing can go wrong here. */
int top(struct stack *s, int otherwise)
{
    if (!s || s->used < 1 || s->used > ROOM)
        return otherwise;
    return s->cells[s->used - 1];
}

/* There may be only one. */
int pop_both(struct stack *s)
{
    if (!s || s->used < 1 || s->used > ROOM)
        return 0;
    int last = pop(s);
    return last + pop(s);
}
