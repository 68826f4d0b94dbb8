#include "agent/file_entries.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void file_entry_clear(struct file_entry *entry)
{
	free(entry->key);
	for (int i = 0; i < ENTRY_FILES; i++)
		free(entry->lines[i]);
}

void file_entries_clear(struct file_entries *entries)
{
	for (size_t i = 0; i < entries->count; i++)
		file_entry_clear(&entries->item[i]);
	free(entries->item);
	*entries = (struct file_entries){ 0 };
}

/*
 * The first entry at or after KEY. Keys mostly come in order, so the end is tried first.
 */
static size_t file_entries_find(const struct file_entries *entries, const char *key,
                                bool *is_there)
{
	size_t low = 0, high = entries->count;

	if (high > 0 && strcmp(entries->item[high - 1].key, key) < 0)
		low = high;
	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (strcmp(entries->item[middle].key, key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	*is_there = low < entries->count && strcmp(entries->item[low].key, key) == 0;
	return low;
}

static void file_entries_insert(struct file_entries *entries, size_t at, const char *key)
{
	if (entries->count == entries->size) {
		entries->size = 2 * entries->size + 16;
		entries->item = xrealloc(entries->item,
		                         entries->size * sizeof *entries->item);
	}
	memmove(entries->item + at + 1, entries->item + at,
	        (entries->count - at) * sizeof *entries->item);
	entries->item[at] = (struct file_entry){ .key = xstrdup(key) };
	entries->count++;
}

static bool file_entries_is_same(const char *a, const char *b)
{
	return strcmp(a ? a : "", b ? b : "") == 0;
}

bool file_entries_put(struct file_entries *entries, const char *key,
                      const char *const lines[ENTRY_FILES])
{
	bool is_there, is_new;
	size_t at = file_entries_find(entries, key, &is_there);

	if (!is_there)
		file_entries_insert(entries, at, key);
	is_new = !is_there;
	for (int i = 0; i < ENTRY_FILES; i++) {
		char **was = &entries->item[at].lines[i];

		if (file_entries_is_same(*was, lines[i]))
			continue;
		free(*was);
		*was = lines[i] ? xstrdup(lines[i]) : NULL;
		is_new = true;
	}
	return is_new;
}

bool file_entries_drop(struct file_entries *entries, const char *key)
{
	bool is_there;
	size_t at = file_entries_find(entries, key, &is_there);

	if (!is_there)
		return false;
	file_entry_clear(&entries->item[at]);
	entries->count--;
	memmove(entries->item + at, entries->item + at + 1,
	        (entries->count - at) * sizeof *entries->item);
	return true;
}

bool file_entries_has(const struct file_entries *entries, const char *key)
{
	bool is_there;

	file_entries_find(entries, key, &is_there);
	return is_there;
}

void file_entries_print(const struct file_entries *entries, int file, struct buf *text)
{
	for (size_t i = 0; i < entries->count; i++)
		if (entries->item[i].lines[file])
			buf_text(text, entries->item[i].lines[file]);
}
