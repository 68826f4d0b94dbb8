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

/*
 * The state of the lexer, which reads a text byte by byte. The lexer replaces parentheses
 * with blanks, drops comments and keeps escapes.
 */
struct lexer {
	bool quoted, escaped, comment, nested;
	const char *wrong;	/* set with LEX_WRONG */
};
enum { LEX_SKIP = -1, LEX_END = -2, LEX_WRONG = -3 };
/* Reads the byte C. Returns the byte to keep, or a LEX_ value. */
int lexer_step(struct lexer *lexer, int c);
/*
 * Returns an error text if an escape, a quote or a parenthesis is still open at the end
 * of the text; otherwise NULL.
 */
const char *lexer_unfinished(const struct lexer *lexer);

struct word {
	char *text;
	bool quoted;
};

/* Cuts the next word from *at, in place. False: the end, or an error in *wrong. */
bool text_next_word(char **at, struct word *word, const char **wrong);
/*
 * Cuts the next word from *at. Returns "" at the end, or if a quote is wrong. QUOTED may
 * be NULL.
 */
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
void text_join_groups(char *text);	/* joins groups of digits: "12 34" */
/*
 * Appends a name in the form of ldns, but escapes a quote as \", because a quote would
 * begin a string. Keeps the case.
 */
void text_print_name(const uint8_t *wire, struct buf *text);

/* The state of rdata_read(), which converts lexed text to wire form. */
struct rdata_text {
	uint16_t type;
	const char *field;		/* the start of the reason */
	const struct name *origin;	/* completes relative names; NULL refuses them */
	char *at;			/* lexed text; rdata_read() changes it */
	struct buf *wire;		/* rdata_read() appends to `wire` */
	bool is_stored;			/* for rdata_parse_stored() */
};
enum err rdata_read(struct rdata_text *rdata, struct why *why);
