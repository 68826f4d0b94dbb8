/* tsig_read -- reads the TSIG record of a message, without checking the signature. */
#include "dns/tsig.h"

#include <string.h>

static uint64_t tsig_read_u48(struct packet_reader *reader)
{
	uint64_t high = packet_read_u16(reader);

	return high << 32 | packet_read_u32(reader);
}

/* False: the packet is too short. */
static bool tsig_skip(struct packet_reader *reader, size_t len)
{
	if (reader->broken || reader->len - reader->at < len)
		reader->broken = true;
	else
		reader->at += len;
	return !reader->broken;
}

/* RFC 8945 4.2: algorithm, time, fudge, MAC, original id, error, other data. */
static bool tsig_read_rdata(struct packet_reader *rdata, struct tsig *tsig)
{
	size_t mac;

	packet_read_name(rdata, &tsig->algorithm);
	name_fold(&tsig->algorithm);
	tsig->time = tsig_read_u48(rdata);
	tsig->fudge = packet_read_u16(rdata);
	tsig->mac_len = packet_read_u16(rdata);
	mac = rdata->at;
	if (!tsig_skip(rdata, tsig->mac_len))
		return false;
	if (tsig->mac_len <= sizeof(tsig->mac))
		memcpy(tsig->mac, rdata->data + mac, tsig->mac_len);
	tsig->original_id = packet_read_u16(rdata);
	tsig->error = packet_read_u16(rdata);
	tsig->other_len = packet_read_u16(rdata);
	if (tsig->other_len == TSIG_OTHER_TIME)
		tsig->other = tsig_read_u48(rdata);
	else
		tsig_skip(rdata, tsig->other_len);
	return !rdata->broken && rdata->at == rdata->len;
}

bool tsig_read(const struct packet_reader *message, const struct packet_rr *rr, size_t at,
               struct tsig *tsig)
{
	struct packet_reader rdata = packet_rdata(message, rr);

	tsig->present = true;
	tsig->key = rr->name;
	name_fold(&tsig->key);
	tsig->at = at;
	return tsig_read_rdata(&rdata, tsig) && rr->class == RR_CLASS_ANY && !rr->ttl;
}

static void tsig_skip_questions(struct packet_reader *reader, int count)
{
	struct name name;

	for (int i = 0; i < count && !reader->broken; i++) {
		packet_read_name(reader, &name);
		packet_read_u32(reader);
	}
}

bool tsig_find(const uint8_t *packet, size_t len, struct tsig *tsig)
{
	struct packet_reader reader = packet_reader(packet, len);
	struct packet_header header;
	struct packet_rr rr = { .type = 0 };
	size_t at = 0;
	int left;

	tsig->present = false;
	packet_read_header(&reader, &header);
	tsig_skip_questions(&reader, header.count[SECTION_QUESTION]);
	left = header.count[SECTION_ANSWER] + header.count[SECTION_AUTHORITY] +
	       header.count[SECTION_ADDITIONAL];
	for (; left > 0 && !reader.broken; left--) {
		if (rr.type == RR_TSIG)
			return false;		/* the record is not the last one */
		at = reader.at;
		packet_read_rr(&reader, &rr);
	}
	if (reader.broken || reader.at != len)
		return false;
	if (rr.type != RR_TSIG)
		return true;
	return header.count[SECTION_ADDITIONAL] && tsig_read(&reader, &rr, at, tsig);
}
