/*
 * master_generate -- the directive $GENERATE of BIND, for master_file.c only:
 *
 *     $GENERATE START-STOP[/STEP] NAME [TTL] [class] TYPE DATA
 *
 * The directive makes one record for each number. In NAME and DATA, "$" stands for the
 * number, and "$$" and "\$" stand for a "$". "${OFFSET,WIDTH,BASE}" stands for the
 * number plus OFFSET. BASE is d, o, x or X, or it is n or N: nibbles from the last to
 * the first, with dots between them. As in BIND, an OFFSET also applies to each later
 * "$" without braces in the same word.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

enum {
	GENERATE_MAX = 65536,		/* maximum number of records of one directive */
	/* maximum length of NAME and of DATA after the replacement of "$" */
	GENERATE_WORD_MAX = 2047,
};

struct generate {
	uint32_t at, stop, step;
	/*
	 * `type` also contains TTL and class. If `name` is NULL, no directive is active
	 */
	char *name, *type, *data;
};

/*
 * Reads the words after $GENERATE from the lexed text AT, and changes this text. Returns
 * NULL, or an error text.
 */
const char *generate_begin(struct generate *generate, char *at);
bool generate_is_active(const struct generate *generate);
/* Appends the line of the next record. Returns NULL, or an error text. */
const char *generate_next(struct generate *generate, struct buf *line);
void generate_end(struct generate *generate);
