"""A private neutron-server (Debian's python3-neutron), without agents and without keystone.

It has a database of its own in the MariaDB that it is given, and emits notifications and
objects through the RabbitMQ that it is given; all it makes is of the project `tenant-1`.
"""

import json
import urllib.error
import urllib.request

from lab.process import HOST, PATH, Server, free_port, run, wait_for

PYTHON = "/usr/bin/python3"
PROJECT = "tenant-1"

CONFIG = """\
[DEFAULT]
api_paste_config = {folder}/api-paste.ini
auth_strategy = noauth
bind_host = {host}
bind_port = {port}
core_plugin = ml2
service_plugins = router
dns_domain = {domain}
transport_url = {broker}
state_path = {folder}
api_workers = 1
rpc_workers = 1
rpc_state_report_workers = 0
graceful_shutdown_timeout = 5
notify_nova_on_port_status_changes = false
notify_nova_on_port_data_changes = false
[database]
connection = {database}
[oslo_concurrency]
lock_path = {folder}
[oslo_messaging_notifications]
driver = messagingv2
topics = notifications
[oslo_policy]
policy_file = {folder}/policy.yaml
[quotas]
quota_network = -1
quota_subnet = -1
quota_port = -1
quota_floatingip = -1
[ml2]
type_drivers = local,flat
tenant_network_types = local
mechanism_drivers = openvswitch
extension_drivers = subnet_dns_publish_fixed_ip
[ml2_type_flat]
flat_networks = *
"""

# whoever asks is the one that the header names: noauth
PASTE = """\
[composite:neutron]
use = egg:Paste#urlmap
/: neutronversions
/v2.0: neutronapi
[composite:neutronapi]
use = call:neutron.auth:pipeline_factory
noauth = request_id catch_errors extensions neutronapiapp
[filter:request_id]
paste.filter_factory = oslo_middleware:RequestId.factory
[filter:catch_errors]
paste.filter_factory = oslo_middleware:CatchErrors.factory
[filter:extensions]
paste.filter_factory = neutron.api.extensions:plugin_aware_extension_middleware_factory
[app:neutronversions]
paste.app_factory = neutron.pecan_wsgi.app:versions_factory
[app:neutronapiapp]
paste.app_factory = neutron.api.v2.router:APIRouter.factory
"""

# the programs of a package that only has their code
PROGRAM = "import sys; sys.argv[0] = '{name}'; from {module} import main; sys.exit(main())"


def packaged(name, module, *arguments):
    """The command line of a program of OpenStack's."""
    return [PYTHON, "-c", PROGRAM.format(name=name, module=module), *arguments]


class Neutron(Server):

    start_seconds = 120
    stop_seconds = 60

    def __init__(self, folder, rabbitmq, mariadb, domain, **options):
        super().__init__(folder, **options)
        self.port = free_port()
        database = f"neutron_{self.port}"
        mariadb.sql(f"CREATE DATABASE {database} CHARACTER SET utf8; "
                    f"GRANT ALL ON {database}.* TO {mariadb.user}@'{HOST}'",
                    administrator=True)
        self.write("api-paste.ini", PASTE)
        self.write("policy.yaml", "{}\n")
        self.config = self.write("neutron.conf", CONFIG.format(
            folder=self.folder, host=HOST, port=self.port, domain=domain,
            broker=rabbitmq.url,
            database=f"mysql+pymysql://{mariadb.user}:{mariadb.password}@{mariadb.hosts}"
                     f"/{database}?charset=utf8"))
        run(self.program("neutron-db-manage", "neutron.db.migration.cli", "upgrade", "heads"),
            env=self.environment(), seconds=300)

    def program(self, name, module, *arguments):
        return packaged(name, module, "--config-file", self.config, *arguments)

    def environment(self):
        return super().environment() | {"PATH": PATH, "OS_LOG_DIR": str(self.folder)}

    def command(self):
        return self.program("neutron-server", "neutron.cmd.eventlet.server")

    def is_ready(self):
        try:
            return self.ask("GET", "networks")[0] == 200
        except OSError:
            return False

    def ask(self, method, path, body=None, project=PROJECT):
        """(status, answer) of the API."""
        request = urllib.request.Request(
            f"http://{HOST}:{self.port}/v2.0/{path}", method=method,
            data=json.dumps(body).encode() if body else None,
            headers={"Content-Type": "application/json", "X-Project-Id": project,
                     "X-Tenant-Id": project, "X-User-Id": "user-1", "X-Roles": "admin"})
        try:
            with urllib.request.urlopen(request, timeout=600) as answer:
                text = answer.read()
                return answer.status, json.loads(text) if text else None
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()

    def create(self, kind, **values):
        """The object that was made: create("port", network_id=...)."""
        status, answer = self.ask("POST", f"{kind}s", {kind: {"tenant_id": PROJECT} | values})
        assert status == 201, answer
        return answer[kind]

    def update(self, kind, id, **values):
        status, answer = self.ask("PUT", f"{kind}s/{id}", {kind: values})
        assert status == 200, answer
        return answer[kind]

    def delete(self, kind, id):
        status, answer = self.ask("DELETE", f"{kind}s/{id}")
        assert status == 204, answer
