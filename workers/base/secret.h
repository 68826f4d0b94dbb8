/*
 * secret -- memory for what nobody else may see: passwords and keys. Each has pages of its
 * own, which no core contains, and is wiped when it goes.
 */
#pragma once

#include <stddef.h>

void *secret_alloc(size_t size);	/* of zeroes */
char *secret_strdup(const char *text);
void secret_free(void *secret);		/* NULL is none */
