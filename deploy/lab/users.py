"""The user that a server runs as when root starts it."""

import os
import pwd
import subprocess


def user_for(name, folder):
    """(NAME, None) if root may start a server in FOLDER that changes to this user.

    Else (None, why the server runs as root), or (None, None) if we are not root.
    """
    if os.geteuid():
        return None, None
    try:
        pwd.getpwnam(name)
    except KeyError:
        return None, f"there is no user {name}"
    for parent in reversed(folder.parents):
        if not _can_enter(name, parent):
            return None, f"other users cannot enter {parent}"
    return name, None


def _can_enter(name, folder):
    """The kernel decides: it knows all groups and access lists."""
    group = pwd.getpwnam(name).pw_gid
    return subprocess.run(["/usr/bin/test", "-x", folder], user=name, group=group,
                          extra_groups=os.getgrouplist(name, group)).returncode == 0


def give(folder, data, name):
    """Gives DATA and all in it to the user. The user can read the files beside it.

    So a server that an attacker controls cannot change what root reads or writes later.
    """
    group = pwd.getpwnam(name).pw_gid
    for path in folder, *filter(os.path.isfile, folder.iterdir()):
        os.chown(path, -1, group)
        path.chmod(path.stat().st_mode | (0o050 if path == folder else 0o040))
    for path in data, *data.rglob("*"):
        os.chown(path, pwd.getpwnam(name).pw_uid, group)
