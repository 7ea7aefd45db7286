# SPDX-License-Identifier: GPL-2.0
# Builds agentctl, its tests and its packages. `make help` lists the targets.

OUTPUT ?= build
PREFIX ?= /usr/local
SBINDIR ?= $(PREFIX)/sbin
DATADIR ?= $(PREFIX)/share/agentctl
MANDIR ?= $(PREFIX)/share/man
CATALOGDIR ?= /usr/lib/systemd/catalog
COMPLETIONDIR ?= $(PREFIX)/share/bash-completion/completions
CONFDIR ?= /etc/agentctl
UNITDIR ?= $(PREFIX)/lib/systemd/system
VERSION := 0.1.0

CC ?= gcc
CLANG ?= clang
BPFTOOL ?= $(firstword $(wildcard /usr/sbin/bpftool) bpftool)
LLVM_STRIP ?= $(firstword $(shell command -v llvm-strip llvm-strip-14 llvm-strip-19 2>/dev/null) llvm-strip)
PKG_CONFIG ?= pkg-config

# Quiet unless V=1.
ifeq ($(V),1)
Q :=
say = @:
else
Q := @
say = @printf '  %-8s %s\n'
endif

LIBRARIES := libbpf libelf zlib libnl-3.0 libnl-route-3.0 libsystemd
CFLAGS ?= -O2 -g
WARNINGS := -Wall -Wextra -Wno-unused-parameter -Wno-missing-field-initializers
ifeq ($(CI),true)
WARNINGS += -Werror
endif
# Not := here and below: in `make deps all`, deps may install what these ask.
CPPFLAGS_ALL = -I. -I$(OUTPUT) -D_GNU_SOURCE -DVERSION='"$(VERSION)"' -DDATADIR='"$(DATADIR)"' $(CPPFLAGS) \
	$(shell $(PKG_CONFIG) --cflags $(LIBRARIES) 2>/dev/null)
CFLAGS_ALL := -std=gnu11 $(WARNINGS) -fno-strict-aliasing -MMD -MP $(CFLAGS)
LDLIBS_ALL = $(shell $(PKG_CONFIG) --libs $(LIBRARIES) 2>/dev/null)

TRIPLET = $(shell $(CC) -dumpmachine)
ARCH = $(subst x86_64,x86,$(subst aarch64,arm64,$(firstword $(subst -, ,$(TRIPLET)))))
BPF_CFLAGS = -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_$(ARCH) -Wall -Ikern -Ivmlinux -I/usr/include/$(TRIPLET)

BPF_SOURCES := $(wildcard kern/*.bpf.c)
BPF_OBJECTS := $(BPF_SOURCES:%.c=$(OUTPUT)/%.o)
BPF_HEADERS := $(wildcard kern/*.h vmlinux/*.h)
SKELETON := $(OUTPUT)/kern/agentctl.skel.h

SOURCES := $(sort $(wildcard ctl/*/*.c))
OBJECTS := $(SOURCES:%.c=$(OUTPUT)/%.o)
UNIT_SOURCES := $(sort $(wildcard selftests/unit/*_test.c))
UNIT_TESTS := $(UNIT_SOURCES:%.c=$(OUTPUT)/%)
UNITS := $(patsubst docs/%,$(OUTPUT)/%,$(wildcard docs/systemd/*.service docs/systemd/*.timer docs/systemd/*.slice))
GUEST_SOURCES := $(sort $(wildcard selftests/hooks/*.c selftests/bench/*.c))
GUEST_TESTS := $(GUEST_SOURCES:%.c=$(OUTPUT)/%)
SANITIZE := -fsanitize=address,undefined -fno-sanitize-recover=all
SANITIZED := $(SOURCES:%.c=$(OUTPUT)/sanitized/%.o)

.PHONY: all help deps demo check check-unit check-vm bench fuzz lint format install uninstall deb clean FORCE
.DELETE_ON_ERROR:
.SECONDARY:

all: $(OUTPUT)/agentctl

help:
	@sed -n 's/^## //p' Makefile

## make              build/agentctl (OUTPUT=build, V=1 shows commands)
$(OUTPUT)/agentctl: $(OUTPUT)/ctl/main.o $(OUTPUT)/libagentctl.a
	$(say) LD $@
	$(Q)$(CC) $(CFLAGS_ALL) $(LDFLAGS) -o $@ $^ $(LDLIBS_ALL)

$(OUTPUT)/libagentctl.a: $(OBJECTS)
	$(say) AR $@
	$(Q)rm -f $@ && $(AR) rcs $@ $^

$(OUTPUT)/ctl/%.o: ctl/%.c | $(SKELETON)
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -c -o $@ $<

$(OUTPUT)/sanitized/ctl/%.o: ctl/%.c | $(SKELETON)
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(SANITIZE) -c -o $@ $<

$(OUTPUT)/kern/%.bpf.o: kern/%.bpf.c $(BPF_HEADERS) Makefile
	$(say) CLANG $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CLANG) $(BPF_CFLAGS) -c -o $@ $<

$(OUTPUT)/kern/agentctl.o: $(BPF_OBJECTS)
	$(say) LINK $@
	$(Q)$(BPFTOOL) gen object $@ $^
	$(Q)$(LLVM_STRIP) -g $@

$(SKELETON): $(OUTPUT)/kern/agentctl.o
	$(say) SKEL $@
	$(Q)$(BPFTOOL) gen skeleton $< name agentctl > $@

# The skeleton's types are the programs' own.
$(OUTPUT)/ctl/enforce/%.o $(OUTPUT)/sanitized/ctl/enforce/%.o: $(SKELETON)

$(UNIT_TESTS): $(OUTPUT)/selftests/unit/%_test: selftests/unit/%_test.c $(SANITIZED)
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) $(SANITIZE) -o $@ $< $(SANITIZED) $(LDLIBS_ALL) -lcmocka

$(GUEST_TESTS): $(OUTPUT)/selftests/%: selftests/%.c
	$(say) CC $@
	$(Q)mkdir -p $(@D)
	$(Q)$(CC) $(CPPFLAGS_ALL) $(CFLAGS_ALL) -o $@ $< -lpthread $(if $(findstring /bench/,$@),-lbpf)

-include $(OBJECTS:.o=.d) $(SANITIZED:.o=.d) $(OUTPUT)/ctl/main.d $(UNIT_TESTS:=.d) $(GUEST_TESTS:=.d)

## make deps         install what building and testing need (apt)
deps:
	selftests/deps

## make demo         a decoy agent under a policy, on this kernel if it can, else in a virtual machine
demo: all
	selftests/demo/run

## make check        all tests: units, then every kernel in virtual machines
check: all $(UNIT_TESTS) $(GUEST_TESTS)
	selftests/check

## make check-unit   the quick part
check-unit: all $(UNIT_TESTS)
	selftests/check unit

## make bench        instructions per operation, in a virtual machine
bench: all $(GUEST_TESTS)
	selftests/bench/run

## make lint         format, layers, shell scripts, man pages
lint:
	selftests/lint/run

## make format       rewrite the sources as .clang-format says
format:
	clang-format -i $$(git ls-files '*.c' '*.h' ':!vmlinux')

## make fuzz         run the fuzz targets (SECONDS_EACH=600)
fuzz: all
	selftests/fuzz/run

$(OUTPUT)/agentctl.bash: $(OUTPUT)/agentctl
	$(Q)$< --completion >$@

# Where the command lies is known when it is installed.
$(OUTPUT)/systemd/%: docs/systemd/% FORCE
	$(Q)mkdir -p $(@D)
	$(Q)sed 's|@SBINDIR@|$(SBINDIR)|' $< >$@

FORCE:

# A configuration that is there already is the machine's own, and is kept, by uninstall too.
## make install      into PREFIX (/usr/local), below DESTDIR
install: all $(UNITS) $(OUTPUT)/agentctl.bash
	install -D -m 755 $(OUTPUT)/agentctl $(DESTDIR)$(SBINDIR)/agentctl
	install -d $(DESTDIR)$(DATADIR)/policies $(DESTDIR)$(MANDIR)/man5 $(DESTDIR)$(MANDIR)/man7 $(DESTDIR)$(MANDIR)/man8
	install -m 644 policies/*.json $(DESTDIR)$(DATADIR)/policies
	install -m 644 docs/man/*.5 $(DESTDIR)$(MANDIR)/man5
	install -m 644 docs/man/*.7 $(DESTDIR)$(MANDIR)/man7
	install -m 644 docs/man/*.8 $(DESTDIR)$(MANDIR)/man8
	install -D -m 644 docs/agentctl.catalog $(DESTDIR)$(CATALOGDIR)/agentctl.catalog
	install -D -m 644 $(OUTPUT)/agentctl.bash $(DESTDIR)$(COMPLETIONDIR)/agentctl
	install -d $(DESTDIR)$(UNITDIR)
	install -m 644 $(UNITS) $(DESTDIR)$(UNITDIR)
	install -d $(DESTDIR)$(CONFDIR)/policies.d $(DESTDIR)$(CONFDIR)/attach.d
	test -e $(DESTDIR)$(CONFDIR)/policies.d/agents.json || \
		install -m 644 docs/systemd/agents.json $(DESTDIR)$(CONFDIR)/policies.d
	test -e $(DESTDIR)$(CONFDIR)/attach.d/agents.conf || \
		install -m 644 docs/systemd/agents.conf $(DESTDIR)$(CONFDIR)/attach.d

uninstall:
	rm -f $(DESTDIR)$(SBINDIR)/agentctl $(DESTDIR)$(MANDIR)/man8/agentctl.8 \
		$(DESTDIR)$(MANDIR)/man5/agentctl-policy.5 \
		$(DESTDIR)$(MANDIR)/man5/agentctl-report.5 $(DESTDIR)$(MANDIR)/man7/agentctl-events.7 \
		$(UNITS:$(OUTPUT)/systemd/%=$(DESTDIR)$(UNITDIR)/%)
	rm -f $(DESTDIR)$(CATALOGDIR)/agentctl.catalog $(DESTDIR)$(COMPLETIONDIR)/agentctl
	rm -rf $(DESTDIR)$(DATADIR)

## make deb          build/agentctl.deb, by debhelper
deb:
	docs/debian/build $(OUTPUT) $(VERSION)

clean:
	rm -rf $(OUTPUT)
