/*
 * rpc_metrics -- the metrics of the rpc server and client. rpc_metrics_init() creates the
 * metrics before the fork. The server and the client look up the metrics by name when
 * they start.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct metric;
struct rpc_method;
struct rpc_metrics;

struct rpc_metrics *rpc_metrics_new(const struct rpc_method *methods);
void rpc_metrics_free(struct rpc_metrics **metrics);
/*
 * Counts a finished request that took US microseconds. If METHOD is not a row of the
 * table of rpc_metrics_new(), the label `method` is "other".
 */
void rpc_metrics_count(const struct rpc_metrics *metrics,
                       const struct rpc_method *method, enum err err, int64_t us);

struct metric *rpc_metrics_casts_failed(void);
