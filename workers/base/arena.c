#include "base/arena.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"

enum { ALIGN = _Alignof(max_align_t), BLOCK_BYTES = 16 * 1024 };

struct block {
	struct block *next;
	size_t size, used;
	max_align_t data[];
};

struct arena {
	struct block *current;	/* for small allocations */
	size_t bytes;
};

static struct block *block_new(struct arena *arena, size_t size)
{
	struct block *block = xmalloc(sizeof *block + size);

	block->next = NULL;
	block->size = size;
	block->used = 0;
	arena->bytes += sizeof *block + size;
	return block;
}

static void blocks_free(struct block *block)
{
	while (block) {
		struct block *next = block->next;

		free(block);
		block = next;
	}
}

struct arena *arena_new(void)
{
	struct arena *arena = xcalloc(1, sizeof *arena);

	arena->current = block_new(arena, BLOCK_BYTES);
	return arena;
}

void arena_free(struct arena **arena)
{
	if (!*arena)
		return;
	blocks_free((*arena)->current);
	free(*arena);
	*arena = NULL;
}

/* The kept block always has the common size, even after a huge request. */
void arena_reset(struct arena *arena)
{
	blocks_free(arena->current->next);
	arena->current->next = NULL;
	arena->current->used = 0;
	arena->bytes = sizeof *arena->current + arena->current->size;
}

/* A large allocation gets its own block. The current block stays in use. */
static struct block *arena_block_for(struct arena *arena, size_t size)
{
	struct block *block = arena->current;

	if (size <= block->size - block->used)
		return block;
	if (size > BLOCK_BYTES / 4) {
		block = block_new(arena, size);
		block->next = arena->current->next;
		arena->current->next = block;
		return block;
	}
	block = block_new(arena, BLOCK_BYTES);
	block->next = arena->current;
	return arena->current = block;
}

/* Returns memory that is not zeroed. */
static void *arena_take(struct arena *arena, size_t size)
{
	struct block *block;
	void *piece;

	if (size > SIZE_MAX / 2)
		fatal("out of memory: bytes=%zu", size);
	size = ((size ? size : 1) + ALIGN - 1) / ALIGN * ALIGN;
	block = arena_block_for(arena, size);
	piece = (char *)block->data + block->used;
	block->used += size;
	return piece;
}

void *arena_alloc(struct arena *arena, size_t size)
{
	return memset(arena_take(arena, size), 0, size);
}

void *arena_dup(struct arena *arena, const void *from, size_t size)
{
	void *copy = arena_take(arena, size);

	if (size)
		memcpy(copy, from, size);
	return copy;
}

char *arena_strdup(struct arena *arena, const char *text)
{
	return arena_dup(arena, text, strlen(text) + 1);
}

char *arena_printf(struct arena *arena, const char *fmt, ...)
{
	va_list args, again;
	char *text;
	int len;

	va_start(args, fmt);
	va_copy(again, args);
	len = vsnprintf(NULL, 0, fmt, args);
	bug_if(len < 0);
	text = arena_take(arena, (size_t)len + 1);
	vsnprintf(text, (size_t)len + 1, fmt, again);
	va_end(again);
	va_end(args);
	return text;
}

size_t arena_bytes(const struct arena *arena)
{
	return arena->bytes;
}
