/*
 * buf -- a growing array of bytes. A NUL follows the LEN bytes, so a buf that contains
 * text is a C string. A zeroed struct buf is empty and valid.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct buf {
	uint8_t *data;
	size_t len, size;
};

void buf_clear(struct buf *buf);		/* frees the memory and empties BUF */
void buf_reset(struct buf *buf);		/* empties BUF, but keeps the memory */
void buf_append(struct buf *buf, const void *data, size_t len);
void buf_text(struct buf *buf, const char *text);
void buf_printf(struct buf *buf, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));
void buf_u8(struct buf *buf, uint8_t value);
/* Appends VALUE in big endian, the byte order of DNS. */
void buf_u16(struct buf *buf, uint16_t value);
void buf_u32(struct buf *buf, uint32_t value);
const char *buf_string(const struct buf *buf);	/* returns the text; "" if BUF is empty */
