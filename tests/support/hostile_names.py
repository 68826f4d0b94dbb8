"""Names of domains that somebody chose with care: paths, commands, escapes.

`hostile_names(outside, files)` are 200 or more, each in presentation form. OUTSIDE is a folder in
which nothing may appear; FILES are files of a server that nothing may change.
"""

import re

# What central takes as a new domain: letters, digits, "_", inner "-", "/" between two letters or
# digits (RFC 2317).
LABEL = re.compile(r"(?!-)(?:[a-z0-9_-]|(?<=[a-z0-9])/(?=[a-z0-9])){1,63}(?<!-)")
# A dot or a backslash as an octet of a label, which no label of a domain has.
NO_OCTET = "?"

# Each stands at the front, in the middle and alone in a label.
PIECES = [
    "/", "//", "/./", "/../", "./", "../", "..", ".", "-", "--", "~", "~/", "%s", "%1", "%n", "%%",
    "%2e%2e%2f", "*", "?", "#", "@", "$", "$INCLUDE", "$(id)", "`id`", ";", "|", "&", ">", "<", "!",
    "'", '"', "(", ")", "{", "}", "[", "]", "=", "=2F", "=2E=2E", "+", ",", ":", "^",
    "\\", "\\\\", "\\/", "\\.", "\\.\\.", "\\.\\./", "\\047", "\\046\\046\\047", "\\000", "\\001",
    "\\010", "\\013\\010", "\\032", "\\034", "\\127", "\\255", "\\256", "\\9", "\t", " ", "\n",
    "\r\n", "\x7f", "\u00e9", "\u2215", "\uff0f", "\u202e", "\u0130",
]

COMMANDS = [                # as they would end a word, a clause or a line of a control channel
    'x"; }; zone "y', r'x\"\;}\;zone\ \"y', "x zonefleet\ndelzone victim.example",
    r"x\010delzone\032victim", "x IN evil", "-clean", "-p", "--help", r"\032-clean", "NSDCT1",
    "x,y", "[x]", "zone[x]", "x\nstop", r"x\010stop", "x/../../etc", "x?rrsets=0", "x#y", "x/export",
]

ORDINARY = [                # what must go on working, though it looks like something else
    "0/25", "128-255", "a/b/c", "_tcp", "xn--bcher-kva", "nsd.conf", "zone.list", "named.conf",
    "con", "nul", "zonefleet", "etc", "victim.example.zone", "x.zone", "_default.nzf", "0", "a" * 63,
]


def hostile_names(outside, files):
    parent = "evil.example."
    names = [f"{piece}{rest}" for piece in PIECES for rest in (parent, f"a.{parent}", f".{parent}")]
    names += [f"a{piece}b.{parent}" for piece in PIECES] + [f"{word}.{parent}" for word in COMMANDS]
    names += [f"{word}.{parent}" for word in ORDINARY]
    for file in [outside / "evil", *files]:
        path = str(file).removesuffix(".zone").rstrip(".")
        names += [f"{path}.", f"{path}.{parent}", f"{path[1:]}.", f"a/../..{path}.",
                  f"a/..{path}.", path.replace("/", "//") + ".", path.replace("/", r"\047") + ".",
                  f"../../../../../..{path}.", r"\.\./" * 6 + path[1:] + "."]
    names += ["a" * 64 + ".", "a." * 127, "a." * 128, ".", "", "..", "a..", "*.", "*.a.",
              "/" * 63 + ".", "a/" * 31 + "a.", "no-final-dot"]
    return list(dict.fromkeys(names))


def octet(escape):
    """What a backslash and three digits, or one octet, stand for."""
    text = chr(int(escape[1])) if escape[1].isdigit() else escape[1]
    return NO_OCTET if text in ".\\" or not text.isascii() else text


def domain_of(name):
    """What a tenant's domain of that name is called; None: there can be none."""
    plain = re.sub(r"\\(\d{3}|\D)", octet, name, flags=re.S).lower()
    labels = plain.split(".")
    fits = labels.pop() == "" and all(map(LABEL.fullmatch, labels)) and len(plain) < 255
    return plain if fits and len(labels) > 1 else None
