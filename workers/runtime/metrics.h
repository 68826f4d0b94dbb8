/*
 * metrics -- counters, gauges and histograms in memory that the processes of a program
 * share. Each process writes its own cells, and the supervisor sums them for /metrics
 * (metrics_http.h). A program creates all metrics before the fork. A restarted process
 * continues with the cells of its predecessor, so counters never decrease. Any thread may
 * change a metric. Only one thread may create metrics.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM };

/*
 * A program has at most METRICS_MAX - 1 time series. metric_new() logs a warning for each
 * further series, and /metrics does not show this series.
 */
enum { METRICS_MAX = 1024 };

struct metric;	/* one time series: a name and at most one label */

/*
 * Call it before the fork. A program without fork needs neither this function nor
 * metrics_process().
 */
void metrics_init(int processes);
void metrics_process(int index);	/* after the fork, in the process */
/*
 * NAME has no prefix "zonefleet_". The name of a histogram ends in "_seconds", the name
 * of a counter in "_total". The help of a gauge of seconds begins with "seconds", and its
 * name ends in "_seconds". label_key may be NULL. The same name and label always give
 * the same metric. Creating a new metric after the fork is a bug.
 */
struct metric *metric_new(enum metric_type type, const char *name, const char *help,
                          const char *label_key, const char *label_value);
void metric_add(struct metric *metric, int64_t by);	/* counters (BY >= 0), gauges */
void metric_set(struct metric *metric, int64_t value);	/* gauges */
void metric_observe_us(struct metric *metric, int64_t us);	/* 100 us to 100 s */

/* Appends all metrics in Prometheus text format 0.0.4, as sums over all processes. */
void metrics_format(struct buf *text);

/* Notes the heartbeat of this process, for the supervisor. */
void metrics_heartbeat(int64_t now_ms);
int64_t metrics_last_heartbeat(int process);	/* 0: no heartbeat yet */
/*
 * Sets the reason why this process is not ready, of at most METRICS_WORDS - 1 bytes.
 * NULL: the process is ready.
 */
void metrics_set_down_reason(const char *words);
enum { METRICS_WORDS = 256 };
/*
 * Writes the reason why PROCESS is not ready; "": the process has not reported yet.
 * False: the process is ready.
 */
bool metrics_down_reason(int process, char words[METRICS_WORDS]);
/* Clears the heartbeat, the reason and the gauges of PROCESS, after its end. */
void metrics_reset_process(
    int process);
