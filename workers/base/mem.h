/*
 * mem -- allocates memory. The functions never return NULL. If there is no memory, the
 * process ends.
 */
#pragma once

#include <stddef.h>

void *xmalloc(size_t size) __attribute__((malloc));
void *xcalloc(size_t count, size_t size) __attribute__((malloc));
void *xrealloc(void *old, size_t size);
void *xmemdup(const void *from, size_t size);
char *xstrdup(const char *text);
char *xprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
