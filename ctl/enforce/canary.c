// SPDX-License-Identifier: GPL-2.0
/* The self-check: a process under a policy that denies everything must be refused once by each hook. */
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
#include "ctl/enforce/hooks.h"
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

/* What the governed process has at hand: opened outside. */
struct stage {
	struct control *control;
	int exe;
};

static bool is_refused(int result)
{
	return result < 0 && errno == EACCES;
}

static bool refused_open(const char *path, int flags)
{
	int fd = open(path, flags | O_CLOEXEC, 0600);
	bool refused = is_refused(fd);

	if (fd >= 0)
		close(fd);
	return refused;
}

static bool refused_read(const struct stage *stage)
{
	return refused_open("/", O_RDONLY | O_DIRECTORY);
}

static bool refused_write(const struct stage *stage)
{
	return refused_open("/dev/null", O_WRONLY);
}

static bool refused_create(const struct stage *stage)
{
	char path[64];
	bool refused;

	snprintf(path, sizeof(path), RUN_DIR "/self-check.%d", getpid());
	refused = refused_open(path, O_CREAT | O_EXCL | O_WRONLY);
	unlink(path);
	return refused;
}

static bool refused_map(const struct stage *stage)
{
	void *memory = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE, stage->exe, 0);

	if (memory == MAP_FAILED)
		return is_refused(-1);
	munmap(memory, 1);
	return false;
}

static bool refused_protect(const struct stage *stage)
{
	void *memory = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, stage->exe, 0);
	bool refused;

	if (memory == MAP_FAILED)
		return false;
	refused = is_refused(mprotect(memory, 1, PROT_READ | PROT_EXEC));
	munmap(memory, 1);
	return refused;
}

static bool refused_run(const struct stage *stage)
{
	char *argv[] = { "agentctl", "--version", NULL }, *envp[] = { NULL };

	return is_refused(execve("/proc/self/exe", argv, envp));
}

static bool refused_connect(const struct stage *stage)
{
	struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(CANARY_PORT) };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	bool refused;

	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	refused = is_refused(connect(fd, (struct sockaddr *)&address, sizeof(address)));
	close(fd);
	return refused;
}

/* Each hook that decides something, one operation of it, and an act that only this hook refuses. */
static const struct trial {
	const char *hook;
	enum operation op;
	bool (*refused)(const struct stage *stage);
} trials[] = {
	{ "file_open", OP_FILE_READ, refused_read },
	{ "file_open", OP_FILE_WRITE, refused_write },
	{ "path_mknod", OP_FILE_CREATE, refused_create },
	{ "mmap_file", OP_EXEC_MAP, refused_map },
	{ "file_mprotect", OP_EXEC_MAP, refused_protect },
	{ "socket_connect", OP_NET_CONNECT, refused_connect },
	{ "bprm_check_security", OP_EXEC_RUN, refused_run },
};

#define TRIALS (sizeof(trials) / sizeof(trials[0]))

/* The error has to be this program's: it says so itself in the control variable. */
static bool trial_passes(const struct trial *trial, const struct stage *stage)
{
	__atomic_store_n(&stage->control->canary_hits, 0, __ATOMIC_SEQ_CST);
	return trial->refused(stage) &&
	       __atomic_load_n(&stage->control->canary_hits, __ATOMIC_SEQ_CST) & OP_BIT(trial->op);
}

/* In the governed process: tries everything, writes the mask of the trials that passed to OUT. */
static void try_all(int out, const struct stage *stage)
{
	uint64_t passed = 0;

	for (size_t i = 0; i < TRIALS; i++)
		passed |= trial_passes(&trials[i], stage) ? 1ull << i : 0;
	_exit(write(out, &passed, sizeof(passed)) != sizeof(passed));
}

/* The child waits for the byte that says that it has been moved; its answer is a mask. */
static int run_child(const char *cgroup, struct stage *stage, uint64_t *ret_passed)
{
	int go[2], answer[2], status, error = 0;
	char byte = 0;
	pid_t pid;

	if (pipe2(go, O_CLOEXEC) || pipe2(answer, O_CLOEXEC))
		return -errno;
	stage->exe = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	pid = fork();
	if (!pid) {
		/* Its own copy would keep the pipe open, and the read below from ending, if the parent fails. */
		close(go[1]);
		if (read(go[0], &byte, 1) == 1)
			try_all(answer[1], stage);
		_exit(1);
	}
	error = pid < 0 ? -errno : cgroup_move(cgroup, pid);
	if (!error && write(go[1], &byte, 1) != 1)
		error = -errno;
	close(go[1]);
	close(answer[1]);
	if (!error && read(answer[0], ret_passed, sizeof(*ret_passed)) != sizeof(*ret_passed))
		error = -EIO;
	if (pid > 0)
		waitpid(pid, &status, 0);
	close(go[0]);
	close(answer[0]);
	close(stage->exe);
	return error;
}

/* The hooks of trials that did not pass, once each, but for those that were waived at load. */
static int list_failed(const struct control *control, uint64_t passed, const char **ret_failed)
{
	size_t count = 0;

	for (size_t i = 0; i < TRIALS; i++) {
		if (passed >> i & 1 || control->waived >> hook_index(trials[i].hook) & 1)
			continue;
		if (!count || strcmp(ret_failed[count - 1], trials[i].hook))
			ret_failed[count++] = trials[i].hook;
	}
	ret_failed[count] = NULL;
	return count ? -EBADE : 0;
}

static int check_in(const struct pins *pins, const char *cgroup, const char **ret_failed)
{
	struct stage stage = { .control = pins->control_memory };
	uint64_t passed = 0, root;
	int error = cgroup_id(cgroup, &root);

	if (!error)
		error = attachments_add(pins, cgroup, POLICY_CANARY);
	if (error)
		return error;
	error = run_child(cgroup, &stage, &passed);
	attachments_remove(pins, root);
	return error ? error : list_failed(pins->control_memory, passed, ret_failed);
}

int canary_check(const struct pins *pins, const char **ret_failed)
{
	const char *mount;
	char cgroup[128];
	size_t bytes;
	struct image_header *image;
	int error = cgroup_mount(&mount);

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
