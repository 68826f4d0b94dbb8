/*
 * secret -- memory for passwords and keys. Each secret has its own memory pages. A core
 * dump does not contain these pages (MADV_DONTDUMP). secret_free() wipes the secret.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

void *secret_alloc(size_t size);	/* fills the memory with zeroes */
char *secret_strdup(const char *text);
void secret_free(void *secret);		/* SECRET may be NULL */

/*
 * Hides the memory of the process if IS_HIDDEN is true. If IS_HIDDEN is false, removes
 * this protection. A hidden process writes no core dump, and no other process of the
 * same user can read the memory of the process or trace the process. Call this function
 * before the program reads the settings, because the settings contain secrets. A child
 * process is also hidden. A program that the process executes is not hidden.
 */
void secret_hide_process(bool is_hidden);
