/*
 * presentation_text -- the lexical half of presentation, for presentation*.c
 * and master_file.c only: what RFC 1035 5.1 says of quotes, escapes,
 * parentheses and comments, and the words that are left between blanks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "model/name.h"

/* Byte by byte: blanks for parentheses, nothing for comments, escapes as they are. */
struct lexer {
	bool quoted, escaped, comment, nested;
	const char *wrong;	/* set with LEX_WRONG */
};
enum { LEX_SKIP = -1, LEX_END = -2, LEX_WRONG = -3 };
int lexer_step(struct lexer *lexer, int c);	/* the byte to keep, or one of these */
/* What is still open at the end of the text; NULL: nothing. */
const char *lexer_unfinished(const struct lexer *lexer);

struct word {
	char *text;
	bool quoted;
};

/* The next word of *at, cut off in place. False at the end, or with *wrong set. */
bool text_next_word(char **at, struct word *word, const char **wrong);
/* \DDD and \X become octets, in place. False if an escape is broken. */
bool text_unescape(char *text, size_t *len);
bool text_parse_number(const char *text, uint32_t max, uint32_t *number);
bool text_parse_period(const char *text, uint32_t max,
                       uint32_t *seconds);	/* "3600", "1h30m" */
bool text_parse_hex(const char *text, struct buf *wire); /* an even count of digits */
void text_join_groups(char *text);	/* "12 34": digits may be given in groups */

/* A record's rdata on its way from lexed text to wire. */
struct rdata_text {
	uint16_t type;
	const char *field;		/* begins the words in why */
	const struct name *origin;	/* completes relative names; NULL refuses them */
	char *at;			/* lexed text, cut up while it is read */
	struct buf *wire;		/* appended to */
};
enum err rdata_read(struct rdata_text *rdata, struct why *why);
