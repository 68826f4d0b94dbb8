#include "dns/frames.h"

#include <string.h>

void frame_put_prefix(uint8_t *to, size_t len)
{
	to[0] = len >> 8 & 0xff;
	to[1] = len & 0xff;
}

size_t frame_wanted(const uint8_t *data, size_t len)
{
	if (len < FRAME_PREFIX)
		return FRAME_PREFIX;
	return FRAME_PREFIX + (data[0] << 8 | data[1]);
}

void frames_add(struct frames *frames, const void *data, size_t len)
{
	buf_append(&frames->in, data, len);
}

bool frames_has_next(const struct frames *frames)
{
	size_t left = frames->in.len - frames->taken;

	return left && left >= frame_wanted(frames->in.data + frames->taken, left);
}

const uint8_t *frames_next(struct frames *frames, size_t *len)
{
	const uint8_t *frame;
	size_t wanted;

	if (!frames_has_next(frames))
		return NULL;
	frame = frames->in.data + frames->taken;
	wanted = frame_wanted(frame, frames->in.len - frames->taken);
	frames->taken += wanted;
	*len = wanted - FRAME_PREFIX;
	return frame + FRAME_PREFIX;
}

bool frames_drop_taken(struct frames *frames)
{
	struct buf *in = &frames->in;

	if (!frames->taken)
		return false;
	in->len -= frames->taken;
	memmove(in->data, in->data + frames->taken, in->len);
	frames->taken = 0;
	if (!in->len)
		buf_clear(in);
	return true;
}

void frames_clear(struct frames *frames)
{
	buf_clear(&frames->in);
	frames->taken = 0;
}
