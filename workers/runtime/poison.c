#include "runtime/poison.h"

#include <string.h>
#include <sys/mman.h>

#include "base/id.h"
#include "base/log.h"

enum { KNOWN_MAX = 1024 };

/* What a process is handling. It writes, and its supervisor reads when it is dead. */
struct place {
	size_t count;
	char ids[SUSPECTS_NOTED][ID_LEN + 1];
};

/* The supervisor writes, and processes read: an id is whole before it counts. */
struct suspect {
	char id[ID_LEN + 1];
	_Atomic int deaths;
};

struct shared {
	struct suspect known[KNOWN_MAX];
	size_t next;			/* the oldest, which makes room */
	struct place places[];
};

static struct shared *shared;
static int place_count;
static struct place *mine;

void suspects_init(int processes)
{
	size_t size = sizeof(*shared) + (size_t)processes * sizeof(struct place);

	shared = mmap(NULL, size, PROT_READ | PROT_WRITE,
	              MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (shared == MAP_FAILED)
		fatal("out of memory: bytes=%zu", size);
	place_count = processes;
}

void suspects_process(int index)
{
	bug_if(!shared || index >= place_count);
	mine = &shared->places[index];
	mine->count = 0;
}

void suspects_enter(const char *unique_id)
{
	if (!mine || mine->count == SUSPECTS_NOTED)
		return;
	memcpy(mine->ids[mine->count++], unique_id, ID_LEN + 1);
}

void suspects_leave_all(void)
{
	if (mine)
		mine->count = 0;
}

static struct suspect *find(const char *id)
{
	for (size_t i = 0; shared && i < KNOWN_MAX; i++)
		if (shared->known[i].deaths && !strcmp(shared->known[i].id, id))
			return &shared->known[i];
	return NULL;
}

int suspects_deaths(const char *unique_id)
{
	const struct suspect *suspect = find(unique_id);

	return suspect ? suspect->deaths : 0;
}

static struct suspect *add(const char *id)
{
	struct suspect *suspect = &shared->known[shared->next];

	shared->next = (shared->next + 1) % KNOWN_MAX;
	suspect->deaths = 0;
	memcpy(suspect->id, id, ID_LEN + 1);
	return suspect;
}

void suspects_died(int process, bool of_a_fault)
{
	struct place *place = &shared->places[process];
	/* nothing in it is to be trusted: a fault may have written anywhere */
	size_t count = place->count < SUSPECTS_NOTED ? place->count : SUSPECTS_NOTED;

	for (size_t i = 0; of_a_fault && i < count; i++) {
		struct suspect *suspect;

		place->ids[i][ID_LEN] = '\0';
		suspect = find(place->ids[i]);
		(suspect ? suspect : add(place->ids[i]))->deaths++;
	}
	place->count = 0;
}
