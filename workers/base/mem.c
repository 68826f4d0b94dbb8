#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"

static void *mem_check(void *p, size_t size)
{
	if (!p)
		fatal("out of memory: bytes=%zu", size);
	return p;
}

/* Allocates at least one byte, because malloc(0) may return NULL without an error. */
void *xmalloc(size_t size)
{
	return mem_check(malloc(size ? size : 1), size);
}

void *xcalloc(size_t count, size_t size)
{
	if (count == 0 || size == 0)
		count = size = 1;
	return mem_check(calloc(count, size), size);
}

void *xrealloc(void *old, size_t size)
{
	return mem_check(realloc(old, size ? size : 1), size);
}

void *xmemdup(const void *from, size_t size)
{
	void *copy = xmalloc(size);

	if (size)
		memcpy(copy, from, size);
	return copy;
}

char *xstrdup(const char *text)
{
	return xmemdup(text, strlen(text) + 1);
}

char *xprintf(const char *fmt, ...)
{
	char *text = NULL;
	va_list args;

	va_start(args, fmt);
	if (vasprintf(&text, fmt, args) < 0)
		fatal("out of memory: cannot format a string");
	va_end(args);
	return text;
}
