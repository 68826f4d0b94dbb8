#include "port_records.h"

#include "model/rr.h"
#include "port_name.h"
#include "reverse.h"

enum { RECORDS_OF_AN_ADDRESS = 3 };

static const char *text_of(const struct name *name, struct arena *arena)
{
	char text[NAME_MAX_TEXT + 1];

	name_format(name, text);
	return arena_strdup(arena, text);
}

static void push_forward(struct port_record *records, size_t *count, const char *zone,
                         const char *name, const struct address *address,
                         struct arena *arena)
{
	char text[ADDRESS_TEXT];

	address_format(address, text);
	records[(*count)++] = (struct port_record){
		.zone = zone, .name = name, .type = address->bits == 32 ? RR_A : RR_AAAA,
		.data = arena_strdup(arena, text),
	};
}

static void push_reverse(struct port_record *records, size_t *count,
                         const struct port_network *network,
                         const struct address *address, const char *target,
                         struct arena *arena)
{
	struct name name, zone;

	reverse_name(address, &name);
	reverse_zone(address, address->bits == 32 ? network->v4_bits : network->v6_bits,
	             &zone);
	records[(*count)++] = (struct port_record){
		.zone = text_of(&zone, arena), .name = text_of(&name, arena),
		.type = RR_PTR, .data = target, .is_reverse = true,
	};
}

size_t port_records(const struct port_network *network, const struct port_names *port,
                    struct arena *arena, struct port_record **records)
{
	const char *zone, *given;
	size_t count = 0;

	*records = arena_alloc(arena, (RECORDS_OF_AN_ADDRESS * port->count + 1) *
	                              sizeof(**records));
	if (!network->domain.len)
		return 0;
	zone = text_of(&network->domain, arena);
	given = port->fqdn.len ? text_of(&port->fqdn, arena) : NULL;
	for (size_t i = 0; i < port->count; i++) {
		const struct address *address = &port->addresses[i];
		const char *generated;
		struct name name;
		struct why why;

		/* a domain of a network leaves room for it: see network_domain() */
		if (host_fqdn(address, &network->domain, &name, &why))
			continue;
		generated = text_of(&name, arena);
		push_forward(*records, &count, zone, generated, address, arena);
		if (given && !name_equal(&name, &port->fqdn))
			push_forward(*records, &count, zone, given, address, arena);
		push_reverse(*records, &count, network, address,
		             given ? given : generated, arena);
	}
	return count;
}
