/*
 * tsig -- messages that are signed with a shared secret (RFC 8945).
 *
 * A dialogue is a chain: the signature of a message covers that of the message before
 * it, so none can be left out, put in or exchanged. An answer is bound to its question
 * so, and each message of a transfer, all of which are signed (5.3.1), to the one before;
 * from the second answer on only the times are signed besides.
 *
 * What is judged, and in which order (5.2): is the key known, is the signature right,
 * is it of now, is it long enough. We take whole signatures only: a shorter one that is
 * right is BADTRUNC. Only the last two errors are told under a signature.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hmac.h"
#include "dns/packet.h"
#include "model/name.h"

enum {
	TSIG_SECRET_MAX = 128,		/* octets */
	TSIG_FUDGE_S = 300,		/* of our signatures: how wrong a clock may be */
	TSIG_OTHER_TIME = 6,		/* octets: the server's time, of BADTIME */
};

enum tsig_error {
	TSIG_FINE = 0,
	TSIG_MALFORMED = 1,		/* FORMERR: a signature of an impossible length */
	TSIG_BADSIG = 16,
	TSIG_BADKEY = 17,
	TSIG_BADTIME = 18,
	TSIG_BADTRUNC = 22,
};
enum { TSIG_ERRORS = TSIG_BADTRUNC + 1 };
const char *tsig_error_name(enum tsig_error error);	/* "BADSIG" */

struct tsig_key {
	struct name name;		/* in lower case */
	enum hmac_hash hash;
	uint8_t secret[TSIG_SECRET_MAX];
	size_t secret_len;
};

/*
 * NAME as a domain name, ALGORITHM as "hmac-sha256", SECRET in base64, of 1 to 128
 * octets. ERR_INVALID: the words in why do not contain the secret.
 */
enum err tsig_key_parse(const char *name, const char *algorithm, const char *secret,
                        struct tsig_key *key, struct why *why);

/* The record of a signed message, as it came (4.2). */
struct tsig {
	bool present;
	struct name key, algorithm;	/* in lower case */
	uint64_t time;			/* 48 bits: unix seconds */
	uint16_t fudge;
	uint8_t mac[HMAC_MAX];
	uint16_t mac_len;		/* as said; of more than HMAC_MAX none are kept */
	uint16_t original_id;
	uint16_t error, other_len;
	uint64_t other;			/* of six octets: the server's time, of BADTIME */
	size_t at;			/* where in the message it begins */
};

/*
 * RR, read from MESSAGE and begun at AT, is a TSIG record. False if it is malformed,
 * which leaves *tsig present.
 */
bool tsig_read(const struct packet_reader *message, const struct packet_rr *rr, size_t at,
               struct tsig *tsig);
/* The one that ends a message, or none; false if the message is malformed. */
bool tsig_find(const uint8_t *packet, size_t len, struct tsig *tsig);
bool tsig_is_by(const struct tsig *tsig, const struct tsig_key *key);

/* Both sides of a dialogue, seen from one. */
struct tsig_chain {
	struct tsig_key key;
	uint8_t mac[HMAC_MAX];		/* of the message before */
	size_t mac_len;			/* 0: there was none */
	bool answered;			/* from now on only times are signed */
};

void tsig_chain_begin(struct tsig_chain *chain, const struct tsig_key *key);
/*
 * Is PACKET, which ends in TSIG, the next message of the chain? The chain goes on if its
 * signature is right, whatever else is wrong with it. NOW: unix seconds.
 */
enum tsig_error tsig_verify(struct tsig_chain *chain, const uint8_t *packet,
                            const struct tsig *tsig, uint64_t now);
/*
 * The server's time, in unix seconds, if it refuses the message before for its time and
 * signs that itself: whenever it did so (5.2.3). Else 0. The chain stays where it is.
 */
uint64_t tsig_server_time(const struct tsig_chain *chain, const uint8_t *packet,
                          const struct tsig *tsig);

/*
 * Of many answers to one question the first and the last are signed, and at most so many
 * in between are not: the next signature covers them (5.3.1). Zeroed, a gap is empty.
 */
enum { TSIG_GAP_MAX = 99 };

struct tsig_gap {
	struct hmac_stream *digest;	/* NULL: none since the last signature */
	unsigned count;
};

/* False: the first answer is not signed, or too many are not. */
bool tsig_gap_add(struct tsig_gap *gap, const struct tsig_chain *chain,
                  const uint8_t *packet, size_t len);
/* As tsig_verify(), of the one behind the gap, which is empty then. */
enum tsig_error tsig_verify_behind(struct tsig_chain *chain, struct tsig_gap *gap,
                                   const uint8_t *packet, const struct tsig *tsig,
                                   uint64_t now);
void tsig_gap_clear(struct tsig_gap *gap);

/* Octets that tsig_sign() or tsig_refuse() adds at most. */
size_t tsig_room(const struct name *key, const struct name *algorithm);
size_t tsig_room_of(const struct tsig_key *key);
/*
 * Signs the message in WRITER, whose header is set, as the next of the chain. ERROR is
 * what is wrong with the question, TSIG its signature, or NULL in a question of ours.
 */
void tsig_sign(struct tsig_chain *chain, enum tsig_error error, const struct tsig *tsig,
               uint64_t now, struct packet_writer *writer);
/* The error, unsigned: of BADKEY and BADSIG. */
void tsig_refuse(enum tsig_error error, const struct tsig *tsig, uint64_t now,
                 struct packet_writer *writer);
