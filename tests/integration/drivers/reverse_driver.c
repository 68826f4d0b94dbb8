/*
 * reverse_driver -- reverse names at the end of a pipe: of each line "ADDRESS BITS" the
 * line "NAME ZONE", or "-" if no zone is cut there.
 */
#include <stdio.h>

#include "core/reverse.h"

enum { LINE_MAX_OCTETS = 256 };

static void answer(const char *text, int bits)
{
	char name_text[NAME_MAX_TEXT + 1], zone_text[NAME_MAX_TEXT + 1];
	struct address address;
	struct name name, zone;
	struct why why;

	if (!address_parse(text, 0, &address) ||
	    reverse_check(address.bits, bits, &why)) {
		puts("-");
		return;
	}
	reverse_name(&address, &name);
	reverse_zone(&address, (uint8_t)bits, &zone);
	name_format(&name, name_text);
	name_format(&zone, zone_text);
	printf("%s %s\n", name_text, zone_text);
}

int main(void)
{
	char line[LINE_MAX_OCTETS], text[ADDRESS_TEXT];
	int bits;

	while (fgets(line, sizeof(line), stdin))
		if (sscanf(line, "%63s %d", text, &bits) == 2)
			answer(text, bits);
	return 0;
}
