#include "agent/mirror.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "agent/kept_file.h"
#include "agent/signaller.h"
#include "agent/version_gaps.h"
#include "base/backoff.h"
#include "base/clock.h"
#include "base/id.h"
#include "base/log.h"
#include "base/mem.h"
#include "model/json.h"
#include "runtime/loop.h"
#include "runtime/metrics.h"
#include "runtime/offload.h"
#include "runtime/rpc.h"

enum {
	ANSWER_MS = 10 * 1000,
	KEY_MAX = 255,
	LINES_MAX = 1 << 20,		/* in one entry */
	PAGE_MAX = 10000,		/* entries in a page */
	/* with more keys, a read of all entries is as cheap */
	WANTED_MAX = 1000,
};

static const struct backoff again = { .first_ms = 1000, .max_ms = 60 * 1000 };

/* Start of the failures, and time of the next try. */
struct pace {
	int failures;			/* failures in a row */
	int64_t next_ms;
};

/* Files that the lane writes. */
struct writing {
	struct mirror *mirror;		/* NULL: the mirror was freed */
	const struct mirror_kind *kind;
	char *folder;
	struct buf text[ENTRY_FILES];
	int written;
	uint64_t version;		/* version of the files */
	enum err err;
	struct why why;
};

struct mirror {
	struct mirror_config config;
	struct loop_timer *timer, *period;
	int armed_ms;			/* the period of the running timer */
	enum question { NOTHING, PAGE, KEYS } asked, last_asked;
	/* current entries; entries of a read that is not finished */
	struct file_entries held, coming;
	/* keys to read; keys in the current call */
	struct file_entries wanted, out;
	char marker[KEY_MAX + 1];	/* for the next page of `coming` */
	struct version_gaps gaps;	/* versions */
	/* version of the answer so far; version of `held` */
	uint64_t out_version, held_version;
	uint64_t file_version;		/* version of the files */
	bool has_version;
	/* last version of a comparison; all versions up to this had arrived then */
	uint64_t compared, known;
	bool is_open, is_draining;	/* calls are allowed; no new work begins */
	bool is_stale, is_reading;	/* all entries must be read; pages are coming */
	/* `held` is complete; the files may differ from it */
	bool is_whole, is_dirty;
	struct pace asking, writing_pace;
	enum err failed;		/* error of the last call */
	struct writing *writing;
	/* oldest change that is not in the files; 0: no such change */
	int64_t behind_since_ms;
};

static struct figures {
	struct metric *questions, *failed, *written, *missed;
} figures;

void mirror_metrics(void)
{
	figures.questions = metric_new(METRIC_COUNTER, "agent_questions_total",
	    "calls of the agent for the contents of its files. The agent needs one call "
	    "for each page of the contents",
	    NULL, NULL);
	figures.failed = metric_new(METRIC_COUNTER, "agent_questions_failed_total",
	    "failed calls of the agent. Either no answer arrived, or the answer was a "
	    "refusal. The log contains the reason",
	    NULL, NULL);
	figures.written = metric_new(METRIC_COUNTER, "agent_files_written_total",
	    "files that the agent replaced", NULL, NULL);
	figures.missed = metric_new(METRIC_COUNTER, "agent_missed_total",
	    "additional complete reads of the contents of the files. The agent needs "
	    "such a read if a message about a change was lost",
	    NULL, NULL);
}

static void mirror_step(struct mirror *mirror);

/* ---- pace ---- */

static void pace_failed(struct pace *pace)
{
	pace->next_ms = clock_ms() + backoff_ms(&again, pace->failures++, random_u32());
}

static int64_t pace_wait_ms(const struct pace *pace)
{
	int64_t left = pace->failures ? pace->next_ms - clock_ms() : 0;

	return left > 0 ? left : 0;
}

/* The log has a line for the first failure in a row. */
static void mirror_call_failed(struct mirror *mirror, enum err err, const struct why *why)
{
	if (!mirror->asking.failures || err != mirror->failed)
		log_warn("contents of the files not received: folder=%s err=%s "
		         "reason=\"%s\"",
		         mirror->config.folder, err_name(err), why->text);
	mirror->failed = err;
	pace_failed(&mirror->asking);
	metric_add(figures.failed, 1);
}

/* ---- answers ---- */

static enum err mirror_take_entry(const struct mirror_kind *kind, const json_t *json,
                                  struct file_entries *into, struct why *why)
{
	const char *lines[ENTRY_FILES] = { NULL }, *key;
	enum err err = json_get_text(json, kind->key, JSON_REQUIRED, KEY_MAX, &key, why);

	for (int i = 0; !err && i < ENTRY_FILES; i++)
		if (kind->file[i].field)
			err = json_get_text(json, kind->file[i].field, JSON_REQUIRED,
			                    LINES_MAX, &lines[i], why);
	if (!err)
		file_entries_put(into, key, lines);
	return err;
}

/* MARKER: "" if there are no more pages. */
static enum err mirror_take_answer(const struct mirror_kind *kind, const json_t *answer,
                                   struct file_entries *into, const char **marker,
                                   struct why *why)
{
	const json_t *list;
	enum err err = json_get_array(answer, kind->list, JSON_REQUIRED, PAGE_MAX, &list,
	                              why);

	*marker = "";
	if (!err)
		err = json_get_text(answer, "marker", 0, KEY_MAX, marker, why);
	for (size_t i = 0; !err && i < json_array_size(list); i++)
		err = mirror_take_entry(kind, json_array_get(list, i), into, why);
	return err;
}

/*
 * The version of the first page counts; later changes come as messages. Old programs send
 * no version.
 */
static enum err mirror_take_version(struct mirror *mirror, const json_t *answer,
                                    struct why *why)
{
	int64_t version = -1;
	enum err err = json_get_int(answer, "version", 0, 0, INT64_MAX, &version, why);

	if (err || *mirror->marker)
		return err;
	mirror->has_version = version >= 0;
	if (mirror->has_version)
		version_gaps_read(&mirror->gaps, (uint64_t)version);
	return OK;
}

/* The marker must advance; otherwise the read would never end. */
static enum err mirror_take_page(struct mirror *mirror, const json_t *answer,
                                 struct why *why)
{
	const char *marker;
	enum err err = mirror_take_answer(mirror->config.kind, answer, &mirror->coming,
	                                  &marker, why);

	if (!err && *marker && strcmp(marker, mirror->marker) <= 0)
		err = fail(why, ERR_INVALID, "marker: must be greater than the previous "
		           "marker '%s', not '%s'", mirror->marker, marker);
	if (!err)
		err = mirror_take_version(mirror, answer, why);
	if (err)
		return err;
	snprintf(mirror->marker, sizeof mirror->marker, "%s", marker);
	if (*marker)
		return OK;
	file_entries_clear(&mirror->held);
	mirror->held = mirror->coming;
	mirror->coming = (struct file_entries){ 0 };
	mirror->is_reading = false;
	mirror->is_whole = mirror->is_dirty = true;
	return OK;
}

static const char *const *mirror_lines(const struct file_entry *entry)
{
	return (const char *const *)entry->lines;
}

static bool mirror_put(struct mirror *mirror, const struct file_entry *entry)
{
	if (mirror->is_reading)
		file_entries_put(&mirror->coming, entry->key, mirror_lines(entry));
	return file_entries_put(&mirror->held, entry->key, mirror_lines(entry));
}

static bool mirror_drop(struct mirror *mirror, const char *key)
{
	if (mirror->is_reading)
		file_entries_drop(&mirror->coming, key);
	return file_entries_drop(&mirror->held, key);
}

/* An entry that was asked for and is not in the answer does not exist. */
static enum err mirror_take_keys(struct mirror *mirror, const json_t *answer,
                                 struct why *why)
{
	struct file_entries got = { 0 };
	const char *marker;
	enum err err = mirror_take_answer(mirror->config.kind, answer, &got, &marker,
	                                  why);

	for (size_t i = 0; !err && i < mirror->out.count; i++)
		if (!file_entries_has(&got, mirror->out.item[i].key))
			mirror->is_dirty |= mirror_drop(mirror, mirror->out.item[i].key);
	for (size_t i = 0; !err && i < got.count; i++)
		if (file_entries_has(&mirror->out, got.item[i].key))
			mirror->is_dirty |= mirror_put(mirror, &got.item[i]);
	file_entries_clear(&got);
	return err;
}

/* True: all announced changes are in `held`. */
static bool mirror_is_current(const struct mirror *mirror)
{
	return mirror->has_version && mirror->is_whole && !mirror->is_stale &&
	       !mirror->is_reading && !mirror->wanted.count && mirror->asked == NOTHING;
}

/* Asks for the keys of the failed call again. */
static void mirror_want_again(struct mirror *mirror)
{
	for (size_t i = 0; i < mirror->out.count; i++)
		file_entries_put(&mirror->wanted, mirror->out.item[i].key,
		                 mirror_lines(&mirror->out.item[i]));
	file_entries_clear(&mirror->out);
}

static void mirror_on_answer(void *self, const struct rpc_answer *answer)
{
	struct mirror *mirror = self;
	struct why why = answer->why;
	enum err err = answer->err;

	if (!err && mirror->asked == PAGE)
		err = mirror_take_page(mirror, answer->result, &why);
	else if (!err)
		err = mirror_take_keys(mirror, answer->result, &why);
	mirror->asked = NOTHING;
	if (err) {
		mirror_call_failed(mirror, err, &why);
		mirror_want_again(mirror);
	} else {
		mirror->asking.failures = 0;
		mirror->failed = OK;
		file_entries_clear(&mirror->out);
		if (mirror->out_version > mirror->held_version)
			mirror->held_version = mirror->out_version;
	}
	mirror_step(mirror);
}

/* ---- calls ---- */

static json_t *mirror_next_keys(struct mirror *mirror)
{
	json_t *keys = json_array();

	while (mirror->wanted.count && mirror->out.count < MIRROR_KEYS_MAX) {
		const struct file_entry *last =
		    &mirror->wanted.item[mirror->wanted.count - 1];

		json_array_append_new(keys, json_string(last->key));
		file_entries_put(&mirror->out, last->key, mirror_lines(last));
		file_entries_drop(&mirror->wanted, last->key);
	}
	return keys;
}

static json_t *mirror_arguments(struct mirror *mirror)
{
	json_t *args = json_copy(mirror->config.args);

	if (mirror->asked == KEYS)
		json_object_set_new(args, mirror->config.kind->keys,
		                    mirror_next_keys(mirror));
	else if (*mirror->marker)
		json_object_set_new(args, "marker", json_string(mirror->marker));
	return args;
}

static void mirror_call(struct mirror *mirror, enum question what)
{
	const struct rpc_target target = { .topic = mirror->config.kind->topic };
	json_t *args;
	struct why why;
	enum err err;

	mirror->asked = mirror->last_asked = what;
	args = mirror_arguments(mirror);
	mirror->out_version = mirror->has_version && what == KEYS &&
	                      !mirror->wanted.count && !mirror->is_stale &&
	                      !mirror->is_reading
	                      ? mirror->gaps.all : 0;
	metric_add(figures.questions, 1);
	err = rpc_call(mirror->config.rpc, &target, mirror->config.kind->method, args,
	               NULL, ANSWER_MS, mirror_on_answer, mirror, &why);
	if (err) {
		mirror->asked = NOTHING;
		mirror_call_failed(mirror, err, &why);
		mirror_want_again(mirror);
	}
	json_decref(args);
}

static void mirror_begin_reading(struct mirror *mirror)
{
	mirror->is_stale = false;
	mirror->is_reading = true;
	mirror->marker[0] = '\0';
	file_entries_clear(&mirror->coming);
}

/* Pages and changed entries alternate, so that neither waits for all of the other. */
static enum question mirror_next_question(const struct mirror *mirror)
{
	if (!mirror->is_reading)
		return KEYS;
	return mirror->is_whole && mirror->wanted.count && mirror->last_asked == PAGE
	       ? KEYS : PAGE;
}

/*
 * Starts the next call. Returns the time until one can start; -1: no call is needed now.
 */
static int64_t mirror_call_next(struct mirror *mirror)
{
	int64_t wait_ms = pace_wait_ms(&mirror->asking);

	if (!mirror->is_open || mirror->is_draining || mirror->asked != NOTHING ||
	    (!mirror->is_stale && !mirror->is_reading && !mirror->wanted.count))
		return -1;
	if (wait_ms)
		return wait_ms;
	if (mirror->is_stale && !mirror->is_reading)
		mirror_begin_reading(mirror);
	mirror_call(mirror, mirror_next_question(mirror));
	return mirror->asked == NOTHING ? pace_wait_ms(&mirror->asking) : -1;
}

/* ---- files: on the lane ---- */

static void writing_run(void *self)
{
	struct writing *writing = self;
	const struct mirror_kind *kind = writing->kind;

	for (int i = 0; i < ENTRY_FILES && !writing->err; i++) {
		const struct buf *text = &writing->text[i];
		bool is_new = false;

		if (!kind->file[i].name)
			continue;
		writing->err = kept_file_write(writing->folder, kind->file[i].name,
		                               kind->mark, buf_string(text), text->len,
		                               &is_new, &writing->why);
		writing->written += is_new && !writing->err;
	}
}

/* ---- files: on the loop ---- */

static void writing_free(struct writing *writing)
{
	for (int i = 0; i < ENTRY_FILES; i++)
		buf_clear(&writing->text[i]);
	free(writing->folder);
	free(writing);
}

static void mirror_end_writing(struct mirror *mirror, const struct writing *writing)
{
	struct pace *pace = &mirror->writing_pace;

	mirror->writing = NULL;
	if (writing->err) {
		if (!pace->failures)
			log_warn("files not written: folder=%s reason=\"%s\"",
			         writing->folder, writing->why.text);
		mirror->is_dirty = true;
		pace_failed(pace);
	} else {
		pace->failures = 0;
		mirror->file_version = writing->version;
	}
	if (mirror->config.signaller)
		signaller_written(mirror->config.signaller, writing->written,
		                  mirror->file_version);
	mirror_step(mirror);
}

static void writing_done(void *self)
{
	struct writing *writing = self;

	metric_add(figures.written, writing->written);
	if (writing->written)
		log_debug("files written: folder=%s files=%d", writing->folder,
		          writing->written);
	if (writing->mirror)
		mirror_end_writing(writing->mirror, writing);
	writing_free(writing);
}

static struct writing *writing_new(struct mirror *mirror)
{
	struct writing *writing = xcalloc(1, sizeof *writing);

	writing->mirror = mirror;
	writing->kind = mirror->config.kind;
	writing->folder = xstrdup(mirror->config.folder);
	writing->version = mirror->held_version;
	for (int i = 0; i < ENTRY_FILES; i++)
		file_entries_print(&mirror->held, i, &writing->text[i]);
	return writing;
}

static void mirror_write(struct mirror *mirror)
{
	mirror->writing = writing_new(mirror);
	mirror->is_dirty = false;
	if (mirror->config.signaller)
		signaller_writing(mirror->config.signaller);
	if (lane_submit(mirror->config.lane, writing_run, writing_done, mirror->writing))
		return;
	if (mirror->config.signaller)
		signaller_written(mirror->config.signaller, false, mirror->file_version);
	writing_free(mirror->writing);
	mirror->writing = NULL;
	mirror->is_dirty = true;
	pace_failed(&mirror->writing_pace);
}

static int64_t mirror_longer(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

/*
 * Starts the next write. Returns the time until one can start; -1: no write is needed
 * now. Files are not written before their reader may get a signal. So a killed agent
 * leaves at most the newest files without a signal.
 */
static int64_t mirror_write_next(struct mirror *mirror)
{
	const struct signaller *signaller = mirror->config.signaller;
	int64_t wait_ms = mirror_longer(pace_wait_ms(&mirror->writing_pace),
	                                signaller ? signaller_wait_ms(signaller) : 0);

	if (!mirror->is_dirty || mirror->writing || mirror->is_draining)
		return -1;
	if (!wait_ms)
		mirror_write(mirror);
	return mirror->writing ? -1 : mirror_longer(wait_ms, 1);
}

/* ---- the mirror ---- */

static bool mirror_is_behind(const struct mirror *mirror)
{
	return mirror->is_stale || mirror->is_reading || mirror->wanted.count ||
	       mirror->asked != NOTHING || mirror->is_dirty || mirror->writing;
}

static void mirror_note_behind(struct mirror *mirror)
{
	if (!mirror_is_behind(mirror))
		mirror->behind_since_ms = 0;
	else if (!mirror->behind_since_ms)
		mirror->behind_since_ms = clock_ms();
}

/* A new version without a difference in the entries of this mirror. */
static void mirror_note_same(struct mirror *mirror)
{
	if (!mirror->is_whole || mirror->is_dirty || mirror->writing ||
	    mirror->file_version == mirror->held_version)
		return;
	mirror->file_version = mirror->held_version;
	if (mirror->config.signaller)
		signaller_same(mirror->config.signaller, mirror->file_version);
}

/*
 * Called after each event: starts the work that is due, and sets the timer for the next
 * check.
 */
static void mirror_step(struct mirror *mirror)
{
	int64_t ask_ms, write_ms;

	if (mirror_is_current(mirror))
		mirror->held_version = mirror->gaps.all;
	ask_ms = mirror_call_next(mirror);
	write_ms = mirror_write_next(mirror);
	mirror_note_same(mirror);
	mirror_note_behind(mirror);
	loop_timer_cancel(mirror->timer);
	if (ask_ms >= 0 && (write_ms < 0 || ask_ms < write_ms))
		loop_timer_set(mirror->timer, ask_ms);
	else if (write_ms >= 0)
		loop_timer_set(mirror->timer, write_ms);
}

static void mirror_on_timer(void *self)
{
	mirror_step(self);
}

/*
 * Adds or subtracts up to a tenth, so that the agents of a fleet do not call at the same
 * time.
 */
static void mirror_arm_period(struct mirror *mirror)
{
	int64_t ms = *mirror->config.period_ms;

	mirror->armed_ms = *mirror->config.period_ms;
	loop_timer_set(mirror->period, ms * 9 / 10 + random_u32() % (ms / 5 + 1));
}

static void mirror_on_period(void *self)
{
	struct mirror *mirror = self;

	mirror->is_stale = true;
	mirror_arm_period(mirror);
	mirror_step(mirror);
}

struct mirror *mirror_new(const struct mirror_config *config)
{
	struct mirror *mirror = xcalloc(1, sizeof *mirror);

	mirror->config = *config;
	mirror->timer = loop_timer_new(config->loop, mirror_on_timer, mirror);
	mirror->period = loop_timer_new(config->loop, mirror_on_period, mirror);
	mirror_arm_period(mirror);
	return mirror;
}

void mirror_free(struct mirror **mirror)
{
	struct mirror *m = *mirror;

	if (!m)
		return;
	rpc_cancel(m->config.rpc, m);
	if (m->writing)
		m->writing->mirror = NULL;
	loop_timer_free(&m->timer);
	loop_timer_free(&m->period);
	file_entries_clear(&m->held);
	file_entries_clear(&m->coming);
	file_entries_clear(&m->wanted);
	file_entries_clear(&m->out);
	free(m);
	*mirror = NULL;
}

void mirror_read(struct mirror *mirror)
{
	mirror->is_open = true;
	mirror->is_stale = true;
	mirror->asking.next_ms = 0;
	mirror_step(mirror);
}

/* An unknown entry may exist now. */
void mirror_changed(struct mirror *mirror, const char *key)
{
	file_entries_put(&mirror->wanted, key, (const char *[ENTRY_FILES]){ NULL });
	if (mirror->wanted.count > WANTED_MAX) {
		file_entries_clear(&mirror->wanted);
		mirror->is_stale = true;
	}
	if (mirror->failed == ERR_NOT_FOUND)
		mirror->asking.next_ms = 0;
	mirror_step(mirror);
}

void mirror_told(struct mirror *mirror, uint64_t version)
{
	version_gaps_received(&mirror->gaps, version);
	mirror_step(mirror);
}

void mirror_compare(struct mirror *mirror, uint64_t version)
{
	bool is_anew = version < mirror->known;
	bool is_behind = mirror->has_version &&
	                 (is_anew ||
	                  !version_gaps_none_up_to(&mirror->gaps, mirror->compared));

	mirror->compared = version;
	mirror->known = mirror->gaps.all;
	if (!is_behind || mirror->is_stale || mirror->is_reading || !mirror->is_whole)
		return;
	if (is_anew)
		mirror->gaps = (struct version_gaps){ 0 };
	version_gaps_read(&mirror->gaps, version);
	mirror->known = version;
	log_info("change message lost: folder=%s version=%" PRIu64, mirror->config.folder,
	         version);
	metric_add(figures.missed, 1);
	mirror->is_stale = true;
	mirror_step(mirror);
}

void mirror_look(struct mirror *mirror)
{
	const struct mirror_kind *kind = mirror->config.kind;

	if (mirror->armed_ms != *mirror->config.period_ms)
		mirror_arm_period(mirror);
	if (!mirror->is_whole || mirror->writing)
		return;
	for (int i = 0; i < ENTRY_FILES; i++)
		if (kind->file[i].name &&
		    !kept_file_is_there(mirror->config.folder, kind->file[i].name))
			mirror->is_dirty = true;
	if (mirror->is_dirty)
		mirror_step(mirror);
}

/* Without a complete read no change is known that could be missing in the files. */
int64_t mirror_age_ms(const struct mirror *mirror)
{
	if (!mirror->behind_since_ms || mirror->failed == ERR_NOT_FOUND)
		return 0;
	return clock_ms() - mirror->behind_since_ms;
}

void mirror_drain(struct mirror *mirror)
{
	mirror->is_draining = true;
}

bool mirror_is_idle(const struct mirror *mirror)
{
	return !mirror->writing;
}
