"""keeper.py DEATHS [--ask COMMAND] PROGRAM [ARGUMENT...]: runs a program, and starts it again
when it fails.

It works like a systemd unit with Restart=on-failure. Before each new start it kills all
processes that the program left. It gives up when the fifth start within ten seconds fails. Each
line in the file DEATHS has the cause of one death. SIGTERM goes to the program. When the program
ends with success, the keeper ends, too.

COMMAND asks the program a question. The program hangs when three such commands in a row do not
end. Then the keeper kills it, as a unit with WatchdogSec does. A command that fails does not
count, because a program that starts or stops refuses questions.
"""

import collections
import ctypes
import os
import shlex
import signal
import subprocess
import sys
import time
from pathlib import Path

PAUSE_SECONDS = 0.1
STARTS, STARTS_SECONDS = 5, 10
ASK_PAUSE_SECONDS, ASK_SECONDS, ASK_MISSES = 2, 3, 3
HUNG = "hung"
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36

prctl = ctypes.CDLL(None).prctl


def cause(status):
    """"SIGSEGV", "exit 1"."""
    if status == HUNG:
        return HUNG
    return signal.Signals(-status).name if status < 0 else f"exit {status}"


def end_with_us():
    prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def exit_status(status):
    return signal.SIGKILL if status == HUNG else abs(status)


def kill_left():
    """What the program started is ours since it has died."""
    while True:
        for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
            os.kill(int(pid), signal.SIGKILL)
        try:
            os.wait()
        except ChildProcessError:
            return


def is_silent(ask):
    """The command does not end."""
    child = subprocess.Popen(ask, preexec_fn=end_with_us, stdin=subprocess.DEVNULL,
                             stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        child.wait(ASK_SECONDS)
        return False
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
        return True


def wait(child, ask):
    """The exit status of the program, or HUNG."""
    misses = 0
    while misses < ASK_MISSES:
        try:
            return child.wait(ASK_PAUSE_SECONDS if ask else None)
        except subprocess.TimeoutExpired:
            misses = misses + 1 if is_silent(ask) else 0
    child.kill()
    child.wait()
    return HUNG


def run_once(argv, ask, is_over):
    """As wait(). IS_OVER has an element when a SIGTERM came, also before the program started."""
    child = subprocess.Popen(argv, preexec_fn=end_with_us)
    signal.signal(signal.SIGTERM, lambda *_: (is_over.append(True), child.terminate()))
    if is_over:
        child.terminate()
    return wait(child, ask)


def main(deaths, *argv):
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    ask, argv = (shlex.split(argv[1]), argv[2:]) if argv[0] == "--ask" else (None, argv)
    starts, is_over = collections.deque(maxlen=STARTS), []
    signal.signal(signal.SIGTERM, lambda *_: is_over.append(True))
    while True:
        starts.append(time.monotonic())
        status = run_once(argv, ask, is_over)
        kill_left()
        if not status or is_over:
            return exit_status(status)
        with open(deaths, "a") as file:
            print(cause(status), file=file)
        print(f"--- died of {cause(status)}", file=sys.stderr, flush=True)
        if len(starts) == STARTS and time.monotonic() - starts[0] < STARTS_SECONDS:
            return exit_status(status)
        time.sleep(PAUSE_SECONDS)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
