#include "runtime/rpc_metrics.h"

#include <stdlib.h>

#include "base/mem.h"
#include "runtime/metrics.h"
#include "runtime/rpc.h"

struct rpc_metrics_method {
	struct metric *requests, *seconds;
};

struct rpc_metrics {
	const struct rpc_method *methods;
	size_t count;
	struct metric *failures[ERR_COUNT];
	struct metric *expired;
	/* the last row is for all other methods */
	struct rpc_metrics_method by_method[];
};

static struct rpc_metrics_method rpc_metrics_method(const char *method)
{
	return (struct rpc_metrics_method){
		metric_new(METRIC_COUNTER, "requests_total",
		           "requests that the program has finished", "method", method),
		metric_new(METRIC_HISTOGRAM, "request_seconds",
		           "time from the delivery of a request to its end",
		           "method", method),
	};
}

static struct metric *rpc_metrics_failure(enum err err)
{
	return metric_new(METRIC_COUNTER, "request_failures_total",
	                  "failed requests, by error class",
	                  "class", err_class(err));
}

static size_t rpc_metrics_count_methods(const struct rpc_method *methods)
{
	size_t count = 0;

	while (methods[count].name)
		count++;
	return count;
}

struct rpc_metrics *rpc_metrics_new(const struct rpc_method *methods)
{
	size_t count = rpc_metrics_count_methods(methods);
	struct rpc_metrics *metrics =
		xcalloc(1, sizeof *metrics + (count + 1) * sizeof metrics->by_method[0]);

	metrics->methods = methods;
	metrics->count = count;
	for (size_t i = 0; i < count; i++)
		metrics->by_method[i] = rpc_metrics_method(methods[i].name);
	metrics->by_method[count] = rpc_metrics_method("other");
	for (enum err err = OK + 1; err < ERR_COUNT; err++)
		metrics->failures[err] = rpc_metrics_failure(err);
	metrics->expired = metric_new(METRIC_COUNTER, "requests_expired_total",
	                              "expired calls. The program did not execute or "
	                              "did not commit these calls because the caller's "
	                              "time limit was over",
	                              NULL, NULL);
	return metrics;
}

void rpc_metrics_free(struct rpc_metrics **metrics)
{
	free(*metrics);
	*metrics = NULL;
}

/* A name from the wire must not be a label: a caller could make a million of them. */
static const struct rpc_metrics_method *rpc_metrics_row(const struct rpc_metrics *metrics,
                                                        const struct rpc_method *method)
{
	for (size_t i = 0; i < metrics->count; i++)
		if (method == &metrics->methods[i])
			return &metrics->by_method[i];
	return &metrics->by_method[metrics->count];
}

void rpc_metrics_count(const struct rpc_metrics *metrics,
                       const struct rpc_method *method, enum err err, int64_t us)
{
	const struct rpc_metrics_method *row = rpc_metrics_row(metrics, method);

	metric_add(row->requests, 1);
	metric_observe_us(row->seconds, us);
	if (err)
		metric_add(metrics->failures[err], 1);
	if (err == ERR_EXPIRED)
		metric_add(metrics->expired, 1);
}

struct metric *rpc_metrics_casts_failed(void)
{
	return metric_new(METRIC_COUNTER, "casts_failed_total",
	                  "casts that reached no queue, and casts that the broker did "
	                  "not confirm",
	                  NULL, NULL);
}

void rpc_metrics_init(const struct rpc_method *methods)
{
	struct rpc_metrics *metrics = methods ? rpc_metrics_new(methods) : NULL;

	rpc_metrics_free(&metrics);
	rpc_metrics_casts_failed();
}
