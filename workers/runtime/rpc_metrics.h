/*
 * rpc_metrics -- what the rpc server and client count. Made before the fork
 * by rpc_metrics_init(), and looked up again by name when one is opened.
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
/* METHOD is a row of the table, or anything else for "other". */
void rpc_metrics_settled(const struct rpc_metrics *metrics,
                         const struct rpc_method *method, enum err err, int64_t us);

struct metric *rpc_metrics_casts_failed(void);
