#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>


#include <stdlib.h>
#include <string.h>

#include "dns/frames.h"

enum { LARGEST = 65535 };

static const size_t small[] = { 1, 0, 12, 2, 0, 0, 3, 255, 256, 1 };
static const size_t large[] = { LARGEST, 0, 17, 256, LARGEST, 511, 40000 };

#define COUNT(lengths) (sizeof(lengths) / sizeof((lengths)[0]))

/* Octets that are nowhere the same for long, so that a message out of place shows. */
static uint8_t octet(size_t message, size_t at)
{
	return (uint8_t)(message * 131 + at * 7 + at / 256);
}

static void put_stream(struct buf *stream, const size_t *lengths, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint8_t prefix[FRAME_PREFIX];

		frame_put_prefix(prefix, lengths[i]);
		buf_append(stream, prefix, sizeof(prefix));
		for (size_t at = 0; at < lengths[i]; at++)
			buf_u8(stream, octet(i, at));
	}
}

static void assert_message(const uint8_t *data, size_t len, size_t wanted, size_t number)
{
	assert_int_equal(len, wanted);
	for (size_t at = 0; at < len; at++)
		if (data[at] != octet(number, at))
			fail_msg("message %zu: octet %zu is wrong", number, at);
}

/* A reader: what was read, and how many of the messages of LENGTHS came of it. */
struct reading {
	struct frames frames;
	const size_t *lengths;
	size_t count, seen;
};

/* As a connection does: some are taken, and those that are over are dropped. */
static void take(struct reading *reading, size_t at_most)
{
	const uint8_t *data;
	size_t len, before = reading->seen;

	while (at_most-- && frames_has_next(&reading->frames)) {
		data = frames_next(&reading->frames, &len);
		assert_non_null(data);
		assert_true(reading->seen < reading->count);
		assert_message(data, len, reading->lengths[reading->seen], reading->seen);
		reading->seen++;
	}
	assert_int_equal(frames_drop_taken(&reading->frames), reading->seen != before);
}

static void assert_read(struct reading *reading)
{
	take(reading, SIZE_MAX);
	assert_int_equal(reading->seen, reading->count);
	assert_int_equal(reading->frames.in.len, 0);
	assert_null(reading->frames.in.data);
}

static void each_cut_gives_the_same_messages(void **state)
{
	struct buf stream = { 0 };

	(void)state;
	put_stream(&stream, small, COUNT(small));
	for (size_t cut = 1; cut < stream.len; cut++) {
		struct reading reading = { .lengths = small, .count = COUNT(small) };

		frames_add(&reading.frames, stream.data, cut);
		take(&reading, SIZE_MAX);
		frames_add(&reading.frames, stream.data + cut, stream.len - cut);
		assert_read(&reading);
	}
	buf_clear(&stream);
}

/* Parts of up to LONGEST octets, of which up to AT_MOST messages are taken each time. */
static void read_in_parts(const size_t *lengths, size_t count, size_t longest,
                          size_t at_most)
{
	struct reading reading = { .lengths = lengths, .count = count };
	struct buf stream = { 0 };

	put_stream(&stream, lengths, count);
	for (size_t at = 0, part; at < stream.len; at += part) {
		part = 1 + (size_t)rand() % longest;
		if (part > stream.len - at)
			part = stream.len - at;
		frames_add(&reading.frames, stream.data + at, part);
		take(&reading, at_most);
	}
	assert_read(&reading);
	buf_clear(&stream);
}

static void any_parts_give_the_same_messages(void **state)
{
	static const size_t longest[] = { 1, 2, 3, 100, 16384, 200000 };

	(void)state;
	srand(1);
	for (size_t at_most = 0; at_most < 4; at_most++)
		for (size_t i = 0; i < COUNT(longest); i++) {
			read_in_parts(small, COUNT(small), longest[i], at_most);
			read_in_parts(large, COUNT(large), longest[i], at_most);
		}
}

static void what_is_not_whole_waits(void **state)
{
	static const uint8_t stream[] = { 0, 2, 1 };
	struct frames frames = { .taken = 0 };
	size_t len;

	(void)state;
	for (size_t i = 0; i < sizeof(stream); i++) {
		assert_false(frames_has_next(&frames));
		assert_null(frames_next(&frames, &len));
		frames_add(&frames, stream + i, 1);
		assert_int_equal(frame_wanted(frames.in.data, frames.in.len),
		                 i ? FRAME_PREFIX + 2 : FRAME_PREFIX);
	}
	assert_null(frames_next(&frames, &len));
	assert_false(frames_drop_taken(&frames));
	assert_int_equal(frames.in.len, sizeof(stream));
	frames_clear(&frames);
	assert_null(frames_next(&frames, &len));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_cut_gives_the_same_messages),
		cmocka_unit_test(any_parts_give_the_same_messages),
		cmocka_unit_test(what_is_not_whole_waits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
