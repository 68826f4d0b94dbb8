#include "runtime/tx_list.h"

#include "base/buf.h"
#include "base/log.h"

static size_t tx_list_places(size_t count)
{
	static const size_t sizes[] = { 1, 2, 3, 4, 8, 16, 32, 64, 128, 256,
	                                TX_LIST_MAX };
	size_t i = 0;

	bug_if(!count || count > TX_LIST_MAX);
	while (sizes[i] < count)
		i++;
	return sizes[i];
}

const char *tx_list_of(struct arena *arena, const char *head, const char *tuple,
                       const char *separator, const char *tail, size_t count,
                       size_t *places)
{
	struct buf sql = { 0 };
	const char *text;

	*places = tx_list_places(count);
	buf_text(&sql, head);
	for (size_t i = 0; i < *places; i++) {
		buf_text(&sql, i ? separator : "");
		buf_text(&sql, tuple);
	}
	buf_text(&sql, tail);
	text = arena_strdup(arena, buf_string(&sql));
	buf_clear(&sql);
	return text;
}

const char *tx_list(struct arena *arena, const char *head, const char *tail, size_t count,
                    size_t *places)
{
	return tx_list_of(arena, head, "?", ",", tail, count, places);
}

void tx_list_fill(struct tx_value *values, const char *const *texts, size_t count,
                  size_t places)
{
	for (size_t i = 0; i < places; i++)
		values[i] = tx_text(texts[i < count ? i : count - 1]);
}
