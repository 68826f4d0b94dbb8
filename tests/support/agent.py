"""A program's agent, as it runs on another machine: `zonefleet-ports --agent`."""

import re

import story                                # first: it knows where lab is # noqa: F401
from lab.fleet import BINARIES, Worker


class Agent(Worker):

    def __init__(self, folder, program, settings, **options):
        super().__init__(folder, f"{program}_agent", settings, **options)
        self.program = program

    def command(self):
        return [self.binaries / f"zonefleet-{self.program}", "--agent", "--config", self.config]

    @staticmethod
    def program_path(program):
        return BINARIES / f"zonefleet-{program}"

    def figure(self, name):
        return self.figure_of(f"agent_{name}")

    def figure_of(self, name):
        """Of what not only agents have."""
        found = re.search(rf"(?m)^zonefleet_{re.escape(name)} (\d+)$", self.page("/metrics")[1])
        return int(found[1]) if found else None

    def said(self, pattern):
        """How often its log has that."""
        return len(re.findall(pattern, self.log.read_text()))
