#include "model/presentation_text.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

static int lexer_wrong(struct lexer *lexer, const char *words)
{
	lexer->wrong = words;
	return LEX_WRONG;
}

static int lexer_parenthesis(struct lexer *lexer, int c)
{
	if (lexer->nested == (c == '('))
		return lexer_wrong(lexer, "has unbalanced or nested parentheses");
	lexer->nested = c == '(';
	return ' ';
}

static int lexer_newline(struct lexer *lexer)
{
	if (lexer->quoted)
		return lexer_wrong(lexer, "has a quote that is not closed");
	lexer->comment = false;
	return lexer->nested ? ' ' : LEX_END;
}

int lexer_step(struct lexer *lexer, int c)
{
	if (c == '\n' && !lexer->escaped)
		return lexer_newline(lexer);
	if (lexer->comment)
		return LEX_SKIP;
	if (c == '\r' && !lexer->quoted && !lexer->escaped)
		return lexer_newline(lexer);
	if (c == '\t' && !lexer->quoted && !lexer->escaped)
		c = ' ';
	if (c == '\r')
		return lexer_wrong(lexer, "contains a carriage return: remove it, or "
		                   "write it as \\013");
	if ((c < ' ' && c != '\t') || c == 0x7f)
		return lexer_wrong(lexer, "contains a control character: write the "
		                   "character as \\DDD");
	if (lexer->escaped) {
		lexer->escaped = false;
		return c;
	}
	if (c == '\\')
		lexer->escaped = true;
	else if (c == '"')
		lexer->quoted = !lexer->quoted;
	else if (lexer->quoted)
		return c;
	else if (c == '(' || c == ')')
		return lexer_parenthesis(lexer, c);
	else if (c == ';')
		lexer->comment = true;
	return lexer->comment ? LEX_SKIP : c;
}

const char *lexer_unfinished(const struct lexer *lexer)
{
	if (lexer->escaped)
		return "ends in a backslash";
	if (lexer->quoted)
		return "has a quote that is not closed";
	return lexer->nested ? "has a parenthesis that is not closed" : NULL;
}

/*
 * The end of the word: its closing quote, or the blank after it; NULL: there is no end.
 */
static char *text_word_end(char *from, bool quoted)
{
	for (; *from; from++) {
		if (*from == '\\')
			from++;
		else if (*from == '"')
			return quoted ? from : NULL;
		else if (*from == ' ' && !quoted)
			return from;
	}
	return quoted ? NULL : from;
}

bool text_next_word(char **at, struct word *word, const char **wrong_words)
{
	char *from = *at + strspn(*at, " ");

	*at = from;
	if (!*from)
		return false;
	word->quoted = *from == '"';
	word->text = from + word->quoted;

	char *end = text_word_end(word->text, word->quoted);

	if (!end || (word->quoted && end[1] && end[1] != ' ')) {
		*wrong_words = "has a quote in the middle of a word";
		return false;
	}
	*at = *end ? end + 1 : end;
	*end = '\0';
	return true;
}

const char *text_word(char **at, bool *quoted)
{
	const char *wrong = NULL;
	struct word word;

	if (!text_next_word(at, &word, &wrong))
		return "";
	if (quoted)
		*quoted = word.quoted;
	return word.text;
}

bool text_is_blank(const char *text)
{
	return !text[strspn(text, " ")];
}

bool text_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

bool text_is_in_class(const char *text)
{
	return !strcasecmp(text, "IN") || !strcasecmp(text, "CLASS1");
}

bool text_is_other_class(const char *text)
{
	static const char *const names[] = { "CH", "CHAOS", "HS", "HESIOD", "NONE" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcasecmp(text, names[i]))
			return true;
	return !strncasecmp(text, "CLASS", 5) && text_is_digit(text[5]) &&
	       !text_is_in_class(text);
}

bool text_unescape(char *text, size_t *len)
{
	const char *start = text;
	char *to = text;

	while (*text) {
		if (*text != '\\') {
			*to++ = *text++;
		} else if (text[1] && !text_is_digit(text[1])) {
			*to++ = text[1];
			text += 2;
		} else if (text[1] && text_is_digit(text[2]) && text_is_digit(text[3])) {
			int octet = (text[1] - '0') * 100 + (text[2] - '0') * 10 +
			            text[3] - '0';

			if (octet > 255)
				return false;
			*to++ = octet;
			text += 4;
		} else {
			return false;
		}
	}
	*len = to - start;
	return true;
}

bool text_parse_number(const char *text, uint32_t max, uint32_t *number)
{
	uint64_t sum = 0;

	if (!*text)
		return false;
	for (; *text; text++) {
		if (!text_is_digit(*text))
			return false;
		sum = sum * 10 + (*text - '0');
		if (sum > max)
			return false;
	}
	*number = sum;
	return true;
}

static uint32_t text_unit_seconds(char unit)
{
	switch (unit) {
	case 's': return 1;
	case 'm': return 60;
	case 'h': return 3600;
	case 'd': return 86400;
	case 'w': return 604800;
	}
	return 0;
}

bool text_parse_period(const char *text, uint32_t max, uint32_t *seconds)
{
	uint64_t sum = 0, part = 0;

	if (!text_is_digit(*text))
		return false;
	for (; *text; text++) {
		uint32_t unit = text_unit_seconds(tolower((unsigned char)*text));

		if (text_is_digit(*text)) {
			part = part * 10 + (*text - '0');
		} else if (unit && text_is_digit(text[-1])) {
			sum += part * unit;
			part = 0;
		} else {
			return false;
		}
		if (part > max || sum > max)
			return false;
	}
	*seconds = sum + part;
	return sum + part <= max;
}

static int text_hex_value(char c)
{
	if (text_is_digit(c))
		return c - '0';
	c = tolower((unsigned char)c);
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

bool text_parse_hex(const char *text, struct buf *wire)
{
	for (; *text; text += 2) {
		int high = text_hex_value(text[0]),
		    low = text[1] ? text_hex_value(text[1]) : -1;

		if (high < 0 || low < 0)
			return false;
		buf_u8(wire, high << 4 | low);
	}
	return true;
}

void text_join_groups(char *text)
{
	char *to = text;

	for (; *text; text++)
		if (*text != ' ')
			*to++ = *text;
	*to = '\0';
}

void text_print_name(const uint8_t *wire, struct buf *text)
{
	const uint8_t *label = wire;

	if (!label[0])
		buf_text(text, ".");
	for (; label[0]; label += 1 + label[0]) {
		for (int i = 1; i <= label[0]; i++) {
			if (!isgraph(label[i]))
				buf_printf(text, "\\%03u", label[i]);
			else
				buf_printf(text, strchr(".;()\\\"", label[i]) ? "\\%c"
				                                             : "%c",
				           label[i]);
		}
		buf_text(text, ".");
	}
}
