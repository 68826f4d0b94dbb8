/*
 * recovery -- what is known of zones is compared with the database after news may have
 * been missed, for the connection that brings them was lost: seed 004's "recover". What
 * is as it is stored can be used again; what differs is forgotten. It costs a statement
 * for each 256 zones that were asked for within the last minute, instead of one for each
 * of the questions that come after.
 *
 * The news that come meanwhile are taken as ever: what is stored is read after they come.
 */
#pragma once

struct db_config;
struct figures;
struct known;
struct loop;
struct recovery;

/* KNOWN outlives it. */
struct recovery *recovery_new(struct loop *loop, const struct db_config *config,
                              struct known *known, const struct figures *figures);
void recovery_free(struct recovery **recovery);
/* All that is in doubt (known_doubt()). One that is under way goes on with it. */
void recovery_start(struct recovery *recovery);
