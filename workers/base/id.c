#include "base/id.h"

#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "base/hex.h"
#include "base/log.h"

enum { ID_BYTES = ID_LEN / 2, TIME_BYTES = 6 };

/*
 * Reads from the kernel each time, because processes would share a pool in memory after
 * fork().
 */
void random_fill(void *into, size_t size)
{
	ssize_t n;

	bug_if(size > RANDOM_MAX);
	do
		n = getrandom(into, size, 0);
	while (n < 0 && errno == EINTR);
	if (n != (ssize_t)size)	/* up to RANDOM_MAX getrandom() is never partial */
		fatal("cannot read random bytes: %s", strerror(errno));
}

/* 48 bits of milliseconds, big endian, and 80 random bits, as in UUID 7 (RFC 9562). */
void id_new(char id[ID_LEN + 1])
{
	uint8_t bytes[ID_BYTES];
	struct timespec now;
	uint64_t ms;

	clock_gettime(CLOCK_REALTIME, &now);
	ms = (uint64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
	for (int i = 0; i < TIME_BYTES; i++)
		bytes[i] = ms >> (8 * (TIME_BYTES - 1 - i));
	random_fill(bytes + TIME_BYTES, ID_BYTES - TIME_BYTES);
	hex_encode(bytes, sizeof bytes, id);
}

void id_random(char id[ID_LEN + 1])
{
	uint8_t bytes[ID_BYTES];

	random_fill(bytes, sizeof bytes);
	hex_encode(bytes, sizeof bytes, id);
}

bool id_valid(const char *text)
{
	char id[ID_LEN + 1];

	return id_parse(text, id);
}

/* In FORM, x stands for a digit; other characters stand for themselves. */
bool id_parse(const char *text, char id[ID_LEN + 1])
{
	static const char plain[] = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx";
	static const char dashed[] = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";
	size_t len = strnlen(text, sizeof dashed);
	const char *form = len == ID_LEN ? plain : dashed;
	char digits[ID_LEN + 1] = "";
	int n = 0;

	if (len != strlen(form))
		return false;
	for (size_t i = 0; i < len; i++) {
		if (form[i] != 'x' && text[i] != form[i])
			return false;
		if (form[i] == 'x' && !strchr(HEX_DIGITS, text[i]))
			return false;
		if (form[i] == 'x')
			digits[n++] = text[i];
	}
	memcpy(id, digits, sizeof digits);
	return true;
}

uint32_t random_u32(void)
{
	uint32_t value;

	random_fill(&value, sizeof value);
	return value;
}
