# SPDX-License-Identifier: GPL-2.0
"""What the tests of enforcement share: TAP, a policy in force on a cgroup, acts inside it, and the events they leave."""
import collections
import errno
import json
import marshal
import mmap
import os
import shutil
import signal
import subprocess
import sys
import time

CGROUPS = "/sys/fs/cgroup"
POLICIES = "/run/agentctl-test"
TREE = "/t"  # files of tests: a place on the root file system
SELFTESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))

# error: what the act's system call failed with, 0 if it did not; value: what it gave.
Outcome = collections.namedtuple("Outcome", "error value pid")


def error_name(number):
    return errno.errorcode.get(number, str(number)) if isinstance(number, int) else str(number)


class Tap:
    """Counts results and prints them as TAP."""

    def __init__(self):
        self.count = self.failed = 0

    def ok(self, condition, name, *details):
        self.count += 1
        self.failed += not condition
        print("%s %d - %s" % ("ok" if condition else "not ok", self.count, name.replace("#", "\\#")))
        if not condition:
            for detail in details:
                for line in str(detail).splitlines():
                    print("#   " + line)
        sys.stdout.flush()
        return condition

    def equal(self, got, expected, name):
        return self.ok(got == expected, name, "got      %r" % (got,), "expected %r" % (expected,))

    def skip(self, name, reason):
        self.count += 1
        print("ok %d - %s # SKIP %s" % (self.count, name, reason), flush=True)

    def note(self, text):
        print("# " + text, flush=True)

    def done(self):
        print("1..%d" % self.count, flush=True)
        sys.exit(1 if self.failed else 0)


def printable(name):
    """The one printable form of names, in text and in JSON strings alike."""
    raw = os.fsencode(name)
    text = []
    at = 0
    while at < len(raw):
        for width in (1, 2, 3, 4):
            try:
                char = raw[at:at + width].decode("utf-8")
            except UnicodeDecodeError:
                continue
            break
        else:
            char, width = None, 1
        if char is None or ord(char) < 32 or 127 <= ord(char) < 160:
            text += ["\\x%02x" % byte for byte in raw[at:at + width]]
        else:
            text.append("\\\\" if char == "\\" else char)
        at += width
    return "".join(text)


def agentctl(*args, **options):
    return subprocess.run(["agentctl", *args], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, **options)


def must(*args):
    """Runs agentctl, which must succeed; returns its stdout."""
    done = agentctl(*args)
    if done.returncode:
        raise RuntimeError("agentctl %s: status %d: %s" % (" ".join(args), done.returncode,
                                                          os.fsdecode(done.stderr)))
    return done.stdout


def read_events():
    """All events that wait, in order."""
    return [json.loads(line) for line in must("log", "--json").splitlines()]


def write_policy(policy, name=None):
    """Writes a policy file; returns its path."""
    os.makedirs(POLICIES, mode=0o700, exist_ok=True)
    path = "%s/%s.json" % (POLICIES, name or policy["name"])
    with open(path, "w") as file:
        json.dump(policy, file, indent=1)
    return path


def make_cgroup(name):
    path = CGROUPS + "/" + name.strip("/")
    os.makedirs(path, exist_ok=True)
    return path


def remove_cgroup(path):
    """Kills what is in a cgroup and below it, and removes them all."""
    if not os.path.isdir(path):
        return
    try:
        write_text(path + "/cgroup.kill", "1")
    except OSError:
        pass
    for folder, _, _ in os.walk(path, topdown=False):
        for _ in range(500):
            try:
                os.rmdir(folder)
                break
            except FileNotFoundError:
                break
            except OSError:
                time.sleep(0.01)


def write_text(path, text):
    descriptor = os.open(path, os.O_WRONLY)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def enter(cgroup):
    write_text(cgroup + "/cgroup.procs", "0")


def outcome_of(function):
    try:
        return 0, function()
    except OSError as error:
        return error.errno or -1, error.strerror
    except BaseException as error:  # an honest report beats a traceback that needs files
        return "exception", repr(error)


def act(cgroup, function):
    """Runs FUNCTION in a process of its own inside CGROUP (None: outside). If it executes a program, value is the wait status."""
    sys.stdout.flush()
    reader, writer = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            if cgroup:
                enter(cgroup)
            os.write(writer, marshal.dumps(outcome_of(function)))
        finally:
            os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as stream:
        data = stream.read()
    status = os.waitpid(pid, 0)[1]
    if not data:
        return Outcome(0, status, pid)
    error, value = marshal.loads(data)
    return Outcome(error, value, pid)


class Box:
    """A policy in force on a cgroup of its own, while the with block lasts."""

    def __init__(self, tap, policy, cgroup="box"):
        self.tap = tap
        self.policy = dict(policy)
        self.policy.setdefault("name", "box")
        self.name = self.policy["name"]
        self.cgroup = make_cgroup(cgroup)
        self.strays = []
        self.acted = set()  # processes of earlier acts, which should have nothing more to tell

    def __enter__(self):
        must("load", write_policy(self.policy))
        must("attach", self.cgroup, self.name)
        read_events()
        return self

    def __exit__(self, kind, value, trace):
        if kind is None:
            self.strays += read_events()
            self.tap.ok(not self.strays, "nothing else was logged under %s" % self.name,
                        *[json.dumps(event) for event in self.strays[:20]])
        agentctl("detach", self.cgroup)
        remove_cgroup(self.cgroup)
        agentctl("unload", self.name)

    def run(self, function):
        got = act(self.cgroup, function)
        self.acted.add(got.pid)
        return got

    def new_events(self):
        """The events since the last time, without those of earlier acts, which are strays."""
        earlier, new = self.acted, []
        self.acted = set()
        for event in read_events():
            process = event.get("process", {})
            is_stray = process.get("pid") in earlier or process.get("ppid") in earlier
            (self.strays if is_stray else new).append(event)
        return new

    def allowed(self, name, function, value=None, error=0):
        """The act goes through, or fails as it would without us (ERROR); that it logs nothing shows at the end."""
        got = self.run(function)
        good = got.error == error and (value is None or got.value == value)
        self.tap.ok(good, name, "got %s, %r; expected %s%s" % (
            error_name(got.error), got.value, error_name(error), "" if value is None else ", %r" % (value,)))
        return got

    def logged(self, name, function, expected, error=0, value=None):
        """The act ends with ERROR and leaves exactly the EXPECTED events (dictionaries of the fields to compare), in order."""
        got = act(self.cgroup, function)
        events = self.new_events()
        problems = []
        if got.error != error:
            problems.append("got %s (%r), expected %s" % (error_name(got.error), got.value, error_name(error)))
        if value is not None and got.value != value:
            problems.append("got %r, expected %r" % (got.value, value))
        if len(events) != len(expected):
            problems.append("%d events, expected %d" % (len(events), len(expected)))
        for event, fields in zip(events, expected):
            problems += differences(event, fields)
        if problems:
            problems += [json.dumps(event) for event in events[:10]]
        self.tap.ok(not problems, name, *problems)
        return got

    def denied(self, name, function, op, object_name, reason="rule", error=errno.EACCES, **fields):
        """The act fails with EACCES and leaves exactly one event. OBJECT_NAME None: not compared; a callable judges it."""
        fields.update(verdict="blocked", op=op, errno=error_name(error), reason=reason, policy=self.name)
        if object_name is not None:
            fields["object"] = object_name if callable(object_name) else printable(object_name)
        return self.logged(name, function, [fields], error=error)

    def audited(self, name, function, op, object_name, **fields):
        fields.update(verdict="audited", op=op, object=printable(object_name), policy=self.name)
        return self.logged(name, function, [fields])

    def observed(self, name, function, op, object_name, **fields):
        fields.update(verdict="allowed", op=op, object=printable(object_name), policy=self.name)
        return self.logged(name, function, [fields])


def differences(event, fields):
    problems = []
    for key, want in fields.items():
        value = event
        for part in key.split("."):
            value = value.get(part) if isinstance(value, dict) else None
        if not (want(value) if callable(want) else value == want):
            problems.append("%s is %r, expected %r" % (key, value, want))
    return problems


def reset():
    """
    Ends every attachment and policy that an earlier test left behind. A policy
    that is attached nowhere stays, which keeps the programs in the kernel: to
    verify them anew for every policy would take most of the tests' time.
    """
    done = agentctl("status", "--json")
    status = json.loads(done.stdout) if not done.returncode else {}
    names = [policy.get("name", "") for policy in status.get("policies", [])]
    for attachment in status.get("attachments", []):
        agentctl("detach", attachment.get("name", ""))
    for name in names:
        if name != "keep":
            agentctl("unload", "--force", name)
    if "keep" not in names:
        must("load", write_policy({"name": "keep", "file": {"default": "allow"}}))
    read_events()


def fresh_tree(*paths):
    """An empty tree of test files. Names that end with a slash are folders, others files that hold one byte."""
    shutil.rmtree(TREE, ignore_errors=True)
    for path in paths:
        make(path)


def make(path, content=b"x"):
    path = os.fsencode(path)
    if path.endswith(b"/"):
        os.makedirs(path, exist_ok=True)
        return
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as file:
        file.write(content)


def opening(path, flags=os.O_RDONLY, mode=0o644, dir_fd=None):
    """An act: opens and closes."""
    def open_it():
        os.close(os.open(path, flags, mode, dir_fd=dir_fd))
    return open_it


def drop_caches():
    os.sync()
    write_text("/proc/sys/vm/drop_caches", "2")


def helper(name):
    """The compiled program of selftests/hooks/NAME.c."""
    return SELFTESTS + "/hooks/" + name


def scale(count):
    """Long tests take SELFTEST_SCALE percent of their usual rounds."""
    return max(1, count * int(os.environ.get("SELFTEST_SCALE", "100")) // 100)


def wait_until(condition, seconds=10):
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.01)
    return False


def stop(process):
    """Ends a process that a test started."""
    if process.poll() is None:
        process.send_signal(signal.SIGTERM)
    return process.wait(timeout=30)


class Hammer:
    """The program hooks/hammer at work: see there for KIND and what is counted."""

    FIELDS = ("phase", "refused", "leaked", "opened", "failed", "odd", "started", "running")

    def __init__(self, cgroup, kind, tasks, denied, allowed):
        os.makedirs(POLICIES, mode=0o700, exist_ok=True)
        path = "%s/hammer.%d" % (POLICIES, id(self))
        with open(path, "wb") as file:
            file.write(bytes(4096))
        with open(path, "r+b") as file:
            self.memory = mmap.mmap(file.fileno(), 4096)
        self.process = subprocess.Popen([helper("hammer"), path, cgroup, kind, str(tasks), denied, allowed])
        if not wait_until(lambda: self.running or self.process.poll() is not None) or not self.running:
            raise RuntimeError("hammer did not start")

    def __getattr__(self, name):
        at = self.FIELDS.index(name) * 8
        return int.from_bytes(self.memory[at:at + 8], "little")

    def judge(self):
        self.memory[0:8] = (1).to_bytes(8, "little")

    def wait_for(self, tries, seconds=120):
        """Until so many opens were judged."""
        return wait_until(lambda: self.refused + self.leaked >= tries, seconds)

    def end(self, tap, what, tries=1):
        """Ends it and checks what it counted."""
        self.memory[0:8] = (2).to_bytes(8, "little")
        self.process.wait(timeout=60)
        counted = "%d refused, %d opened, %d tasks" % (self.refused, self.opened, self.started)
        tap.ok(self.refused >= tries, "%s: denied opens were tried (%s)" % (what, counted), "wanted %d" % tries)
        tap.ok(not self.leaked, "%s: no denied open succeeded" % what, "%d did" % self.leaked)
        tap.ok(not self.failed, "%s: no allowed open was refused" % what, "%d were" % self.failed)
        tap.ok(not self.odd, "%s: no other error" % what, "%d" % self.odd)
