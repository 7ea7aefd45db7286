# SPDX-License-Identifier: GPL-2.0
"""The file systems that suites try everything on: ext4, tmpfs, overlayfs and btrfs, each at /t/KIND."""
import shutil
import subprocess

import syscalls as sc
from agentctl_test import fresh_tree

KINDS = ("ext4", "tmpfs", "overlay", "btrfs")


def mount_image(kind, mib, *making):
    with open("/t/image." + kind, "wb") as file:
        file.truncate(mib << 20)
    subprocess.run([*making, "/t/image." + kind], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    subprocess.run(["mount", "-o", "loop", "/t/image." + kind, "/t/" + kind], check=True)


def mount_all(furnish, overlay_options=""):
    """Mounts them; furnish(BASE, KIND) makes what lies there, for the overlay in its lower layer."""
    unmount_all()
    fresh_tree(*["/t/%s/" % kind for kind in KINDS], *["/t/layers/%s/" % layer for layer in ("lower", "upper", "work")])
    subprocess.run(["modprobe", "-a", "loop", "overlay", "btrfs"], check=True)
    mount_image("ext4", 32, "mkfs.ext4", "-q")
    mount_image("btrfs", 256, "mkfs.btrfs", "-q")
    sc.mount("tmpfs", "/t/tmpfs", "tmpfs")
    for kind in ("ext4", "btrfs", "tmpfs"):
        furnish("/t/" + kind, kind)
    furnish("/t/layers/lower", "overlay")
    sc.mount("overlay", "/t/overlay", "overlay", 0,
             "lowerdir=/t/layers/lower,upperdir=/t/layers/upper,workdir=/t/layers/work" + overlay_options)


def unmount_all():
    for kind in KINDS:
        subprocess.run(["umount", "-d", "/t/" + kind], stderr=subprocess.DEVNULL)
    shutil.rmtree("/t", ignore_errors=True)
