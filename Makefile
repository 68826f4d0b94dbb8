# One Makefile, no recursion. A program sees workers/ and itself, so that a
# sideways #include does not compile; `make layers` guards the rest.
#
#   make            release build into build/
#   make check      layers, width of the lines of C, unit tests, and whether the documents of
#                   `make docs` are fresh
#   make docs       docs/cli.md, docs/settings.md, docs/metrics.md and docs/rpc.md, from the
#                   rows of the programs
#   make test       all that belongs in CI: tests/run names its stages
#   make test-faults  kill, stop and restart everything during a stream of changes, and cut
#                     nodes of clusters off
#   make test-drift   1 000 drifts on three name servers during ten minutes of changes
#   make test-fleet   320 000 guarded increments over three databases, masters that are killed,
#                     members that come and go
#   make test-clusters  three brokers and three databases, killed, hung and cut off
#   make test-large   a zone of a million records on three name servers, with figures;
#                     10 000 domains by a catalog zone
#   make asan       the same programs under ASan and UBSan, into build-asan/
#   make demo       a running fleet with three real name servers (deploy/demo);
#                   deploy/cluster starts one over three brokers and three databases
#   make bench      figures, as ratios against peers (tests/bench/README.md)
#   make bench-sync     what it costs to look after 100 000 domains
#   make bench-ownership  what a shared zone of 100 000 records costs when nothing changes
#   make bench-ports    what one port's change costs in a network of 10 000
#   make bench-routes   what a route costs until HAProxy serves it, one and 1 000 at once
#   make bench-minidns  minidns beside NSD and Knot, on one processor each
#   make install    DESTDIR=, PREFIX=/usr
#   make hooks      git refuses commit messages that are not "area: do one thing"

BUILD   ?= build
PREFIX  ?= /usr
DESTDIR ?=
VERSION := 0.1.0
# The commit of a checkout: "+git.f967ce3a12", and ".dirty" with changes. A tree without git has
# only the release; `make COMMIT=TEXT` sets the text. root may build in a user's checkout.
COMMIT  := $(shell test -e .git && GIT_OPTIONAL_LOCKS=0 git -c safe.directory='*' describe \
             --always --exclude='*' --abbrev=10 --dirty=.dirty 2>/dev/null | sed 's/^/+git./')

PACKAGES = librabbitmq libmariadb ldns jansson libconfig libcrypto libmicrohttpd zlib
INCLUDES := $(shell pkg-config --cflags $(PACKAGES))
ifeq ($(origin CC),default)
CC       = gcc
endif
WARN     = -Wall -Wextra -Wpedantic -Wshadow -Wvla -Wformat=2 -Wstrict-prototypes \
           -Wmissing-prototypes -Wwrite-strings -Wno-missing-field-initializers -Werror
# Of these flags a compiler may not have some: clang before 16, or one for another processor.
accepted = $(foreach f,$(1),$(shell $(CC) -Werror $(f) -E -x c /dev/null >/dev/null 2>&1 && \
             echo $(f)))
ifndef HARDEN
HARDEN  := -D_FORTIFY_SOURCE=3 -fstack-protector-strong -fstack-clash-protection -fPIE \
           $(call accepted,-fcf-protection -ftrivial-auto-var-init=zero)
endif
OPTIM   ?= -O2 -g
SANITIZE ?=
CFLAGS  += -std=c11 -D_GNU_SOURCE $(OPTIM) $(WARN) $(HARDEN) $(SANITIZE) -pthread $(INCLUDES)
LDFLAGS += -pie -Wl,-z,relro,-z,now -Wl,-z,noexecstack -pthread $(SANITIZE) $(LINKER)
LIBS     = $(shell pkg-config --libs $(PACKAGES)) -lev -lm

# program: folder. A program is its folder over the library.
PROGRAMS = central poolmgr minidns ownership ports routes cli
FOLDER_central = central
FOLDER_poolmgr = poolmgr
FOLDER_minidns = minidns
FOLDER_ownership = workers/ownership
FOLDER_ports   = workers/ports
FOLDER_routes  = workers/routes
FOLDER_cli     = workers/cli
BINARY_central = zonefleet-central
BINARY_poolmgr = zonefleet-poolmgr
BINARY_minidns = zonefleet-minidns
BINARY_ownership = zonefleet-ownership
BINARY_ports   = zonefleet-ports
BINARY_routes  = zonefleet-routes
BINARY_cli     = zonefleet
LIBS_regex     = $(shell pkg-config --libs libpcre2-8)
LIBS_central   = $(LIBS_regex)
LIBS_poolmgr   = $(shell pkg-config --libs libknot libssl libcurl)
LIBS_cli       = $(shell pkg-config --libs libidn2)
LIBS_minidns   = $(shell pkg-config --libs libssl)
# test programs have no folder of their own: unit tests of program P live in tests/unit/P

LIBRARY = base model dns runtime net consistency agent
BINARIES = $(foreach p,$(PROGRAMS),$(BUILD)/bin/$(BINARY_$(p)))
UNIT     = $(patsubst tests/%.c,$(BUILD)/%,$(wildcard tests/unit/*/test_*.c))
FUZZ     = $(patsubst tests/fuzz/%.c,$(BUILD)/fuzz/%,$(wildcard tests/fuzz/fuzz_*.c))
DRIVERS  = $(patsubst tests/integration/drivers/%.c,$(BUILD)/drivers/%,\
             $(wildcard tests/integration/drivers/*.c))

objects  = $(patsubst %.c,$(BUILD)/%.o,$(filter-out %/main.c,$(wildcard $(1))))

all: $(BINARIES)

$(BUILD)/workers.a: $(call objects,$(LIBRARY:%=workers/%/*.c)) $(BUILD)/schema_sql.o

# The program contains the schema as bytes, because C limits the length of a literal. The numbers
# of the schema files start at 001 and have no gap. The folder is newer when a file is removed.
SCHEMA = $(sort $(wildcard schema/*.sql))
$(BUILD)/schema_sql.c: $(SCHEMA) schema
	@mkdir -p $(@D)
	@printf '%s\n' $(notdir $(SCHEMA)) | awk -F_ '$$1 + 0 != NR { \
	  print "schema/" $$0 ": its number must be " NR; exit 1 }'
	@{ echo '#include "runtime/migrate.h"'; \
	for f in $(SCHEMA); do \
	  echo "static const char sql_$$(basename $$f .sql)[] = {"; \
	  od -An -v -td1 $$f | sed 's/[0-9][0-9]*/&,/g'; echo '0 };'; \
	done; \
	echo 'const struct migrate_file migrate_files[] = {'; \
	for f in $(SCHEMA); do \
	  echo "{ \"$$(basename $$f)\", sql_$$(basename $$f .sql) },"; \
	done; \
	echo '{ 0 }, };'; } >$@
$(BUILD)/schema_sql.o: $(BUILD)/schema_sql.c
	@echo "  CC    $<" && $(CC) $(CFLAGS) -Iworkers -c -o $@ $<

# Only programs have the version, so that a commit links them again and compiles no other file.
# The file keeps its time while its text is the same.
$(BUILD)/version.c: always
	@mkdir -p $(@D)
	@{ echo '#include "base/version.h"'; \
	echo 'const char version_text[] = "$(VERSION)$(COMMIT)";'; } >$@.new
	@cmp -s $@.new $@ && rm $@.new || mv $@.new $@
$(BUILD)/version.o: $(BUILD)/version.c
	@echo "  CC    $<" && $(CC) $(CFLAGS) -Iworkers -c -o $@ $<

define program
$(BUILD)/bin/$(BINARY_$(1)): $(BUILD)/$(FOLDER_$(1))/main.o $(BUILD)/version.o $(BUILD)/$(1).a \
    $(BUILD)/workers.a
	@mkdir -p $$(@D)
	@echo "  LINK  $$@" && $$(CC) $$(LDFLAGS) -o $$@ $$^ $$(LIBS) $$(LIBS_$(1))
endef
define part
$(BUILD)/$(1).a: $(call objects,$(FOLDER_$(1))/*.c $(FOLDER_$(1))/*/*.c)
$(BUILD)/$(FOLDER_$(1))/%.o $(BUILD)/unit/$(1)/%.o $(BUILD)/bench/$(1)_%.o: INC = -Iworkers -I$(FOLDER_$(1))
$(BUILD)/unit/$(1)/%: $(BUILD)/unit/$(1)/%.o $(BUILD)/$(1).a $(BUILD)/workers.a
	@echo "  LINK  $$@" && $$(CC) $$(LDFLAGS) -o $$@ $$^ -lcmocka $$(LIBS) $$(LIBS_$(1))
endef
$(foreach p,$(PROGRAMS),$(eval $(call program,$(p))))
$(foreach p,$(PROGRAMS),$(eval $(call part,$(p))))

$(BUILD)/unit/%: $(BUILD)/unit/%.o $(BUILD)/workers.a
	@echo "  LINK  $@" && $(CC) $(LDFLAGS) -o $@ $^ -lcmocka $(LIBS)

# A hundred programs of the same objects: gold links one in a third of the time.
$(BUILD)/unit/%: LDFLAGS += -fuse-ld=gold

# Of the tests of the library, only this one uses regular expressions.
$(BUILD)/unit/base/test_regex: LIBS += $(LIBS_regex)

# It counts how often a record is made canonical.
$(BUILD)/unit/central/test_changes: LDFLAGS += -Wl,--wrap=canonical_of_rr

# Programs that the stories in tests/integration drive.
$(BUILD)/drivers/%: tests/integration/drivers/%.c $(BUILD)/workers.a
	@mkdir -p $(@D)
	@echo "  LINK  $@" && $(CC) $(CFLAGS) $(INC) $(LDFLAGS) -o $@ $^ $(LIBS)
$(BUILD)/drivers/backend_driver: tests/integration/drivers/backend_driver.c \
    $(BUILD)/poolmgr.a $(BUILD)/workers.a
	@mkdir -p $(@D)
	@echo "  LINK  $@" && $(CC) $(CFLAGS) -Iworkers -Ipoolmgr $(LDFLAGS) -o $@ $^ $(LIBS) $(LIBS_poolmgr)
$(BUILD)/drivers/primary_driver: tests/integration/drivers/primary_driver.c \
    $(BUILD)/ownership.a $(BUILD)/workers.a
	@mkdir -p $(@D)
	@echo "  LINK  $@" && $(CC) $(CFLAGS) -Iworkers -Iworkers/ownership $(LDFLAGS) -o $@ $^ $(LIBS)
$(BUILD)/drivers/reverse_driver: tests/integration/drivers/reverse_driver.c \
    $(BUILD)/ports.a $(BUILD)/workers.a
	@mkdir -p $(@D)
	@echo "  LINK  $@" && $(CC) $(CFLAGS) -Iworkers -Iworkers/ports $(LDFLAGS) -o $@ $^ $(LIBS)

# docs/rpc.md is printed from the rows that the programs use. These print the rows as JSON.
RPC_WORDS = $(patsubst %,$(BUILD)/rpc/%,central ports routes ownership poolmgr minidns)
$(RPC_WORDS): $(BUILD)/rpc/%: $(BUILD)/docs/rpc/words.o $(BUILD)/%.a $(BUILD)/workers.a
	@mkdir -p $(@D)
	@echo "  LINK  $@" && $(CC) $(LDFLAGS) -o $@ $^ $(LIBS) $(LIBS_$*)

drivers: $(DRIVERS) $(RPC_WORDS)
benches: $(patsubst tests/bench/%.c,$(BUILD)/bench/%,$(wildcard tests/bench/*.c))

$(BUILD)/bench/%: tests/bench/%.c $(BUILD)/workers.a
	@mkdir -p $(@D)
	@echo "  LINK  $@" && $(CC) $(CFLAGS) $(INC) $(LDFLAGS) -o $@ $^ $(LIBS)

# libFuzzer targets: fuzz_NAME.c; they see the cores, and poolmgr's backends.
$(BUILD)/fuzz/%: tests/fuzz/%.c $(BUILD)/minidns.a $(BUILD)/poolmgr.a $(BUILD)/ownership.a \
    $(BUILD)/workers.a
	@mkdir -p $(@D)
	@echo "  LINK  $@" && $(CC) $(CFLAGS) -Iworkers -Iminidns -Ipoolmgr -Iworkers/ownership -fsanitize=fuzzer $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBS)
# ownership, ports and routes have files of the same names: these targets see those of ports,
# and then one of routes.
$(BUILD)/fuzz/fuzz_neutron $(BUILD)/fuzz/fuzz_port_request: $(BUILD)/fuzz/%: tests/fuzz/%.c \
    tests/fuzz/port_case.c $(BUILD)/ports.a $(BUILD)/workers.a
	@mkdir -p $(@D)
	@echo "  LINK  $@" && $(CC) $(CFLAGS) -Iworkers -Iworkers/ports -fsanitize=fuzzer $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBS)
$(BUILD)/fuzz/fuzz_route_request: $(BUILD)/fuzz/%: tests/fuzz/%.c $(BUILD)/routes.a \
    $(BUILD)/workers.a
	@mkdir -p $(@D)
	@echo "  LINK  $@" && $(CC) $(CFLAGS) -Iworkers -Iworkers/routes -fsanitize=fuzzer $(LDFLAGS) -fsanitize=fuzzer -o $@ $^ $(LIBS)
$(BUILD)/fuzz/fuzz_regex: LIBS += $(LIBS_regex)
fuzzers: $(FUZZ)

$(BUILD)/%.a:
	@mkdir -p $(@D); rm -f $@
	@echo "  AR    $@" && $(AR) crs $@ $^

INC = -Iworkers
$(BUILD)/unit/%.o: tests/unit/%.c
	@mkdir -p $(@D); echo "  CC    $<" && $(CC) $(CFLAGS) $(INC) -MMD -MP -c -o $@ $<
$(BUILD)/%.o: %.c
	@mkdir -p $(@D); echo "  CC    $<" && $(CC) $(CFLAGS) $(INC) -MMD -MP -c -o $@ $<

# The references: what the programs print about themselves.
docs: all docs/rpc.md
	docs/generate $(BUILD)/bin
docs/rpc.md: $(RPC_WORDS) always	# it may be newer than the rows, and stale
	docs/rpc/printer.py $(RPC_WORDS) >$(BUILD)/rpc/rpc.md
	cp $(BUILD)/rpc/rpc.md $@
check-docs: all $(RPC_WORDS)
	@docs/generate --check $(BUILD)/bin
	@docs/rpc/printer.py --check docs/rpc.md $(RPC_WORDS)

check: layers columns check-docs $(UNIT)
	@tests/support/run-unit $(UNIT)

# A report of the sanitizers needs only line numbers: -g1.
ASAN = BUILD=build-asan OPTIM='-O1 -g1 -fno-omit-frame-pointer -Wno-format-truncation' \
       HARDEN=-fPIE SANITIZE='-fsanitize=address,undefined -fno-sanitize-recover=all' \
       LINKER=-fuse-ld=gold
asan:
	$(MAKE) $(ASAN) all check
asan-programs:
	$(MAKE) $(ASAN) all drivers

test:
	tests/run

# The long form: 200 changes under each fault, two rounds; CI runs the short one.
test-faults:
	ZONEFLEET_FAULTS=long STORY_SECONDS=1800 tests/run faults test_cluster

# The whole of a story that test-faults has for two minutes.
test-drift: all
	ZONEFLEET_DRIFTS=1000 ZONEFLEET_DRIFT_SECONDS=600 ZONEFLEET_WRITES=200 \
	    /usr/bin/python3 tests/faults/test_drift.py

# Locks and elections: 32 x 10 000 increments over three Galera nodes take some 20 minutes.
test-fleet: all drivers
	STORY_SECONDS=1 ZONEFLEET_INCREMENTS=10000 /usr/bin/python3 tests/integration/test_fleet.py

# Three RabbitMQ and three Galera under faults; they want the machine for themselves.
test-clusters:
	tests/run clusters

# The long form of a story: some minutes, and two GiB of disk.
test-large: all
	ZONEFLEET_RECORDS=1000000 /usr/bin/python3 tests/integration/test_large_zone.py
	ZONEFLEET_MEMBERS=10000 /usr/bin/python3 tests/integration/test_catalog.py \
	    $(foreach s,Bind Knot PowerDns,$(s)Test.test_many_come_with_few_transfers \
	                $(s)Test.test_many_reach_one_that_was_down_by_one_transfer)

demo:
	deploy/demo

bench:
	BUILD=$(BUILD) tests/bench/run

bench-minidns bench-ownership bench-ports bench-routes bench-sync: bench-%:
	BUILD=$(BUILD) tests/bench/$*

fuzz:
	tests/fuzz/run

# The dependency direction, each foreign library behind its own module, and no cycle of files.
src = grep -rnE --include=*.[ch]
layers: all
	@! $(src) '#include "(runtime|model|dns|consistency)/' workers/base
	@! $(src) '#include "dns/' workers/model workers/runtime workers/consistency
	@! $(src) '#include "consistency/' workers/model workers/dns workers/runtime workers/net \
	    central/core minidns/core workers/ownership/core workers/ports/core \
	    workers/routes/core
	@! $(src) '#include "net/' workers/base workers/model workers/dns workers/runtime \
	    workers/consistency central/core poolmgr/core minidns/core workers/ownership/core \
	    workers/ports/core workers/routes/core
	@! $(src) '#include "agent/' workers/base workers/model workers/dns workers/runtime \
	    workers/net workers/consistency central poolmgr minidns workers/ownership \
	    workers/ports/core workers/routes/core workers/cli
	@! $(src) '#include "runtime/' workers/model workers/dns central/core poolmgr/core \
	    minidns/core workers/ownership/core workers/ports/core \
	    workers/routes/core
	@! $(src) '#include <amqp' workers central poolmgr minidns | grep -v '^workers/runtime/broker'
	@! $(src) '#include <mysql' workers central poolmgr minidns | grep -v '^workers/runtime/db'
	@! $(src) '#include <ldns' workers central poolmgr minidns | grep -v '^workers/model/presentation'
	@! $(src) '#include <ev.h' workers central poolmgr minidns | grep -v '^workers/runtime/loop'
	@! $(src) '#include <openssl/ssl' workers central poolmgr minidns | \
	    grep -vE '^(poolmgr/backends/|minidns/stream)'
	@! $(src) '#include <curl' workers central poolmgr minidns | grep -v '^poolmgr/backends/http'
	@! $(src) '#include <libconfig' workers central poolmgr minidns | grep -v '^workers/base/option'
	@! $(src) '#include <microhttpd' workers central poolmgr minidns | grep -v '^workers/runtime/metrics_http'
	@! $(src) '#include <pcre2' workers central poolmgr minidns | grep -v '^workers/base/regex'
	@! $(src) '#include <zlib' workers central poolmgr minidns | \
	    grep -v '^workers/ownership/core/mark_seal'
	@! $(src) '"(SELECT|INSERT|UPDATE|DELETE|REPLACE) ' workers central poolmgr minidns | \
	    grep -vE '/(store[a-z_]*|migrate|db[a-z_]*|tx)\.[ch]:'
	@tests/support/check-cycles $(BUILD)

# The style: at most 90 columns, with tabs of 8: 11 tab stops and two columns.
columns:
	@! grep -rnP --include=*.[ch] '^([^\t]{8}|[^\t]{0,7}\t){11}([^\t]{3}|[^\t]{0,2}\t)' \
	    central docs minidns poolmgr tests workers

install: all
	install -d $(DESTDIR)$(PREFIX)/sbin $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/share/zonefleet/schema
	install -m 755 $(filter-out %/zonefleet,$(BINARIES)) $(DESTDIR)$(PREFIX)/sbin
	install -m 755 $(BUILD)/bin/zonefleet $(DESTDIR)$(PREFIX)/bin
	install -m 644 schema/*.sql $(DESTDIR)$(PREFIX)/share/zonefleet/schema
	deploy/install-extras "$(DESTDIR)" "$(PREFIX)"

hooks:
	git config core.hooksPath deploy/hooks

clean:
	rm -rf build build-asan

-include $(shell find $(BUILD) -name '*.d' 2>/dev/null)
.PHONY: always drivers benches fuzzers all docs check check-docs columns asan asan-programs test test-faults test-drift test-fleet test-large test-clusters demo bench bench-ownership bench-ports bench-routes bench-minidns bench-sync fuzz hooks layers install clean
# make would delete these after each link.
.SECONDARY: $(UNIT:=.o)
.DELETE_ON_ERROR:
