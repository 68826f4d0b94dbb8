"""Small disks, which are soon full: mounts that nobody else sees."""

import errno
import os
import subprocess
import sys
import unittest

from story import SETTINGS, StoryFleet, merged      # first: it knows where lab is
from lab.mariadb import MariaDb
from lab.process import PATH, program, run

INSIDE = "ZONEFLEET_MOUNTS"     # set in the namespace
NAMESPACE = ("unshare", "--map-root-user", "--mount", "--")
DATABASE_MB = 200


def can_mount():
    return INSIDE in os.environ


def enter_namespace():
    """Starts the program again in a namespace of mounts, if one can be had."""
    tried = subprocess.run([*NAMESPACE, "true"], env={"PATH": PATH}, capture_output=True)
    if not can_mount() and tried.returncode == 0:
        os.execvpe(NAMESPACE[0], [*NAMESPACE, sys.executable, *sys.argv],
                   os.environ | {"PATH": PATH, INSIDE: "1"})


def mount(folder, size):
    """Until the end of the module."""
    run([program("mount"), "-t", "tmpfs", "-o", f"size={size}", "tmpfs", folder])
    unittest.addModuleCleanup(run, [program("umount"), "--lazy", folder])


def room(folder):
    """Bytes."""
    disk = os.statvfs(folder)
    return disk.f_bavail * disk.f_frsize


def is_full(folder):
    return room(folder) == 0


class Ballast:
    """What takes the room on a disk."""

    def __init__(self, folder):
        self.path = folder / "ballast"

    def fill(self):
        """Others take of it meanwhile."""
        with open(self.path, "ab", buffering=0) as file:
            while room(self.path.parent):
                try:
                    file.write(bytes(min(room(self.path.parent), 1 << 20)))
                except OSError as error:
                    if error.errno != errno.ENOSPC:
                        raise

    def drop(self):
        self.path.unlink(missing_ok=True)


class SmallDiskMariaDb(MariaDb):
    """Its data are on a disk of their own, where there can be one."""

    log_file_size = "32M"

    def __init__(self, folder, **options):
        super().__init__(folder, **options)
        self.ballast = Ballast(self.data)
        if can_mount():
            mount(self.data, f"{DATABASE_MB}m")

    def fill_disk(self):
        """The tables may have some room within, yet."""
        self.ballast.fill()

    def free_disk(self):
        self.ballast.drop()


class SmallDiskFleet(StoryFleet):
    database = SmallDiskMariaDb

    @classmethod
    def start_story(cls, folder, settings=None):
        return cls.start(folder, settings=merged(SETTINGS, settings or {}))
