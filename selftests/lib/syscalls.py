# SPDX-License-Identifier: GPL-2.0
"""System calls that Python does not offer, as functions that raise OSError (x86-64 and arm64 share these numbers but where said)."""
import ctypes
import os
import platform
import struct

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long
IS_X86 = platform.machine() == "x86_64"

MS_RDONLY, MS_NOSUID, MS_REMOUNT, MS_BIND, MS_MOVE, MS_REC = 1, 2, 32, 4096, 8192, 16384
MS_PRIVATE, MS_SHARED, MNT_DETACH = 1 << 18, 1 << 20, 2
CLONE_NEWNS, CLONE_NEWPID, CLONE_NEWUSER, CLONE_NEWNET = 0x20000, 0x20000000, 0x10000000, 0x40000000
CLONE_INTO_CGROUP = 0x200000000
AT_FDCWD, AT_EMPTY_PATH, AT_SYMLINK_FOLLOW = -100, 0x1000, 0x400
RESOLVE_NO_XDEV, RESOLVE_NO_MAGICLINKS, RESOLVE_NO_SYMLINKS, RESOLVE_BENEATH, RESOLVE_IN_ROOT = 1, 2, 4, 8, 16
PROT_READ, PROT_WRITE, PROT_EXEC = 1, 2, 4
MAP_SHARED, MAP_PRIVATE, MAP_ANONYMOUS = 1, 2, 0x20
OPEN_TREE_CLONE, MOVE_MOUNT_BENEATH = 1, 0x200


def check(result, what=""):
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
    return result


def call(number, *args):
    values = [ctypes.c_long(arg) if isinstance(arg, int) else arg for arg in args]
    return check(libc.syscall(ctypes.c_long(number), *values))


def text(path):
    return ctypes.c_char_p(os.fsencode(path) if path is not None else None)


def mount(source, target, kind=None, flags=0, data=None):
    check(libc.mount(text(source), text(target), text(kind), ctypes.c_ulong(flags), text(data)), target)


def umount(target, flags=MNT_DETACH):
    check(libc.umount2(text(target), flags), target)


def bind(source, target):
    mount(source, target, None, MS_BIND)


def unshare(flags):
    check(libc.unshare(flags))


def setns(descriptor, flags=0):
    check(libc.setns(descriptor, flags))


def pivot_root(new, old):
    call(155 if IS_X86 else 41, text(new), text(old))


def open_tree(path, flags=OPEN_TREE_CLONE, dir_fd=AT_FDCWD):
    return call(428, dir_fd, text(path), flags | os.O_CLOEXEC)


def move_mount(descriptor, path, flags=0):
    return call(429, descriptor, text(""), AT_FDCWD, text(path), 4 | flags)


def detached_tmpfs():
    """A tmpfs that is mounted nowhere, as a descriptor."""
    context = call(430, text("tmpfs"), 0)
    call(431, context, 6, None, None, 0)
    tree = call(432, context, 0, 0)
    os.close(context)
    return tree


def openat2(path, flags, resolve=0, mode=0, dir_fd=AT_FDCWD):
    how = struct.pack("QQQ", flags, mode, resolve)
    return call(437, dir_fd, text(path), ctypes.c_char_p(how), len(how))


def handle_of(path):
    """An opaque handle for open_by_handle."""
    buffer = ctypes.create_string_buffer(struct.pack("Ii", 128, 0) + bytes(128))
    mount_id = ctypes.c_int()
    check(libc.name_to_handle_at(AT_FDCWD, text(path), buffer, ctypes.byref(mount_id), 0), path)
    return buffer


def open_by_handle(mount_descriptor, handle, flags=os.O_RDONLY):
    return check(libc.open_by_handle_at(mount_descriptor, handle, flags))


libc.mmap.restype = ctypes.c_void_p
libc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]


def mmap(length, protection, flags, descriptor=-1, offset=0):
    address = libc.mmap(None, length, protection, flags, descriptor, offset)
    if address == ctypes.c_void_p(-1).value:
        check(-1)
    return address


def mprotect(address, length, protection):
    check(libc.mprotect(ctypes.c_void_p(address), ctypes.c_size_t(length), protection))


def execveat(descriptor, path, arguments, flags=AT_EMPTY_PATH):
    vector = (ctypes.c_char_p * (len(arguments) + 1))(*[os.fsencode(arg) for arg in arguments], None)
    empty = (ctypes.c_char_p * 1)(None)
    call(322 if IS_X86 else 281, descriptor, text(path), vector, empty, flags)


def mq_open(name, flags, mode=0o600):
    """The name has no leading slash here: the C library strips it."""
    return call(240 if IS_X86 else 180, text(name), flags, mode, None)


def mq_unlink(name):
    call(241 if IS_X86 else 181, text(name))


def clone_into(cgroup_descriptor):
    """A fork whose child starts in the given cgroup; 0 in the child."""
    arguments = struct.pack("11Q", CLONE_INTO_CGROUP, 0, 0, 0, 17, 0, 0, 0, 0, 0, cgroup_descriptor)
    return call(435, ctypes.c_char_p(arguments), len(arguments))


def prctl(option, argument=0):
    check(libc.prctl(option, ctypes.c_ulong(argument), 0, 0, 0))


class Uring:
    """An io_uring of one entry, to run one operation at a time. Set up outside; used wherever its process goes."""

    def __init__(self):
        parameters = ctypes.create_string_buffer(120)
        self.descriptor = call(425, 4, parameters)
        words = struct.unpack("30I", parameters.raw)
        self.entries = words[0]
        submission, completion = words[10:20], words[20:30]
        self.tail, self.mask, self.array = submission[1], submission[2], submission[6]
        self.head, self.results_mask, self.entry = completion[0], completion[2], completion[5]
        size = max(self.array + self.entries * 4, self.entry + words[1] * 16)
        self.ring = mmap(size, PROT_READ | PROT_WRITE, MAP_SHARED | 0x8000, self.descriptor, 0)
        self.results = mmap(size, PROT_READ | PROT_WRITE, MAP_SHARED | 0x8000, self.descriptor, 0x8000000)
        self.queue = mmap(self.entries * 64, PROT_READ | PROT_WRITE, MAP_SHARED | 0x8000, self.descriptor, 0x10000000)

    def word(self, offset, base=None):
        return ctypes.c_uint32.from_address((base or self.ring) + offset)

    def submit(self, opcode, descriptor, offset, address, length, operation_flags, entry_flags=0, personality=0, third=0):
        """Runs one operation; its result, or OSError."""
        entry = struct.pack("BBHiQQIIQ", opcode, entry_flags, 0, descriptor, offset, address, length,
                            operation_flags, 0) + struct.pack("HHiQQ", 0, personality, 0, third, 0)
        tail = self.word(self.tail).value
        index = tail & self.word(self.mask).value
        ctypes.memmove(self.queue + index * 64, entry, 64)
        self.word(self.array + index * 4).value = index
        self.word(self.tail).value = tail + 1
        call(426, self.descriptor, 1, 1, 1, None, 0)
        head = self.word(self.head, self.results)
        slot = head.value & self.word(self.results_mask, self.results).value
        result = ctypes.c_int32.from_address(self.results + self.entry + slot * 16 + 8).value
        head.value += 1
        if result < 0:
            raise OSError(-result, os.strerror(-result))
        return result

    def openat(self, path, flags, entry_flags=0):
        self.path = ctypes.create_string_buffer(os.fsencode(path))
        return self.submit(18, AT_FDCWD, 0, ctypes.addressof(self.path), 0o644, flags, entry_flags)

    def connect(self, descriptor, address):
        self.address = ctypes.create_string_buffer(address, len(address))
        return self.submit(16, descriptor, len(address), ctypes.addressof(self.address), 0, 0)

