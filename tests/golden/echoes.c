/* Copies standard input up to a letter, which is an argument. */
int getchar(void);
int putchar(int);

int main(int argc, char **argv)
{
	int c, count = 0;
	if (argc != 2)
		return 1;
	while ((c = getchar()) != -1 && c != argv[1][0]) {
		putchar(c);
		count++;
	}
	return count == 2 ? 0 : 2;
}
