/* Any text as a name, any bytes as wire: canonical text is read back as itself. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/name.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void read_back(const struct name *name)
{
	char text[NAME_MAX_TEXT + 1], again[NAME_MAX_TEXT + 1];
	struct name back;
	struct why why;

	name_format(name, text);
	check(!name_parse(text, "name", &back, &why));
	check(name_equal(name, &back));
	name_format(&back, again);
	check(!strcmp(text, again));
	check(!name_compare_wire(name->wire, back.wire) && name_is_below(&back, name));
}

static void as_text(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct name name, relative;
	struct why why;

	memcpy(text, data, size);
	text[size] = '\0';
	if (!name_parse(text, "name", &name, &why)) {
		check(name_wire_len(name.wire, name.len) == name.len);
		read_back(&name);
		if (!name_parse_in(text, &name, "name", &relative, &why))
			check(name_wire_len(relative.wire, relative.len) == relative.len);
	}
	name_parse_owner(text, "name", &name, &why);
	free(text);
}

static void as_wire(const uint8_t *data, size_t size)
{
	struct name name = { .len = name_wire_len(data, size) };

	if (!name.len)
		return;
	memcpy(name.wire, data, name.len);
	name_fold(&name);
	read_back(&name);
	while (name_parent(&name, &name))
		read_back(&name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	as_text(data, size);
	as_wire(data, size);
	return 0;
}
