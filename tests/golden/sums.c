int scanf(const char *, ...);
int fscanf(struct _IO_FILE *, const char *, ...);
int getchar(void);
extern struct _IO_FILE *stdin;

int main(void) {
  int first, second;
  char word[8];
  if (scanf("%d,%d", &first, &second) != 2)
    return 9;
  if (getchar() != ';')
    return 8;
  if (fscanf(stdin, "%7s", word) != 1)
    return 7;
  return first + second + (word[0] == 'x');
}
