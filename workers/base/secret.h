/*
 * secret -- memory for passwords and keys. Each secret has its own pages, which are not
 * in a core dump. secret_free() wipes it.
 */
#pragma once

#include <stddef.h>

void *secret_alloc(size_t size);	/* filled with zeroes */
char *secret_strdup(const char *text);
void secret_free(void *secret);		/* may be NULL */
