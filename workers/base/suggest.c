#include "base/suggest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

enum { DISTANCE_MAX = 2 };

struct suggest suggest_for(const char *word)
{
	return (struct suggest){ .word = word, .distance = DISTANCE_MAX + 1 };
}

static bool suggest_is_same(char a, char b)
{
	return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static size_t suggest_min(size_t a, size_t b)
{
	return a < b ? a : b;
}

/*
 * The smallest number of letters to add, remove, replace or swap (the distance of Damerau
 * and Levenshtein, with one change at each place). ROWS are those of the last two letters
 * of A and of the present letter.
 */
static size_t suggest_distance(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t rows[3][SUGGEST_WORD_MAX + 1];
	size_t *above2 = rows[0], *above = rows[1], *row = rows[2];

	for (size_t j = 0; j <= b_len; j++)
		above[j] = j;
	for (size_t i = 1; i <= a_len; i++) {
		row[0] = i;
		for (size_t j = 1; j <= b_len; j++) {
			row[j] = suggest_min(above[j], row[j - 1]) + 1;
			row[j] = suggest_min(row[j], above[j - 1] +
			                     !suggest_is_same(a[i - 1], b[j - 1]));
			if (i > 1 && j > 1 && suggest_is_same(a[i - 1], b[j - 2]) &&
			    suggest_is_same(a[i - 2], b[j - 1]))
				row[j] = suggest_min(row[j], above2[j - 2] + 1);
		}

		size_t *spare = above2;

		above2 = above;
		above = row;
		row = spare;
	}
	return above[b_len];
}

void suggest_offer(struct suggest *suggest, const char *candidate, size_t len)
{
	size_t word_len = strnlen(suggest->word, SUGGEST_WORD_MAX + 1), distance;

	if (word_len > SUGGEST_WORD_MAX || len > SUGGEST_WORD_MAX)
		return;
	distance = suggest_distance(suggest->word, word_len, candidate, len);
	/* the shorter word must share half of its letters with the other */
	if (distance >= suggest->distance || 2 * distance > suggest_min(word_len, len))
		return;
	suggest->distance = distance;
	snprintf(suggest->best, sizeof suggest->best, "%.*s", (int)len, candidate);
}

const char *suggest_text(const struct suggest *suggest, const char *otherwise,
                         char text[SUGGEST_TEXT])
{
	if (!*suggest->best)
		return otherwise;
	snprintf(text, SUGGEST_TEXT, ": did you mean '%s'?", suggest->best);
	return text;
}
