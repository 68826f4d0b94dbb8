"""keeper.py DEATHS PROGRAM [ARGUMENT...]: runs a program, and starts it again when it fails.

It works like a systemd unit with Restart=on-failure. Before each new start it kills all
processes that the program left. It gives up when the fifth start within ten seconds fails. Each
line in the file DEATHS has the cause of one death. SIGTERM goes to the program. When the program
ends with success, the keeper ends, too.
"""

import collections
import ctypes
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

PAUSE_SECONDS = 0.1
STARTS, STARTS_SECONDS = 5, 10
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER = 1, 36

prctl = ctypes.CDLL(None).prctl


def cause(status):
    """"SIGSEGV", "exit 1"."""
    return signal.Signals(-status).name if status < 0 else f"exit {status}"


def kill_left():
    """What the program started is ours since it has died."""
    while True:
        for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
            os.kill(int(pid), signal.SIGKILL)
        try:
            os.wait()
        except ChildProcessError:
            return


def run_once(argv, is_over):
    """The exit status; IS_OVER() asks whether a SIGTERM came before there was a program."""
    child = subprocess.Popen(
        argv, preexec_fn=lambda: prctl(PR_SET_PDEATHSIG, signal.SIGKILL))
    signal.signal(signal.SIGTERM, lambda *_: (is_over.append(True), child.terminate()))
    if is_over:
        child.terminate()
    return child.wait()


def main(deaths, *argv):
    prctl(PR_SET_CHILD_SUBREAPER, 1)
    starts, is_over = collections.deque(maxlen=STARTS), []
    signal.signal(signal.SIGTERM, lambda *_: is_over.append(True))
    while True:
        starts.append(time.monotonic())
        status = run_once(argv, is_over)
        kill_left()
        if not status or is_over:
            return abs(status)
        with open(deaths, "a") as file:
            print(cause(status), file=file)
        print(f"--- died of {cause(status)}", file=sys.stderr, flush=True)
        if len(starts) == STARTS and time.monotonic() - starts[0] < STARTS_SECONDS:
            return abs(status)
        time.sleep(PAUSE_SECONDS)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
