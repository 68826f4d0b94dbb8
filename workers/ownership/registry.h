/*
 * registry -- a storage-id in a zone: what the settings say of it, understood.
 */
#pragma once

#include <stdint.h>

#include "base/id.h"
#include "base/option.h"
#include "consistency/store_lock.h"
#include "core/batch.h"
#include "core/mark_seal.h"
#include "core/plan.h"
#include "core/view.h"
#include "dns/address.h"
#include "dns/tsig.h"

struct provider;
struct remembered;
struct storage;
struct domain_link;
struct primary_link;
struct round;

struct registry_settings {
	char *zone, *storage_id, *tenant;
	/* words of registry_settings.c */
	int storage, provider, txt_form, former_form, policy, scope;
	char *txt_prefix, *txt_suffix, *txt_wildcard;
	char *former_prefix, *former_suffix;
	char *txt_encrypt_key;
	char *host;
	int port;
	char *tsig_key, *tsig_algorithm, *tsig_secret;
	int timeout_ms, resync_ms, reread_s, interval_ms;
	int batch_changes, max_endpoints;
	int64_t batch_bytes;
	struct option_texts types, within, without;
	int max_delete_pct, max_update_pct, min_records;
	int ttl, mark_ttl;
	bool dry_run, keep_drift, reclaim;
};

/* What this process knows of the last plan of which nothing was to be done. */
struct last_plan {
	bool is_known, is_held;
	uint32_t serial;		/* of the zone */
	uint64_t rev;			/* of what was wanted */
	int64_t until_ms;
};

struct registry {
	const struct registry_settings *settings;
	struct name zone;
	char zone_text[NAME_MAX_TEXT + 1];
	char lock[LOCK_OBJECT_MAX + 1];	/* the object of its lock */
	char id[ID_LEN + 1];		/* of its row; "" until it is known */
	const struct provider *provider;
	const struct storage *storage;
	struct remembered *memory;	/* storage's */
	struct mark_settings marks;
	struct mark_form former;
	uint8_t mark_key[MARK_KEY];
	struct plan_rules rules;
	struct batch_limits limits;
	struct tsig_key key;
	bool has_key;
	struct lookup *lookup;		/* the primary's address, of rfc2136: main.c's */
	struct primary_link *primary;	/* provider's, of rfc2136 */
	struct domain_link *link;	/* and of managed */
	bool is_due;			/* due.c's */
	struct last_plan last_plan;
	struct round *round;		/* NULL: none is under way */
	int64_t not_before_ms;		/* the next round, by this process */
};

enum { REGISTRY_LOCK_ZONE = 160 };	/* octets of a zone that a lock's name has */

struct registries {
	struct registry *item;
	size_t count;
};

/* ---- registry_settings.c ---- */

extern const struct option_list registry_lists[];

/* ERR_INVALID, in words that name the zone. */
enum err registries_build(struct registries *registries, struct why *why);

/* ---- registry.c ---- */

/* Do both look at one zone of one server? */
bool registry_is_beside(const struct registry *a, const struct registry *b);
/* The setting for which TO cannot read marks of FROM; NULL: it can. */
const char *registry_cannot_read(const struct registry *to, const struct registry *from);
/* NULL: it is none of ours. ZONE with its last dot, in lower case. */
struct registry *registries_find(const struct registries *registries,
                                 const char *storage_id, const char *zone);
