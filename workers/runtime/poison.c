#include "runtime/poison.h"

#include <string.h>
#include <sys/mman.h>

#include "base/id.h"
#include "base/log.h"

enum { MESSAGES_MAX = 1024 };

/* The messages that a process handles. The supervisor reads it after the process died. */
struct place {
	size_t count;
	char ids[POISON_NOTED_MAX][ID_LEN + 1];
};

/* The supervisor writes, and processes read. An id is complete before it has deaths. */
struct poison_message {
	char id[ID_LEN + 1];
	_Atomic int deaths;
};

struct shared {
	struct poison_message messages[MESSAGES_MAX];
	size_t next;			/* the oldest, which is replaced next */
	struct place places[];
};

static struct shared *shared;
static int place_count;
static struct place *mine;

void poison_init(int processes)
{
	size_t size = sizeof(*shared) + (size_t)processes * sizeof(struct place);

	shared = mmap(NULL, size, PROT_READ | PROT_WRITE,
	              MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (shared == MAP_FAILED)
		fatal("out of memory: bytes=%zu", size);
	place_count = processes;
}

void poison_process(int index)
{
	bug_if(!shared || index >= place_count);
	mine = &shared->places[index];
	mine->count = 0;
}

void poison_note(const char *unique_id)
{
	if (!mine || mine->count == POISON_NOTED_MAX)
		return;
	memcpy(mine->ids[mine->count++], unique_id, ID_LEN + 1);
}

void poison_clear(void)
{
	if (mine)
		mine->count = 0;
}

static struct poison_message *poison_find(const char *id)
{
	for (size_t i = 0; shared && i < MESSAGES_MAX; i++)
		if (shared->messages[i].deaths && !strcmp(shared->messages[i].id, id))
			return &shared->messages[i];
	return NULL;
}

int poison_deaths(const char *unique_id)
{
	const struct poison_message *message = poison_find(unique_id);

	return message ? message->deaths : 0;
}

static struct poison_message *poison_add(const char *id)
{
	struct poison_message *message = &shared->messages[shared->next];

	shared->next = (shared->next + 1) % MESSAGES_MAX;
	message->deaths = 0;
	memcpy(message->id, id, ID_LEN + 1);
	return message;
}

void poison_process_died(int process, bool of_a_fault)
{
	struct place *place = &shared->places[process];
	/* do not trust its content: a fault may have written anywhere */
	size_t count = place->count < POISON_NOTED_MAX ? place->count : POISON_NOTED_MAX;

	for (size_t i = 0; of_a_fault && i < count; i++) {
		struct poison_message *message;

		place->ids[i][ID_LEN] = '\0';
		message = poison_find(place->ids[i]);
		(message ? message : poison_add(place->ids[i]))->deaths++;
	}
	place->count = 0;
}
