/*
 * metrics -- counters, gauges and histograms in memory that the processes of a program
 * share. Each process writes its own cells. For /metrics, the supervisor adds up the
 * cells of all processes (metrics_http.h). A program creates all metrics before the fork.
 * A process that replaces a dead process continues with the same cells, so counters never
 * decrease. Any thread may change a metric. Only one thread may create metrics.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;

enum metric_type { METRIC_COUNTER, METRIC_GAUGE, METRIC_HISTOGRAM };

/*
 * A program has at most METRICS_MAX - 1 time series. For each further series,
 * metric_new() logs a warning, and /metrics does not show the series.
 */
enum { METRICS_MAX = 1024 };

struct metric;	/* one time series, with a name and at most one label */

/*
 * Makes the cells for PROCESSES processes. Call it before the fork. A program without
 * fork needs neither this function nor metrics_process().
 */
void metrics_init(int processes);
void metrics_process(int index);	/* call it after the fork, in the process */
/*
 * Returns the metric with this name and label, and creates the metric if it does not
 * exist. Write NAME without the prefix "zonefleet_": /metrics adds this prefix. The name
 * of a histogram ends in "_seconds", and the name of a counter ends in "_total". If a
 * gauge measures seconds, its name ends in "_seconds" and its help begins with "seconds".
 * LABEL_KEY is NULL if the metric has no label. The program must not create a new metric
 * after the fork.
 */
struct metric *metric_new(enum metric_type type, const char *name, const char *help,
                          const char *label_key, const char *label_value);
/* for a counter (BY must not be negative) or a gauge */
void metric_add(struct metric *metric, int64_t by);
void metric_set(struct metric *metric, int64_t value);	/* for a gauge */
void metric_observe_us(struct metric *metric, int64_t us);	/* for a histogram */

/* Appends all metrics in Prometheus text format 0.0.4, as sums over all processes. */
void metrics_format(struct buf *text);

/* Stores NOW_MS as the time of the last heartbeat of this process, for the supervisor. */
void metrics_heartbeat(int64_t now_ms);
int64_t metrics_last_heartbeat(int process);	/* 0: no heartbeat yet */
/*
 * Sets the reason why this process is not ready. The function cuts the reason to
 * METRICS_WORDS - 1 bytes. NULL: the process is ready.
 */
void metrics_set_down_reason(const char *words);
enum { METRICS_WORDS = 256 };
/*
 * True: PROCESS is not ready, and WORDS gets the reason. If the process has not reported
 * its state yet, WORDS gets "". False: the process is ready.
 */
bool metrics_down_reason(int process, char words[METRICS_WORDS]);
/*
 * Clears the heartbeat, the reason and the gauges of PROCESS. Call it after the process
 * has ended.
 */
void metrics_reset_process(
    int process);
