/*
 * registry -- the registries that this process serves. A registry is a storage_id in a
 * zone. The process creates its registries from its settings.
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
	/* indexes of the chosen words in the word lists of registry_settings.c */
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

/* The last plan of this process, if no updates followed the plan. */
struct last_plan {
	bool is_known, is_held;
	uint32_t serial;		/* serial of the zone in the plan */
	uint64_t rev;			/* revision of the endpoints in the plan */
	int64_t until_ms;
};

struct registry {
	const struct registry_settings *settings;
	struct name zone;
	char zone_text[NAME_MAX_TEXT + 1];
	char lock[LOCK_OBJECT_MAX + 1];	/* name of the registry's lock */
	char id[ID_LEN + 1];		/* id of the registry's row; "": not known yet */
	const struct provider *provider;
	const struct storage *storage;
	struct remembered *memory;	/* only for the storage "memory" */
	struct mark_settings marks;
	struct mark_form former;
	uint8_t mark_key[MARK_KEY];
	struct plan_rules rules;
	struct batch_limits limits;
	struct tsig_key key;
	bool has_key;
	/* Looks up the address of the primary. main.c owns the lookup. */
	struct lookup *lookup;
	struct primary_link *primary;	/* only for the provider rfc2136 */
	struct domain_link *link;	/* only for the provider managed */
	bool is_due;			/* A round is due. Only due.c uses this member. */
	struct last_plan last_plan;
	struct round *round;		/* NULL: no round runs */
	/* earliest time of the next round in this process */
	int64_t not_before_ms;
};

/* maximum number of octets of the zone's name in the name of the lock */
enum { REGISTRY_LOCK_ZONE = 160 };

struct registries {
	struct registry *item;
	size_t count;
};

/* ---- registry_settings.c ---- */

extern const struct option_list registry_lists[];

/*
 * Makes the registries from the settings. ERR_INVALID: a setting is wrong, or there is no
 * zone in the settings.
 */
enum err registries_build(struct registries *registries, struct why *why);

/* ---- registry.c ---- */

/* True: both registries have the same zone on the same server. */
bool registry_is_beside(const struct registry *a, const struct registry *b);
/*
 * Returns the settings that prevent TO from reading the ownership marks of FROM. NULL: TO
 * can read these marks.
 */
const char *registry_cannot_read(const struct registry *to, const struct registry *from);
/*
 * Returns the registry of STORAGE_ID in ZONE. ZONE must be in lower case and have a final
 * dot. NULL: the registry is not in the settings.
 */
struct registry *registries_find(const struct registries *registries,
                                 const char *storage_id, const char *zone);
