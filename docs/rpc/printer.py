#!/usr/bin/python3
"""docs/rpc/printer.py [--check FILE] WORDS... -- prints docs/rpc.md.

Each WORDS is a program of docs/rpc/words.c that prints the texts of one program. --check compares
FILE with the page. The printer fails if a method has no texts, or if the texts do not fit the rows
of the program (workers/runtime/rpc_reference.h).
"""

import ast
import json
import keyword
import re
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
CLIENT = "client.call(context, "


class Mistake(Exception):
    pass


def parts_of(answer):
    """{key: type} for "`domains`: list of [domain]; `marker`: id"; None for null or one object."""
    found = {}
    for part in answer.split("; "):
        key, _, kind = part.partition(": ")
        if not re.fullmatch(r"`\w+`", key):
            return None
        found[key[1:-1]] = kind
    return found


class Method:
    """A method with its words. The arguments are rows of the words."""

    def __init__(self, topic, row, words):
        self.topic, self.name, self.help = topic["topic"], row["name"], words["help"]
        self.is_fleet, self.is_agents = row["fleet"], row["agents"]
        self.place = f"{self.topic} {self.name}"
        if self.is_fleet:
            return
        for key in "callers", "answer", "example":
            if not words[key]:
                raise Mistake(f"{self.place}: the words have no {key}")
        self.callers, self.answer = words["callers"], words["answer"]
        self.args = list(self._arguments(row["args"], topic["args"], words["args"]))
        self.example = self._example(words["example"])

    def _arguments(self, keywords, common, own):
        rows = {row["name"]: row for row in common} | {row["name"]: row for row in own}
        names = [word.rstrip("?") for word in keywords.split()]
        for word, name in zip(keywords.split(), names):
            if name not in rows:
                raise Mistake(f"{self.place}: no words for the argument {name}")
            if (rows[name]["fallback"] is not None) != word.endswith("?"):
                raise Mistake(f"{self.place}: {name} must be optional both in the row of the "
                              "program and in the words, or in neither of them")
            yield rows[name]

    def _example(self, text):
        example = json.loads(text.replace("'", '"'))
        unknown = example.keys() - {arg["name"] for arg in self.args}
        missing = {arg["name"] for arg in self.args if arg["fallback"] is None} - example.keys()
        if unknown or missing:
            raise Mistake(f"{self.place}: the example lacks {missing}, or must not have "
                          f"{unknown}")
        return example


class Topic:

    def __init__(self, data):
        self.name, self.help, self.objects = data["topic"], data["help"], data["objects"]
        words = {row["method"]: row for row in data["words"]}
        names = [row["name"] for row in data["methods"]]
        for name in words.keys() ^ set(names):
            raise Mistake(f"{self.name} {name}: a method without words, or words without a "
                          "method: write or remove words in service_words.c")
        self.methods = [Method(data, row, words[row["name"]]) for row in data["methods"]]

    @property
    def is_fleet(self):
        return all(method.is_fleet for method in self.methods)


def read(programs):
    """(topics, errors)"""
    data = [json.loads(subprocess.run([program], check=True, stdout=subprocess.PIPE).stdout)
            for program in programs]
    topics = [Topic(topic) for one in data for topic in one["topics"]]
    return topics, data[0]["errors"]


# ---- Markdown ----

def anchor(name):
    return name.lower().replace(" ", "-")


class Page:

    def __init__(self, topics, errors):
        self.topics, self.errors = topics, errors
        self.names = [one["name"] for topic in topics for one in topic.objects]
        self.used = set()
        for name in self.names:
            if self.names.count(name) > 1:
                raise Mistake(f"two objects have the name [{name}]")

    def linked(self, text):
        """[domain] becomes a link to this object; [domain](#...) is a link already."""
        def link(match):
            if match[1] not in self.names:
                raise Mistake(f"no object [{match[1]}] exists: {text}")
            self.used.add(match[1])
            return f"[{match[1]}](#{anchor(match[1])})"
        return re.sub(r"(?<!`)\[([\w ]+)\](?!\()", link, text)

    def kind(self, row):
        text, most = self.linked(row["type"]), row["max"]
        if not most:
            return text
        if text.startswith("number"):
            least = (re.search(r" from (-?\d+)", text) or ("", 0))[1]
            return f"number from {least} to {most}" + (", or null" if "null" in text else "")
        unit = {"string": "octets", "name": "octets", "object": "keys"}.get(text.split()[0], "items")
        return f"{text}, at most {most} {unit}"

    def table(self, head, rows):
        yield f"| {' | '.join(head)} |"
        yield "|" + "---|" * len(head)
        yield from (f"| {' | '.join(row)} |" for row in rows)
        yield ""

    def fields(self, rows, head):
        def default(row):
            text = "required" if row["fallback"] is None else row["fallback"]
            return self.linked(text) + (", fixed" if row["fixed"] else "")
        return self.table((head, "type", "default", "meaning"), (
            (f"`{row['name']}`", self.kind(row), default(row), self.linked(row["help"]))
            for row in rows))

    def method(self, method):
        arguments = "".join(f", **{{{key!r}: {value!r}}}" if keyword.iskeyword(key)
                            else f", {key}={value!r}" for key, value in method.example.items())
        call = f'{CLIENT}"{method.name}"{arguments})'
        ast.parse(call)
        agents = (" Agents may call this method if they sign the call with a key of "
                  "`fleet.agent_keys`.") if method.is_agents else ""
        yield from (f"### {method.name}", "", self.linked(method.help), "")
        if method.args:
            yield from self.fields(method.args, "argument")
        yield from (f"Answer: {self.linked(method.answer)}. Callers: {method.callers}.{agents}",
                    "", "```python", call, "```", "")

    def object(self, one):
        yield from (f"### {one['name']}", "", self.linked(one["help"]), "")
        if not one["fields"]:
            return
        if not one["answer"]:
            yield from self.fields(one["fields"], "field")
            return
        yield from self.table(("field", "type", "meaning"), (
            (f"`{row['name']}`", self.kind(row), self.linked(row["help"]))
            for row in one["fields"]))

    def topic(self, topic):
        yield from (f"## Methods of {topic.name}", "", topic.help, "")
        for method in topic.methods:
            if not method.is_fleet:
                yield from self.method(method)
        yield from (f"## Objects of {topic.name}", "")
        for one in topic.objects:
            yield from self.object(one)

    @staticmethod
    def either(causes):
        if len(causes) == 1:
            return causes[0]
        return "One of these: " + "; ".join(text[:1].lower() + text[1:] for text in causes)

    def error_rows(self):
        classes = {}
        for error in self.errors:
            classes.setdefault((error["class"], error["module"]), []).append(error)
        for (name, module), errors in classes.items():
            again = "yes" if any(not error["final"] for error in errors) else "no"
            yield f"`{name}`", f"`{module}`", again, self.either([e["help"] for e in errors])

    def fleet(self):
        yield from ("## Methods between the programs", "", "Only programs of the fleet may call "
                    "these methods. [security.md](security.md#messages-inside-the-fleet) says how "
                    "a program proves that it belongs to the fleet.", "")
        yield from self.table(("topic", "method", "purpose"), (
            (f"`{topic.name}`", f"`{method.name}`", method.help)
            for topic in self.topics for method in topic.methods if method.is_fleet))

    def lines(self):
        yield "<!-- Printed by `make docs`: change docs/rpc/ or service_words.c, not this file. -->"
        text = (HERE / "introduction.md").read_text()
        text = re.sub(r"^@include (\S+)$", lambda match: (HERE / match[1]).read_text().rstrip(),
                      text, flags=re.M)
        yield from text.replace("@errors", "\n".join(self.table(
            ("class", "module", "worth a retry", "meaning"), self.error_rows())).rstrip()).split("\n")
        for topic in self.topics:
            if not topic.is_fleet:
                yield from self.topic(topic)
        yield from self.fleet()
        if set(self.names) - self.used:
            raise Mistake(f"no method uses these objects: {set(self.names) - self.used}")

    def text(self):
        return "\n".join(self.lines()).rstrip() + "\n"


def main(arguments):
    check = arguments[:1] == ["--check"]
    file, programs = (Path(arguments[1]), arguments[2:]) if check else (None, arguments)
    try:
        text = Page(*read(programs)).text()
    except Mistake as mistake:
        return f"docs/rpc/printer.py: {mistake}"
    if not check:
        sys.stdout.write(text)
    elif not file.exists() or file.read_text() != text:
        return f"{file} is stale: run `make docs` and commit it"
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
