/*
 * suggest -- finds the word that a person probably meant, for an error text: "did you
 * mean 'list'?". The caller offers all words that are valid in this place. Two words are
 * similar if few letters are missing, added, wrong or swapped: at most two letters, and
 * at most half of the letters of the shorter word. The comparison ignores upper and
 * lower case. A word with more than SUGGEST_WORD_MAX letters has no similar word, so the
 * work is bounded.
 */
#pragma once

#include <stddef.h>

enum { SUGGEST_WORD_MAX = 64, SUGGEST_TEXT = SUGGEST_WORD_MAX + 32 };

struct suggest {
	const char *word;		/* the word that the person wrote */
	/* the most similar word so far; "": no similar word so far */
	char best[SUGGEST_WORD_MAX + 1];
	size_t distance;
};

struct suggest suggest_for(const char *word);
/*
 * Offers a valid word, the LEN bytes at CANDIDATE. If two words are equally similar,
 * SUGGEST keeps the first word.
 */
void suggest_offer(struct suggest *suggest, const char *candidate, size_t len);
/* Returns for example ": did you mean 'list'?", or OTHERWISE if no word is similar. */
const char *suggest_text(const struct suggest *suggest, const char *otherwise,
                         char text[SUGGEST_TEXT]);
