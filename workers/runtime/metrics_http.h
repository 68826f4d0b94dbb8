/*
 * metrics_http -- the HTTP server of a program, based on libmicrohttpd. /metrics returns
 * the metrics as Prometheus text. /healthz returns 200 if all processes are ready and
 * have sent a heartbeat in the last 30 s. Otherwise /healthz returns 503 with a reason
 * for each process that is not ready or has sent no heartbeat in the last 30 s. The
 * server runs in the supervisor. The server listens only if the setting `metrics` of the
 * program names an address.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

struct loop;
struct metrics_http;

/*
 * Opens the server on the numeric address and port LISTEN_ON, for example
 * "127.0.0.1:9100" or "[::1]:9100". If the port is 0, the kernel chooses a port.
 */
enum err metrics_http_open(struct loop *loop, const char *listen_on, int processes,
                           struct metrics_http **http, struct why *why);
int metrics_http_port(const struct metrics_http *http);
void metrics_http_close(struct metrics_http **http);
