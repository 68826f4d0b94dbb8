/*
 * metrics_http -- /metrics (Prometheus text) and /healthz (200 when all processes are
 * ready and alive, else 503 and which is not) over HTTP, by libmicrohttpd.
 * Runs in the supervisor, on loopback unless configured otherwise.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"

struct loop;
struct page;

/* LISTEN_ON is "127.0.0.1:9100" or "[::1]:9100"; port 0 picks one. */
enum err page_open(struct loop *loop, const char *listen_on, int processes,
                   struct page **page, struct why *why);
int page_port(const struct page *page);
void page_close(struct page **page);
