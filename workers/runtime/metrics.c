#include "runtime/metrics.h"

#include <inttypes.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/buf.h"
#include "base/log.h"
#include "base/mem.h"

/* Access is always relaxed, because the cells are independent of each other. */
typedef _Atomic int64_t cell;

static const struct {
	int64_t us;
	const char *le;		/* in seconds, as text */
} bounds[] = {
	{ 100,      "0.0001" }, { 250,      "0.00025" }, { 500,      "0.0005" },
	{ 1000,     "0.001"  }, { 2500,     "0.0025"  }, { 5000,     "0.005"  },
	{ 10000,    "0.01"   }, { 25000,    "0.025"   }, { 50000,    "0.05"   },
	{ 100000,   "0.1"    }, { 250000,   "0.25"    }, { 500000,   "0.5"    },
	{ 1000000,  "1"      }, { 2500000,  "2.5"     }, { 5000000,  "5"      },
	{ 10000000, "10"     }, { 25000000, "25"      }, { 50000000, "50"     },
	{ 100000000, "100"   },
};

enum {
	BOUNDS = sizeof bounds / sizeof bounds[0],
	/* sum of a histogram: after the buckets and +Inf */
	CELL_SUM = BOUNDS + 1,
	CELLS_MAX = CELL_SUM + 1,
};

/*
 * A row for each type: its name in the text format, and the number of its cells in each
 * process.
 */
static const struct {
	const char *name;
	size_t cells;
} types[] = {
	[METRIC_COUNTER]   = { "counter",   1 },
	[METRIC_GAUGE]     = { "gauge",     1 },
	[METRIC_HISTOGRAM] = { "histogram", CELLS_MAX },
};

struct family {
	struct family *next;
	enum metric_type type;
	char *name, *help;
	struct metric *metrics, **end;
};

struct metric {
	struct metric *next;
	enum metric_type type;
	char *label_key, *label_value;	/* "" without a label */
	size_t cell;			/* index of its first cell in each place */
};

/* The cells of one process. Unused pages take no memory. */
struct place {
	cell beat_ms, ready;
	cell down_reason[METRICS_WORDS / sizeof(cell)];	/* a text, if not ready */
	cell cells[METRICS_MAX * CELLS_MAX];
};

static struct {
	struct place *places;
	int count, mine;	/* the last place is the supervisor's */
	bool forked;
	struct family *families, **end;
	size_t metrics, cells;
	struct metric unseen;	/* for metrics beyond METRICS_MAX */
} state;

/* ---- places ---- */

/* MAP_NORESERVE: do not reserve memory for unused series. */
void metrics_init(int processes)
{
	size_t size = (processes + 1) * sizeof(struct place);

	bug_if(state.places);
	state.places = mmap(NULL, size, PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (state.places == MAP_FAILED)
		fatal("out of memory: bytes=%zu", size);
	state.count = processes + 1;
	state.mine = processes;
	state.end = &state.families;
	state.cells = CELLS_MAX;	/* the first cells belong to `unseen` */
}

void metrics_process(int index)
{
	bug_if(index < 0 || index >= state.count - 1);
	state.mine = index;
	state.forked = true;
}

static struct place *metrics_place(int process)
{
	bug_if(process < 0 || process >= state.count);
	return &state.places[process];
}

static int64_t cell_load(const cell *from)
{
	return atomic_load_explicit(from, memory_order_relaxed);
}

static void cell_store(cell *into, int64_t value)
{
	atomic_store_explicit(into, value, memory_order_relaxed);
}

static void cell_add(cell *into, int64_t by)
{
	atomic_fetch_add_explicit(into, by, memory_order_relaxed);
}

static cell *metric_cell(const struct metric *metric, size_t index)
{
	return &state.places[state.mine].cells[metric->cell + index];
}

/* ---- creation ---- */

static bool metrics_is_name(const char *name)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789_";

	return name[0] && strspn(name, letters) == strlen(name);
}

static bool metrics_ends_in(const char *name, const char *end)
{
	size_t len = strlen(name), end_len = strlen(end);

	return len > end_len && !strcmp(name + len - end_len, end);
}

/* The end of a name says what the numbers are (Prometheus: "Metric and label naming"). */
static bool metrics_names_unit(enum metric_type type, const char *name, const char *help)
{
	bool is_time = type == METRIC_HISTOGRAM ||
	               (type == METRIC_GAUGE && !strncmp(help, "seconds", 7));

	return metrics_ends_in(name, "_seconds") == is_time &&
	       metrics_ends_in(name, "_total") == (type == METRIC_COUNTER);
}

static struct family *family_find(enum metric_type type, const char *name)
{
	for (struct family *family = state.families; family; family = family->next)
		if (strcmp(family->name, name) == 0) {
			bug_if(family->type != type);
			return family;
		}
	return NULL;
}

static struct family *family_new(enum metric_type type, const char *name,
                                 const char *help)
{
	struct family *family = xcalloc(1, sizeof *family);

	bug_if(!metrics_is_name(name));
	bug_if(!metrics_names_unit(type, name, help));
	family->type = type;
	family->name = xstrdup(name);
	family->help = xstrdup(help);
	family->end = &family->metrics;
	*state.end = family;
	state.end = &family->next;
	return family;
}

static struct metric *metric_find(const struct family *family, const char *label_key,
                                  const char *label_value)
{
	struct metric *metric = family ? family->metrics : NULL;

	while (metric && (strcmp(metric->label_key, label_key) != 0 ||
			  strcmp(metric->label_value, label_value) != 0))
		metric = metric->next;
	return metric;
}

static struct metric *family_add(struct family *family, const char *label_key,
                                 const char *label_value)
{
	struct metric *metric = xcalloc(1, sizeof *metric);

	bug_if(label_key[0] && !metrics_is_name(label_key));
	metric->type = family->type;
	metric->label_key = xstrdup(label_key);
	metric->label_value = xstrdup(label_value);
	metric->cell = state.cells;
	state.cells += types[family->type].cells;
	state.metrics++;
	*family->end = metric;
	family->end = &metric->next;
	return metric;
}

struct metric *metric_new(enum metric_type type, const char *name, const char *help,
                          const char *label_key, const char *label_value)
{
	const char *key = label_key ? label_key : "";
	const char *value = label_key ? label_value : "";
	struct family *family;
	struct metric *metric;

	if (!state.places)
		metrics_init(0);
	family = family_find(type, name);
	metric = metric_find(family, key, value);
	if (metric)
		return metric;
	bug_if(state.forked);
	if (state.metrics == METRICS_MAX - 1) {
		log_warn("metric not shown: name=%s %s=%s reason=\"the program can "
		         "show at most %d metrics\"", name, key, value,
		         METRICS_MAX - 1);
		return &state.unseen;
	}
	if (!family)
		family = family_new(type, name, help);
	return family_add(family, key, value);
}

/* ---- writing ---- */

void metric_add(struct metric *metric, int64_t by)
{
	bug_if(metric->type == METRIC_COUNTER && by < 0 && metric != &state.unseen);
	cell_add(metric_cell(metric, 0), by);
}

void metric_set(struct metric *metric, int64_t value)
{
	bug_if(metric->type != METRIC_GAUGE && metric != &state.unseen);
	cell_store(metric_cell(metric, 0), value);
}

void metric_observe_us(struct metric *metric, int64_t us)
{
	size_t bucket = 0;

	bug_if(metric->type != METRIC_HISTOGRAM && metric != &state.unseen);
	while (bucket < BOUNDS && us > bounds[bucket].us)
		bucket++;
	cell_add(metric_cell(metric, bucket), 1);
	cell_add(metric_cell(metric, CELL_SUM), us > 0 ? us : 0);
}

/* ---- the text ---- */

static int64_t metric_sum(const struct metric *metric, size_t index)
{
	int64_t total = 0;

	for (int process = 0; process < state.count; process++)
		total += cell_load(&state.places[process].cells[metric->cell + index]);
	return total;
}

/* A backslash, a newline and, in a label, a quote. */
static void metrics_format_escaped(struct buf *text, const char *from, bool quoted)
{
	for (; *from; from++) {
		if (*from == '\n')
			buf_text(text, "\\n");
		else if (*from == '\\' || (quoted && *from == '"'))
			buf_printf(text, "\\%c", *from);
		else
			buf_u8(text, *from);
	}
}

/* `zonefleet_NAME_SUFFIX{KEY="VALUE",le="LE"} `; LE is NULL but for buckets. */
static void metrics_format_series(struct buf *text, const struct family *family,
                                  const struct metric *metric, const char *suffix,
                                  const char *le)
{
	buf_printf(text, "zonefleet_%s%s", family->name, suffix);
	if (metric->label_key[0]) {
		buf_printf(text, "{%s=\"", metric->label_key);
		metrics_format_escaped(text, metric->label_value, true);
		buf_text(text, "\"");
	}
	if (le)
		buf_printf(text, "%sle=\"%s\"", metric->label_key[0] ? "," : "{", le);
	buf_text(text, metric->label_key[0] || le ? "} " : " ");
}

static void metrics_format_plain(struct buf *text, const struct family *family,
                                 const struct metric *metric)
{
	metrics_format_series(text, family, metric, "", NULL);
	buf_printf(text, "%" PRId64 "\n", metric_sum(metric, 0));
}

/* The count is the sum of the buckets that were just read, so that both agree. */
static void metrics_format_histogram(struct buf *text, const struct family *family,
                                     const struct metric *metric)
{
	int64_t count = 0, us = metric_sum(metric, CELL_SUM);

	for (size_t bucket = 0; bucket <= BOUNDS; bucket++) {
		count += metric_sum(metric, bucket);
		metrics_format_series(text, family, metric, "_bucket",
				      bucket < BOUNDS ? bounds[bucket].le : "+Inf");
		buf_printf(text, "%" PRId64 "\n", count);
	}
	metrics_format_series(text, family, metric, "_sum", NULL);
	buf_printf(text, "%" PRId64 ".%06" PRId64 "\n", us / 1000000, us % 1000000);
	metrics_format_series(text, family, metric, "_count", NULL);
	buf_printf(text, "%" PRId64 "\n", count);
}

static void metrics_format_family(struct buf *text, const struct family *family)
{
	buf_printf(text, "# HELP zonefleet_%s ", family->name);
	metrics_format_escaped(text, family->help, false);
	buf_printf(text, "\n# TYPE zonefleet_%s %s\n", family->name,
		   types[family->type].name);
	for (const struct metric *metric = family->metrics; metric; metric = metric->next)
		if (family->type == METRIC_HISTOGRAM)
			metrics_format_histogram(text, family, metric);
		else
			metrics_format_plain(text, family, metric);
}

void metrics_format(struct buf *text)
{
	for (const struct family *family = state.families; family; family = family->next)
		metrics_format_family(text, family);
}

/* ---- heartbeats ---- */

void metrics_heartbeat(int64_t now_ms)
{
	cell_store(&metrics_place(state.mine)->beat_ms, now_ms);
}

int64_t metrics_last_heartbeat(int process)
{
	return cell_load(&metrics_place(process)->beat_ms);
}

void metrics_set_down_reason(const char *words)
{
	struct place *place = metrics_place(state.mine);
	int64_t cells[METRICS_WORDS / sizeof(cell)] = { 0 };

	cell_store(&place->ready, !words);
	snprintf((char *)cells, sizeof cells, "%s", words ? words : "");
	for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
		cell_store(&place->down_reason[i], cells[i]);
}

/* Two texts may be mixed for a moment, which is harmless: an operator reads them. */
bool metrics_down_reason(int process, char words[METRICS_WORDS])
{
	struct place *place = metrics_place(process);
	int64_t cells[METRICS_WORDS / sizeof(cell)];

	for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++)
		cells[i] = cell_load(&place->down_reason[i]);
	memcpy(words, cells, sizeof cells);
	words[METRICS_WORDS - 1] = '\0';
	return !cell_load(&place->ready);
}

void metrics_reset_process(int process)
{
	struct place *place = metrics_place(process);

	cell_store(&place->beat_ms, 0);
	cell_store(&place->ready, 0);
	cell_store(&place->down_reason[0], 0);
	for (const struct family *f = state.families; f; f = f->next)
		for (const struct metric *m = f->metrics; m; m = m->next)
			if (f->type == METRIC_GAUGE)
				cell_store(&place->cells[m->cell], 0);
}
