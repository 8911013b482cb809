/* <errno.h>: whatever is called may have changed the number. */

int *__errno_location(void)
{
	static int number;
	number = __unspecified();
	return &number;
}
