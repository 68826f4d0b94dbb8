#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#undef fail	/* cmocka has one; ours is in base/err.h */

#include <stdio.h>
#include <string.h>

#include "base/suggest.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define WORD64 "0123456789012345678901234567890123456789012345678901234567890123"

/* WORD among CANDIDATES, which are separated by blanks. */
static const char *suggested(const char *word, const char *candidates,
                             char text[SUGGEST_TEXT])
{
	struct suggest suggest = suggest_for(word);

	for (size_t len; *candidates; candidates += len + strspn(candidates + len, " ")) {
		len = strcspn(candidates, " ");
		suggest_offer(&suggest, candidates, len);
	}
	return suggest_text(&suggest, "", text);
}

static void similar_words(void **state)
{
	static const char verbs[] = "create list show set delete";
	static const struct { const char *word, *candidates, *want; } cases[] = {
		{ "lst",      verbs,        "list" },	/* missing */
		{ "liist",    verbs,        "list" },	/* added */
		{ "lisp",     verbs,        "list" },	/* wrong */
		{ "lsit",     verbs,        "list" },	/* swapped */
		{ "dxlyyte",  verbs,        NULL },	/* three changes */
		{ "detele",   verbs,        "delete" },
		{ "SHOW",     verbs,        "show" },
		{ "sho",      verbs,        "show" },
		{ "ls",       verbs,        NULL },
		{ "frob",     verbs,        NULL },
		{ "",         verbs,        NULL },
		{ "x",        "A MX",       NULL },	/* shares no letter */
		{ "AAA",      "A AAAA",     "AAAA" },
		{ "FOO",      "SOA FO",     "FO" },
		{ "FOO",      "SOA TXT",    NULL },	/* shares one of three */
		{ "food",     "soad",       "soad" },	/* shares two of four */
		{ "fo",       "f",          NULL },
		{ "ab",       "ba",         "ba" },
		{ "cd",       "xd cx",      "xd" },	/* the first of two */
		{ "abcd",     "abxy abcx",  "abcx" },	/* the nearest */
		{ "ttl",      "tenant ttl", "ttl" },
		{ WORD64,     WORD64 "x",   NULL },	/* bounded */
		{ WORD64 "x", WORD64,       NULL },
		{ "x" WORD64, "x",          NULL },
		{ WORD64,     WORD64,       WORD64 },
		{ "a",        "",           NULL },
	};
	char text[SUGGEST_TEXT], want[SUGGEST_TEXT];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		snprintf(want, sizeof want, ": did you mean '%s'?", cases[i].want);
		assert_string_equal(suggested(cases[i].word, cases[i].candidates, text),
		                    cases[i].want ? want : "");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(similar_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
