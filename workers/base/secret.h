/*
 * secret -- memory for passwords and keys. Each secret has its own memory pages. A core
 * dump does not contain these pages. secret_free() wipes the secret.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

void *secret_alloc(size_t size);	/* filled with zeroes */
char *secret_strdup(const char *text);
void secret_free(void *secret);		/* may be NULL */

/*
 * Hides the memory of this process: it writes no core dump, and no other process of the
 * same user can read its memory or trace it. Call it before the settings are read,
 * because they contain secrets. A fork inherits it. A program that it executes does not.
 */
void secret_hide_process(bool is_hidden);
