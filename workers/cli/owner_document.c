#include "owner_document.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "progress.h"

enum { ATTEMPTS = 3 };

struct turning {
	struct document *document;
	json_t *marker;			/* of the previous page; NULL: first page */
	bool is_anew;			/* the zone was read again meanwhile */
	struct progress progress;
};

static enum err begin(struct document *document, const json_t *page)
{
	const char *zone = document->zone->name;

	document->serial = answer_number(page, "serial");
	document->count = 0;
	snprintf(document->read_at, sizeof document->read_at, "%s",
	         answer_text(page, "read_at"));
	document->begin(document->self);
	if (*document->read_at)
		return OK;
	return fail(&document->cli->why, ERR_CONFLICT, "%.255s has not been read yet: "
	            "run 'zonefleet owner plan %.64s %.100s'", zone,
	            document->zone->storage_id, zone);
}

/*
 * True: the page belongs to the same reading. An owner may change without a new serial;
 * then the time of the reading differs.
 */
static bool is_of_reading(const struct document *document, const json_t *page)
{
	return document->serial == answer_number(page, "serial") &&
	       !strcmp(document->read_at, answer_text(page, "read_at"));
}

static void take(struct turning *turning, const json_t *page)
{
	struct document *document = turning->document;
	size_t i;
	json_t *record;

	json_array_foreach(json_object_get(page, "records"), i, record)
		document->take(document->self, record);
	document->count += (int64_t)i;
	progress_line(&turning->progress, "reading %s  %" PRId64 " records",
	              document->zone->name, document->count);
}

static enum err turn(struct turning *turning, const json_t *page)
{
	enum err err = OK;

	if (!turning->marker)
		err = begin(turning->document, page);
	else if (!is_of_reading(turning->document, page))
		turning->is_anew = true;
	if (!err && !turning->is_anew)
		take(turning, page);
	json_decref(turning->marker);
	turning->marker = json_incref(json_object_get(page, "marker"));
	return err;
}

static enum err read_page(struct turning *turning)
{
	struct document *document = turning->document;
	json_t *page;
	enum err err = owner_ask(document->cli, "storage_records",
	                         owner_arguments(document->zone, "marker",
	                                         json_incref(turning->marker)), &page);

	if (err)
		return err;
	err = turn(turning, page);
	json_decref(page);
	return err;
}

static enum err read_pages(struct turning *turning)
{
	enum err err;

	turning->is_anew = false;
	do
		err = read_page(turning);
	while (!err && !turning->is_anew && json_is_string(turning->marker));
	json_decref(turning->marker);
	turning->marker = NULL;
	return err;
}

enum err owner_document_read(struct document *document)
{
	struct turning turning = { .document = document, .is_anew = true };
	enum err err = OK;

	progress_begin(&turning.progress, &document->cli->out);
	for (int i = 0; !err && turning.is_anew && i < ATTEMPTS; i++)
		err = read_pages(&turning);
	progress_end(&turning.progress);
	if (!err && turning.is_anew)
		err = fail(&document->cli->why, ERR_CONFLICT, "%.255s changed %d times "
		           "while the client read its records: try again later",
		           document->zone->name, ATTEMPTS);
	return err;
}
