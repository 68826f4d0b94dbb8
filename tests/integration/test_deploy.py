"""What deploy/ ships besides the demo: settings, units, make install."""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "deploy"))
from lab.fleet import fleet_key, merged, render                 # noqa: E402
from lab.process import program as installed                    # noqa: E402

BINARIES = ROOT / os.environ.get("BUILD", "build") / "bin"
WORKERS = ("central", "poolmgr", "minidns")
OPTIONAL = ("ownership", "ports", "routes")   # of use to some only
AGENTS = ("ports", "routes")                 # with --agent, on other machines


# a server of each backend with files, and what else a program requires
WITH_FILES = {
    "broker": {"url": "rabbits://zonefleet:secret@127.0.0.1/"},
    "database": {"password": "secret"},
    "fleet": {"keys": fleet_key("1")},
    "poolmgr": {"masters": ["192.0.2.1:5354"]},
    "backends": {
        backend: {"servers": [{"id": backend, "host": "192.0.2.2"} | more]}
        for backend, more in (("bind9", {}), ("nsd", {"control": "192.0.2.2:8952"}),
                              ("powerdns", {"api_key": "secret"}))},
    "minidns": {"listen_tls": ["127.0.0.1:853"]},
    "registries": {"zones": [{"zone": "example.org.", "storage_id": "us", "host": "192.0.2.3",
                              "tsig_key": "us.", "tsig_secret": "bm90IGEgc2VjcmV0"}]},
    "routes_agent": {"router": "shard1"},
}


def run(*argv, **options):
    done = subprocess.run([str(word) for word in argv], text=True, timeout=300,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, **options)
    return done.returncode, done.stdout


class DeployTest(unittest.TestCase):

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="zfdeploy")
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def install(self):
        """make install into a folder; returns its files by their later paths."""
        status, said = run("make", "-s", "install", f"DESTDIR={self.folder}", cwd=ROOT)
        self.assertEqual(status, 0, said)
        return {f"/{path.relative_to(self.folder)}": path
                for path in self.folder.rglob("*") if path.is_file()}

    def sample_settings(self):
        """The sample, with the keys and the passwords that docs/install.md has a site make."""
        sample = (ROOT / "deploy" / "zonefleet.cfg.sample").read_text()
        sample = sample.replace("change-me", "another-one")
        for name, key in ("fleet.keys", "1"), ("agent.keys", "agent1"):
            keys = self.folder / name
            keys.touch(0o600)
            keys.write_text(fleet_key(key) + "\n")
            self.assertIn(f'"@/etc/zonefleet/{name}"', sample)
            sample = sample.replace(f"@/etc/zonefleet/{name}", f"@{keys}")
        for path in set(re.findall(r'"(/etc/zonefleet/[^"]*)"', sample)):
            (self.folder / Path(path).name).write_text("a key of a name server\n")
        for path in set(re.findall(r'"(/var/lib/zonefleet/[^"]*)"', sample)):
            (self.folder / Path(path).name).mkdir(exist_ok=True)
        return re.sub(r'"/(?:etc|var/lib)/zonefleet/', f'"{self.folder}/', sample)

    def test_version_of_a_program(self):
        """The release and, if there is a checkout, the commit: also in the metrics."""
        said = {kind: run(BINARIES / f"zonefleet-{kind}", "--version")
                for kind in WORKERS + OPTIONAL}
        version = said["central"][1].split()[1]
        self.assertEqual(said, {kind: (0, f"zonefleet-{kind} {version}\n") for kind in said})
        self.assertEqual(run(BINARIES / "zonefleet", "--version"), (0, f"zonefleet {version}\n"))
        release, _, commit = version.partition("+git.")
        self.assertRegex(release, r"^\d+\.\d+\.\d+$")
        if (ROOT / ".git").exists():
            status, _ = run("git", "-c", "safe.directory=*", "cat-file", "-e",
                            commit.removesuffix(".dirty"), cwd=ROOT)
            self.assertEqual(status, 0, version)
        config = self.folder / "zonefleet.cfg"
        config.touch(0o600)
        config.write_text(self.sample_settings())
        metrics = run(BINARIES / "zonefleet-central", "--metrics", "--config", config)[1]
        self.assertIn(f'\nzonefleet_build_info{{version="{version}"}} 1\n', metrics)

    def test_version_of_a_tree(self):
        """Without git the release alone, always the same; a commit changes one file."""
        tree = self.folder / "tree"
        tree.mkdir()
        shutil.copy(ROOT / "Makefile", tree)
        text = tree / "build" / "version.c"
        git = "git", "-C", tree, "-c", "user.name=a", "-c", "user.email=a@example.org"

        def made(*arguments):
            status, said = run("make", "-C", tree, "build/version.c", *arguments)
            self.assertEqual(status, 0, said)
            return re.search(r'= "(.*)";', text.read_text())[1]
        release = made()
        self.assertRegex(release, r"^\d+\.\d+\.\d+$")
        written = text.stat().st_mtime_ns
        self.assertEqual(made(), release)
        self.assertEqual(text.stat().st_mtime_ns, written)
        self.assertEqual(made("COMMIT=-2"), f"{release}-2")
        for words in ("init", "-q"), ("add", "Makefile"), ("commit", "-qm", "first"):
            self.assertEqual(run(*git, *words)[0], 0)
        commit = run(*git, "rev-parse", "--short=10", "HEAD")[1].strip()
        self.assertEqual(made(), f"{release}+git.{commit}")
        (tree / "Makefile").write_text("# changed\n" + (ROOT / "Makefile").read_text())
        self.assertEqual(made(), f"{release}+git.{commit}.dirty")

    def test_sample_settings_are_right(self):
        """One file serves all programs, and the one that is shipped does."""
        sample = self.folder / "zonefleet.cfg"
        sample.touch(0o640)
        sample.write_text(self.sample_settings())
        for kind in WORKERS:
            with self.subTest(kind):
                status, said = run(BINARIES / f"zonefleet-{kind}", "--check", "--config",
                                   sample)
                self.assertEqual(status, 0, said)

    def test_sample_names_no_server_inside_a_domain_of_the_documents(self):
        """Such a domain would have NS records without addresses."""
        created = set()
        for page in ROOT / "README.md", *(ROOT / "docs").glob("*.md"):
            created |= set(re.findall(r"domain create ([a-z][a-z0-9.-]+)", page.read_text()))
        self.assertIn("example.org", created)
        sample = (ROOT / "deploy" / "zonefleet.cfg.sample").read_text()
        hosts = re.findall(r'"([^"]+)\."', re.search(r"ns_records = \[(.*)\]", sample)[1])
        self.assertTrue(hosts)
        for host in hosts:
            self.assertFalse([zone for zone in created if f".{host}".endswith(f".{zone}")], host)

    def test_tables_of_the_programs(self):
        """--check --connect reads each table that the sample lets the program read as a whole."""
        accounts = (ROOT / "deploy" / "database-users.sql.sample").read_text()
        for program, folder in (("central", "central"), ("poolmgr", "poolmgr"),
                                ("minidns", "minidns"), ("ownership", "workers/ownership"),
                                ("ports", "workers/ports"), ("routes", "workers/routes")):
            granted = re.findall(rf"GRANT SELECT(?! \().* ON zonefleet\.(\w+) "
                                 rf"TO zonefleet_{program}@", accounts)
            listed, = re.findall(r"\btables\[\] = \{(.*?)\};",
                                 (ROOT / folder / "main.c").read_text(), re.DOTALL)
            self.assertEqual(sorted(re.findall(r'"(\w+)"', listed)), sorted(granted), program)

    def test_libraries_of_the_programs(self):
        """Each one is in a package of the list that a machine without a compiler installs."""
        lists = {name: {line.split("#")[0].strip() for line in
                        (ROOT / "deploy" / "packages" / name).read_text().splitlines()} - {""}
                 for name in ("build", "run", "test")}
        needed = set()
        for path in BINARIES.iterdir():
            status, said = run("ldd", path)
            self.assertEqual(status, 0, said)
            names = re.findall(r"NEEDED +(\S+)", run("objdump", "-p", path)[1])
            found = dict(re.findall(r"(\S+) => (/\S+)", said))
            needed |= {os.path.realpath(found[name]) for name in names}
        # /lib is a link to /usr/lib, and dpkg may know either
        packages = {line.split(":")[0] for path in needed
                    for line in run("dpkg", "-S", f"*{path.removeprefix('/usr')}")[1].splitlines()}
        self.assertEqual(packages, lists["run"])
        self.assertEqual(lists["run"] & (lists["build"] | lists["test"]), set())

    def test_lists_of_packages(self):
        tool = ROOT / "deploy" / "install-packages"
        self.assertEqual(run(tool, "build", "run"),
                         (0, "install-packages: all packages of the lists are installed: build run\n"))
        status, said = run(tool, "all")
        self.assertEqual(status, 64)
        self.assertIn("must be one of: build neutron run test, not 'all'", said)

    def test_files_of_the_settings(self):
        """--check opens them. A reload does not: a program that runs needs no new file."""
        config = self.folder / "zonefleet.cfg"
        config.touch(0o640)
        config.write_text(self.sample_settings())
        for kind, name, options, words in (
                ("poolmgr", "rndc.key", (), r"backends\.bind9\.rndc_key_file of server 'ns1': must "
                 r"be a file that the user of this command can read, not '.*/rndc\.key': No such "),
                ("routes", "router", ("--agent",), r"routes_agent\.directory: must be a directory "
                 r"in which the user of this command can write, not '.*/router': No such file")):
            program = BINARIES / f"zonefleet-{kind}"
            path = self.folder / name
            self.assertEqual(run(program, *options, "--check", "--config", config)[0], 0)
            path.rename(self.folder / "away")
            status, said = run(program, *options, "--check", "--config", config)
            self.assertEqual(status, 78, said)
            self.assertRegex(said, words)
            status, said = run(program, *options, "--check-settings", "--config", config)
            self.assertEqual(status, 0, said)
            (self.folder / "away").rename(path)
        for unit in (ROOT / "deploy" / "systemd").glob("*.service"):
            reloads = re.findall(r"^ExecReload=/usr/sbin/.*", unit.read_text(), re.M)
            self.assertTrue(all(line.endswith(" --check-settings") for line in reloads), unit)

    def test_sample_settings_of_mariadb(self):
        """mariadbd knows each, and has the values that `zonefleet db migrate` wants."""
        for sample in "mariadb.cnf.sample", "examples/cluster/galera.cnf":
            status, said = run(installed("mariadbd"),
                               f"--defaults-file={ROOT / 'deploy' / sample}", "--user=root",
                               f"--datadir={self.folder}", "--verbose", "--help")
            self.assertEqual(status, 0, said)
            values = dict(re.findall(r"(?m)^([a-z-]+) +(\S+)$", said))
            self.assertGreaterEqual(int(values["max-allowed-packet"]), 64 << 20, sample)
            self.assertEqual(values["innodb-flush-log-at-trx-commit"], "1", sample)

    def test_each_file_that_a_setting_names(self):
        """--check says of each that it is not there."""
        folder, pem, nowhere = (self.folder / name for name in ("folder", "pem", "nowhere"))
        folder.mkdir()
        status, said = run("openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt",
                           "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
                           "-keyout", pem, "-out", self.folder / "certificate")
        self.assertEqual(status, 0, said)
        pem.write_text(pem.read_text() + (self.folder / "certificate").read_text())
        named = set()
        for kind in WORKERS + OPTIONAL + tuple(f"{agent} --agent" for agent in AGENTS):
            program = [BINARIES / f"zonefleet-{kind.split()[0]}", *kind.split()[1:]]
            groups = json.loads(run(*program, "--settings")[1])
            rows = [(group["group"].split("."), group["elements"], row["key"],
                     row["help"].split()[0]) for group in groups for row in group["rows"]
                    if row["help"].split()[0] in ("file", "directory") or "@FILE" in row["values"]]
            whole = {key: value for key, value in WITH_FILES.items()
                     if key in [group["group"].split(".")[0] for group in groups]}
            for groups, elements, key, what in rows:
                if what in ("file", "directory"):
                    whole = self.with_file(whole, groups, elements, key,
                                           folder if what == "directory" else pem)
            self.check_files(program, whole, 0)
            for groups, elements, key, what in rows:
                named.add(".".join([*groups, key]))
                at = "" if what in ("file", "directory") else "@"
                with self.subTest(kind=kind, group=groups, key=key):
                    self.check_files(program, self.with_file(whole, groups, elements, key,
                                                             f"{at}{nowhere}"), 78,
                                     str(nowhere), "" if at else f"{'.'.join(groups)}.{key}")
        self.assertLessEqual({"broker.tls_ca", "database.tls_ca", "minidns.tls_client_ca",
                              "backends.powerdns.ca_file", "backends.nsd.control_key",
                              "registries.tsig_secret", "ports_agent.directory"}, named)

    def with_file(self, settings, groups, elements, key, path):
        """The settings with this path, of a group or of the element of its list."""
        first, *rest = groups
        if rest:
            value = self.with_file(settings.get(first, {}), rest, elements, key, path)
        elif elements:
            value = {elements: [settings[first][elements][0] | {key: path}]}
        else:
            value = {key: path}
        return merged(settings, {first: value})

    def check_files(self, program, settings, want, *words):
        config = self.folder / "files.cfg"
        config.touch(0o600)
        config.write_text(render(settings))
        status, said = run(*program, "--check", "--config", config)
        self.assertEqual(status, want, said)
        for word in words:
            self.assertIn(word, said)

    def test_sample_needs_a_password(self):
        config = self.folder / "zonefleet.cfg"
        config.touch(0o600)
        config.write_text(self.sample_settings().replace("another-one", "change-me"))
        for kind in WORKERS:
            status, said = run(BINARIES / f"zonefleet-{kind}", "--check", "--config", config)
            self.assertEqual(status, 78, said)
            self.assertIn('broker.url: still contains "change-me"', said)

    def test_sample_of_shared_zones_is_right(self):
        """It is commented out, and without it there is nothing to do."""
        sample = self.sample_settings()
        before, found, shared = sample.partition("# ownership: {\n")
        self.assertTrue(found)
        (self.folder / "update.key").write_text("bm90IHZlcnkgc2VjcmV0\n")
        (self.folder / "update.key").chmod(0o600)
        shared = re.sub(r"(?m)^# ?", "", found + shared)
        shared = shared.replace("@/etc/zonefleet/", f"@{self.folder}/")
        config = self.folder / "zonefleet.cfg"
        config.touch(0o600)

        def check(kind, text, *arguments):
            config.write_text(text)
            return run(BINARIES / f"zonefleet-{kind}", *arguments, "--check", "--config", config)

        status, said = check("ownership", before)
        self.assertEqual(status, 78, said)
        self.assertIn("must contain at least one zone", said)
        for kind in WORKERS + OPTIONAL:
            status, said = check(kind, before + shared)
            self.assertEqual(status, 0, said)
        for kind in AGENTS:
            status, said = check(kind, before, "--agent")
            self.assertEqual(status, 0, said)
            alone = re.sub(r"(?m)^\tkeys = .*$", "", before)   # a machine with nothing else
            status, said = check(kind, alone, "--agent")
            self.assertEqual(status, 0, said)
            status, said = check(kind, alone)
            self.assertEqual(status, 78, said)
            self.assertIn("fleet.keys: has no key", said)

    def test_sample_settings_of_clusters_are_right(self):
        """They stand behind the others, whose groups of those names they replace."""
        others = self.sample_settings()
        own = (ROOT / "deploy" / "examples" / "cluster" / "zonefleet.cfg").read_text()
        own = own.replace("change-me", "another-one")
        for group in "broker", "database":
            others = re.sub(rf"(?ms)^{group}: \{{.*?^\}};\n", "", others)
        config = self.folder / "zonefleet.cfg"
        config.touch(0o600)
        config.write_text(others + own)
        for kind in WORKERS:
            with self.subTest(kind):
                status, said = run(BINARIES / f"zonefleet-{kind}", "--check", "--config",
                                   config)
                self.assertEqual(status, 0, said)

    def test_generated_settings(self):
        """What --sample prints is right; what a site alone knows is to be added."""
        for kind in WORKERS + OPTIONAL:
            with self.subTest(kind):
                program = BINARIES / f"zonefleet-{kind}"
                sample = self.folder / f"{kind}.cfg"
                sample.touch(0o600)
                sample.write_text(run(program, "--sample")[1])
                status, said = run(program, "--check", "--config", sample)
                self.assertEqual(status, 78, said)
                self.assertIn("fleet.keys: has no key", said)

    def test_references_are_fresh(self):
        docs = self.folder / "docs"
        shutil.copytree(ROOT / "docs", docs)
        shutil.copy(ROOT / "Makefile", self.folder)     # it has the list of the programs
        self.assertEqual(run(docs / "generate", "--check", BINARIES), (0, ""))
        (docs / "cli.md").unlink()
        (docs / "settings.md").write_text("changed by hand\n")
        self.assertEqual(run(docs / "generate", "--check", BINARIES),
                         (1, "docs/cli.md is stale: run make docs\n"
                             "docs/settings.md is stale: run make docs\n"))
        self.assertEqual(run(docs / "generate", BINARIES), (0, ""))
        for name in "cli.md", "settings.md", "metrics.md":
            self.assertEqual((docs / name).read_text(), (ROOT / "docs" / name).read_text())

    def test_install(self):
        files = self.install()
        for kind in WORKERS + OPTIONAL:
            self.assertIn(f"/usr/sbin/zonefleet-{kind}", files)
            self.assertIn(f"/usr/lib/systemd/system/zonefleet-{kind}.service", files)
        for kind in AGENTS:
            self.assertIn(f"/usr/lib/systemd/system/zonefleet-{kind}-agent.service", files)
            self.assertIn(f"\n{kind}_agent: {{\n",
                          files["/usr/share/doc/zonefleet/examples/zonefleet.cfg"].read_text())
        for path in ("/usr/bin/zonefleet", "/usr/lib/sysusers.d/zonefleet.conf",
                     "/usr/share/man/man1/zonefleet.1",
                     "/usr/share/bash-completion/completions/zonefleet",
                     "/usr/share/doc/zonefleet/examples/zonefleet.cfg",
                     "/usr/share/doc/zonefleet/examples/cluster/galera.cnf",
                     "/usr/share/doc/zonefleet/docs/security.md",
                     "/usr/share/doc/zonefleet/docs/cli.md",
                     "/usr/share/doc/zonefleet/docs/settings.md",
                     "/usr/share/doc/zonefleet/docs/metrics.md",
                     "/usr/share/doc/zonefleet/deploy/database-users.sql.sample",
                     "/usr/share/doc/zonefleet/deploy/broker-users.sample",
                     "/usr/share/zonefleet/schema/001_spine.sql",
                     "/usr/share/zonefleet/schema/002_tsig.sql",
                     "/usr/share/zonefleet/schema/003_catalog.sql",
                     "/usr/share/zonefleet/schema/004_journal.sql",
                     "/usr/share/zonefleet/schema/007_ownership.sql",
                     "/usr/share/zonefleet/schema/011_ports.sql",
                     "/usr/share/zonefleet/schema/012_subnets.sql",
                     "/usr/share/zonefleet/schema/013_routes.sql"):
            self.assertIn(path, files)
            self.assertGreater(files[path].stat().st_size, 0, path)
        config = files["/etc/zonefleet/zonefleet.cfg"]
        self.assertEqual(config.stat().st_mode & 0o777, 0o640)
        config.write_text("# a site's own\n")
        self.install()
        self.assertEqual(config.read_text(), "# a site's own\n")

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd is not installed")
    def test_units(self):
        files = self.install()
        units = [path for name, path in files.items()
                 if name.startswith("/usr/lib/systemd/system/")]
        for path in units:      # where the programs are now, so that they are found
            path.write_text(path.read_text().replace("=/usr/", f"={self.folder}/usr/"))
        _, said = run("systemd-analyze", "verify", "--man=no",
                      *(path for path in units if path.suffix != ".conf"))
        # it also loads what else is installed here, says what is wrong with that, and fails
        self.assertEqual([line for line in said.splitlines() if "zonefleet" in line], [], said)

    def test_no_unit_leaves_a_core(self):
        common = self.install()["/usr/lib/systemd/system/zonefleet-.service.d/common.conf"]
        self.assertRegex(common.read_text(), r"(?m)^LimitCORE=0$")

    @unittest.skipUnless(shutil.which("systemd-analyze"), "systemd is not installed")
    def test_rights(self):
        """Who signals others may, whatever all workers may not; and nobody else."""
        self.install()
        for kind, may in (("ports-agent", True), ("routes-agent", True), ("ports", False),
                          ("routes", False), ("central", False)):
            status, said = run("systemd-analyze", "security", "--offline=yes", "--json=short",
                               f"--root={self.folder}", f"zonefleet-{kind}.service")
            self.assertEqual(status, 0, said)
            is_kept_from = {row["name"]: row["set"] for row in json.loads(said)}
            with self.subTest(kind):
                self.assertEqual(is_kept_from["CapabilityBoundingSet=~CAP_KILL"], not may)
                self.assertEqual(is_kept_from["ProtectProc="], not may)
                self.assertEqual(is_kept_from["AmbientCapabilities="], not may)
                self.assertTrue(is_kept_from["CapabilityBoundingSet=~CAP_SYS_ADMIN"])


if __name__ == "__main__":
    unittest.main(verbosity=2)
