// SPDX-License-Identifier: GPL-2.0
/* The self-check: a process under a policy that denies everything must be refused once by each hook. */
#include "ctl/enforce/canary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl/enforce/attachments.h"
#include "ctl/enforce/hooks.h"
#include "ctl/enforce/images.h"
#include "ctl/enforce/trials.h"
#include "ctl/sys/cgroup.h"

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
	for (int op = 0; op < OPS_MAX; op++)
		image->header.fallback[op] = WORD(RULE_DEFAULT, VERB_DENY);
	for (int op = 0; op < ROW_WORDS; op++)
		image->header.anonymous[op] = WORD(RULE_DEFAULT, VERB_DENY);
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

/* Which trials passed, in the order of the table. */
struct answer {
	bool passed[TRIALS_MAX];
};

/* In the governed process: tries everything, and writes to OUT which trials passed. */
static void try_all(int out, const struct stage *stage, const struct answer *is_moot)
{
	struct answer answer = { 0 };

	for (size_t i = 0; trials[i].hook; i++)
		answer.passed[i] = is_moot->passed[i] || trial_passes(&trials[i], stage);
	_exit(write(out, &answer, sizeof(answer)) != sizeof(answer));
}

/* What cannot be tried on this machine counts as passed. */
static void find_moot(const struct stage *stage, struct answer *is_moot)
{
	for (size_t i = 0; trials[i].hook; i++)
		is_moot->passed[i] = trial_is_moot(&trials[i], stage);
}

/* The child waits for the byte that says that it has been moved. */
static int run_child(const char *cgroup, const struct stage *stage, struct answer *ret)
{
	int go[2], answer[2], status, error = 0;
	struct answer is_moot = { 0 };
	char byte = 0;
	pid_t pid;

	find_moot(stage, &is_moot);
	if (pipe2(go, O_CLOEXEC) || pipe2(answer, O_CLOEXEC))
		return -errno;
	pid = fork();
	if (!pid) {
		/* Its own copy would keep the pipe open, and the read below from ending, if the parent fails. */
		close(go[1]);
		if (read(go[0], &byte, 1) == 1 && !chdir(stage->folder))
			try_all(answer[1], stage, &is_moot);
		_exit(1);
	}
	error = pid < 0 ? -errno : cgroup_move(cgroup, pid);
	if (!error && write(go[1], &byte, 1) != 1)
		error = -errno;
	close(go[1]);
	close(answer[1]);
	if (!error && read(answer[0], ret, sizeof(*ret)) != sizeof(*ret))
		error = -EIO;
	if (pid > 0)
		waitpid(pid, &status, 0);
	close(go[0]);
	close(answer[0]);
	return error;
}

/* The hooks of trials that did not pass, once each, but for those that were waived at load or that this kernel does without. */
static int list_failed(const struct control *control, const struct answer *answer, const char **ret_failed)
{
	size_t count = 0;

	for (size_t i = 0; trials[i].hook; i++) {
		size_t hook = hook_index(trials[i].hook);

		if (answer->passed[i] || hook_mask_has(&control->waived, hook) ||
		    hook_mask_has(&control->needless, hook))
			continue;
		if (!count || strcmp(ret_failed[count - 1], trials[i].hook))
			ret_failed[count++] = trials[i].hook;
	}
	ret_failed[count] = NULL;
	return count ? -EBADE : 0;
}

static int check_in(const struct pins *pins, const char *cgroup, const char **ret_failed)
{
	struct stage stage;
	struct answer answer = { 0 };
	uint64_t root;
	int error = cgroup_id(cgroup, &root);

	if (error)
		return error;
	error = stage_init(&stage, pins->control_memory, cgroup);
	if (!error)
		error = attachments_add(pins, cgroup, POLICY_CANARY);
	if (!error) {
		error = run_child(cgroup, &stage, &answer);
		attachments_remove(pins, root);
	}
	stage_done(&stage);
	return error ? error : list_failed(pins->control_memory, &answer, ret_failed);
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
