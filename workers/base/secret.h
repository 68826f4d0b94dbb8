/*
 * secret -- memory for passwords and keys. Each secret has its own memory pages. A core
 * dump does not contain these pages. secret_free() wipes the secret.
 */
#pragma once

#include <stddef.h>

void *secret_alloc(size_t size);	/* filled with zeroes */
char *secret_strdup(const char *text);
void secret_free(void *secret);		/* may be NULL */
