/* How many elements must there be? `puch check series.c --functions` */

/* The greatest of so many numbers. */
int greatest(const int *numbers, int count)
{
    int most = numbers[0];
    for (int i = 1; i < count; i++)
        if (numbers[i] > most)
            most = numbers[i];
    return most;
}

/* Sets what is from one place on to 0. */
void clear(int *numbers, int from, int count)
{
    while (from < count)
        numbers[from++] = 0;
}

int main(void)
{
    int numbers[3];
    clear(numbers, 0, 3);
    return greatest(numbers, 4);
}
