/*
 * forms -- returns the form of marks for a word: "ours", "plain", "seed" or "none". A
 * word that begins with "-" is the suffix of a form. Any other word is the prefix of a
 * form with the wildcard "wild".
 */
#pragma once

#include <string.h>

#include "core/mark_name.h"

static struct mark_form form_named(const char *word)
{
	struct mark_form form;
	struct why why;

	if (!strcmp(word, "ours"))
		return mark_form_ours;
	if (!strcmp(word, "plain"))
		return mark_form_plain;
	if (!strcmp(word, "seed"))
		return mark_form_seed;
	if (!strcmp(word, "none"))
		return mark_form_none;
	assert_int_equal(mark_form_parse(*word == '-' ? "" : word,
	                                 *word == '-' ? word : "",
	                                 *word == '-' ? "" : "wild", "mark", &form, &why),
	                 OK);
	return form;
}
