#include "port_records.h"

#include <string.h>

#include "model/rr.h"
#include "port_name.h"
#include "reverse.h"

enum { RECORDS_OF_AN_ADDRESS = 3 };

static const char *records_text(const struct name *name, struct arena *arena)
{
	char text[NAME_MAX_TEXT + 1];

	name_format(name, text);
	return arena_strdup(arena, text);
}

/* A name of a port or of one address. */
struct forward_name {
	const char *zone, *name;	/* name NULL: the port has no name */
	int owner;
};

static void records_add_forward(struct port_record *records, size_t *count,
                                const struct forward_name *name,
                                const struct address *address, struct arena *arena)
{
	char text[ADDRESS_TEXT];

	if (!name->name)
		return;
	address_format(address, text);
	records[(*count)++] = (struct port_record){
		.zone = name->zone, .name = name->name, .owner = name->owner,
		.type = address->bits == 32 ? RR_A : RR_AAAA,
		.data = arena_strdup(arena, text),
	};
}

static void records_add_reverse(struct port_record *records, size_t *count,
                                const struct port_network *network,
                                const struct address *address, const char *target,
                                struct arena *arena)
{
	struct name name, zone;

	if (!target)
		return;
	reverse_name(address, &name);
	reverse_zone(address, address->bits == 32 ? network->v4_bits : network->v6_bits,
	             &zone);
	records[(*count)++] = (struct port_record){
		.zone = records_text(&zone, arena), .name = records_text(&name, arena),
		.type = RR_PTR, .data = target, .owner = ZONE_REVERSE,
	};
}

static struct forward_name records_given_name(const struct port_network *network,
                                              const struct port_names *port,
                                              struct arena *arena)
{
	bool is_own = port->domain.len;

	if (!port->fqdn.len)
		return (struct forward_name){ .name = NULL };
	return (struct forward_name){
		records_text(is_own ? &port->domain : &network->domain, arena),
		records_text(&port->fqdn, arena), is_own ? ZONE_OF_PORT : ZONE_OF_NETWORK,
	};
}

static struct forward_name records_generated_name(const struct port_network *network,
                                                  const struct address *address,
                                                  struct arena *arena)
{
	struct name name;
	struct why why;

	/* codec_domain() has made sure that the generated name fits */
	if (!network->domain.len || host_fqdn(address, &network->domain, &name, &why))
		return (struct forward_name){ .name = NULL };
	return (struct forward_name){ records_text(&network->domain,
	                                           arena), records_text(&name, arena),
	                        ZONE_OF_NETWORK };
}

static bool records_same_name(const struct forward_name *a, const struct forward_name *b)
{
	return a->name && b->name && !strcmp(a->name, b->name) &&
	       !strcmp(a->zone, b->zone);
}

size_t port_records(const struct port_network *network, const struct port_names *port,
                    struct arena *arena, struct port_record **records)
{
	const struct forward_name given = records_given_name(network, port, arena);
	size_t count = 0;

	*records = arena_alloc(arena, (RECORDS_OF_AN_ADDRESS * port->count + 1) *
	                              sizeof(**records));
	for (size_t i = 0; i < port->count; i++) {
		const struct address *address = &port->addresses[i];
		const struct forward_name generated = records_generated_name(network,
		                                                             address,
		                                                             arena);

		if (!subnets_publish(&network->subnets, address))
			continue;
		records_add_forward(*records, &count, &generated, address, arena);
		if (!records_same_name(&given, &generated))
			records_add_forward(*records, &count, &given, address, arena);
		records_add_reverse(*records, &count, network, address,
		                    given.name ? given.name : generated.name, arena);
	}
	return count;
}
