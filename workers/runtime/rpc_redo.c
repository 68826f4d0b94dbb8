#include "runtime/rpc_redo.h"

#include <string.h>

#include "runtime/tx.h"

enum {
	RACES_MAX = 8,		/* times a request may lose its race */
	RACES_MS = 2000,	/* and how long it may go on so */
	STALL_MS = 4500,	/* shorter than a wait for a row: runtime/db.c */
	LOCKED_MS = 5000,	/* how long it may find its row locked */
	LOOK_FIRST_MS = 5,
	LOOK_MAX_MS = 200,
	LOOK_SHARE = 20,	/* of what it has waited: so much later it may look */
	CROWD_MS = 3000,	/* so long any number may wait for a row */
	HELD_MS = 3000,		/* longer than from look to look */
};

/* ---- when to run again ---- */

/*
 * A loss that took long was a node of the database that hung or found itself alone, and
 * the next run meets another one. Longer yet is a row that is held: whoever wants it has
 * waited enough.
 */
static int race_pause_ms(struct redo *redo, int64_t run_ms, int64_t now_ms)
{
	if (!redo->races)
		redo->race_until_ms = run_ms < STALL_MS ? now_ms + RACES_MS : now_ms;
	if (redo->races == RACES_MAX || now_ms >= redo->race_until_ms)
		return -1;
	return tx_redo_pause_ms(redo->races++);
}

static int locked_pause_ms(struct redo *redo, int64_t now_ms, uint32_t random)
{
	int64_t waited_ms, pause_ms;

	if (!redo->locked_ms)
		redo->locked_ms = now_ms;
	waited_ms = now_ms - redo->locked_ms;
	if (waited_ms >= LOCKED_MS)
		return -1;
	pause_ms = waited_ms / LOOK_SHARE;
	if (pause_ms < LOOK_FIRST_MS)
		pause_ms = LOOK_FIRST_MS;
	if (pause_ms > LOOK_MAX_MS)
		pause_ms = LOOK_MAX_MS;
	return (int)(pause_ms - random % (uint32_t)(pause_ms / 2 + 1));
}

int redo_pause_ms(struct redo *redo, enum err err, int64_t run_ms, int64_t now_ms,
                  uint32_t random)
{
	return err == ERR_LOCKED ? locked_pause_ms(redo, now_ms, random)
	                         : race_pause_ms(redo, run_ms, now_ms);
}

/* ---- subjects that are held ---- */

static uint32_t hash_of(const char *subject)
{
	uint32_t hash = 2166136261u;	/* FNV-1a */

	while (*subject)
		hash = (hash ^ (uint8_t)*subject++) * 16777619u;
	return hash;
}

void held_note(struct held *held, const char *subject, bool is_held, int64_t now_ms)
{
	uint32_t hash = hash_of(subject);

	if (!is_held && held->slot[hash % 64].hash != hash)
		return;
	held->slot[hash % 64].hash = hash;
	held->slot[hash % 64].until_ms = is_held ? now_ms + HELD_MS : 0;
}

bool held_lately(const struct held *held, const char *subject, int64_t now_ms)
{
	uint32_t hash = hash_of(subject);

	return held->slot[hash % 64].hash == hash &&
	       now_ms < held->slot[hash % 64].until_ms;
}

/* ---- those that wait ---- */

bool parking_is_full(const struct parking *parking, int64_t locked_ms, int64_t now_ms)
{
	return parking->locked >= parking->locked_max && locked_ms &&
	       now_ms - locked_ms >= CROWD_MS;
}

struct parked *parking_leader(const struct parking *parking, const char *subject)
{
	struct parked *leader = subject ? parking->leaders : NULL;

	while (leader && !(leader->subject && strcmp(leader->subject, subject) == 0))
		leader = leader->next;
	return leader;
}

void parking_add(struct parking *parking, struct parked *parked, int64_t due_ms)
{
	struct parked *leader = parking_leader(parking, parked->subject);

	parking->count++;
	parking->locked += parked->is_locked;
	parked->behind = NULL;
	parked->behind_end = &parked->behind;
	if (leader) {
		parked->next = NULL;
		*leader->behind_end = parked;
		leader->behind_end = &parked->next;
		return;
	}
	parked->due_ms = due_ms;
	parked->next = parking->leaders;
	parking->leaders = parked;
}

struct parked *parking_take_due(struct parking *parking, int64_t now_ms)
{
	struct parked **link = &parking->leaders, *leader;

	while (*link && (*link)->due_ms > now_ms)
		link = &(*link)->next;
	leader = *link;
	if (!leader)
		return NULL;
	*link = leader->next;
	leader->next = leader->behind;
	for (struct parked *parked = leader; parked; parked = parked->next) {
		parking->count--;
		parking->locked -= parked->is_locked;
	}
	return leader;
}

int64_t parking_due_ms(const struct parking *parking)
{
	int64_t due_ms = -1;

	for (const struct parked *leader = parking->leaders; leader; leader = leader->next)
		if (due_ms < 0 || leader->due_ms < due_ms)
			due_ms = leader->due_ms;
	return due_ms;
}
