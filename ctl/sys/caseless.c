// SPDX-License-Identifier: GPL-2.0
/* Which mounted file systems fold case or give second names, as the kernel's side judges them. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "ctl/sys/mounts.h"
#include "kern/abi.h"

/* Where a superblock says that directories can fold case; numbers are little-endian. */
static const struct {
	const char *type;
	uint32_t magic_at, magic, magic_bytes, features_at, casefold;
} superblocks[] = {
	{ "ext4", 0x38, 0xef53, 2, 0x60, 0x20000 },
	{ "f2fs", 0, 0xf2f52010, 4, 0x884, 0x1000 },
};

static uint32_t number_at(const uint8_t *bytes, uint32_t len)
{
	uint32_t number = 0;

	while (len--)
		number = number << 8 | bytes[len];
	return number;
}

static int superblock_kind(const char *type)
{
	for (size_t i = 0; i < sizeof(superblocks) / sizeof(superblocks[0]); i++)
		if (!strcmp(superblocks[i].type, type))
			return i;
	return -1;
}

int superblock_folds_case(const char *type, const uint8_t *block, size_t len, bool *ret_folds)
{
	int i = superblock_kind(type);

	if (i < 0 || len < superblocks[i].features_at + 4 ||
	    number_at(block + superblocks[i].magic_at, superblocks[i].magic_bytes) != superblocks[i].magic)
		return -EINVAL;
	*ret_folds = number_at(block + superblocks[i].features_at, 4) & superblocks[i].casefold;
	return 0;
}

/* The node of a block device, as the kernel names it. */
static int open_device(dev_t device)
{
	char path[96], line[256], name[200] = "";
	struct stat status;
	FILE *stream;
	int fd;

	snprintf(path, sizeof(path), "/sys/dev/block/%u:%u/uevent", major(device), minor(device));
	stream = fopen(path, "re");
	if (!stream)
		return -errno;
	while (!*name && fgets(line, sizeof(line), stream))
		sscanf(line, "DEVNAME=%80s", name);
	fclose(stream);
	snprintf(path, sizeof(path), "/dev/%s", name);
	fd = *name ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
	if (fd < 0)
		return -ENODEV;
	/* A node of this name that is another device would tell of another file system. */
	if (!fstat(fd, &status) && S_ISBLK(status.st_mode) && status.st_rdev == device)
		return fd;
	close(fd);
	return -ENODEV;
}

/* Nothing else tells: neither mountinfo nor an attribute that can be asked for says it of ext4. */
static enum mount_caseless read_superblock(const struct mount *mount)
{
	uint8_t block[SUPERBLOCK_BYTES];
	int fd = open_device(mount->device);
	bool folds;
	ssize_t len;

	if (fd < 0)
		return CASELESS_UNKNOWN;
	len = pread(fd, block, sizeof(block), SUPERBLOCK_OFFSET);
	close(fd);
	if (len < 0 || superblock_folds_case(mount->type, block, len, &folds))
		return CASELESS_UNKNOWN;
	return folds ? CASELESS_FOLDERS : CASELESS_NOTHING;
}

static bool has_word(const char *words, const char *word)
{
	size_t len = strlen(word);

	for (; *words; words += strcspn(words, " "), words += strspn(words, " "))
		if (strcspn(words, " ") == len && !memcmp(words, word, len))
			return true;
	return false;
}

bool type_is_caseless(const char *type)
{
#define X(magic, types)            \
	if (has_word(types, type)) \
		return true;
	CASELESS(X)
#undef X
	return false;
}

enum mount_caseless mount_ask_caseless(const struct mount *mount)
{
	if (type_is_caseless(mount->type))
		return CASELESS_ALL;
	return superblock_kind(mount->type) < 0 ? CASELESS_NOTHING : read_superblock(mount);
}
