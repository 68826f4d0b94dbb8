/*
 * Any bytes as a pattern and as a text: the compilation, the search and the check end in
 * time, and the check accepts no pattern that does not compile.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/regex.h"

enum { SLOW_MS = 1000 };	/* of processor time, under the sanitizers */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int64_t cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
	return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

static char *text_of(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	memcpy(text, data, size);
	text[size] = '\0';
	return text;
}

/* The pattern ends at the first NUL byte. The rest is the text. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *nul = memchr(data, '\0', size);
	size_t len = nul ? (size_t)(nul - data) : size;
	char *pattern = text_of(data, len), *text = text_of(data + len + !!nul,
	                                                    size - len - !!nul);
	struct regex *regex = NULL;
	struct why why;
	int64_t begin_ms = cpu_ms(), left_us = REGEX_BUDGET_US;

	if (!regex_new(pattern, "pattern", &regex, &why))
		regex_search(regex, text, &left_us);
	else if (!regex_check(pattern, "pattern", &why))
		abort();
	regex_free(&regex);
	regex_check(pattern, "pattern", &why);
	if (cpu_ms() - begin_ms > SLOW_MS)
		abort();
	free(pattern);
	free(text);
	return 0;
}
