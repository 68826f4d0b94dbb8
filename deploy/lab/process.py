"""A private server: a process in a folder of its own, on loopback, on free ports.

It is ready when it has answered a real request, and it ends by the pid that was
started: at stop(), at the end of the program, and (by the kernel's parent death signal)
also when the program is killed. The kernel counts the death of the *thread* that
started a server, so start servers from the main thread.
"""

import atexit
import contextlib
import itertools
import os
import random
import re
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

HOST = "127.0.0.1"
PATH = "/usr/sbin:/usr/bin:/sbin:/bin"
KEEPER = Path(__file__).with_name("keeper.py")
PID_FILE = "lab.pid"            # pid and start time: who may be signalled later
POLL_SECONDS = 0.02
POLL_MAX_SECONDS = 0.25
SOCKET_PATH_MAX = 107           # sun_path, without its final zero
# of a folder: RabbitMQ's and MariaDB's own scripts do not quote its path
PLAIN_PATH = re.compile(r"[\w/.,:=@%+-]+")
PORTS = range(20000, 32000)     # below the range the kernel gives to outgoing connections

_reserved = []                  # the descriptor of a socket for each port given out
_running = []                   # servers that end with this program, oldest first


class LabError(Exception):
    """What could not be done, with the end of the logs that may say why."""


def tail(log, lines=30):
    """The last lines of a log under a headline, or a word that there is none."""
    try:
        text = Path(log).read_text(errors="replace")
    except OSError as error:
        return f"--- {log}: {error.strerror}"
    return "\n".join([f"--- {log}", *text.splitlines()[-lines:]])


def wait_for(condition, seconds, what, logs=()):
    """Asks condition() until it is true and returns its value.

    Raises LabError with the logs' tails when it is not within so many seconds. A condition
    that takes long to ask is asked less often: most of the time is left to those who work.
    """
    deadline = time.monotonic() + seconds
    while True:
        asked = time.monotonic()
        value = condition()
        if value:
            return value
        now = time.monotonic()
        if now > deadline:
            raise LabError("\n".join([f"not within {seconds} s: {what}", *obituaries(),
                                      *map(tail, logs)]))
        time.sleep(min(max(POLL_SECONDS, 3 * (now - asked)), POLL_MAX_SECONDS))


def obituaries():
    """For each server that has died: the cause, and the end of its log."""
    return [words for words in (server.obituary() for server in _running) if words]


def run(argv, env=None, text=None, seconds=30):
    """Runs a command and returns what it printed; raises LabError if it failed."""
    argv = [str(arg) for arg in argv]
    child = subprocess.Popen(argv, env=env, text=True, start_new_session=True,
                             stdin=subprocess.DEVNULL if text is None else subprocess.PIPE,
                             stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, words = child.communicate(text, seconds)
    except BaseException as error:
        _signal_group(child.pid, signal.SIGKILL)     # and whatever it has started
        child.communicate()
        if isinstance(error, subprocess.TimeoutExpired):
            raise LabError(f"not within {seconds} s: {' '.join(argv)}") from None
        raise
    if child.returncode:
        raise LabError(f"{' '.join(argv)}: exit {child.returncode}\n{out}{words}")
    return out


def program(name):
    """The full path of an installed program."""
    path = shutil.which(name, path=PATH)
    if not path:
        raise LabError(f"{name} is not installed: run deploy/install-packages")
    return path


def _bound(family, kind, address):
    probe = socket.socket(family, kind)
    if kind == socket.SOCK_STREAM and family == socket.AF_INET:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        probe.bind(address)
    except OSError:
        probe.close()
        return None
    return probe


def _is_free(port):
    for kind in socket.SOCK_STREAM, socket.SOCK_DGRAM:
        probe = _bound(socket.AF_INET, kind, (HOST, port))
        if not probe:
            return False
        probe.close()
    return True


def free_port():
    """A port that nothing uses by TCP or UDP, ours until the program ends.

    A name in the abstract socket namespace reserves it, so that two programs that start
    servers at the same time do not choose the same port before either is bound.
    """
    first = random.randrange(len(PORTS))
    for port in itertools.chain(PORTS[first:], PORTS[:first]):
        name = f"\0zonefleet-lab-port-{port}"
        reservation = _bound(socket.AF_UNIX, socket.SOCK_DGRAM, name)
        if not reservation:
            continue
        if _is_free(port):
            _reserved.append(reservation.detach())
            return port
        reservation.close()
    raise LabError("no free port")


def _states(group):
    """The states of all threads of a process group, letters as in proc(5)."""
    states = set()
    for process in filter(str.isdigit, os.listdir("/proc")):
        with contextlib.suppress(OSError):          # the process has ended meanwhile
            for thread in os.listdir(f"/proc/{process}/task"):
                states |= _state(f"/proc/{process}/task/{thread}/stat", group)
    return states


def _state(stat, group):
    """Of a thread; an empty set if it has ended, or is of another group."""
    try:
        fields = Path(stat).read_text().rsplit(")", 1)[1].split()
    except OSError:
        return set()
    return {fields[0]} if int(fields[2]) == group else set()


def _has_ended(pidfd, seconds=0):
    poll = select.poll()
    poll.register(pidfd, select.POLLIN)
    return bool(poll.poll(seconds * 1000))


def _exit_status(pid):
    """Of a child that has ended; negative: the signal.

    The child is not reaped. Until _forget() reaps it, no other process gets its pid, and
    _signal_group() cannot meet a stranger.
    """
    end = os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)
    return end.si_status if end.si_code == os.CLD_EXITED else -end.si_status


def _signal_group(group, number):
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        pass


def _end_group(pid, pidfd, number, seconds):
    """Signals the leader, waits for it, and kills what is left of its group."""
    try:
        signal.pidfd_send_signal(pidfd, number)
        _signal_group(pid, signal.SIGCONT)
    except ProcessLookupError:
        pass
    in_time = _has_ended(pidfd, seconds)
    _signal_group(pid, signal.SIGKILL)
    return in_time


def start_of(pid):
    """Clock ticks from boot to the start of a process: with the pid, its identity.

    None: the process has ended, and its parent has not reaped it.
    """
    stat = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return None if stat[0] in "ZX" else stat[19]


def left_running(folder):
    """The names of the servers left running in FOLDER, oldest first."""
    found = [(file, _left_pidfd(file)) for file in _pid_files(folder)]
    for _, pidfd in found:
        if pidfd is not None:
            os.close(pidfd)
    return [file.parent.name for file, pidfd in found if pidfd is not None]


def stop_left(folder, seconds=20):
    """Stops the servers left running in FOLDER, youngest first; returns their names."""
    files = reversed(_pid_files(folder))
    return [file.parent.name for file in files if _stop_left_one(file, seconds)]


def _pid_files(folder):
    """Oldest first."""
    return sorted(Path(folder).rglob(PID_FILE), key=lambda file: file.stat().st_mtime)


def _left_pidfd(file):
    """The process that a file names; None if it has ended, whoever has its pid now."""
    pid, started_at = file.read_text().split()
    try:
        pidfd = os.pidfd_open(int(pid))
    except ProcessLookupError:
        return None
    try:
        if start_of(pid) == started_at:
            return pidfd
    except FileNotFoundError:
        pass
    os.close(pidfd)
    return None


def _stop_left_one(file, seconds):
    pidfd = _left_pidfd(file)
    if pidfd is not None:
        _end_group(int(file.read_text().split()[0]), pidfd, signal.SIGTERM, seconds)
        _has_ended(pidfd, seconds)
        os.close(pidfd)
    else:
        _kill_left(int(file.read_text().split()[0]), file.parent.resolve())
    file.unlink()
    return pidfd is not None


def _kill_left(group, folder):
    """The processes of a group whose leader has ended, if they work in FOLDER.

    The kernel forgets the parent death signal of a server that changes its user. So such a
    server outlives its keeper.
    """
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):          # the process has ended meanwhile
            pid = int(entry.name)
            if os.getpgid(pid) == group and (entry / "cwd").readlink().is_relative_to(folder):
                os.kill(pid, signal.SIGKILL)


@atexit.register
def _stop_all():
    for server in reversed(_running.copy()):
        server.stop()


class Server:
    """One server. A subclass says how to prepare, start and ask it."""

    start_seconds = 30
    stop_seconds = 20
    restarts = False                # when it dies, as by its unit: see keeper.py
    question = None                 # a command line: a server that hangs with it is killed

    def __init__(self, folder, leave_running=False, host=HOST):
        """FOLDER is made, and must not hold anything yet. HOST: an address of loopback."""
        self.folder = Path(folder).resolve()
        if not PLAIN_PATH.fullmatch(str(self.folder)):
            raise LabError(f"{self.folder}: the scripts of the servers do not quote the path "
                           "of the folder: use only letters, digits and /.,:=@%+-_")
        self.name = self.folder.name
        self.host = host
        self.leave_running = leave_running
        self.log = self.folder / "log"
        self._deaths = self.folder / "deaths"
        self.exit_status = None         # of its last run; negative: the signal
        self._process = self._pidfd = None
        self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        if any(self.folder.iterdir()):
            raise LabError(f"{self.folder} is not empty: use an empty folder")

    # What a subclass says

    def command(self):
        """The command line of the server, in the foreground."""
        raise NotImplementedError

    def is_ready(self):
        """Asks one real request; true if it was answered as it should be."""
        raise NotImplementedError

    def environment(self):
        return {"PATH": PATH, "HOME": str(self.folder), "LANG": "C.UTF-8"}

    # What a user does

    @classmethod
    def start(cls, folder, **options):
        """A server that answers; it ends with this program unless leave_running."""
        server = cls(folder, **options)
        server.launch()
        server.wait_ready()
        return server

    @property
    def pid(self):
        return self._process.pid if self._process else None

    def launch(self):
        """Starts the process; wait_ready() must follow. So several start side by side."""
        argv = [str(arg) for arg in self.command()]
        if self.restarts:
            ask = ["--ask", shlex.join(map(str, self.question))] if self.question else []
            argv = [sys.executable, str(KEEPER), str(self._deaths), *ask, *argv]
        if not self.leave_running:
            argv = [program("setpriv"), "--pdeathsig", "KILL", *argv]
            _running.append(self)
        with open(self.log, "ab") as log:
            self._process = subprocess.Popen(argv, stdin=subprocess.DEVNULL, stdout=log,
                                             stderr=log, env=self.environment(),
                                             cwd=self.folder, start_new_session=True)
        self._pidfd = os.pidfd_open(self.pid)
        self._pid_file.write_text(f"{self.pid} {start_of(self.pid)}\n")

    def wait_ready(self):
        def ready_or_dead():
            if _has_ended(self._pidfd):
                raise LabError(f"{self.name} ended before it was ready: status "
                               f"{_exit_status(self.pid)}\n{tail(self.log)}")
            return self.is_ready()
        try:
            wait_for(ready_or_dead, self.start_seconds, f"{self.name} answers",
                     [self.log])
        except BaseException:
            self.kill9()
            raise

    def stop(self):
        """Ends it in its own way; one that takes too long is killed: an error."""
        if not self._process:
            return
        if self.deaths():
            print(self.obituary(), file=sys.stderr)
        in_time = _end_group(self.pid, self._pidfd, signal.SIGTERM, self.stop_seconds)
        self._forget()
        if not in_time:
            raise LabError(f"{self.name} did not stop within {self.stop_seconds} s\n"
                           f"{tail(self.log)}")

    def release(self):
        """Its user is through with it."""
        self.stop()

    def has_died(self):
        """It was started, and has ended by itself."""
        return bool(self._process) and _has_ended(self._pidfd)

    def deaths(self):
        """Of what it died, each time that it was started again: ["SIGSEGV"]."""
        return self._deaths.read_text().split("\n")[:-1] if self._deaths.exists() else []

    def obituary(self):
        """That it died, and the end of its log; None if it did not."""
        if self.has_died():
            words = f"{self.name} has died: status {_exit_status(self.pid)}"
        elif self.deaths():
            words = f"{self.name} died of {', '.join(self.deaths())}, and was started again"
        else:
            return None
        return f"{words}\n{tail(self.log)}"

    def kill9(self):
        """Kills the process and all its children, as a power cut would."""
        if not self._process:
            return
        _signal_group(self.pid, signal.SIGKILL)
        self._forget()

    def restart(self):
        """Stops it if it runs, and starts it with the same data and ports."""
        self.stop()
        self.launch()
        self.wait_ready()

    def pause(self):
        """Freezes the process and its children: it is there, and silent."""
        _signal_group(self.pid, signal.SIGSTOP)
        wait_for(self.is_paused, 10, f"{self.name} is frozen")

    def is_paused(self):
        return _states(self.pid) <= set("TZ")

    def resume(self):
        _signal_group(self.pid, signal.SIGCONT)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    # For subclasses

    def write(self, name, text, mode=0o600):
        """Writes a file into the folder and returns its path."""
        path = self.folder / name
        path.touch(0o600)
        path.write_text(text)
        path.chmod(mode)
        return path

    def make_folder(self, name):
        path = self.folder / name
        path.mkdir(mode=0o700)
        return path

    def socket_path(self, name):
        """The path of a Unix socket in the folder, which must not be too deep for one."""
        path = self.folder / name
        if len(os.fsencode(path)) > SOCKET_PATH_MAX:
            raise LabError(f"{path} is too long for a socket: use a shorter folder")
        return path

    @property
    def _pid_file(self):
        return self.folder / PID_FILE

    def _forget(self):
        self.exit_status = self._process.wait()
        os.close(self._pidfd)
        self._pid_file.unlink(missing_ok=True)
        self._process = self._pidfd = None
        if self in _running:
            _running.remove(self)
