/*
 * A stream in parts of any sizes, of which any number of messages is taken each time:
 * they are those that stand in the whole of it, read here apart from frames.c.
 *
 * The input is a list of turns, up to an octet of 255, and then the stream: an octet
 * each, of how much is read by its lower five bits, and how many are taken by the others.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "dns/frames.h"

enum { END_OF_TURNS = 255, TAKE_ALL = 7 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct stream {
	const uint8_t *data;
	size_t len;
	size_t read, judged;		/* octets that the frames got, and gave back */
};

/* The frame at stream->judged, of the whole stream; it must have been read by now. */
static void judge(struct stream *stream, const uint8_t *message, size_t len)
{
	const uint8_t *frame = stream->data + stream->judged;

	assert(stream->judged + 2 <= stream->read);
	assert(len == (size_t)frame[0] * 256 + frame[1]);
	assert(stream->judged + 2 + len <= stream->read);
	assert(!memcmp(message, frame + 2, len));
	stream->judged += 2 + len;
}

/* Nothing whole is held back. */
static void judge_the_rest(const struct stream *stream)
{
	const uint8_t *frame = stream->data + stream->judged;
	size_t left = stream->read - stream->judged;

	assert(left < 2 || left - 2 < (size_t)frame[0] * 256 + frame[1]);
}

static void take(struct frames *frames, struct stream *stream, unsigned count)
{
	size_t len, before = stream->judged;
	const uint8_t *message = NULL;

	for (unsigned i = 0; i < count || count == TAKE_ALL; i++) {
		message = frames_next(frames, &len);
		if (!message)
			break;
		judge(stream, message, len);
	}
	if (count && !message)
		judge_the_rest(stream);
	assert(frames_drop_taken(frames) == (stream->judged != before));
	assert(frames->in.len == stream->read - stream->judged);
	assert(!frames->in.data == !frames->in.len);
}

static void read_part(struct frames *frames, struct stream *stream, size_t len)
{
	if (len > stream->len - stream->read)
		len = stream->len - stream->read;
	if (len)
		frames_add(frames, stream->data + stream->read, len);
	stream->read += len;
}

/* 0 to 16, and then more at a time. */
static size_t part_of(uint8_t turn)
{
	size_t low = turn & 31;

	return low <= 16 ? low : (size_t)1 << (low - 12);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size ? memchr(data, END_OF_TURNS, size) : NULL;
	struct frames frames = { .taken = 0 };
	struct stream stream = { .read = 0 };

	if (!end)
		return 0;
	stream.data = end + 1;
	stream.len = (size_t)(data + size - stream.data);
	for (; data != end && stream.read < stream.len; data++) {
		read_part(&frames, &stream, part_of(*data));
		take(&frames, &stream, *data >> 5);
	}
	read_part(&frames, &stream, stream.len);
	take(&frames, &stream, TAKE_ALL);
	frames_clear(&frames);
	return 0;
}
