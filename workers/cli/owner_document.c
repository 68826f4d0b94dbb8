#include "owner_document.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "progress.h"

enum { ATTEMPTS = 3 };

struct reading {
	struct document *document;
	json_t *marker;			/* of the previous page; NULL: first page */
	bool is_anew;			/* the zone was read again meanwhile */
	struct progress progress;
};

static enum err document_begin(struct document *document, const json_t *page)
{
	const char *zone = document->zone->name;

	document->serial = answer_number(page, "serial");
	document->count = 0;
	snprintf(document->read_at, sizeof document->read_at, "%s",
	         answer_text(page, "read_at"));
	document->begin(document->self);
	if (*document->read_at)
		return OK;
	return fail(&document->cli->why, ERR_CONFLICT, "zonefleet-ownership has not read "
	            "%.255s yet: run 'zonefleet owner plan %.64s %.100s'", zone,
	            document->zone->storage_id, zone);
}

/*
 * True: the page belongs to the same reading. An owner may change without a new serial;
 * then the time of the reading differs.
 */
static bool document_is_of_reading(const struct document *document, const json_t *page)
{
	return document->serial == answer_number(page, "serial") &&
	       !strcmp(document->read_at, answer_text(page, "read_at"));
}

static void document_take(struct reading *reading, const json_t *page)
{
	struct document *document = reading->document;
	size_t i;
	json_t *record;

	json_array_foreach(json_object_get(page, "records"), i, record)
		document->take(document->self, record);
	document->count += (int64_t)i;
	progress_line(&reading->progress, "reading %s  %" PRId64 " records",
	              document->zone->name, document->count);
}

static enum err document_take_page(struct reading *reading, const json_t *page)
{
	enum err err = OK;

	if (!reading->marker)
		err = document_begin(reading->document, page);
	else if (!document_is_of_reading(reading->document, page))
		reading->is_anew = true;
	if (!err && !reading->is_anew)
		document_take(reading, page);
	json_decref(reading->marker);
	reading->marker = json_incref(json_object_get(page, "marker"));
	return err;
}

static enum err document_read_page(struct reading *reading)
{
	struct document *document = reading->document;
	json_t *page;
	enum err err = owner_ask(document->cli, "storage_records",
	                         owner_arguments(document->zone, "marker",
	                                         json_incref(reading->marker)), &page);

	if (err)
		return err;
	err = document_take_page(reading, page);
	json_decref(page);
	return err;
}

static enum err document_read_pages(struct reading *reading)
{
	enum err err;

	reading->is_anew = false;
	do
		err = document_read_page(reading);
	while (!err && !reading->is_anew && json_is_string(reading->marker));
	json_decref(reading->marker);
	reading->marker = NULL;
	return err;
}

enum err owner_document_read(struct document *document)
{
	struct reading reading = { .document = document, .is_anew = true };
	enum err err = OK;

	progress_begin(&reading.progress, &document->cli->out);
	for (int i = 0; !err && reading.is_anew && i < ATTEMPTS; i++)
		err = document_read_pages(&reading);
	progress_end(&reading.progress);
	if (!err && reading.is_anew)
		err = fail(&document->cli->why, ERR_CONFLICT, "the zone %.255s changed "
		           "%d times while the client read the records of the zone: "
		           "try again later",
		           document->zone->name, ATTEMPTS);
	return err;
}
