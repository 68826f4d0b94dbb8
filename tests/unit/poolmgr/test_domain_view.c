#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "consensus_model.h"
#include "core/domain_view.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

enum { SERVERS_MAX = 5, LONG_REASON = 300, RANDOM_ROUNDS = 200000 };

/* ns1 to ns5; COUNT of them are the pool. */
static const char *ids[SERVERS_MAX] = { "ns1", "ns2", "ns3", "ns4", "ns5" };

/* What is put to domain_view_report(), as plain values. */
struct input {
	enum action action;
	struct state now;
	int threshold;
	size_t n;
	struct observation seen[SERVERS_MAX];
	const char *reasons[SERVERS_MAX];
	bool is_catalog;
	size_t unknown;			/* how many of them are SILENT(now.serial) */
	bool has_older;
};

/* What it answers; a reason is "" unless it failed. */
struct answer {
	bool tells;
	enum report report;
	uint32_t serial;
	const char *reason;
};

static struct answer ask(const struct input *in, struct arena *arena)
{
	struct observation seen[SERVERS_MAX];
	const char *reasons[SERVERS_MAX];
	const struct domain_view view = {
		.domain = { .name = "example.org.", .state = in->now,
		            .is_catalog = in->is_catalog },
		.count = in->n,
		.server_ids = ids,
		.observations = memcpy(seen, in->seen, sizeof(seen)),
		.reasons = memcpy(reasons, in->reasons, sizeof(reasons)),
		.unknown_count = in->unknown,
		.has_older = in->has_older,
	};
	struct pool_report got;

	if (!domain_view_report(&view, in->action, in->threshold, arena, &got))
		return (struct answer){ false };
	assert_string_equal(got.domain.name, view.domain.name);
	assert_int_equal(got.domain.state.serial, in->now.serial);
	return (struct answer){ true, got.report, got.serial, got.reason };
}

static void print_input(const struct input *in)
{
	print_message("%s of %s %s %u at %d %%:", action_name(in->action),
	              task_name(in->now.task), status_name(in->now.status),
	              in->now.serial, in->threshold);
	for (size_t i = 0; i < in->n; i++)
		print_message(" { status %d, serial %d %u, failed %d %u }",
		              (int)in->seen[i].status, in->seen[i].has_serial,
		              in->seen[i].serial, in->seen[i].has_failed,
		              in->seen[i].failed_serial);
	print_message("\n");
}

static bool same(const struct answer *got, const struct answer *want)
{
	if (!got->tells || !want->tells)
		return got->tells == want->tells;
	return got->report == want->report && got->serial == want->serial &&
	       strcmp(got->reason, want->reason) == 0;
}

static const char *words(const struct answer *answer, char text[1024])
{
	if (!answer->tells)
		return "nothing";
	snprintf(text, 1024, "%s %u \"%s\"", report_name(answer->report), answer->serial,
	         answer->reason);
	return text;
}

static void assert_answer(const struct input *in, const struct answer *want,
                          struct arena *arena)
{
	struct answer got = ask(in, arena);
	char got_text[1024], want_text[1024];

	if (same(&got, want))
		return;
	print_input(in);
	fail_msg("got %s, want %s", words(&got, got_text), words(want, want_text));
}

/* Rows of a server, by short names. */
#define UNSEEN        { OBSERVED_NOTHING }
#define AT(serial)    { OBSERVED_SUCCESS, true, serial }
#define STUCK(at, to) { OBSERVED_ERROR, true, at, true, to }
#define SILENT(to)    { OBSERVED_ERROR, false, 0, true, to }
#define ABSENT(to)    { OBSERVED_NO_DOMAIN, false, 0, true, to }
#define DONE          { OBSERVED_SUCCESS }
#define REFUSED       { OBSERVED_ERROR }

#define NEW           { TASK_ADD, STATUS_PENDING, 9 }
#define NEW_FAILED    { TASK_ADD, STATUS_ERROR, 9 }
#define CHANGED       { TASK_UPDATE, STATUS_PENDING, 9 }
#define CHANGE_FAILED { TASK_UPDATE, STATUS_ERROR, 9 }
#define DELETED       { TASK_DELETE, STATUS_PENDING, 9 }
#define DELETE_FAILED { TASK_DELETE, STATUS_ERROR, 9 }
#define SETTLED       { TASK_NONE, STATUS_ACTIVE, 9 }
#define GONE          { TASK_NONE, STATUS_DELETED, 9 }

#define WHYS          { "refused", "no answer", "no zone" }
#define NOTHING       { false }

static const struct {
	const char *name;
	struct input in;
	struct answer want;
} cases[] = {
	/* UPDATE: what they serve */
	{ "all serve the change: SUCCESS",
	  { ACTION_UPDATE, CHANGED, 100, 3, { AT(9), AT(9), AT(9) } },
	  { true, REPORT_SUCCESS, 9, "" } },
	{ "all serve a new domain: SUCCESS",
	  { ACTION_UPDATE, NEW, 100, 3, { AT(9), AT(9), AT(9) } },
	  { true, REPORT_SUCCESS, 9, "" } },
	{ "enough serve it: SUCCESS, without a word of the one that does not",
	  { ACTION_UPDATE, CHANGED, 67, 3, { AT(9), SILENT(9), AT(9) }, WHYS },
	  { true, REPORT_SUCCESS, 9, "" } },
	{ "one is behind and did not fail: SUCCESS at what all serve",
	  { ACTION_UPDATE, CHANGED, 100, 3, { AT(9), AT(7), AT(9) } },
	  { true, REPORT_SUCCESS, 7, "" } },
	{ "one was never seen: nothing to say yet",
	  { ACTION_UPDATE, CHANGED, 100, 3, { AT(9), UNSEEN, AT(9) } }, NOTHING },
	{ "one too many failed: ERROR, before the SUCCESS of an older serial",
	  { ACTION_UPDATE, CHANGED, 100, 3, { AT(9), STUCK(7, 9), AT(9) }, WHYS },
	  { true, REPORT_ERROR, 9, "ns2: no answer" } },
	{ "they failed at an older serial: ERROR for that one",
	  { ACTION_UPDATE, CHANGED, 100, 2, { SILENT(8), UNSEEN }, WHYS },
	  { true, REPORT_ERROR, 8, "ns1: refused" } },
	{ "failed at what the others have not got either: all who failed are named",
	  { ACTION_UPDATE, NEW, 67, 3, { SILENT(9), UNSEEN, ABSENT(9) }, WHYS },
	  { true, REPORT_ERROR, 9, "ns1: refused; ns3: no zone" } },
	{ "the failure is known: SUCCESS of an older serial",
	  { ACTION_UPDATE, CHANGE_FAILED, 100, 3, { AT(9), STUCK(7, 9), AT(9) }, WHYS },
	  { true, REPORT_SUCCESS, 7, "" } },
	{ "the failure is known, and none serves it: nothing new",
	  { ACTION_UPDATE, NEW_FAILED, 100, 2, { SILENT(9), ABSENT(9) }, WHYS },
	  NOTHING },
	{ "after a failure all have it: SUCCESS",
	  { ACTION_UPDATE, CHANGE_FAILED, 100, 2, { AT(9), AT(9) } },
	  { true, REPORT_SUCCESS, 9, "" } },
	{ "settled: nothing, though all serve it",
	  { ACTION_UPDATE, SETTLED, 100, 2, { AT(9), AT(9) } }, NOTHING },
	{ "settled: nothing, though all lost it",
	  { ACTION_UPDATE, SETTLED, 100, 2, { ABSENT(9), SILENT(9) }, WHYS }, NOTHING },
	{ "deleted: nothing",
	  { ACTION_UPDATE, GONE, 100, 2, { AT(9), AT(9) } }, NOTHING },
	{ "to be deleted: that it is still served settles nothing",
	  { ACTION_UPDATE, DELETED, 100, 2, { AT(9), AT(9) } }, NOTHING },
	{ "to be deleted: that it is not served any more is the DELETE's to say",
	  { ACTION_UPDATE, DELETED, 100, 2, { ABSENT(9), SILENT(9) }, WHYS }, NOTHING },

	/* CREATE: only its failure is told, success is what is served */
	{ "all created it: nothing yet",
	  { ACTION_CREATE, NEW, 100, 3, { DONE, DONE, DONE } }, NOTHING },
	{ "one could not, the others are enough: nothing",
	  { ACTION_CREATE, NEW, 67, 3, { DONE, REFUSED, DONE }, WHYS }, NOTHING },
	{ "one could not, and all are needed: ERROR",
	  { ACTION_CREATE, NEW, 100, 3, { DONE, REFUSED, UNSEEN }, WHYS },
	  { true, REPORT_ERROR, 9, "ns2: no answer" } },
	{ "it changed before it was created: ERROR",
	  { ACTION_CREATE, CHANGED, 100, 1, { REFUSED }, WHYS },
	  { true, REPORT_ERROR, 9, "ns1: refused" } },
	{ "the failure is known: nothing new",
	  { ACTION_CREATE, NEW_FAILED, 100, 1, { REFUSED }, WHYS }, NOTHING },
	{ "settled: one that cannot create it again is no news",
	  { ACTION_CREATE, SETTLED, 100, 1, { REFUSED }, WHYS }, NOTHING },
	{ "to be deleted: who cannot create it need not",
	  { ACTION_CREATE, DELETED, 100, 1, { REFUSED }, WHYS }, NOTHING },

	/* DELETE: enough have none is NO_DOMAIN */
	{ "all deleted it: NO_DOMAIN",
	  { ACTION_DELETE, DELETED, 100, 3, { DONE, DONE, DONE } },
	  { true, REPORT_NO_DOMAIN, 9, "" } },
	{ "enough deleted it: NO_DOMAIN",
	  { ACTION_DELETE, DELETED, 67, 3, { DONE, REFUSED, DONE }, WHYS },
	  { true, REPORT_NO_DOMAIN, 9, "" } },
	{ "one is still at it: nothing",
	  { ACTION_DELETE, DELETED, 100, 3, { DONE, UNSEEN, DONE } }, NOTHING },
	{ "one too many failed: ERROR",
	  { ACTION_DELETE, DELETED, 100, 3, { DONE, UNSEEN, REFUSED }, WHYS },
	  { true, REPORT_ERROR, 9, "ns3: no zone" } },
	{ "the failure is known: nothing new",
	  { ACTION_DELETE, DELETE_FAILED, 100, 3, { DONE, UNSEEN, REFUSED }, WHYS },
	  NOTHING },
	{ "after a failure all deleted it: NO_DOMAIN",
	  { ACTION_DELETE, DELETE_FAILED, 100, 2, { DONE, DONE } },
	  { true, REPORT_NO_DOMAIN, 9, "" } },
	{ "it lives: rows of a DELETE say nothing of it",
	  { ACTION_DELETE, CHANGED, 100, 2, { DONE, DONE } }, NOTHING },
	{ "it lives: nor does their failure",
	  { ACTION_DELETE, NEW, 100, 1, { REFUSED }, WHYS }, NOTHING },
	{ "gone: nothing", { ACTION_DELETE, GONE, 100, 1, { DONE } }, NOTHING },
	{ "no servers: none of none is no consensus",
	  { ACTION_DELETE, DELETED, 100, 0 }, NOTHING },
	{ "no servers: nor of a change",
	  { ACTION_UPDATE, CHANGED, 100, 0 }, NOTHING },
	{ "a catalog that is for no server is there",
	  { ACTION_UPDATE, CHANGED, 100, 0, .is_catalog = true },
	  { true, REPORT_SUCCESS, 9, "" } },
	{ "a catalog that is for no server is gone",
	  { ACTION_DELETE, DELETED, 100, 0, .is_catalog = true },
	  { true, REPORT_NO_DOMAIN, 9, "" } },
	{ "it was out, and a server has other content by now",
	  { ACTION_UPDATE, SETTLED, 100, 2, { AT(9), SILENT(9) }, WHYS, .unknown = 1 },
	  { true, REPORT_FOREIGN, 9, "ns2: no answer" } },
	{ "the others are enough",
	  { ACTION_UPDATE, SETTLED, 50, 2, { AT(9), SILENT(9) }, WHYS, .unknown = 1 },
	  NOTHING },
	{ "with one that is silent they are not",
	  { ACTION_UPDATE, SETTLED, 50, 3, { AT(9), SILENT(9), STUCK(9, 9) }, WHYS,
	    .unknown = 1 },
	  { true, REPORT_FOREIGN, 9, "ns2: no answer; ns3: no zone" } },
	{ "it was out, and servers are silent: that is no news",
	  { ACTION_UPDATE, SETTLED, 100, 2, { SILENT(9), SILENT(9) }, WHYS }, NOTHING },
	{ "it was out, and a server went back to an older serial",
	  { ACTION_UPDATE, SETTLED, 100, 2, { AT(9), STUCK(7, 9) }, WHYS,
	    .has_older = true }, { true, REPORT_FOREIGN, 9, "ns2: no answer" } },
	{ "one that went back, and the others are enough",
	  { ACTION_UPDATE, SETTLED, 50, 2, { AT(9), STUCK(7, 9) }, WHYS,
	    .has_older = true }, NOTHING },
	{ "a silent server keeps its last serial: that is no news",
	  { ACTION_UPDATE, SETTLED, 100, 2, { AT(9), STUCK(9, 9) }, WHYS }, NOTHING },
	{ "also if that serial is older",
	  { ACTION_UPDATE, SETTLED, 100, 2, { AT(9), STUCK(7, 9) }, WHYS }, NOTHING },
	{ "other content while a change is out is its failure",
	  { ACTION_UPDATE, CHANGED, 100, 1, { SILENT(9) }, WHYS, .unknown = 1 },
	  { true, REPORT_ERROR, 9, "ns1: refused" } },
	{ "which is told once",
	  { ACTION_UPDATE, CHANGE_FAILED, 100, 1, { SILENT(9) }, WHYS, .unknown = 1 },
	  NOTHING },
	{ "what is gone has no content",
	  { ACTION_UPDATE, GONE, 100, 1, { SILENT(9) }, WHYS, .unknown = 1 }, NOTHING },
	{ "a catalog that a server has not read yet",
	  { ACTION_UPDATE, CHANGED, 100, 1, { AT(8) }, .is_catalog = true },
	  { true, REPORT_SUCCESS, 8, "" } },
};

static void each_view_has_one_report(void **unused)
{
	struct arena *arena = arena_new();

	(void)unused;
	for (size_t i = 0; i < COUNT(cases); i++) {
		print_message("  %s\n", cases[i].name);
		assert_answer(&cases[i].in, &cases[i].want, arena);
	}
	arena_free(&arena);
}

/* The model: first what central is ready to hear of, then what is true. */
static bool may_hear(const struct input *in, enum report report)
{
	bool is_deleting = in->now.task == TASK_DELETE;

	if (in->now.status == STATUS_ACTIVE || report == REPORT_FOREIGN)
		return in->now.status == STATUS_ACTIVE && report == REPORT_FOREIGN;
	if (in->now.status == STATUS_DELETED)
		return false;
	if (is_deleting != (in->action == ACTION_DELETE))
		return false;
	return report != REPORT_ERROR || in->now.status == STATUS_PENDING;
}

static size_t count_status(const struct input *in, enum observed status)
{
	size_t count = 0;

	for (size_t i = 0; i < in->n; i++)
		count += in->seen[i].status == status;
	return count;
}

static bool is_true(const struct input *in, enum report report, uint32_t *serial)
{
	struct consensus consensus = model(in->seen, in->n, in->threshold,
	                                   in->now.serial);
	size_t gone = count_status(in, OBSERVED_SUCCESS);
	size_t can = in->n - count_status(in, OBSERVED_ERROR);

	*serial = in->now.serial;
	if (report == REPORT_FOREIGN)
		return in->has_older &&
		       !(consensus.reached && consensus.serial == in->now.serial);
	if (in->action == ACTION_UPDATE && report == REPORT_ERROR) {
		*serial = consensus.failed_serial;
		return consensus.failed;
	}
	if (in->action == ACTION_UPDATE && report == REPORT_SUCCESS) {
		*serial = consensus.serial;
		return consensus.reached;
	}
	if (in->action != ACTION_UPDATE && report == REPORT_ERROR)
		return model_share(can, in->n) < in->threshold;
	if (in->action == ACTION_DELETE && report == REPORT_NO_DOMAIN)
		return model_share(gone, in->n) >= in->threshold;
	return false;
}

/* One by one, then cut: 511 bytes are what the column and the message hold. */
static void model_reason(const struct input *in, char text[4096])
{
	size_t len = 0;

	text[0] = '\0';
	for (size_t i = 0; i < in->n; i++) {
		bool told = in->seen[i].status == OBSERVED_NO_DOMAIN &&
			!in->reasons[i][0];

		if (told || (in->seen[i].status != OBSERVED_ERROR &&
		             in->seen[i].status != OBSERVED_NO_DOMAIN))
			continue;
		len += snprintf(text + len, 4096 - len, "%s%s: %s", len ? "; " : "",
		                ids[i], in->reasons[i]);
	}
	text[511] = '\0';
}

/* A failure is told before what still stands. */
static struct answer model_answer(const struct input *in, char reason[4096])
{
	static const enum report order[] = {
		REPORT_FOREIGN, REPORT_ERROR, REPORT_NO_DOMAIN, REPORT_SUCCESS,
	};
	struct answer answer = { true, .reason = "" };

	for (size_t i = 0; i < COUNT(order); i++) {
		answer.report = order[i];
		if (!may_hear(in, order[i]) || !is_true(in, order[i], &answer.serial))
			continue;
		if (order[i] == REPORT_ERROR || order[i] == REPORT_FOREIGN) {
			model_reason(in, reason);
			answer.reason = reason;
		}
		return answer;
	}
	return (struct answer){ false };
}

static struct state any_state(uint32_t *state)
{
	struct state now;

	do
		now = (struct state){
			noise(state) % TASK_COUNT, noise(state) % STATUS_COUNT,
			any_serial(state),
		};
	while (!state_valid(now.task, now.status));
	return now;
}

static struct input any_input(uint32_t *state, const char *long_reason)
{
	struct input in = {
		.action = noise(state) % ACTION_COUNT,
		.now = any_state(state),
		.threshold = 1 + (int)(noise(state) % 100),
		.n = 1 + noise(state) % SERVERS_MAX,
		.has_older = noise(state) % 2,
	};

	for (size_t i = 0; i < in.n; i++) {
		in.seen[i] = any_observation(state, in.now.serial);
		in.reasons[i] = long_reason + noise(state) % (LONG_REASON + 1);
	}
	return in;
}

static void equals_the_model(void **unused)
{
	struct arena *arena = arena_new();
	char long_reason[LONG_REASON + 1], reason[4096];
	uint32_t state = 88172645;

	(void)unused;
	for (int i = 0; i < LONG_REASON; i++)
		long_reason[i] = 'a' + i % 26;
	long_reason[LONG_REASON] = '\0';
	for (int round = 0; round < RANDOM_ROUNDS; round++) {
		struct input in = any_input(&state, long_reason);
		struct answer want = model_answer(&in, reason);

		assert_answer(&in, &want, arena);
		arena_reset(arena);
	}
	arena_free(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_view_has_one_report),
		cmocka_unit_test(equals_the_model),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
