// SPDX-License-Identifier: GPL-2.0
/* The self-check: a process under a policy that denies everything must be refused once per operation. */
#include "ctl/enforce/canary.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl/enforce/attachments.h"
#include "ctl/enforce/images.h"
#include "ctl/sys/cgroup.h"

#define CANARY_PORT 9

static struct image_header *make_image(size_t *ret_bytes)
{
	struct image_small *image = calloc(1, sizeof(*image));

	if (!image)
		return NULL;
	image->header.magic = IMAGE_MAGIC;
	image->header.abi = ABI_VERSION;
	image->header.cells = CELLS_SMALL;
	image->header.flags = IMAGE_CANARY;
	image->header.enforced = OPS_HOOKED;
	/* No rule and no lane: every operation falls through to the default, and zero is WORD(0, VERB_DENY). */
	for (int op = 0; op < ROW_WORDS; op++)
		image->header.fallback[op] = image->header.anonymous[op] = WORD(RULE_DEFAULT, VERB_DENY);
	/* One state that goes nowhere and has no rule serves for addresses. */
	image->header.address_start[0] = image->header.address_start[1] = 512;
	image->cell[512] = 512 | (__u64)128 << 32;
	for (int class = 1; class <= 256; ++class)
		image->cell[512 + class] = 512ull << 32 | 512;
	for (int word = 0; word < ROW_WORDS / 2; word++)
		image->cell[64 + word] = ~0ull;
	snprintf(image->header.name, sizeof(image->header.name), "agentctl-self-check");
	*ret_bytes = sizeof(*image);
	return &image->header;
}

static int refused_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);

	if (fd < 0)
		return errno == EACCES;
	close(fd);
	return 0;
}

static int refused_create(void)
{
	char path[64];
	int refused;

	snprintf(path, sizeof(path), RUN_DIR "/self-check.%d", getpid());
	refused = refused_open(path, O_CREAT | O_EXCL | O_WRONLY);
	unlink(path);
	return refused;
}

static int refused_map(int fd)
{
	void *memory = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (memory == MAP_FAILED)
		return errno == EACCES;
	munmap(memory, 1);
	return 0;
}

static int refused_run(void)
{
	char *argv[] = { "agentctl", "--version", NULL }, *envp[] = { NULL };

	execve("/proc/self/exe", argv, envp);
	return errno == EACCES;
}

static int refused_connect(void)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(CANARY_PORT) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0), refused;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	refused = connect(fd, (struct sockaddr *)&address, sizeof(address)) && errno == EACCES;
	close(fd);
	return refused;
}

/* In the governed process: tries everything, writes the mask of what was refused to OUT. */
static void try_all(int out, int exe)
{
	uint32_t refused = 0;

	refused |= refused_open("/", O_RDONLY | O_DIRECTORY) ? OP_BIT(OP_FILE_READ) : 0;
	refused |= refused_open("/dev/null", O_WRONLY) ? OP_BIT(OP_FILE_WRITE) : 0;
	refused |= refused_create() ? OP_BIT(OP_FILE_CREATE) : 0;
	refused |= refused_map(exe) ? OP_BIT(OP_EXEC_MAP) : 0;
	refused |= refused_connect() ? OP_BIT(OP_NET_CONNECT) : 0;
	refused |= refused_run() ? OP_BIT(OP_EXEC_RUN) : 0;
	if (write(out, &refused, sizeof(refused)) != sizeof(refused))
		_exit(1);
	_exit(0);
}

/* The child waits for the byte that says that it has been moved; its answer is a mask. */
static int run_child(const char *cgroup, uint32_t *ret_refused)
{
	int go[2], answer[2], exe, status, error = 0;
	char byte = 0;
	pid_t pid;

	if (pipe2(go, O_CLOEXEC) || pipe2(answer, O_CLOEXEC))
		return -errno;
	exe = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	pid = fork();
	if (!pid) {
		/* Its own copy would keep the pipe open, and the read below from ending, if the parent fails. */
		close(go[1]);
		if (read(go[0], &byte, 1) == 1)
			try_all(answer[1], exe);
		_exit(1);
	}
	error = pid < 0 ? -errno : cgroup_move(cgroup, pid);
	if (!error && write(go[1], &byte, 1) != 1)
		error = -errno;
	close(go[1]);
	close(answer[1]);
	if (!error && read(answer[0], ret_refused, sizeof(*ret_refused)) != sizeof(*ret_refused))
		error = -EIO;
	if (pid > 0)
		waitpid(pid, &status, 0);
	close(go[0]);
	close(answer[0]);
	close(exe);
	return error;
}

static int check_in(const struct pins *pins, const char *cgroup, uint32_t *ret_failed)
{
	uint32_t refused = 0, seen;
	uint64_t root;
	int error = cgroup_id(cgroup, &root);

	if (!error)
		error = attachments_add(pins, cgroup, POLICY_CANARY);
	if (error)
		return error;
	__atomic_store_n(&pins->control_memory->canary_hits, 0, __ATOMIC_SEQ_CST);
	error = run_child(cgroup, &refused);
	seen = __atomic_load_n(&pins->control_memory->canary_hits, __ATOMIC_SEQ_CST);
	attachments_remove(pins, root);
	if (error)
		return error;
	*ret_failed = OPS_HOOKED & ~(refused & seen) & ~pins->control_memory->waived;
	return *ret_failed ? -EBADE : 0;
}

int canary_check(const struct pins *pins, uint32_t *ret_failed)
{
	const char *mount;
	char cgroup[128];
	size_t bytes;
	struct image_header *image;
	int error = cgroup_mount(&mount);

	*ret_failed = OPS_HOOKED;
	if (error)
		return error;
	image = make_image(&bytes);
	if (!image)
		return -ENOMEM;
	error = images_put_at(pins, POLICY_CANARY, image, bytes);
	free(image);
	if (error)
		return error;
	snprintf(cgroup, sizeof(cgroup), "%s/agentctl-self-check.%d", mount, getpid());
	if (mkdir(cgroup, 0755)) {
		error = -errno;
	} else {
		error = check_in(pins, cgroup, ret_failed);
		rmdir(cgroup);
	}
	images_remove(pins, POLICY_CANARY);
	return error;
}
