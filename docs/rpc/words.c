/*
 * words -- prints JSON for docs/rpc/printer.py: the rows of the methods of a program with
 * their words, and the classes of errors. The Makefile links it to each program.
 */
#include <stdio.h>

#include "runtime/rpc_reference.h"

static json_t *fields_json(const struct json_field *fields)
{
	json_t *list = json_array();

	for (; fields && fields->name; fields++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:s?, s:I, s:b}",
			"name", fields->name, "type", fields->type, "help", fields->help,
			"fallback", fields->fallback, "max", (json_int_t)fields->max,
			"fixed", fields->is_fixed));
	return list;
}

static json_t *methods_json(const struct rpc_method *methods)
{
	json_t *list = json_array();

	for (; methods->name; methods++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:b, s:b}",
			"name", methods->name, "args", methods->args ? methods->args : "",
			"fleet", methods->fleet, "agents", methods->agents));
	return list;
}

static json_t *words_json(const struct rpc_method_doc *words)
{
	json_t *list = json_array();

	for (; words->method; words++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:s?, s:s?, s:s?, s:o}",
			"method", words->method, "help", words->help,
			"callers", words->callers, "answer", words->answer,
			"example", words->example, "args", fields_json(words->args)));
	return list;
}

static json_t *objects_json(const struct rpc_object *objects)
{
	json_t *list = json_array();

	for (; objects && objects->name; objects++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:b, s:o}",
			"name", objects->name, "help", objects->help,
			"answer", objects->is_answer,
			"fields", fields_json(objects->fields)));
	return list;
}

static json_t *errors_json(void)
{
	json_t *list = json_array();

	for (int err = OK + 1; err < ERR_COUNT; err++)
		json_array_append_new(list, json_pack("{s:s, s:s, s:s, s:b}",
			"class", err_class(err), "module", err_module(err),
			"help", err_help(err), "final", err_retry(err) == RETRY_NEVER));
	return list;
}

int main(void)
{
	json_t *topics = json_array();

	for (const struct rpc_topic *topic = rpc_topics; topic->topic; topic++)
		json_array_append_new(topics, json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}",
			"topic", topic->topic, "help", topic->help,
			"methods", methods_json(topic->methods()),
			"words", words_json(topic->words),
			"args", fields_json(topic->args),
			"objects", objects_json(topic->objects)));
	json_t *all = json_pack("{s:o, s:o}", "topics", topics, "errors", errors_json());
	int failed = json_dumpf(all, stdout, JSON_INDENT(1));
	json_decref(all);
	return failed != 0;
}
