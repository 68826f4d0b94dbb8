/* Any file: option_load() takes it or says why not, and frees what it took. */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/option.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libconfig 1.5 loses the string in its hands at a syntax error; ours are still seen. */
const char *__lsan_default_suppressions(void)
{
	return "leak:libconfig.so";
}

struct values {
	char *text;
	int integer, seconds, percent;
	int64_t bytes;
	bool boolean;
	struct option_texts texts;
	char *name;
};

/* No OPTION_SECRET: its "@path" would open whatever file the fuzzer thinks of. */
static const struct option rows[] = {
	{ "text", OPTION_TEXT, offsetof(struct values, text), "abc", 1, 9, "" },
	{ "integer", OPTION_INT, offsetof(struct values, integer), "1", -5, 64, "" },
	{ "seconds", OPTION_SECONDS, offsetof(struct values, seconds), "2m", 0, 0, "" },
	{ "percent", OPTION_PERCENT, offsetof(struct values, percent), "50", 0, 0, "" },
	{ "bytes", OPTION_BYTES, offsetof(struct values, bytes), "64M", 0, 0, "" },
	{ "boolean", OPTION_BOOL, offsetof(struct values, boolean), "true", 0, 0, "" },
	{ "texts", OPTION_TEXTS, offsetof(struct values, texts), "a, b", 0, 0, "" },
	{ "name", OPTION_TEXT, offsetof(struct values, name), NULL, 0, 0, "",
	  .required = true },
	{ 0 }
};
static const struct option no_rows[] = { { 0 } };

static struct values central, *servers;
static size_t count;

static const struct option_section sections[] = {
	{ "central", "", rows, &central },
	{ "backends.bind9", "", no_rows, &central },
	{ 0 }
};
static const struct option_list lists[] = {
	{ "backends.bind9", NULL, "", rows, sizeof(struct values), (void **)&servers,
	  &count },
	{ 0 }
};
static const struct option_schema schema = { "fuzz", sections, lists };

static void must(bool true_here)
{
	if (!true_here)
		abort();
}

static void check_values(const struct values *values)
{
	must(values->text && values->name);
	must(values->integer >= -5 && values->integer <= 64);
	must(values->seconds >= 0 && values->bytes >= 0);
	must(values->percent >= 0 && values->percent <= 100);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("fuzz", MFD_CLOEXEC);
	struct why why;
	char path[64];

	must(fd >= 0 && write(fd, data, size) == (ssize_t)size && fchmod(fd, 0600) == 0);
	snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
	if (option_load(&schema, path, &why) == OK) {
		check_values(&central);
		for (size_t i = 0; i < count; i++)
			check_values(&servers[i]);
		must(option_reload(&schema, path, &why) == OK);
		option_clear(&schema);
	}
	must(!central.text && !central.name && !servers && count == 0);
	close(fd);
	return 0;
}
