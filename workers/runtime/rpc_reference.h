/*
 * rpc_reference -- the texts of docs/rpc.md about the methods of a topic. The texts of a
 * program are in its service_words.c. docs/rpc/words.c prints the texts and the rows of
 * the tables. `make check` fails if a method has no texts. test_rpc_reference.py makes
 * the calls of the examples and compares the answers with the documented objects.
 */
#pragma once

#include "model/json.h"
#include "runtime/rpc.h"

#define RPC_OWNER "the tenant of the object, and administrators"
#define RPC_ADMINISTRATOR "administrators"
#define RPC_ANYONE "all callers"

struct rpc_method_doc {
	const char *method;
	const char *help;
	/*
	 * who may call the method: one of the texts above. NULL: only programs of the
	 * fleet
	 */
	const char *callers;
	/*
	 * form of the answer, for example "[domain]" or "`domains`: list of [domain];
	 * `marker`: id or null"
	 */
	const char *answer;
	const char *example;	/* arguments of a call, as JSON with ' instead of " */
	/* arguments whose text differs from the topic's `args` */
	const struct json_field *args;
};

struct rpc_object {
	const char *name, *help;
	const struct json_field *fields;
	bool is_answer;		/* true: the object occurs only in answers */
};

struct rpc_topic {
	const char *topic, *help;
	const struct rpc_method *(*methods)(void);
	const struct rpc_method_doc *words;	/* the last row is zero */
	/* arguments that have the same meaning in several methods */
	const struct json_field *args;
	const struct rpc_object *objects;
};

/* Each program defines its own array, which ends with a row of zeroes. */
extern const struct rpc_topic rpc_topics[];
