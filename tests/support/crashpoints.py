"""Workers that die right before or after what they do: see crashpoint.c.

    points = CrashPoints(folder, fleet)     # restarts the workers
    points.crash(worker, "commit-after")    # a process of it, within a while
"""

import os

from story import ROOT, LabError, run, wait_for

SOURCE = ROOT / "tests" / "support" / "crashpoint.c"

# what each kind of worker does during a stream
ALL = ("publish-before", "publish-within", "publish-after",
       "acknowledge-before", "acknowledge-after", "execute-before", "execute-after")
COMMITS = ("commit-before", "commit-after")
POINTS = {"central": ALL + COMMITS, "poolmgr": ALL + COMMITS, "minidns": ALL}


def build(folder):
    library = folder / "crashpoint.so"
    packages = run(["pkg-config", "--cflags", "librabbitmq", "libmariadb"]).split()
    run([os.environ.get("CC", "gcc"), "-shared", "-fPIC", "-O1", "-Wall", "-Werror",
         "-D_GNU_SOURCE", *packages, "-o", library, SOURCE])
    return library


class CrashPoints:

    def __init__(self, folder, fleet=None):
        folder.mkdir(exist_ok=True)
        self.folder, self.library = folder, build(folder)
        self.folders = {}
        for worker in fleet.workers if fleet else ():
            self.prepare(worker)
            worker.restart()

    def prepare(self, worker):
        """When it is launched next."""
        own = self.folders[worker] = self.folder / worker.name
        own.mkdir()
        worker.variables = {"LD_PRELOAD": str(self.library), "CRASH_POINTS": str(own)}

    def crash(self, worker, point, seconds):
        """A process of it dies when it comes to the point; the worker starts another."""
        armed, killed = self.folders[worker] / point, kills(worker)
        armed.touch()
        try:
            wait_for(lambda: not armed.exists(), seconds, f"{worker.name} comes to {point}",
                     [worker.log])
        except LabError:
            armed.unlink(missing_ok=True)
            raise
        wait_for(lambda: kills(worker) > killed, 10, "a process was killed", [worker.log])


def kills(worker):
    return worker.log.read_text().count('reason="SIGKILL"')
