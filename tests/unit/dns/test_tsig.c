#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "dns/tsig.h"
#include "signed.h"

/*
 * What dnspython, BIND, Knot and NSD make of our signatures is seen in
 * tests/integration/test_minidns_tsig.py; here is what no well-behaved peer does.
 */

static const char *const algorithms[] = {
	"hmac-sha1", "hmac-sha224", "hmac-sha256", "hmac-sha384", "hmac-sha512",
};

/* RFC 4231 4.2 and RFC 2202: key 20 x 0x0b, "Hi There". */
static void hashes_are_those_of_the_rfcs(void **state)
{
	static const struct { enum hmac_hash hash; const char *mac; } cases[] = {
		{ HMAC_SHA1, "\266\027\061\206\125\005\162\144" },
		{ HMAC_SHA224, "\211\157\261\022\212\273\337\031" },
		{ HMAC_SHA256, "\260\064\114\141\330\333\070\123" },
		{ HMAC_SHA384, "\257\320\071\104\330\110\225\142" },
		{ HMAC_SHA512, "\207\252\174\336\245\357\141\235" },
	};
	uint8_t key[20], mac[HMAC_MAX];

	(void)state;
	memset(key, 0x0b, sizeof(key));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct hmac_part parts[] = {
			{ "Hi ", 3 }, { "", 0 }, { "There", 5 },
		};

		hmac(cases[i].hash, key, sizeof(key), parts, 3, mac);
		assert_memory_equal(mac, cases[i].mac, 8);
	}
}

static enum tsig_error judge(struct tsig_chain *chain, const uint8_t *data, size_t len,
                             uint64_t now)
{
	struct tsig tsig;

	if (!tsig_find(data, len, &tsig) || !tsig.present)
		return TSIG_MALFORMED;
	return tsig_verify(chain, data, &tsig, now);
}

static void both_sides_agree(void **state)
{
	uint8_t data[PACKET_UDP_MAX];

	(void)state;
	for (size_t i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++) {
		struct tsig_key key = key_of(algorithms[i]);
		struct tsig_chain client, server;
		struct packet_writer writer;
		size_t len = put_question(&client, &key, data);

		tsig_chain_begin(&server, &key);
		assert_int_equal(judge(&server, data, len, NOW + 300), TSIG_NO_ERROR);
		for (int message = 0; message < 5; message++) {
			begin_message(&writer, data, FLAG_QR);
			tsig_sign(&server, TSIG_NO_ERROR, NULL, NOW, &writer);
			assert_int_equal(judge(&client, data, writer.len, NOW),
			                 TSIG_NO_ERROR);
		}
	}
}

/* None can be left out, said twice, or put before another. */
static void a_chain_has_one_order(void **state)
{
	struct tsig_key key = key_of("hmac-sha256");
	struct tsig_chain client, server, at[4];
	uint8_t data[4][PACKET_UDP_MAX];
	size_t len[4];

	(void)state;
	len[0] = put_question(&client, &key, data[0]);
	tsig_chain_begin(&server, &key);
	judge(&server, data[0], len[0], NOW);
	for (int i = 1; i < 4; i++) {
		struct packet_writer writer;

		begin_message(&writer, data[i], FLAG_QR);
		tsig_sign(&server, TSIG_NO_ERROR, NULL, NOW, &writer);
		len[i] = writer.len;
	}
	at[0] = client;
	for (int i = 1; i < 4; i++) {
		at[i] = at[i - 1];
		assert_int_equal(judge(&at[i], data[i], len[i], NOW), TSIG_NO_ERROR);
	}
	for (int done = 0; done < 4; done++)
		for (int next = 1; next < 4; next++) {
			struct tsig_chain chain = at[done];
			enum tsig_error error = judge(&chain, data[next], len[next], NOW);

			assert_int_equal(!error, next == done + 1);
		}
}

static void each_bit_counts(void **state)
{
	struct tsig_key key = key_of("hmac-sha256");
	struct tsig_chain client, server;
	uint8_t data[PACKET_UDP_MAX];
	size_t len = put_question(&client, &key, data);

	(void)state;
	/* not the id, for which the record has its own, nor the case of names */
	for (size_t bit = 16; bit < 8 * len; bit++) {
		uint8_t was = data[bit / 8];

		data[bit / 8] ^= 1 << bit % 8;
		tsig_chain_begin(&server, &key);
		if ((was ^ data[bit / 8]) != 0x20)
			assert_int_not_equal(judge(&server, data, len, NOW), TSIG_NO_ERROR);
		data[bit / 8] = was;
	}
	assert_int_equal(judge(&server, data, len, NOW), TSIG_NO_ERROR);
}

static void clocks_may_differ_by_the_fudge(void **state)
{
	static const struct { int64_t off; enum tsig_error want; } cases[] = {
		{ 0, TSIG_NO_ERROR }, { 300, TSIG_NO_ERROR }, { -300, TSIG_NO_ERROR },
		{ 301, TSIG_BADTIME }, { -301, TSIG_BADTIME }, { -NOW, TSIG_BADTIME },
	};
	struct tsig_key key = key_of("hmac-sha256");
	struct tsig_chain client, server;
	uint8_t data[PACKET_UDP_MAX];
	size_t len = put_question(&client, &key, data);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		tsig_chain_begin(&server, &key);
		assert_int_equal(judge(&server, data, len, NOW + cases[i].off),
		                 cases[i].want);
	}
}

/* As if the question had come with a MAC of LEN octets, the first of its own. */
static enum tsig_error judge_cut(const uint8_t *data, size_t len, size_t mac_len)
{
	struct tsig_key key = key_of("hmac-sha256");
	struct tsig_chain server;
	struct tsig tsig;

	tsig_chain_begin(&server, &key);
	assert_true(tsig_find(data, len, &tsig));
	tsig.mac_len = mac_len;
	return tsig_verify(&server, data, &tsig, NOW);
}

static void a_signature_is_whole(void **state)
{
	struct tsig_key key = key_of("hmac-sha256");
	struct tsig_chain client;
	uint8_t data[PACKET_UDP_MAX];
	size_t len = put_question(&client, &key, data);

	(void)state;
	for (size_t mac_len = 0; mac_len < 80; mac_len++)
		assert_int_equal(judge_cut(data, len, mac_len),
		                 mac_len < 16 || mac_len > 32 ? TSIG_MALFORMED
		                 : mac_len < 32		      ? TSIG_BADTRUNC
						      : TSIG_NO_ERROR);
}

/* The refusal of the question in DATA by a server whose clock is OFF; its length. */
static size_t put_refusal(uint8_t *data, size_t len, int64_t off, enum tsig_error error)
{
	struct tsig_key key = key_of("hmac-sha256");
	struct packet_writer writer;
	struct tsig_chain server;
	struct tsig tsig;

	tsig_chain_begin(&server, &key);
	assert_true(tsig_find(data, len, &tsig));
	tsig_verify(&server, data, &tsig, NOW);
	begin_message(&writer, data, FLAG_QR | RCODE_NOTAUTH);
	tsig_sign(&server, error, &tsig, NOW + off, &writer);
	return writer.len;
}

static uint64_t server_time(const struct tsig_chain *chain, const uint8_t *data,
                            size_t len)
{
	struct tsig tsig;

	return tsig_find(data, len, &tsig) && tsig.present
	           ? tsig_server_time(chain, data, &tsig) : 0;
}

static void the_time_of_a_server(void **state)
{
	struct tsig_key key = key_of("hmac-sha256");
	struct tsig_chain client;
	uint8_t data[PACKET_UDP_MAX];
	size_t len = put_question(&client, &key, data);

	(void)state;
	assert_int_equal(server_time(&client, data, len), 0);
	len = put_refusal(data, len, 7200, TSIG_BADTIME);
	assert_int_equal(server_time(&client, data, len), NOW + 7200);
	for (size_t bit = 16; bit < 8 * len; bit++) {
		uint8_t was = data[bit / 8];

		data[bit / 8] ^= 1 << bit % 8;
		if ((was ^ data[bit / 8]) != 0x20)
			assert_int_equal(server_time(&client, data, len), 0);
		data[bit / 8] = was;
	}
	assert_int_equal(judge(&client, data, len, NOW), TSIG_NO_ERROR);
	len = put_question(&client, &key, data);
	len = put_refusal(data, len, 7200, TSIG_BADTRUNC);
	assert_int_equal(server_time(&client, data, len), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(hashes_are_those_of_the_rfcs),
		cmocka_unit_test(both_sides_agree),
		cmocka_unit_test(a_chain_has_one_order),
		cmocka_unit_test(each_bit_counts),
		cmocka_unit_test(clocks_may_differ_by_the_fudge),
		cmocka_unit_test(a_signature_is_whole),
		cmocka_unit_test(the_time_of_a_server),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
