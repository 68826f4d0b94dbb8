#include "pages.h"

#include <stdio.h>

enum { PAGE_ITEMS = 1000, LIMIT_MAX = 1000000000 };

struct reading {
	struct cli *cli;
	const struct listing *listing;
	json_t *args;
	struct table table;
	json_t *items;		/* for --json */
	int64_t left;		/* number of items left of --limit */
	bool is_empty;		/* no item so far */
};

static void pages_take(struct reading *reading, const json_t *page)
{
	const json_t *items = json_object_get(page, reading->listing->key);
	size_t i;
	json_t *item;

	json_array_foreach((json_t *)items, i, item) {
		if (reading->cli->out.json)
			json_array_append(reading->items, item);
		else
			reading->listing->row(&reading->table, item);
	}
	reading->left -= (int64_t)json_array_size(items);
	reading->is_empty &= !json_array_size(items);
	if (!reading->cli->out.json && !reading->is_empty)
		table_flush(&reading->table, stdout);
}

/* *more: another page may follow. */
static enum err pages_read_one(struct reading *reading, bool *more)
{
	json_t *page;
	const char *marker;
	enum err err;

	json_object_set_new(
		reading->args, "limit",
		json_integer(reading->left < PAGE_ITEMS ? reading->left : PAGE_ITEMS));
	err = client_call(reading->cli->client, reading->listing->topic
	                  ? reading->listing->topic : "central",
	                  reading->listing->method, json_incref(reading->args), &page,
	                  &reading->cli->why);
	if (err)
		return err;
	pages_take(reading, page);
	marker = answer_text(page, "marker");
	*more = *marker && reading->left > 0;
	json_object_set_new(reading->args, "marker", json_string(marker));
	json_decref(page);
	return OK;
}

static void pages_put_sort(const struct cli *cli, json_t *args)
{
	const char *key = cli->option[OPT_SORT];
	bool is_reverse = key && *key == '-';

	if (!key)
		return;
	json_object_set_new(args, "sort_key", json_string(key + is_reverse));
	json_object_set_new(args, "sort_dir", json_string(is_reverse ? "desc" : "asc"));
}

static enum err pages_read_all(struct reading *reading)
{
	enum err err = OK;

	for (bool more = reading->left > 0; !err && more;) {
		err = pages_read_one(reading, &more);
		more = more && !ferror(stdout) && !output_is_unwanted();
	}
	return err;
}

static void pages_note_empty(const struct reading *reading)
{
	const struct output *out = &reading->cli->out;
	const struct listing *listing = reading->listing;
	struct buf pattern = { 0 };

	if (!reading->is_empty || out->json || out->quiet)
		return;
	if (listing->pattern)
		output_escape(listing->pattern, &pattern);
	if (pattern.len)
		fprintf(stderr, "zonefleet: no %s matches '%s'\n", listing->noun,
		        buf_string(&pattern));
	else
		fprintf(stderr, "zonefleet: no %s found\n", listing->noun);
	buf_clear(&pattern);
}

enum err pages_list(struct cli *cli, const struct listing *listing, json_t *args)
{
	struct reading reading = {
		.cli = cli, .listing = listing, .args = args, .items = json_array(),
		.left = INT64_MAX, .is_empty = true,
	};
	enum err err = cli_number(cli, OPT_LIMIT, 1, LIMIT_MAX, &reading.left);

	pages_put_sort(cli, args);
	table_begin(&reading.table, &cli->out, listing->columns);
	if (!err)
		err = pages_read_all(&reading);
	table_clear(&reading.table);
	if (!err)
		pages_note_empty(&reading);
	if (!err)
		cli_answer(cli, json_pack("{s:O}", listing->key, reading.items));
	json_decref(reading.items);
	json_decref(args);
	return err;
}
