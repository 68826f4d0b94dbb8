/*
 * suggest -- finds the word that a person probably meant, for the reason of an error:
 * "did you mean 'list'?". The caller offers all words that are valid in this place. Two
 * words are similar if at most two letters are missing, added, wrong or swapped, and at
 * most half of the letters of the shorter word. Case does not count. A long word has no
 * similar word, so the work is bounded.
 */
#pragma once

#include <stddef.h>

enum { SUGGEST_WORD_MAX = 64, SUGGEST_TEXT = SUGGEST_WORD_MAX + 32 };

struct suggest {
	const char *word;		/* what the person wrote */
	char best[SUGGEST_WORD_MAX + 1];	/* "": no similar word so far */
	size_t distance;
};

struct suggest suggest_for(const char *word);
/* Offers the LEN bytes at CANDIDATE. Of two equally similar words, the first wins. */
void suggest_offer(struct suggest *suggest, const char *candidate, size_t len);
/* Returns ": did you mean 'list'?" in TEXT, or OTHERWISE if no word is similar. */
const char *suggest_text(const struct suggest *suggest, const char *otherwise,
                         char text[SUGGEST_TEXT]);
