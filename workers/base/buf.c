#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"

enum { FIRST_BYTES = 64 };

/* Makes room for more bytes and the final NUL. */
static void buf_reserve(struct buf *buf, size_t more)
{
	size_t size = buf->size ? buf->size : FIRST_BYTES;

	if (more >= SIZE_MAX / 4 - buf->len)
		fatal("out of memory: bytes=%zu", more);
	while (size < buf->len + more + 1)
		size *= 2;
	if (size == buf->size)
		return;
	buf->data = xrealloc(buf->data, size);
	buf->size = size;
}

void buf_clear(struct buf *buf)
{
	free(buf->data);
	*buf = (struct buf){ 0 };
}

void buf_reset(struct buf *buf)
{
	buf->len = 0;
	if (buf->data)
		buf->data[0] = 0;
}

void buf_append(struct buf *buf, const void *data, size_t len)
{
	buf_reserve(buf, len);
	if (len)
		memcpy(buf->data + buf->len, data, len);
	buf->len += len;
	buf->data[buf->len] = 0;
}

void buf_text(struct buf *buf, const char *text)
{
	buf_append(buf, text, strlen(text));
}

void buf_printf(struct buf *buf, const char *fmt, ...)
{
	va_list args, again;
	int len;

	va_start(args, fmt);
	va_copy(again, args);
	len = vsnprintf(NULL, 0, fmt, args);
	bug_if(len < 0);
	buf_reserve(buf, len);
	vsnprintf((char *)buf->data + buf->len, (size_t)len + 1, fmt, again);
	buf->len += len;
	va_end(again);
	va_end(args);
}

void buf_u8(struct buf *buf, uint8_t value)
{
	buf_append(buf, &value, 1);
}

void buf_u16(struct buf *buf, uint16_t value)
{
	buf_append(buf, (uint8_t[]){ value >> 8, value }, 2);
}

void buf_u32(struct buf *buf, uint32_t value)
{
	buf_append(buf, (uint8_t[]){ value >> 24, value >> 16, value >> 8, value }, 4);
}

const char *buf_string(const struct buf *buf)
{
	return buf->data ? (const char *)buf->data : "";
}
