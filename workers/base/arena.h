/*
 * arena -- memory for one request. A caller makes many allocations in an arena, and
 * frees all of them together. Only one thread may use an arena. Allocations are aligned
 * like max_align_t.
 */
#pragma once

#include <stddef.h>

struct arena;

struct arena *arena_new(void);
void arena_free(struct arena **arena);
/* Frees all allocations, but keeps one memory block for reuse. */
void arena_reset(struct arena *arena);

void *arena_alloc(struct arena *arena, size_t size);	/* fills the memory with zeroes */
void *arena_dup(struct arena *arena, const void *from, size_t size);
char *arena_strdup(struct arena *arena, const char *text);
char *arena_printf(struct arena *arena, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
/* Returns the total size of the memory blocks in bytes. */
size_t arena_bytes(const struct arena *arena);
