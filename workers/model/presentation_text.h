/*
 * presentation_text -- the lexer of presentation, for presentation*.c and master_*.c
 * only. It handles quotes, escapes, parentheses and comments (RFC 1035 5.1), and words
 * separated by blanks.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "model/name.h"

/* Works byte by byte: replaces parentheses with blanks, drops comments, keeps escapes. */
struct lexer {
	bool quoted, escaped, comment, nested;
	const char *wrong;	/* set with LEX_WRONG */
};
enum { LEX_SKIP = -1, LEX_END = -2, LEX_WRONG = -3 };
int lexer_step(struct lexer *lexer, int c);	/* the byte to keep, or a LEX_ value */
/*
 * Returns the construct that is still open at the end of the text; NULL: all are closed.
 */
const char *lexer_unfinished(const struct lexer *lexer);

struct word {
	char *text;
	bool quoted;
};

/* Cuts the next word from *at, in place. False: the end, or an error in *wrong. */
bool text_next_word(char **at, struct word *word, const char **wrong);
/* Cuts the next word; "" at the end, or if a quote is wrong. QUOTED may be NULL. */
const char *text_word(char **at, bool *quoted);
bool text_is_blank(const char *text);		/* only blanks, or nothing */
bool text_is_digit(char c);
bool text_is_in_class(const char *text);	/* the class IN */
bool text_is_other_class(const char *text);	/* a class that is not IN; not ANY */
/* Replaces \DDD and \X with octets, in place. False: an invalid escape. */
bool text_unescape(char *text, size_t *len);
bool text_parse_number(const char *text, uint32_t max, uint32_t *number);
bool text_parse_period(const char *text, uint32_t max,
                       uint32_t *seconds);	/* "3600", "1h30m" */
bool text_parse_hex(const char *text, struct buf *wire); /* an even number of digits */
void text_join_groups(char *text);	/* "12 34": joins groups of digits */
/*
 * Appends a name as ldns prints it, but with "\"" for a quote, which would begin a quoted
 * string. The case is kept.
 */
void text_print_name(const uint8_t *wire, struct buf *text);

/* A record's rdata on its way from lexed text to wire. */
struct rdata_text {
	uint16_t type;
	const char *field;		/* the start of the reason */
	const struct name *origin;	/* completes relative names; NULL refuses them */
	char *at;			/* lexed text; reading cuts it */
	struct buf *wire;		/* reading appends to it */
	bool is_stored;			/* for rdata_parse_stored() */
};
enum err rdata_read(struct rdata_text *rdata, struct why *why);
