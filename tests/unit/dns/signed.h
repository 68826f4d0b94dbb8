/* signed -- makes a TSIG key, and a query that this key signs. */
#pragma once

#include <stdint.h>

#include "dns/tsig.h"
#include "records.h"

enum { NOW = 1800000000 };

static inline struct tsig_key key_of(const char *algorithm)
{
	struct tsig_key key;
	struct why why;

	assert_int_equal(tsig_key_parse("Key.Example.", algorithm,
	                                "MDEyMzQ1Njc4OWFiY2RlZg==", &key, &why), OK);
	return key;
}

static inline void begin_message(struct packet_writer *writer, uint8_t *data,
                                 uint16_t flags)
{
	struct name name = name_of("example.org.");
	const struct packet_header header = {
		.id = 0x1234, .flags = flags, .count = { [SECTION_QUESTION] = 1 },
	};

	packet_writer_init(writer, data, PACKET_UDP_MAX);
	packet_put(writer, name.wire, name.len);
	packet_put_u32(writer, RR_SOA << 16 | RR_CLASS_IN);
	packet_set_header(writer, &header);
}

/*
 * Writes a query to DATA and signs the query with KEY. CHAIN becomes the chain of the
 * sender. Returns the length of the query.
 */
static inline size_t put_question(struct tsig_chain *chain, const struct tsig_key *key,
                                  uint8_t *data)
{
	struct packet_writer writer;

	begin_message(&writer, data, 0);
	tsig_chain_begin(chain, key);
	tsig_sign(chain, TSIG_NO_ERROR, NULL, NOW, &writer);
	return writer.len;
}
