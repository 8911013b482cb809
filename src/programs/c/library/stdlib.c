/* <stdlib.h> */

unsigned long long __digits(const char *s, char **end, int base, int *negative, int *large)
{
	const char *at = s, *read = s;
	unsigned long long value = 0, most = 18446744073709551615ull;
	*negative = 0;
	*large = 0;
	while (*at == 32 || *at >= 9 && *at <= 13)
		at++;
	if (*at == 45 || *at == 43) {
		*negative = *at == 45;
		at++;
	}
	if ((base == 0 || base == 16) && *at == 48 && (at[1] == 120 || at[1] == 88)) {
		char next = at[2];
		if (next >= 48 && next <= 57 || next >= 65 && next <= 70 || next >= 97 && next <= 102) {
			at += 2;
			base = 16;
		}
	}
	if (base == 0)
		base = *at == 48 ? 8 : 10;
	for (;;) {
		int digit = *at >= 48 && *at <= 57 ? *at - 48
			: *at >= 65 && *at <= 90 ? *at - 55
			: *at >= 97 && *at <= 122 ? *at - 87 : 36;
		if (digit >= base)
			break;
		if (value > (most - digit) / base)
			*large = 1;
		else
			value = value * base + digit;
		at++;
		read = at;
	}
	if (end != 0)
		*end = (char *)read;
	return value;
}

long __base(int base)
{
	if (base < 0 || base == 1 || base > 36)
		__undefined();
	return 0;
}

long strtol(const char *s, char **end, int base)
{
	int negative, large;
	unsigned long most = (unsigned long)-1 / 2;
	unsigned long long value;
	__base(base);
	value = __digits(s, end, base, &negative, &large);
	if (negative)
		return large || value > most ? -(long)most - 1 : -(long)value;
	return large || value > most ? (long)most : (long)value;
}

long long strtoll(const char *s, char **end, int base)
{
	int negative, large;
	unsigned long long most = (unsigned long long)-1 / 2, value;
	__base(base);
	value = __digits(s, end, base, &negative, &large);
	if (negative)
		return large || value > most ? -(long long)most - 1 : -(long long)value;
	return large || value > most ? (long long)most : (long long)value;
}

unsigned long strtoul(const char *s, char **end, int base)
{
	int negative, large;
	unsigned long most = (unsigned long)-1;
	unsigned long long value;
	__base(base);
	value = __digits(s, end, base, &negative, &large);
	if (large || value > most)
		return most;
	return negative ? -(unsigned long)value : (unsigned long)value;
}

unsigned long long strtoull(const char *s, char **end, int base)
{
	int negative, large;
	unsigned long long value;
	__base(base);
	value = __digits(s, end, base, &negative, &large);
	if (large)
		return (unsigned long long)-1;
	return negative ? -value : value;
}

int atoi(const char *s)
{
	long long value = strtoll(s, 0, 10);
	if (value != (int)value)
		__undefined();
	return (int)value;
}

long atol(const char *s)
{
	int negative, large;
	unsigned long long value = __digits(s, 0, 10, &negative, &large);
	unsigned long most = (unsigned long)-1 / 2;
	if (large || value > most + (negative ? 1ul : 0ul))
		__undefined();
	return negative ? (long)-value : (long)value;
}

long long atoll(const char *s)
{
	int negative, large;
	unsigned long long value = __digits(s, 0, 10, &negative, &large);
	unsigned long long most = (unsigned long long)-1 / 2;
	if (large || value > most + (negative ? 1ull : 0ull))
		__undefined();
	return negative ? (long long)-value : (long long)value;
}

void *aligned_alloc(size_t alignment, size_t size)
{
	if (alignment == 0 || (alignment & alignment - 1) != 0)
		__undefined();
	return malloc(size);
}

void *memalign(size_t alignment, size_t size)
{
	if (alignment == 0 || (alignment & alignment - 1) != 0)
		__undefined();
	return malloc(size);
}

int posix_memalign(void **to, size_t alignment, size_t size)
{
	void *made;
	if (alignment % sizeof made != 0 || alignment == 0 || (alignment & alignment - 1) != 0)
		return 22;
	made = malloc(size);
	if (made == 0)
		return 12;
	*to = made;
	return 0;
}

int rand(void)
{
	return __unspecified() & 2147483647;
}

void srand(unsigned int seed)
{
	(void)seed;
}

long random(void)
{
	return __unspecified() & 2147483647;
}

void srandom(unsigned int seed)
{
	(void)seed;
}

void *bsearch(const void *key, const void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	const char *at = base;
	size_t low = 0, high = n;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = compare(key, at + middle * size);
		if (order == 0)
			return (void *)(at + middle * size);
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	return 0;
}

void __exchange(char *a, char *b, size_t size)
{
	size_t i;
	for (i = 0; i < size; i++) {
		char kept = a[i];
		a[i] = b[i];
		b[i] = kept;
	}
}

int __before(const char *a, const char *b, size_t size, int (*compare)(const void *, const void *))
{
	int order = compare(a, b);
	if (order != 0 || __memcmp(a, b, size) == 0)
		return order < 0;
	return __unspecified() < 0;
}

void qsort(void *base, size_t n, size_t size, int (*compare)(const void *, const void *))
{
	char *at = base;
	size_t i, j;
	for (i = 1; i < n; i++)
		for (j = i; j > 0 && __before(at + j * size, at + (j - 1) * size, size, compare); j--)
			__exchange(at + j * size, at + (j - 1) * size, size);
}

int __handlers(void (*handler)(void))
{
	static void (*registered[32])(void);
	static int count;
	if (handler) {
		if (count == 32) {
			if (__unspecified() == 0)
				__undefined();
			return 1;
		}
		registered[count] = handler;
		count = count + 1;
		return 0;
	}
	while (count > 0) {
		count = count - 1;
		registered[count]();
	}
	return 0;
}

int atexit(void (*handler)(void))
{
	if (!handler)
		__undefined();
	return __handlers(handler);
}
