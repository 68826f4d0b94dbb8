/*
 * Any text as rdata of any type, any bytes as its wire, and any text as a master
 * file. What is stored prints, and its text is read back as the same wire.
 * Input: two octets of type, one that chooses, then the text or the wire.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/master_file.h"
#include "model/presentation.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(bool holds)
{
	if (!holds)
		abort();
}

static void check_stored(uint16_t type, const uint8_t *rdata, uint16_t len)
{
	struct arena *arena = arena_new();
	struct buf text = { 0 };
	const uint8_t *again;
	uint16_t again_len;
	struct why why;

	check(len <= RDATA_MAX);
	check(!rdata_format(type, rdata, len, &text, &why));
	check(!rdata_parse(type, buf_string(&text), "data", arena, &again, &again_len,
	                   &why));
	check(len == again_len && !memcmp(rdata, again, len));
	buf_clear(&text);
	arena_free(&arena);
}

static void as_text(uint16_t type, const char *text)
{
	struct arena *arena = arena_new();
	const uint8_t *rdata;
	uint16_t len;
	struct why why;

	if (!rdata_parse(type, text, "data", arena, &rdata, &len, &why))
		check_stored(type, rdata, len);
	arena_free(&arena);
}

static void as_wire(uint16_t type, const uint8_t *data, size_t size)
{
	struct buf text = { 0 };
	struct why why;

	if (!rdata_format(type, data, size < UINT16_MAX ? size : UINT16_MAX, &text, &why))
		as_text(type, buf_string(&text));
	buf_clear(&text);
}

/* Limits the time that a file with many directives $GENERATE takes. */
enum { RECORDS_MAX = 2000 };

/* A master file may not leave its folder, so it gets none. */
static void as_file(const char *text)
{
	size_t len = strlen(text);
	FILE *file = len ? fmemopen((char *)text, len, "r") : NULL;
	struct master_file *master;
	const struct master_options options = { .origin = "example.", .folder = -1 };
	struct rr rr;
	bool found;
	struct why why;

	if (!file)
		return;
	master = master_file_open(file, "zone", &options);
	for (int i = 0; i < RECORDS_MAX && !master_file_next(master, &rr, &found, &why) &&
	                found; i++)
		check_stored(rr.type, rr.rdata, rr.rdata_len);
	master_file_close(&master);
	fclose(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char name[16];
	struct why why;
	uint16_t type;

	if (size < 3)
		return 0;

	char *text = malloc(size - 2);

	memcpy(text, data + 3, size - 3);
	text[size - 3] = '\0';
	rrtype_parse(text, "type", &type, &why);
	rrtype_format(data[0] << 8 | data[1], name);
	if (data[2] % 4 == 0)
		as_file(text);
	else if (!rrtype_parse(name, "type", &type, &why) && data[2] % 4 == 1)
		as_wire(type, data + 3, size - 3);
	else if (!rrtype_parse(name, "type", &type, &why))
		as_text(type, text);
	free(text);
	return 0;
}
