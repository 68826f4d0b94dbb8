/*
 * store_buffer -- rows of domains, record sets, records and the journal that are yet to be
 * written. The calls of one transaction put theirs here, and those of all are written
 * together: at its end (write.c), or before somebody reads what was written of a domain.
 *
 * Nothing is copied. What is put in has to live until it is written: in a call's arena,
 * or, as a domain's id, in its struct write.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "core/changes.h"
#include "core/zone.h"
#include "runtime/tx.h"

struct later;

struct later *store_later_new(void);
void store_later_free(struct later **later);

/*
 * A domain that is there, and locked: its state, SOA, TTL, description and counts. The
 * change is owed from now on (changed_at). Its version is the next one.
 */
void store_later_domain(struct later *later, struct zone *zone);
/* Sets that are new, or have another TTL. They have ids. */
void store_later_recordsets(struct later *later, const char *domain_id,
                            struct rrset *const *sets, size_t count);
/* New, changed and going records. They have ids. */
void store_later_records(struct later *later, const char *domain_id,
                         const struct row *rows, size_t count);
/* What the serial removed and added, in wire form, the SOAs first. */
void store_later_journal(struct later *later, const char *domain_id, uint32_t previous,
                         uint32_t serial, const struct buf *removed,
                         const struct buf *added);

/* Rows that are yet to be written. */
size_t store_later_count(const struct later *later);
/* Writes all; the transaction tells how it went. Nothing is left. */
void store_later_write(struct later *later, struct tx *tx);
void store_later_clear(struct later *later);		/* forgets all */
