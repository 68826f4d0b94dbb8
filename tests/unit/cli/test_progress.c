#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <unistd.h>

#include "progress.h"

/* Without a terminal, a line appears again only with another text. */
static void lines_that_change(void **state)
{
	static const struct {
		const char *text;
		bool is_due;
	} lines[] = {
		{ "a 1", true }, { "a 1", true }, { "a 2", false }, { "a 2", true },
		{ "a 2", true }, { "a 1", true },
	};
	struct progress progress;
	char got[64] = "";
	FILE *file = tmpfile();
	int stderr_fd = dup(STDERR_FILENO);

	(void)state;
	dup2(fileno(file), STDERR_FILENO);
	progress_begin(&progress, &(struct output){ 0 });
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		if (lines[i].is_due)
			progress.drawn_ms = INT64_MIN / 2;
		progress_line(&progress, "%s", lines[i].text);
	}
	progress_end(&progress);
	fflush(stderr);
	dup2(stderr_fd, STDERR_FILENO);
	close(stderr_fd);
	rewind(file);
	assert_int_equal(fread(got, 1, sizeof(got) - 1, file), 12);
	assert_string_equal(got, "a 1\na 2\na 1\n");
	fclose(file);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_that_change),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
