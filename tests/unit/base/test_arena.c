#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdint.h>
#include <string.h>

#include "base/arena.h"

/* Pieces of every size are zeroed, aligned, and never overlap. */
static void test_pieces(void **state)
{
	static const size_t sizes[] = {
		0, 1, 7, 16, 100, 4095, 4096, 4097, 16384, 16385, 1000000,
	};
	enum { COUNT = sizeof sizes / sizeof sizes[0], ROUNDS = 20 };
	struct arena *arena = arena_new();
	unsigned char *piece[ROUNDS][COUNT];

	(void)state;
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < COUNT; i++) {
			piece[round][i] = arena_alloc(arena, sizes[i]);
			assert_int_equal(
				(uintptr_t)piece[round][i] % _Alignof(max_align_t), 0);
			for (size_t at = 0; at < sizes[i]; at++)
				assert_int_equal(piece[round][i][at], 0);
			memset(piece[round][i], round * COUNT + i, sizes[i]);
		}
	for (int round = 0; round < ROUNDS; round++)
		for (int i = 0; i < COUNT; i++)
			for (size_t at = 0; at < sizes[i]; at++)
				assert_int_equal(piece[round][i][at],
						 (unsigned char)(round * COUNT + i));
	arena_free(&arena);
	assert_null(arena);
	arena_free(&arena);
}

/* A reset gives all back but one block, and the next request finds zeroes again. */
static void test_reset(void **state)
{
	struct arena *arena = arena_new();
	size_t empty = arena_bytes(arena);

	(void)state;
	for (int round = 0; round < 3; round++) {
		for (int i = 0; i < 1000; i++)
			memset(arena_alloc(arena, 100), 0xff, 100);
		arena_alloc(arena, 1 << 20);
		assert_true(arena_bytes(arena) > empty + (1 << 20));
		arena_reset(arena);
		assert_int_equal(arena_bytes(arena), empty);
		assert_int_equal(*(char *)arena_alloc(arena, 1), 0);
	}
	arena_free(&arena);
}

/* A large piece does not waste the rest of the block in use. */
static void test_large_piece_keeps_the_block(void **state)
{
	struct arena *arena = arena_new();
	size_t with_large;

	(void)state;
	arena_alloc(arena, 16);
	arena_alloc(arena, 100000);
	with_large = arena_bytes(arena);
	arena_alloc(arena, 1000);
	assert_int_equal(arena_bytes(arena), with_large);
	arena_free(&arena);
}

static void test_texts(void **state)
{
	struct arena *arena = arena_new();
	char text[] = "example.org.";
	char *copy = arena_strdup(arena, text);

	(void)state;
	text[0] = 'X';
	assert_string_equal(copy, "example.org.");
	assert_string_equal(arena_printf(arena, "%s:%d", copy, 53), "example.org.:53");
	assert_memory_equal(arena_dup(arena, "\0\1\2", 3), "\0\1\2", 3);
	assert_string_equal(arena_strdup(arena, ""), "");
	arena_free(&arena);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_pieces),
		cmocka_unit_test(test_reset),
		cmocka_unit_test(test_large_piece_keeps_the_block),
		cmocka_unit_test(test_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
