#include "import_fold.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "dns/canonical.h"

enum { ROWS_MAX = 200000 };

/* A row with the form that is compared. */
struct fold {
	struct spelling spelling;
	struct octets compared;
	size_t order;			/* live rows come first */
};

/* The rows at the names of one page. */
struct folds {
	struct fold *rows;
	size_t count;
	struct arena *arena;
};

static struct octets fold_compared(const struct spelling *of, struct arena *arena)
{
	static _Thread_local struct canonical canonical;
	const struct rr rr = { (const uint8_t *)"", of->type, 0, of->rdata.len,
	                       of->rdata.rdata };
	size_t len;

	if (!canonical_of_rr(&rr, &canonical))
		return (struct octets){ of->rdata.rdata, of->rdata.len };
	len = canonical.len - canonical.rdata;
	return (struct octets){ arena_dup(arena, canonical.octets + canonical.rdata, len),
	                        len };
}

static bool folds_add(struct folds *folds, const struct spelling *spelling)
{
	if (folds->count == ROWS_MAX)
		return false;
	/* grows at each power of two */
	if (!(folds->count & (folds->count - 1))) {
		size_t size = folds->count ? folds->count * 2 : 1;
		struct fold *rows = arena_alloc(folds->arena, size * sizeof(*rows));

		if (folds->count)
			memcpy(rows, folds->rows, folds->count * sizeof(*rows));
		folds->rows = rows;
	}
	folds->rows[folds->count] = (struct fold){
		*spelling, fold_compared(spelling, folds->arena), folds->count };
	folds->count++;
	return true;
}

/* Compares the sets and the data, without the case of names. */
static int fold_compare_records(const struct fold *a, const struct fold *b)
{
	size_t a_len = a->compared.len, b_len = b->compared.len;
	int order = strcmp(a->spelling.name, b->spelling.name);

	if (!order)
		order = a->spelling.type - b->spelling.type;
	if (!order)
		order = memcmp(a->compared.at, b->compared.at,
		               a_len < b_len ? a_len : b_len);
	return order ? order : (a_len > b_len) - (a_len < b_len);
}

static int fold_compare(const void *left, const void *right)
{
	const struct fold *a = left, *b = right;
	int order = fold_compare_records(a, b);

	return order ? order : (a->order > b->order) - (a->order < b->order);
}

/* Writes the first spelling of each record into the staged rows with another spelling. */
static void folds_write(struct folds *folds, struct tx *tx, const char *import_id)
{
	const struct fold *first = folds->rows;

	if (folds->count > 1)
		qsort(folds->rows, folds->count, sizeof(*folds->rows), fold_compare);
	for (size_t i = 1; i < folds->count; i++) {
		const struct fold *row = &folds->rows[i];

		if (fold_compare_records(first, row))
			first = row;
		else if (row->spelling.is_staged)
			store_import_spell(tx, import_id, &row->spelling,
			                   &first->spelling.rdata);
	}
}

static enum err folds_read(struct folds *folds, struct tx *tx,
                           const struct import_step *step, const char *const *names,
                           size_t count)
{
	bool fits = true;

	for (int is_staged = 0; is_staged < 2; is_staged++) {
		struct spelling spelling;
		struct tx_rows rows;

		store_import_spellings(tx, step, is_staged, names, count, folds->arena,
		                       &rows);
		while (fits && store_import_spelling_next(&rows, &spelling)) {
			spelling.is_staged = is_staged;
			fits = folds_add(folds, &spelling);
		}
		tx_select_end(&rows);
	}
	if (fits)
		return tx->err;
	return fail(tx->why, ERR_INVALID, "records: more than %d records at the names "
	            "from '%.100s' to '%.100s' have capital letters in the names in "
	            "their data: write these names in lower case", ROWS_MAX, names[0],
	            names[count - 1]);
}

static enum err import_fold_names(struct tx *tx, const struct import_step *step,
                                  struct arena *arena, const char *const *names,
                                  size_t count)
{
	struct folds folds = { .arena = arena };
	enum err err = folds_read(&folds, tx, step, names, count);

	if (!err)
		folds_write(&folds, tx, step->import_id);
	return err ? err : tx->err;
}

/* Folds the names whose staged data has capital letters, a page at a time. */
static enum err import_fold_staged(struct tx *tx, const struct import_step *step,
                                   struct arena *arena)
{
	const char *names[IMPORT_CAPITALS_MAX];
	struct import_place place = { .position = -1 };
	enum err err = OK;
	size_t count;

	while (!err && (count = store_import_capitals(tx, step->import_id, &place, arena,
	                                              names))) {
		err = import_fold_names(tx, step, arena, names, count);
		arena_reset(arena);
	}
	return err ? err : tx->err;
}

/* The same for the names whose live data has capital letters. */
static enum err import_fold_live(struct tx *tx, const struct import_step *step,
                                 struct arena *arena)
{
	const char *names[IMPORT_CAPITALS_MAX];
	char after[NAME_MAX_TEXT + 1] = "";
	enum err err = OK;
	size_t count;

	while (!err && (count = store_import_live_capitals(tx, step, after, arena,
	                                                   names))) {
		snprintf(after, sizeof after, "%s", names[count - 1]);
		err = import_fold_names(tx, step, arena, names, count);
		arena_reset(arena);
	}
	return err ? err : tx->err;
}

enum err import_fold(struct tx *tx, const struct import_step *step)
{
	struct arena *arena = arena_new();
	enum err err = import_fold_staged(tx, step, arena);

	if (!err)
		err = import_fold_live(tx, step, arena);
	arena_free(&arena);
	return err;
}
