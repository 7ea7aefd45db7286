// SPDX-License-Identifier: GPL-2.0
/* What is mounted where, by the text that the kernel gives, and which of it has no honest names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "ctl/sys/mounts.h"

static void read_text(struct mounts *mounts, const char *text, const char *root, uint64_t namespace,
		      pid_t pid)
{
	FILE *stream = fmemopen((void *)text, strlen(text), "r");

	assert_non_null(stream);
	assert_int_equal(mounts_read(mounts, stream, root, namespace, pid), 0);
	fclose(stream);
}

static const char host[] = "30 2 254:1 / / rw,relatime shared:1 - ext4 /dev/vda1 rw\n"
			   "22 30 0:21 / /proc rw shared:12 master:3 - proc proc rw\n"
			   "41 30 0:44 / /odd\\040name\\012\\134040 rw - tmpfs none rw\n"
			   "42 30 254:1 /srv /bind rw - ext4 /dev/vda1 rw\n"
			   "43 30 0:50 / /over rw - overlay overlay rw,lowerdir=/a - b\n"
			   "45 30 8:17 / /mnt/a rw - vfat /dev/sdb1 rw\n"
			   "not a line\n"
			   "46 30 8 / /short rw - ext4 x rw\n"
			   "47 30 8:1 / /short\n";

static void assert_mount(const struct mount *mount, uint32_t id, const char *point, const char *type)
{
	assert_non_null(mount);
	assert_int_equal(mount->id, id);
	assert_string_equal(mount->point, point);
	assert_string_equal(mount->type, type);
}

static void test_read(void **state)
{
	struct mounts mounts = { 0 };

	(void)state;
	read_text(&mounts, host, "/", 1, 0);
	assert_int_equal(mounts.count, 6);
	assert_mount(mounts_by_id(&mounts, 22), 22, "/proc", "proc");
	assert_mount(mounts_by_id(&mounts, 30), 30, "/", "ext4");
	assert_mount(mounts_by_id(&mounts, 41), 41, "/odd name\n\\040", "tmpfs");
	assert_mount(mounts_by_id(&mounts, 43), 43, "/over", "overlay");
	assert_true(mounts_by_id(&mounts, 30)->is_whole);
	assert_false(mounts_by_id(&mounts, 42)->is_whole);
	assert_true(mounts_by_id(&mounts, 45)->device == makedev(8, 17));
	assert_null(mounts_by_id(&mounts, 46));
	assert_null(mounts_by_id(&mounts, 47));
	assert_null(mounts_by_id(&mounts, 1));
	mounts_done(&mounts);
	assert_null(mounts_by_id(&mounts, 22));
}

/* A task in a chroot sees less of the same mounts, from its own root on; another namespace has others. */
static void test_views(void **state)
{
	struct mounts mounts = { 0 };

	(void)state;
	read_text(&mounts, host, "/", 1, 0);
	read_text(&mounts, "43 30 0:50 / / rw - overlay overlay rw\n48 43 0:21 / /proc rw - proc proc rw\n",
		  "/over", 1, 7);
	read_text(&mounts, "60 59 254:1 / / rw - ext4 /dev/vda1 rw\n", "/", 2, 8);
	assert_int_equal(mounts.count, 8);
	assert_mount(mounts_by_id(&mounts, 43), 43, "/over", "overlay");
	assert_mount(mounts_by_id(&mounts, 48), 48, "/over/proc", "proc");
	assert_mount(mounts_by_id(&mounts, 60), 60, "/", "ext4");
	assert_int_equal(mounts_by_id(&mounts, 60)->namespace, 2);
	assert_int_equal(mounts_by_id(&mounts, 60)->seen_by, 8);
	assert_int_equal(mounts_by_id(&mounts, 30)->seen_by, 0);
	mounts_done(&mounts);
}

static void test_by_name(void **state)
{
	struct mounts mounts = { 0 };

	(void)state;
	read_text(&mounts, host, "/", 1, 0);
	assert_mount(mounts_by_name(&mounts, 1, makedev(254, 1), "/etc/x"), 30, "/", "ext4");
	assert_mount(mounts_by_name(&mounts, 1, makedev(254, 1), "/bind/x"), 42, "/bind", "ext4");
	assert_mount(mounts_by_name(&mounts, 1, makedev(254, 1), "/binder"), 30, "/", "ext4");
	assert_mount(mounts_by_name(&mounts, 1, makedev(8, 17), "/mnt/a"), 45, "/mnt/a", "vfat");
	/* Of an overlay any device may be told, elsewhere it has to be the right one. */
	assert_mount(mounts_by_name(&mounts, 1, makedev(9, 9), "/over/lib/x"), 43, "/over", "overlay");
	assert_null(mounts_by_name(&mounts, 1, makedev(9, 9), "/mnt/a/x"));
	/* What lies on a mount that is in no place any more begins at that mount's root. */
	assert_null(mounts_by_name(&mounts, 1, makedev(8, 17), "/x"));
	assert_null(mounts_by_name(&mounts, 2, makedev(254, 1), "/etc/x"));
	mounts_done(&mounts);
}

static void test_above(void **state)
{
	(void)state;
	assert_true(mount_is_above("/", "/"));
	assert_true(mount_is_above("/", "/a"));
	assert_true(mount_is_above("/a", "/a"));
	assert_true(mount_is_above("/a", "/a/b"));
	assert_false(mount_is_above("/a", "/ab"));
	assert_false(mount_is_above("/a/b", "/a"));
}

static void test_types(void **state)
{
	static const char *const caseless[] = { "vfat", "msdos", "exfat",   "ntfs3", "ntfs", "cifs",
						"smb3", "hfs",	 "hfsplus", "adfs",  "affs" };
	static const char *const honest[] = { "ext4", "fuseblk", "fuse",       "vfa", "fat",
					      "nfs",  "",	 "vfat msdos", " " };

	(void)state;
	for (size_t i = 0; i < sizeof(caseless) / sizeof(caseless[0]); i++)
		assert_true(type_is_caseless(caseless[i]));
	for (size_t i = 0; i < sizeof(honest) / sizeof(honest[0]); i++)
		assert_false(type_is_caseless(honest[i]));
}

static void put(uint8_t *block, size_t at, uint32_t number)
{
	for (int i = 0; i < 4; i++)
		block[at + i] = number >> (8 * i);
}

static void test_superblock(void **state)
{
	uint8_t block[SUPERBLOCK_BYTES] = { 0 };
	bool folds = true;

	(void)state;
	assert_int_equal(superblock_folds_case("ext4", block, sizeof(block), &folds), -EINVAL);
	put(block, 0x38, 0xffffef53);
	assert_int_equal(superblock_folds_case("ext4", block, sizeof(block), &folds), 0);
	assert_false(folds);
	put(block, 0x60, 0x2c2);
	assert_int_equal(superblock_folds_case("ext4", block, sizeof(block), &folds), 0);
	assert_false(folds);
	put(block, 0x60, 0x202c2);
	assert_int_equal(superblock_folds_case("ext4", block, 0x64, &folds), 0);
	assert_true(folds);
	assert_int_equal(superblock_folds_case("ext4", block, 0x63, &folds), -EINVAL);
	assert_int_equal(superblock_folds_case("f2fs", block, sizeof(block), &folds), -EINVAL);
	assert_int_equal(superblock_folds_case("xfs", block, sizeof(block), &folds), -EINVAL);
	put(block, 0, 0xf2f52010);
	assert_int_equal(superblock_folds_case("f2fs", block, sizeof(block), &folds), 0);
	assert_false(folds);
	put(block, 2180, 0x1000);
	assert_int_equal(superblock_folds_case("f2fs", block, sizeof(block), &folds), 0);
	assert_true(folds);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_read),  cmocka_unit_test(test_views), cmocka_unit_test(test_by_name),
		cmocka_unit_test(test_above), cmocka_unit_test(test_types), cmocka_unit_test(test_superblock),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
