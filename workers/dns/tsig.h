/*
 * tsig -- signs and checks DNS messages with a shared secret (RFC 8945). The TSIG record
 * of a signed message contains a MAC (message authentication code).
 *
 * A query and its answers form a chain: each MAC also covers the MAC of the previous
 * message. So an attacker cannot omit, insert or replace a message. The chain binds an
 * answer to its query, and each message of a transfer to the previous message. In a
 * signed transfer, zonefleet signs each message that it sends (RFC 8945 5.3.1). A MAC
 * also covers fields of its own TSIG record. From the second answer on, a MAC covers only
 * the time fields of its TSIG record.
 *
 * zonefleet checks the key, the MAC, the time and the length of the MAC, in this order
 * (RFC 8945 5.2). zonefleet accepts only a MAC of full length: if a correct MAC is
 * shorter, the error is BADTRUNC. If the error is BADTIME or BADTRUNC, zonefleet signs
 * its answer. If the answer contains any other TSIG error, zonefleet sends the answer
 * unsigned.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/hmac.h"
#include "dns/packet.h"
#include "model/name.h"

enum {
	TSIG_SECRET_MAX = 128,		/* maximum length of a secret in octets */
	/* clock difference in seconds that zonefleet allows in its own TSIG records */
	TSIG_FUDGE_S = 300,
	/* size in octets of the server's time in a BADTIME answer */
	TSIG_OTHER_TIME = 6,
};

enum tsig_error {
	TSIG_NO_ERROR = 0,
	/* the length of the MAC is impossible; the rcode is FORMERR */
	TSIG_MALFORMED = 1,
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
 * Makes a key. NAME: a domain name. ALGORITHM: for example "hmac-sha256". SECRET: 1 to
 * 128 octets as base64. ERR_INVALID: an argument is not valid; the reason never contains
 * the secret.
 */
enum err tsig_key_parse(const char *name, const char *algorithm, const char *secret,
                        struct tsig_key *key, struct why *why);

/* The TSIG record of a received message (RFC 8945 4.2). */
struct tsig {
	bool present;
	struct name key, algorithm;	/* in lower case */
	uint64_t time;	/* time of the signature in unix seconds, 48 bits */
	uint16_t fudge;
	uint8_t mac[HMAC_MAX];
	/* length of the received MAC; if mac_len exceeds HMAC_MAX, `mac` is empty */
	uint16_t mac_len;
	uint16_t original_id;
	uint16_t error, other_len;
	/* if other_len is TSIG_OTHER_TIME: the server's time in a BADTIME answer */
	uint64_t other;
	size_t at;			/* offset of the TSIG record in the message */
};

/*
 * Reads RR, a TSIG record of MESSAGE that begins at AT. False: RR is malformed, and
 * tsig->present is true.
 */
bool tsig_read(const struct packet_reader *message, const struct packet_rr *rr, size_t at,
               struct tsig *tsig);
/*
 * Finds the TSIG record at the end of a message. If there is no TSIG record,
 * tsig->present is false. False: the message is malformed.
 */
bool tsig_find(const uint8_t *packet, size_t len, struct tsig *tsig);

/* The chain of MACs that this process has sent and received. */
struct tsig_chain {
	struct tsig_key key;
	uint8_t mac[HMAC_MAX];		/* MAC of the previous message */
	size_t mac_len;			/* length of this MAC; 0: no previous message */
	/* true: the next MAC covers only the time fields of its TSIG record */
	bool answered;
};

void tsig_chain_begin(struct tsig_chain *chain, const struct tsig_key *key);
/*
 * Checks PACKET as the next message of the chain. TSIG: the TSIG record at the end of
 * PACKET. NOW: unix seconds. If the MAC is correct, this MAC becomes the previous MAC of
 * the chain, even if the result is BADTIME or BADTRUNC.
 */
enum tsig_error tsig_verify(struct tsig_chain *chain, const uint8_t *packet,
                            const struct tsig *tsig, uint64_t now);
/*
 * Returns the server's time in unix seconds, if PACKET answers BADTIME to the last sent
 * message and has a correct MAC (RFC 8945 5.2.3); otherwise 0. The function does not
 * change the chain.
 */
uint64_t tsig_server_time(const struct tsig_chain *chain, const uint8_t *packet,
                          const struct tsig *tsig);

/*
 * The unsigned messages between two signed messages. If a query has many answers, the
 * first and the last answer are signed. At most TSIG_GAP_MAX consecutive messages are
 * unsigned. The next MAC covers these messages (RFC 8945 5.3.1). A zeroed gap is empty.
 */
enum { TSIG_GAP_MAX = 99 };

struct tsig_gap {
	/* digest of the messages since the last MAC; NULL: no message */
	struct hmac_stream *digest;
	unsigned count;
};

/*
 * Adds an unsigned message to the gap. False: this message is the first answer, or the
 * gap would have more than TSIG_GAP_MAX messages.
 */
bool tsig_gap_add(struct tsig_gap *gap, const struct tsig_chain *chain,
                  const uint8_t *packet, size_t len);
/*
 * Like tsig_verify(), for the message after the gap. Empties the gap, unless the key or
 * the length of the MAC is wrong.
 */
enum tsig_error tsig_verify_behind(struct tsig_chain *chain, struct tsig_gap *gap,
                                   const uint8_t *packet, const struct tsig *tsig,
                                   uint64_t now);
void tsig_gap_clear(struct tsig_gap *gap);

/*
 * Returns the maximum number of octets that tsig_sign() or tsig_refuse() adds to a
 * message.
 */
size_t tsig_room(const struct name *key, const struct name *algorithm);
size_t tsig_room_of(const struct tsig_key *key);
/*
 * Signs the message in WRITER as the next message of the chain. The caller must have set
 * the header of the message. ERROR: the TSIG error in the query. TSIG: the TSIG record
 * of the query; NULL: the message is itself a query.
 */
void tsig_sign(struct tsig_chain *chain, enum tsig_error error, const struct tsig *tsig,
               uint64_t now, struct packet_writer *writer);
/*
 * Adds a TSIG record with ERROR, but without a MAC. Use it for BADKEY and BADSIG. TSIG:
 * the TSIG record of the query.
 */
void tsig_refuse(enum tsig_error error, const struct tsig *tsig, uint64_t now,
                 struct packet_writer *writer);
