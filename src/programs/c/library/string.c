/* <string.h>, <strings.h> */

void __undefined(void)
{
	char one;
	(&one)[1] = 0;
}

void __apart(const void *to, const void *from, size_t n)
{
	const unsigned char *d = to, *s = from;
	size_t i;
	for (i = 1; i < n; i++)
		if (d + i == s || s + i == d)
			__overlap();
}

void *memchr(const void *s, int c, size_t n)
{
	const unsigned char *at = s;
	size_t i;
	for (i = 0; i < n; i++)
		if (at[i] == (unsigned char)c)
			return (void *)(at + i);
	return 0;
}

void *memrchr(const void *s, int c, size_t n)
{
	const unsigned char *at = s;
	size_t i;
	for (i = n; i > 0; i--)
		if (at[i - 1] == (unsigned char)c)
			return (void *)(at + (i - 1));
	return 0;
}

void *rawmemchr(const void *s, int c)
{
	const unsigned char *at = s;
	size_t i;
	for (i = 0; at[i] != (unsigned char)c; i++)
		;
	return (void *)(at + i);
}

int __ordered(int order)
{
	int size = __unspecified();
	if (order < 0)
		return size < 0 ? size : -1;
	if (order > 0)
		return size > 0 ? size : 1;
	return 0;
}

int __memcmp(const void *s, const void *t, size_t n)
{
	const unsigned char *a = s, *b = t;
	size_t i;
	for (i = 0; i < n; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return 0;
}

int __strcmp(const char *s, const char *t)
{
	const unsigned char *a = (const unsigned char *)s, *b = (const unsigned char *)t;
	size_t i;
	for (i = 0; a[i] != 0; i++)
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
	return b[i] != 0 ? -1 : 0;
}

int __strncmp(const char *s, const char *t, size_t n)
{
	const unsigned char *a = (const unsigned char *)s, *b = (const unsigned char *)t;
	size_t i;
	for (i = 0; i < n; i++) {
		if (a[i] != b[i])
			return a[i] < b[i] ? -1 : 1;
		if (a[i] == 0)
			return 0;
	}
	return 0;
}

int __strncasecmp(const char *s, const char *t, size_t n)
{
	size_t i;
	for (i = 0; i < n; i++) {
		int a = tolower((unsigned char)s[i]), b = tolower((unsigned char)t[i]);
		if (a != b)
			return a < b ? -1 : 1;
		if (a == 0)
			return 0;
	}
	return 0;
}

int __strcasecmp(const char *s, const char *t)
{
	size_t i;
	for (i = 0;; i++) {
		int a = tolower((unsigned char)s[i]), b = tolower((unsigned char)t[i]);
		if (a != b)
			return a < b ? -1 : 1;
		if (a == 0)
			return 0;
	}
}

int memcmp(const void *s, const void *t, size_t n)
{
	return __ordered(__memcmp(s, t, n));
}

int bcmp(const void *s, const void *t, size_t n)
{
	int order = __memcmp(s, t, n);
	int size = __unspecified();
	if (order == 0)
		return 0;
	return size != 0 ? size : 1;
}

int strcmp(const char *s, const char *t)
{
	return __ordered(__strcmp(s, t));
}

int strncmp(const char *s, const char *t, size_t n)
{
	return __ordered(__strncmp(s, t, n));
}

int strcasecmp(const char *s, const char *t)
{
	return __ordered(__strcasecmp(s, t));
}

int strncasecmp(const char *s, const char *t, size_t n)
{
	return __ordered(__strncasecmp(s, t, n));
}

void *memcpy(void *to, const void *from, size_t n)
{
	unsigned char *d = to;
	const unsigned char *s = from;
	size_t i;
	for (i = 0; i < n; i++) {
		if (i > 0 && (d + i == s || s + i == d))
			__overlap();
		d[i] = s[i];
	}
	return to;
}

void *mempcpy(void *to, const void *from, size_t n)
{
	return (char *)memcpy(to, from, n) + n;
}

void *memmove(void *to, const void *from, size_t n)
{
	unsigned char *d = to;
	const unsigned char *s = from;
	size_t i;
	int within = 0;
	for (i = 0; i < n; i++)
		if (s + i == d)
			within = 1;
	if (within)
		for (i = n; i > 0; i--)
			d[i - 1] = s[i - 1];
	else
		for (i = 0; i < n; i++)
			d[i] = s[i];
	return to;
}

void bcopy(const void *from, void *to, size_t n)
{
	memmove(to, from, n);
}

void *memset(void *to, int c, size_t n)
{
	unsigned char *d = to;
	size_t i;
	for (i = 0; i < n; i++)
		d[i] = (unsigned char)c;
	return to;
}

void bzero(void *to, size_t n)
{
	memset(to, 0, n);
}

void explicit_bzero(void *to, size_t n)
{
	memset(to, 0, n);
}

void *memccpy(void *to, const void *from, int c, size_t n)
{
	unsigned char *d = to;
	const unsigned char *s = from;
	size_t i;
	for (i = 0; i < n; i++) {
		if (i > 0 && (d + i == s || s + i == d))
			__overlap();
		d[i] = s[i];
		if (d[i] == (unsigned char)c)
			return d + i + 1;
	}
	return 0;
}

size_t strlen(const char *s)
{
	size_t i;
	for (i = 0; s[i] != 0; i++)
		;
	return i;
}

size_t strnlen(const char *s, size_t n)
{
	size_t i;
	for (i = 0; i < n && s[i] != 0; i++)
		;
	return i;
}

char *stpcpy(char *to, const char *from)
{
	size_t i;
	for (i = 0;; i++) {
		if (i > 0 && (to + i == from || from + i == to))
			__overlap();
		to[i] = from[i];
		if (to[i] == 0)
			return to + i;
	}
}

char *strcpy(char *to, const char *from)
{
	stpcpy(to, from);
	return to;
}

char *stpncpy(char *to, const char *from, size_t n)
{
	size_t i, end;
	for (i = 0; i < n; i++) {
		if (i > 0 && (to + i == from || from + i == to))
			__overlap();
		to[i] = from[i];
		if (to[i] == 0)
			break;
	}
	end = i;
	for (; i < n; i++)
		to[i] = 0;
	return to + end;
}

char *strncpy(char *to, const char *from, size_t n)
{
	stpncpy(to, from, n);
	return to;
}

char *strcat(char *to, const char *from)
{
	stpcpy(to + strlen(to), from);
	return to;
}

char *strncat(char *to, const char *from, size_t n)
{
	char *end = to + strlen(to);
	size_t i;
	for (i = 0; i < n && from[i] != 0; i++) {
		if (end + i == from || from + i == end)
			__overlap();
		end[i] = from[i];
	}
	end[i] = 0;
	return to;
}

char *strchr(const char *s, int c)
{
	size_t i;
	for (i = 0; s[i] != (char)c; i++)
		if (s[i] == 0)
			return 0;
	return (char *)(s + i);
}

char *strchrnul(const char *s, int c)
{
	size_t i;
	for (i = 0; s[i] != (char)c && s[i] != 0; i++)
		;
	return (char *)(s + i);
}

char *index(const char *s, int c)
{
	return strchr(s, c);
}

char *strrchr(const char *s, int c)
{
	const char *found = 0;
	size_t i;
	for (i = 0;; i++) {
		if (s[i] == (char)c)
			found = s + i;
		if (s[i] == 0)
			return (char *)found;
	}
}

char *rindex(const char *s, int c)
{
	return strrchr(s, c);
}

int __begins(const char *s, const char *prefix)
{
	size_t i;
	for (i = 0; prefix[i] != 0; i++)
		if (s[i] != prefix[i])
			return 0;
	return 1;
}

char *strstr(const char *s, const char *part)
{
	size_t i;
	for (i = 0;; i++) {
		if (__begins(s + i, part))
			return (char *)(s + i);
		if (s[i] == 0)
			return 0;
	}
}

int __among(const char *set, char c)
{
	size_t i;
	for (i = 0; set[i] != 0; i++)
		if (set[i] == c)
			return 1;
	return 0;
}

size_t strspn(const char *s, const char *set)
{
	size_t i;
	for (i = 0; s[i] != 0 && __among(set, s[i]); i++)
		;
	return i;
}

size_t strcspn(const char *s, const char *set)
{
	size_t i;
	for (i = 0; s[i] != 0 && !__among(set, s[i]); i++)
		;
	return i;
}

char *strpbrk(const char *s, const char *set)
{
	size_t i = strcspn(s, set);
	return s[i] != 0 ? (char *)(s + i) : 0;
}

char *strdup(const char *s)
{
	size_t n = strlen(s) + 1;
	char *to = malloc(n);
	if (to != 0)
		memcpy(to, s, n);
	return to;
}

char *strndup(const char *s, size_t n)
{
	size_t length = strnlen(s, n);
	char *to = malloc(length + 1);
	if (to != 0) {
		memcpy(to, s, length);
		to[length] = 0;
	}
	return to;
}

char *strtok_r(char *s, const char *set, char **rest)
{
	char *end;
	if (s == 0)
		s = *rest;
	s += strspn(s, set);
	if (*s == 0) {
		*rest = s;
		return 0;
	}
	end = s + strcspn(s, set);
	if (*end != 0)
		*end++ = 0;
	*rest = end;
	return s;
}

char *strtok(char *s, const char *set)
{
	static char *rest;
	return strtok_r(s, set, &rest);
}

char *strsep(char **at, const char *set)
{
	char *s = *at, *end;
	if (s == 0)
		return 0;
	end = s + strcspn(s, set);
	if (*end != 0) {
		*end = 0;
		*at = end + 1;
	} else {
		*at = 0;
	}
	return s;
}

void *__memcpy_chk(void *to, const void *from, size_t n, size_t room)
{
	if (n > room)
		__undefined();
	return memcpy(to, from, n);
}

void *__memmove_chk(void *to, const void *from, size_t n, size_t room)
{
	if (n > room)
		__undefined();
	return memmove(to, from, n);
}

void *__mempcpy_chk(void *to, const void *from, size_t n, size_t room)
{
	if (n > room)
		__undefined();
	return mempcpy(to, from, n);
}

void *__memset_chk(void *to, int c, size_t n, size_t room)
{
	if (n > room)
		__undefined();
	return memset(to, c, n);
}

char *__strcpy_chk(char *to, const char *from, size_t room)
{
	if (strlen(from) >= room)
		__undefined();
	return strcpy(to, from);
}

char *__stpcpy_chk(char *to, const char *from, size_t room)
{
	if (strlen(from) >= room)
		__undefined();
	return stpcpy(to, from);
}

char *__strncpy_chk(char *to, const char *from, size_t n, size_t room)
{
	if (n > room)
		__undefined();
	return strncpy(to, from, n);
}

char *__stpncpy_chk(char *to, const char *from, size_t n, size_t room)
{
	if (n > room)
		__undefined();
	return stpncpy(to, from, n);
}

char *__strcat_chk(char *to, const char *from, size_t room)
{
	if (room <= strlen(to) || strlen(from) >= room - strlen(to))
		__undefined();
	return strcat(to, from);
}

char *__strncat_chk(char *to, const char *from, size_t n, size_t room)
{
	if (room <= strlen(to) || strnlen(from, n) >= room - strlen(to))
		__undefined();
	return strncat(to, from, n);
}

void __overlap(void)
{
	char one;
	(&one)[1] = 0;
}
