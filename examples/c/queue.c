/* A queue of numbers that grows, with mistakes. */

#include <stdlib.h>

struct queue { int *cells; int used, room; };

/* Makes room for one more. */
int grow(struct queue *q)
{
    int *more = realloc(q->cells, (q->room + 8) * sizeof *more);
    if (!more) return 0;
    q->cells = more;
    q->room += 8;
    return 1;
}

/* Frees what is in it. */
void clear(struct queue *q)
{
    free(q->cells);
    q->used = q->room = 0;
}

/* Who calls `clear` twice frees twice: it leaves the pointer as it was. */
void reset(struct queue *q)
{
    clear(q);
    clear(q);
}

/* The last number is looked at after it is gone. */
int drain(struct queue *q)
{
    int last = 0, *cells = q->cells;
    if (!cells) return 0;
    clear(q);
    last = *cells;
    q->cells = 0;
    return last;
}

/* Which of two is greater, unless they are equal: then nobody knows. */
int greater(int a, int b)
{
    int which;
    if (a > b) which = 0;
    if (a < b) which = 1;
    return which;
}
