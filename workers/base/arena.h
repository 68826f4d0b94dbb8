/*
 * arena -- memory for one request. An arena makes many allocations, and frees all of
 * them together. Only one thread may use an arena. Allocations are aligned like
 * max_align_t.
 */
#pragma once

#include <stddef.h>

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena **arena);
void arena_reset(struct arena *arena);		/* frees all allocations; keeps a block */

void *arena_alloc(struct arena *arena, size_t size);	/* zeroed */
void *arena_dup(struct arena *arena, const void *from, size_t size);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_printf(struct arena *arena, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
size_t arena_bytes(const struct arena *arena);	/* size of all memory blocks */
