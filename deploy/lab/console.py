"""A command that starts servers, leaves them running in a folder, and stops them later."""

import fcntl
import os
import shlex
import shutil
import signal
import sys
from pathlib import Path

from .fleet import BINARIES, REPOSITORY
from .process import PID_FILE, LabError, left_running, stop_left

# the options are in one place, so that what is printed can be typed
CLIENT_SCRIPT = """\
#!/bin/sh
exec {program} --config {config} "$@"
"""

MARK = ".zonefleet"     # a file in each folder that make_folder() has made

ADVICE = {
    "start": "\n{name}: failed. All programs are stopped. Their logs are in "
             "{folder}/*/log.\n"
             "{name}: to start again, run {start}.",
    "stop": "{name}: run {stop} again",
    "status": "{name}: to start again, run {restart}",
}


def say(text=""):
    print(text, flush=True)


def headline(text):
    say(f"\n== {text}")


def shown(path):
    """A path as one types it in the project's folder."""
    path = Path(path)
    return str(path.relative_to(REPOSITORY) if path.is_relative_to(REPOSITORY) else path)


def show_command(*words):
    say("  $ " + shlex.join(words))


def show_output(text):
    for line in text.splitlines():
        say(f"    {line}")


class Console:
    """deploy/NAME, and what it runs in a folder; .client is `zonefleet` with its settings.

    The environment variable ZONEFLEET_NAME names another folder than .NAME of the project.
    """

    def __init__(self, name):
        self.name = name
        self.variable = f"ZONEFLEET_{name.upper()}"
        self.own_folder = os.environ.get(self.variable)
        self.folder = Path(self.own_folder or REPOSITORY / f".{name}").absolute()
        self.client = self.folder / "zonefleet"

    def command(self, action=""):
        """The command line of an action on this folder."""
        prefix = f"{self.variable}={shlex.quote(str(self.folder))} " if self.own_folder else ""
        return f"{prefix}deploy/{self.name} {action}".rstrip()

    def write_client(self, config):
        self.client.write_text(CLIENT_SCRIPT.format(
            program=shlex.quote(str(BINARIES / "zonefleet")),
            config=shlex.quote(str(config))))
        self.client.chmod(0o700)

    def check_folder(self):
        """Ends here if the folder has files that deploy/NAME has not made: it would delete them."""
        default = REPOSITORY / f".{self.name}"
        if (self.folder != default and self.folder.exists() and any(self.folder.iterdir())
                and not (self.folder / MARK).exists()):
            sys.exit(f"{self.name}: {self.folder} is not a folder of deploy/{self.name}: name a "
                     "new or an empty folder")

    def make_folder(self):
        """Whatever ran or was left in the folder is gone afterwards."""
        self.check_folder()
        names = left_running(self.folder)
        if names:
            say(f"{self.name}: running already: stopping {len(names)} programs, "
                "then starting again")
            stop_left(self.folder)
        if self.folder.exists():
            shutil.rmtree(self.folder)
        self.folder.mkdir(mode=0o700)
        (self.folder / MARK).touch()

    def stop(self):
        self.check_folder()
        names = stop_left(self.folder)
        shutil.rmtree(self.folder)
        say(f"{self.name}: stopped {', '.join(names)}" if names
            else f"{self.name}: no program was running")
        say(f"{self.name}: {shown(self.folder)} is removed")

    def show_running(self):
        """Which programs run, and which do not any more; ends here if none does."""
        names = left_running(self.folder)
        if not names:
            say(f"{self.name}: no program of {shown(self.folder)} is running: run "
                f"{self.command()} to start")
            sys.exit(3)
        files = {path.parent.name: path for path in self.folder.rglob(PID_FILE)}
        say(f"{self.name}: running: " + ", ".join(
            f"{name} (pid {files[name].read_text().split()[0]})" for name in names))
        for name in sorted(files.keys() - set(names)):
            say(f"{self.name}: NOT running: {name}; the log is "
                f"{shown(files[name].parent)}/log")

    def show_status(self):
        show_command(shown(self.client), "status")
        os.execv(self.client, [str(self.client), "status"])

    def lock(self):
        """One at a time for this folder; held until this program ends."""
        folder = os.open(self.folder.parent, os.O_RDONLY)
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            sys.exit(f"{self.name}: another deploy/{self.name} is using "
                     f"{shown(self.folder)}: wait until that command ends")

    def run(self, actions):
        """The action that is named on the command line, with the words behind it."""
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        action, *words = sys.argv[1:]
        try:
            self.lock()
            actions[action](*words)
        except BrokenPipeError:         # the reader wants no more: `deploy/demo status | head`
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            sys.exit(0 if action == "status" else 1)
        except KeyboardInterrupt:
            sys.exit(f"\n{self.name}: interrupted; all programs are stopped")
        except (LabError, OSError) as error:
            advice = ADVICE.get(action, "").format(
                name=self.name, folder=shown(self.folder), start=self.command(),
                stop=self.command("stop"), restart=self.command("restart"))
            sys.exit(f"\n{self.name}: {error}\n{advice}".rstrip())
