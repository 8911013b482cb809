/* What does each function of this library ask of its callers? `puch check stack.c --functions` */

#define ROOM 8

struct stack {
    int used;
    int cells[ROOM];
};

void push(struct stack *s, int value)
{
    s->cells[s->used] = value;
    s->used++;
}

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

/* The stack may be full. */
void push_both(struct stack *s, int first, int second)
{
    if (s && s->used >= 0 && s->used < ROOM) {
        push(s, first);
        push(s, second);
    }
}
