#include "runtime/rpc_redo.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "base/fnv.h"
#include "runtime/tx.h"

enum {
	RACES_MAX = 8,		/* lost races of a request, */
	RACES_MS = 2000,	/* within this time */
	STALL_MS = 4500,	/* shorter than a wait for a row: runtime/db.c */
	LOCKED_MS = 5000,	/* the longest total wait for a locked row */
	LOCKED_PAUSE_FIRST_MS = 5,
	LOCKED_PAUSE_MAX_MS = 200,
	LOCKED_PAUSE_SHARE = 20,	/* the pause grows with the time waited */
	/* for this time any number of requests may wait for a row */
	CROWD_MS = 250,
	WON_MS = 1000,		/* after a success this long, a request may wait */
	LOCKED_NOTE_MS = 3000,	/* longer than a pause */
};

/* ---- the time of the next run ---- */

/*
 * A run that lost its race after a long time was on a database node that hung or was cut
 * off; the next run uses another node. If it took longer than STALL_MS, the row was
 * locked, and the request has waited long enough.
 */
static int redo_race_pause_ms(struct redo *redo, int64_t run_ms, int64_t now_ms)
{
	if (!redo->races)
		redo->race_until_ms = run_ms < STALL_MS ? now_ms + RACES_MS : now_ms;
	if (redo->races == RACES_MAX || now_ms >= redo->race_until_ms)
		return -1;
	return tx_retry_pause_ms(redo->races++);
}

static int redo_locked_pause_ms(struct redo *redo, int64_t now_ms, uint32_t random)
{
	int64_t waited_ms, pause_ms;

	if (!redo->locked_ms)
		redo->locked_ms = now_ms;
	waited_ms = now_ms - redo->locked_ms;
	if (waited_ms >= LOCKED_MS)
		return -1;
	pause_ms = waited_ms / LOCKED_PAUSE_SHARE;
	if (pause_ms < LOCKED_PAUSE_FIRST_MS)
		pause_ms = LOCKED_PAUSE_FIRST_MS;
	if (pause_ms > LOCKED_PAUSE_MAX_MS)
		pause_ms = LOCKED_PAUSE_MAX_MS;
	return (int)(pause_ms - random % (uint32_t)(pause_ms / 2 + 1));
}

int redo_pause_ms(struct redo *redo, enum err err, int64_t run_ms, int64_t now_ms,
                  uint32_t random)
{
	return err == ERR_LOCKED ? redo_locked_pause_ms(redo, now_ms, random)
	                         : redo_race_pause_ms(redo, run_ms, now_ms);
}

/* ---- locked subjects ---- */

static size_t subject_len(const char *subject)
{
	size_t len = strlen(subject);

	return len > 1 && subject[len - 1] == '.' ? len - 1 : len;
}

static bool subject_is_same(const char *a, const char *b)
{
	return subject_len(a) == subject_len(b) && !strncasecmp(a, b, subject_len(a));
}

static uint32_t locked_hash(const char *subject)
{
	uint64_t hash = FNV_START;

	for (size_t i = 0; i < subject_len(subject); i++) {
		char c = (char)tolower((unsigned char)subject[i]);

		hash = fnv_add(hash, &c, 1);
	}
	return (uint32_t)hash;
}

void locked_subjects_note(struct locked_subjects *locked, const char *subject,
                          bool is_locked, int64_t now_ms)
{
	uint32_t hash = locked_hash(subject);
	int64_t since_ms = locked_subjects_since(locked, subject, now_ms);

	if (locked->slot[hash % 64].hash != hash) {
		/* a success alone does not push out a locked subject */
		if (!is_locked)
			return;
		locked->slot[hash % 64].won_ms = 0;
	}
	if (!is_locked)
		locked->slot[hash % 64].won_ms = now_ms;
	locked->slot[hash % 64].hash = hash;
	locked->slot[hash % 64].since_ms = since_ms ? since_ms : now_ms;
	locked->slot[hash % 64].until_ms = is_locked ? now_ms + LOCKED_NOTE_MS : 0;
}

int64_t locked_subjects_since(const struct locked_subjects *locked, const char *subject,
                              int64_t now_ms)
{
	uint32_t hash = locked_hash(subject);

	return locked->slot[hash % 64].hash == hash &&
	       now_ms < locked->slot[hash % 64].until_ms
	       ? locked->slot[hash % 64].since_ms : 0;
}

bool locked_subjects_may_wait(const struct locked_subjects *locked, const char *subject,
                              int64_t now_ms)
{
	uint32_t hash = locked_hash(subject);

	return locked->slot[hash % 64].hash == hash && locked->slot[hash % 64].won_ms &&
	       now_ms - locked->slot[hash % 64].won_ms < WON_MS &&
	       !locked_subjects_since(locked, subject, now_ms);
}

/* ---- the queue ---- */

bool redo_queue_is_full(const struct redo_queue *queue, int64_t since_ms, int64_t now_ms)
{
	return queue->locked >= queue->locked_max && since_ms &&
	       now_ms - since_ms >= CROWD_MS;
}

struct redo_entry *redo_queue_leader(const struct redo_queue *queue, const char *subject)
{
	struct redo_entry *leader = subject ? queue->leaders : NULL;

	while (leader && !(leader->subject && subject_is_same(leader->subject, subject)))
		leader = leader->next;
	return leader;
}

void redo_queue_add(struct redo_queue *queue, struct redo_entry *entry, int64_t due_ms)
{
	struct redo_entry *leader = redo_queue_leader(queue, entry->subject);

	queue->count++;
	queue->locked += entry->is_locked;
	entry->behind = NULL;
	entry->behind_end = &entry->behind;
	if (leader) {
		entry->next = NULL;
		*leader->behind_end = entry;
		leader->behind_end = &entry->next;
		return;
	}
	entry->due_ms = due_ms;
	entry->next = queue->leaders;
	queue->leaders = entry;
}

struct redo_entry *redo_queue_take_due(struct redo_queue *queue, int64_t now_ms)
{
	struct redo_entry **link = &queue->leaders, *leader;

	while (*link && (*link)->due_ms > now_ms)
		link = &(*link)->next;
	leader = *link;
	if (!leader)
		return NULL;
	*link = leader->next;
	leader->next = leader->behind;
	for (struct redo_entry *entry = leader; entry; entry = entry->next) {
		queue->count--;
		queue->locked -= entry->is_locked;
	}
	return leader;
}

int64_t redo_queue_due_ms(const struct redo_queue *queue)
{
	int64_t due_ms = -1;

	for (const struct redo_entry *at = queue->leaders; at; at = at->next)
		if (due_ms < 0 || at->due_ms < due_ms)
			due_ms = at->due_ms;
	return due_ms;
}
