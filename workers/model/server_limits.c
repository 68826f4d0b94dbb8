#include "model/server_limits.h"

#include <string.h>

#include "model/rr.h"

enum { RECORDS_MAX = 100, TYPES_MAX = 100, DATA_MAX = 16000 };

enum { TYPE_NSEC3PARAM = 51, TYPE_CDS = 59, TYPE_CDNSKEY = 60 };

/* ---- BIND ---- */

static bool limit_is_wildcard_ns(const struct server_limit_view *view)
{
	return view->type == RR_NS && view->name->wire[0] == 1 &&
	       view->name->wire[1] == '*';
}

static bool limit_has_many_records(const struct server_limit_view *view)
{
	return view->records > RECORDS_MAX;
}

static bool limit_has_many_types(const struct server_limit_view *view)
{
	return view->types > TYPES_MAX;
}

/* ---- Knot ---- */

static bool limit_has_key_beside_cname(const struct server_limit_view *view)
{
	return view->has_cname && view->has_key;
}

/* ---- NSD ---- */

static bool limit_has_slash(const struct name *apex)
{
	const uint8_t *label = apex->wire;

	for (; *label; label += *label + 1)
		if (memchr(label + 1, '/', *label))
			return true;
	return false;
}

/*
 * A message of a transfer from NSD has less than 16384 octets (AXFR_MAX_MESSAGE_LEN).
 * This includes the header (12), the owner name, the record's other fields (10), and the
 * TSIG record. With a usual name and key, 16100 to 16343 octets remain for the data.
 */
static bool limit_has_much_data(uint16_t type, const uint8_t *rdata, size_t len)
{
	(void)type;
	(void)rdata;
	return len > DATA_MAX;
}

/* ---- PowerDNS ---- */

static bool limit_is_plain(uint8_t octet)
{
	return octet && strchr("abcdefghijklmnopqrstuvwxyz0123456789 -_*./@\\:", octet);
}

static bool limit_has_odd_name(const struct server_limit_view *view)
{
	const uint8_t *label = view->name->wire;

	for (; *label; label += *label + 1)
		for (size_t i = 1; i <= *label; i++)
			if (!limit_is_plain(label[i]))
				return true;
	return false;
}

static bool limit_is_of_signer(const struct server_limit_view *view)
{
	static const uint16_t types[] = {
		RR_RRSIG, RR_NSEC, RR_DNSKEY, RR_NSEC3, TYPE_NSEC3PARAM, TYPE_CDS,
		TYPE_CDNSKEY,
	};

	for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
		if (types[i] == view->type)
			return true;
	return false;
}

/* RFC 9460 2.4.2: recipients must ignore the parameters of a record in AliasMode. */
static bool limit_is_alias_with_parameters(uint16_t type, const uint8_t *rdata,
                                           size_t len)
{
	size_t name;

	if ((type != RR_SVCB && type != RR_HTTPS) || len < 2 || rdata[0] || rdata[1])
		return false;
	name = name_wire_len(rdata + 2, len - 2);
	return name && name < len - 2;
}

const struct server_limit server_limits[SERVER_LIMITS] = {
	{ "bind9", "BIND", "accepts no NS records at a wildcard name",
	  SERVER_LIMIT_ZONE, .excludes_set = limit_is_wildcard_ns },
	{ "bind9", "BIND", "accepts at most 100 records in a record set, unless its "
	  "option max-records-per-type allows more",
	  SERVER_LIMIT_ZONE, .excludes_set = limit_has_many_records },
	{ "bind9", "BIND", "accepts at most 100 types at a name, unless its option "
	  "max-types-per-name allows more",
	  SERVER_LIMIT_ZONE, .is_of_name = true, .excludes_set = limit_has_many_types },
	{ "knot", "Knot", "accepts no KEY records at a name with a CNAME record",
	  SERVER_LIMIT_ZONE, .is_of_name = true,
	  .excludes_set = limit_has_key_beside_cname },
	{ "nsd", "NSD", "accepts no zone with / in its name, unless slash_names is true "
	  "for the server in backends.nsd (deploy/name-servers.md, NSD 4.6)",
	  SERVER_LIMIT_CREATE, .excludes_zone = limit_has_slash },
	{ "nsd", "NSD", "sends no record with more than about 16000 octets of data in a "
	  "zone transfer",
	  SERVER_LIMIT_COMPARE, .excludes_record = limit_has_much_data },
	{ "powerdns", "PowerDNS", "accepts no SVCB or HTTPS records with the priority 0 "
	  "and parameters",
	  SERVER_LIMIT_ZONE, .excludes_record = limit_is_alias_with_parameters },
	{ "powerdns", "PowerDNS", "accepts only letters, digits, blanks and -_*./@\\: in "
	  "names",
	  SERVER_LIMIT_NAME, .is_of_name = true, .excludes_set = limit_has_odd_name },
	{ "powerdns", "PowerDNS", "accepts no RRSIG, NSEC, NSEC3, NSEC3PARAM, DNSKEY, "
	  "CDS or CDNSKEY records from other servers",
	  SERVER_LIMIT_RECORDS, .excludes_set = limit_is_of_signer },
};

const char *server_limit_effect_words(enum server_limit_effect effect)
{
	static const char *const words[] = {
		[SERVER_LIMIT_ZONE] = "refuses the whole zone",
		[SERVER_LIMIT_NAME] = "answers queries for this name with SERVFAIL",
		[SERVER_LIMIT_RECORDS] = "does not serve these records",
		[SERVER_LIMIT_CREATE] = "does not get the zone",
		[SERVER_LIMIT_COMPARE] = ("serves the zone, but mini-DNS cannot compare "
		                          "its records"),
	};

	return words[effect];
}
