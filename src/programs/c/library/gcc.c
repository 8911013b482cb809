/* What gcc knows without a header: bits of numbers. */

int ffs(int n)
{
	return ffsll(n);
}

int ffsl(long n)
{
	return ffsll(n);
}

int ffsll(long long n)
{
	return n == 0 ? 0 : ctzll(n) + 1;
}

int ctzll(unsigned long long n)
{
	int count = 0;
	if (n == 0)
		__undefined();
	if ((n & 4294967295u) == 0) {
		count += 32;
		n >>= 32;
	}
	if ((n & 65535) == 0) {
		count += 16;
		n >>= 16;
	}
	if ((n & 255) == 0) {
		count += 8;
		n >>= 8;
	}
	if ((n & 15) == 0) {
		count += 4;
		n >>= 4;
	}
	if ((n & 3) == 0) {
		count += 2;
		n >>= 2;
	}
	return (n & 1) == 0 ? count + 1 : count;
}

int ctz(unsigned int n)
{
	return ctzll(n);
}

int ctzl(unsigned long n)
{
	return ctzll(n);
}

int clzll(unsigned long long n)
{
	int count = 0;
	if (n == 0)
		__undefined();
	if (n >> 32 == 0) {
		count += 32;
		n <<= 32;
	}
	if (n >> 48 == 0) {
		count += 16;
		n <<= 16;
	}
	if (n >> 56 == 0) {
		count += 8;
		n <<= 8;
	}
	if (n >> 60 == 0) {
		count += 4;
		n <<= 4;
	}
	if (n >> 62 == 0) {
		count += 2;
		n <<= 2;
	}
	return n >> 63 == 0 ? count + 1 : count;
}

int clz(unsigned int n)
{
	return clzll(n) - 32;
}

int clzl(unsigned long n)
{
	return clzll(n) - (64 - 8 * (int)sizeof n);
}

int clrsbll(long long n)
{
	unsigned long long bits = n < 0 ? ~(unsigned long long)n : (unsigned long long)n;
	return bits == 0 ? 63 : clzll(bits) - 1;
}

int clrsbl(long n)
{
	return clrsbll(n) - (64 - 8 * (int)sizeof n);
}

int clrsb(int n)
{
	return clrsbll(n) - 32;
}

int popcountll(unsigned long long n)
{
	n = n - ((n >> 1) & 0x5555555555555555ull);
	n = (n & 0x3333333333333333ull) + ((n >> 2) & 0x3333333333333333ull);
	n = (n + (n >> 4)) & 0x0f0f0f0f0f0f0f0full;
	return (int)((n * 0x0101010101010101ull) >> 56);
}

int popcount(unsigned int n)
{
	return popcountll(n);
}

int popcountl(unsigned long n)
{
	return popcountll(n);
}

int parityll(unsigned long long n)
{
	return popcountll(n) & 1;
}

int parity(unsigned int n)
{
	return popcountll(n) & 1;
}

int parityl(unsigned long n)
{
	return popcountll(n) & 1;
}

unsigned short bswap16(unsigned short n)
{
	return (unsigned short)(n << 8 | n >> 8);
}

unsigned int bswap32(unsigned int n)
{
	return n << 24 | (n & 0xff00u) << 8 | (n >> 8 & 0xff00u) | n >> 24;
}

unsigned long long bswap64(unsigned long long n)
{
	return (unsigned long long)bswap32((unsigned int)n) << 32 | bswap32((unsigned int)(n >> 32));
}
