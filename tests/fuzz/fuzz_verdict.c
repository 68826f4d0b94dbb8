/* An answer to a poll from anywhere: only a whole one to the question counts. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "core/verdict.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct ask ask = {
		.id = 0x102,
		.opcode = size && data[size - 1] & 1 ? OPCODE_NOTIFY : OPCODE_QUERY,
		.zone = { .len = 13, .wire = "\7example\3org" },
	};
	struct judgement judgement = verdict_of(&ask, data, size, 0);

	assert(judgement.verdict < VERDICT_COUNT);
	if (judgement.verdict != VERDICT_MISMATCH)
		assert(size >= PACKET_HEADER && data[0] == 1 && data[1] == 2 &&
		       data[2] & 0x80);
	if (judgement.verdict == VERDICT_SERIAL && ask.opcode == OPCODE_QUERY)
		assert(size >= PACKET_HEADER + 17 + 34 && data[2] & 4);
	return 0;
}
