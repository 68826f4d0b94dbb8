/*
 * presentation_text -- the lexer, for presentation*.c and master_*.c only. The lexer
 * handles quotes, escapes, parentheses and comments (RFC 1035 5.1). This module also
 * cuts the lexed text into words.
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
	const char *wrong;	/* error text after LEX_WRONG */
};
enum { LEX_SKIP = -1, LEX_END = -2, LEX_WRONG = -3 };
/* Reads the byte C. Returns the byte that the caller must keep, or a LEX_ value. */
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

/*
 * Cuts the next word from the lexed text AT. Changes the text, and moves AT past the
 * word. False: the text has no more words, or WRONG contains an error text.
 */
bool text_next_word(char **at, struct word *word, const char **wrong);
/*
 * Like text_next_word(), but returns the text of the word. Returns "" at the end of the
 * text, or if a quote is wrong. QUOTED may be NULL.
 */
const char *text_word(char **at, bool *quoted);
bool text_is_blank(const char *text);	/* true: TEXT has only blanks, or is empty */
bool text_is_digit(char c);
bool text_is_in_class(const char *text);	/* true: TEXT is the class IN */
/* true: TEXT is a class other than IN; "ANY" does not count as a class */
bool text_is_other_class(const char *text);
/* Replaces each \DDD and \X in TEXT by its octet. False: an escape is not valid. */
bool text_unescape(char *text, size_t *len);
bool text_parse_number(const char *text, uint32_t max, uint32_t *number);
bool text_parse_period(const char *text, uint32_t max,
                       uint32_t *seconds);	/* reads "3600" or "1h30m" */
bool text_parse_hex(const char *text, struct buf *wire); /* reads pairs of digits */
void text_join_groups(char *text);	/* removes all blanks: "12 34" becomes "1234" */
/*
 * Appends a name in the form in which ldns prints names, but writes a quote as \",
 * because a quote without "\" would begin a string. Keeps upper and lower case.
 */
void text_print_name(const uint8_t *wire, struct buf *text);

/* The state of rdata_read(), which converts lexed text to wire form. */
struct rdata_text {
	uint16_t type;
	const char *field;		/* the word with which the reason begins */
	/* completes relative names; NULL: rdata_read() refuses relative names */
	const struct name *origin;
	char *at;			/* lexed text; rdata_read() changes it */
	struct buf *wire;		/* rdata_read() appends to `wire` */
	bool is_stored;			/* true: called by rdata_parse_stored() */
};
enum err rdata_read(struct rdata_text *rdata, struct why *why);
