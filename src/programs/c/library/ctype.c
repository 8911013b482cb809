/* <ctype.h>, in the locale "C": which number says that something is so, C leaves open. */

int __true(int is)
{
	int number = __unspecified();
	if (!is)
		return 0;
	return number != 0 ? number : 1;
}

void __character(int c)
{
	if (c < -1 || c > 255)
		__undefined();
}

int __isdigit(int c)
{
	__character(c);
	return c >= 48 && c <= 57;
}

int isdigit(int c)
{
	return __true(__isdigit(c));
}

int __isxdigit(int c)
{
	__character(c);
	return c >= 48 && c <= 57 || c >= 65 && c <= 70 || c >= 97 && c <= 102;
}

int isxdigit(int c)
{
	return __true(__isxdigit(c));
}

int __islower(int c)
{
	__character(c);
	return c >= 97 && c <= 122;
}

int islower(int c)
{
	return __true(__islower(c));
}

int __isupper(int c)
{
	__character(c);
	return c >= 65 && c <= 90;
}

int isupper(int c)
{
	return __true(__isupper(c));
}

int __isalpha(int c)
{
	__character(c);
	return c >= 65 && c <= 90 || c >= 97 && c <= 122;
}

int isalpha(int c)
{
	return __true(__isalpha(c));
}

int __isalnum(int c)
{
	__character(c);
	return c >= 48 && c <= 57 || c >= 65 && c <= 90 || c >= 97 && c <= 122;
}

int isalnum(int c)
{
	return __true(__isalnum(c));
}

int __isspace(int c)
{
	__character(c);
	return c == 32 || c >= 9 && c <= 13;
}

int isspace(int c)
{
	return __true(__isspace(c));
}

int __isblank(int c)
{
	__character(c);
	return c == 32 || c == 9;
}

int isblank(int c)
{
	return __true(__isblank(c));
}

int __iscntrl(int c)
{
	__character(c);
	return c >= 0 && c <= 31 || c == 127;
}

int iscntrl(int c)
{
	return __true(__iscntrl(c));
}

int __isprint(int c)
{
	__character(c);
	return c >= 32 && c <= 126;
}

int isprint(int c)
{
	return __true(__isprint(c));
}

int __isgraph(int c)
{
	__character(c);
	return c >= 33 && c <= 126;
}

int isgraph(int c)
{
	return __true(__isgraph(c));
}

int __ispunct(int c)
{
	__character(c);
	return c >= 33 && c <= 47 || c >= 58 && c <= 64 || c >= 91 && c <= 96 || c >= 123 && c <= 126;
}

int ispunct(int c)
{
	return __true(__ispunct(c));
}

int __isascii(int c)
{
	return c >= 0 && c <= 127;
}

int isascii(int c)
{
	return __true(__isascii(c));
}

int toascii(int c)
{
	return c & 127;
}

int tolower(int c)
{
	__character(c);
	return c >= 65 && c <= 90 ? c + 32 : c;
}

int toupper(int c)
{
	__character(c);
	return c >= 97 && c <= 122 ? c - 32 : c;
}

/* What its macros look at: a number of bits for each character and for EOF, as glibc's are on machines that store the lowest byte first. */
const unsigned short *__ctype_b(void)
{
	static const unsigned short classes[384] = { [128] =
		2, 2, 2, 2, 2, 2, 2, 2, 2, 8195, 8194, 8194, 8194, 8194, 2, 2,
		2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2,
		24577, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156, 49156,
		55304, 55304, 55304, 55304, 55304, 55304, 55304, 55304, 55304, 55304, 49156, 49156, 49156, 49156, 49156, 49156,
		49156, 54536, 54536, 54536, 54536, 54536, 54536, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440,
		50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 50440, 49156, 49156, 49156, 49156, 49156,
		49156, 54792, 54792, 54792, 54792, 54792, 54792, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696,
		50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 50696, 49156, 49156, 49156, 49156, 2 };
	return classes + 128;
}

const unsigned short **__ctype_b_loc(void)
{
	static const unsigned short *at;
	at = __ctype_b();
	return &at;
}
