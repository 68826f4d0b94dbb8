/*
 * metrics -- counters, gauges and histograms, a row each, in memory that the
 * processes of a program share: each writes its own cells, the supervisor
 * adds them up for the page (metrics_http.h). Handles are made before the fork; a
 * process that starts again goes on with the cells of its place, so that
 * counters never go back. Any thread may write; one may make handles.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM };

enum { METRICS_MAX = 1024 };	/* time series; further ones are not shown (a warning) */

struct metric;	/* one time series: a name and at most one label */

/* Before the fork. A program that does not fork may leave these two out. */
void metrics_init(int processes);
void metrics_process(int index);	/* after it: which cells are mine */
/*
 * NAME without the "zonefleet_" that all get; a histogram's ends in "_seconds", a
 * counter's in "_total". label_key may be NULL. The same twice is the same metric,
 * also after the fork; a new one then is a bug.
 */
struct metric *metric_new(enum metric_type type, const char *name, const char *help,
                          const char *label_key, const char *label_value);
void metric_add(struct metric *metric, int64_t by);	/* counters (by >= 0), gauges */
void metric_set(struct metric *metric, int64_t value);	/* gauges */
void metric_observe_us(struct metric *metric, int64_t us);	/* 100 us to 100 s */

/* Prometheus text format, version 0.0.4, all processes summed. */
void metrics_format(struct buf *text);

/* Life signs of a process, for the supervisor. */
void metrics_heartbeat(int64_t now_ms);
int64_t metrics_last_heartbeat(int process);	/* 0: none yet */
/* What keeps it from its work, in words, cut to METRICS_WORDS - 1 bytes; NULL: nothing. */
void metrics_set_down_reason(const char *words);
enum { METRICS_WORDS = 256 };
/* The words, or "" for one that has not said anything yet. False: there is none. */
bool metrics_down_reason(int process, char words[METRICS_WORDS]);
void metrics_reset_process(
    int process); /* gauges and life signs of a process that died */
