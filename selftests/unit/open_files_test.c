// SPDX-License-Identifier: GPL-2.0
/* What a process has open and mapped, as /proc tells it, and how a policy judges it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>

#include "ctl/cmd/held.h"
#include "ctl/sys/cgroup.h"
#include "ctl/sys/open_files.h"
#include "selftests/unit/policy_sample.h"

static void test_fdinfo(void **state)
{
	uint32_t mount;
	int flags;

	(void)state;
	assert_int_equal(fdinfo_parse("pos:\t0\nflags:\t0100002\nmnt_id:\t29\nino:\t5\n", &flags, &mount), 0);
	assert_int_equal(flags, 0100002);
	assert_int_equal(mount, 29);
	assert_int_equal(fdinfo_parse("flags:\t012000000\nmnt_id:\t4294967295", &flags, &mount), 0);
	assert_true(flags & O_PATH);
	assert_int_equal(mount, 4294967295u);
	assert_int_equal(fdinfo_parse("", &flags, &mount), -EBADMSG);
	assert_int_equal(fdinfo_parse("flags:\t0\n", &flags, &mount), -EBADMSG);
	assert_int_equal(fdinfo_parse("xflags:\t0\nmnt_id:\t1\n", &flags, &mount), -EBADMSG);
}

static void test_mapping(void **state)
{
	struct mapping mapping;
	char shared[] =
		"7f00a0000000-7f00a0001000 rw-s 00001000 fe:01 1234                       /srv/a b\\012c\n",
	     private[] = "400000-401000 r-xp 00000000 00:1f 77 /x\n",
	     heap[] = "1000-2000 rw-p 00000000 00:00 0  [heap]\n",
	     none[] = "1000-2000 rw-p 00000000 00:00 0 \n",
	     socket[] = "1000-2000 rw-s 0 00:09 5   socket:[5]\n", junk[] = "junk";

	(void)state;
	assert_int_equal(mapping_parse(shared, &mapping), 0);
	assert_true(mapping.start == 0x7f00a0000000 && mapping.end == 0x7f00a0001000);
	assert_true(mapping.is_shared && mapping.is_written);
	assert_true(mapping.device == makedev(0xfe, 1));
	assert_string_equal(mapping.name, "/srv/a b\\012c");
	assert_int_equal(mapping_parse(private, &mapping), 0);
	assert_false(mapping.is_shared || mapping.is_written);
	assert_string_equal(mapping.name, "/x");
	assert_int_equal(mapping_parse(heap, &mapping), -ENOENT);
	assert_int_equal(mapping_parse(none, &mapping), -ENOENT);
	assert_int_equal(mapping_parse(socket, &mapping), -ENOENT);
	assert_int_equal(mapping_parse(junk, &mapping), -ENOENT);
}

/* What was seen of one process, a line each. */
struct seen {
	pid_t pid;
	FILE *stream;
};

static int note(const struct open_file *file, void *data)
{
	struct seen *seen = data;
	size_t len = strlen(scratch);

	if (file->pid != seen->pid || !file->name)
		return 0;
	if (!strncmp(file->name, scratch, len) || !strncmp(file->name, "/proc/", 6))
		fprintf(seen->stream, "%s%s%s %s%s%s\n", file->fd == FD_MAPPED ? "mapped " : "",
			file->is_read ? "r" : "", file->is_written ? "w" : "",
			strncmp(file->name, scratch, len) ? file->name : file->name + len,
			file->other_name && file->other_name != file->name ? " or " : "",
			file->other_name && file->other_name != file->name ? file->other_name + len : "");
	return 0;
}

static int open_at(const char *name, int flags)
{
	int fd = open(scratch_path(name), flags | O_CREAT, 0644);

	assert_true(fd >= 0);
	assert_int_equal(ftruncate(fd, 4096), flags == O_RDONLY ? -1 : 0);
	return fd;
}

/* Opens and maps what there is to tell apart, then tells FD and waits for the end. */
static void hold(int ready)
{
	int shared, both;

	assert_int_equal(close(open_at("closed", O_RDWR)), 0);
	open_at("read", O_RDONLY);
	open_at("write", O_WRONLY | O_APPEND);
	both = open_at("both\nlines", O_RDWR);
	assert_true(open("/dev/null", 3) >= 0);
	assert_true(open(scratch_path("read"), O_PATH) >= 0);
	assert_true(open(scratch, O_RDONLY | O_DIRECTORY) >= 0);
	open_at("gone", O_RDWR);
	unlink(scratch_path("gone"));
	open_at("named (deleted)", O_RDWR);
	assert_true(memfd_create("x", 0) >= 0);
	assert_true(open("/proc/self/stat", O_RDONLY) >= 0);
	shared = open_at("shared", O_RDWR);
	assert_true(mmap(NULL, 4096, PROT_READ, MAP_SHARED, shared, 0) != MAP_FAILED);
	assert_true(mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, both, 0) != MAP_FAILED);
	close(shared);
	assert_int_equal(write(ready, "x", 1), 1);
	pause();
}

static char *new_cgroup(void)
{
	char *own = NULL, *path = NULL;

	if (cgroup_own(&own) || asprintf(&path, "%s/agentctl-unit.%d", own, getpid()) < 0)
		path = NULL;
	free(own);
	if (path && !mkdir(path, 0755))
		return path;
	free(path);
	return NULL;
}

static char *look(const char *cgroup, pid_t pid)
{
	struct mounts mounts = { 0 };
	struct open_missed missed;
	char *lines = NULL;
	size_t size;
	struct seen seen = { .pid = pid, .stream = open_memstream(&lines, &size) };

	assert_int_equal(open_files_visit(cgroup, &mounts, note, &seen, &missed), 0);
	assert_int_equal(missed.refused + missed.hidden, 0);
	fclose(seen.stream);
	mounts_done(&mounts);
	return lines;
}

static void test_visit(void **state)
{
	char *cgroup = new_cgroup(), *lines, byte;
	int ready[2];
	pid_t pid;

	(void)state;
	if (!cgroup) {
		skip();
		return;
	}
	assert_int_equal(pipe(ready), 0);
	pid = fork();
	if (!pid) {
		hold(ready[1]);
		_exit(1);
	}
	if (cgroup_move(cgroup, pid)) {
		kill(pid, SIGKILL);
		waitpid(pid, NULL, 0);
		rmdir(cgroup);
		free(cgroup);
		skip();
		return;
	}
	assert_int_equal(read(ready[0], &byte, 1), 1);
	lines = look(cgroup, pid);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_string_equal(lines, "r /read\n"
				   "w /write\n"
				   "rw /both\nlines\n"
				   "r \n"
				   "rw /named (deleted) or /named\n"
				   "r /proc/self/stat\n"
				   "mapped r /both\nlines\n"
				   "mapped rw /shared\n");
	free(lines);
	lines = look(cgroup, pid);
	assert_string_equal(lines, "");
	free(lines);
	rmdir(cgroup);
	free(cgroup);
	close(ready[0]);
	close(ready[1]);
}

static const char policy[] =
	"{\n\"name\": \"p\", \"file\": {\"default\": \"deny\", \"rules\": [\n"
	"{\"deny\": \"write\", \"path\": \"/a/ro/**\"},\n"
	"{\"allow\": \"*\", \"path\": \"/a/**\"}]},\n"
	"\"exec\": {\"default\": \"deny\", \"rules\": [{\"allow\": \"*\", \"path\": [\"/prog/**\", \"/a/**\"]}]}}\n";

static struct mount fold = { .id = 3, .point = "/", .type = "ext4", .caseless = CASELESS_FOLDERS };
static struct mount ext4 = { .id = 1, .point = "/", .type = "ext4" },
		    vfat = { .id = 2, .point = "/a/fat", .type = "vfat" };

/* Judges one file; returns "OP REASON LINE", "" if it may be opened, "?" if nobody can tell. */
static const char *judge(struct held *held, struct open_file file)
{
	static char text[128];
	size_t count = held->count, unjudged = held->unjudged;

	file.comm = "comm";
	if (!file.mount)
		file.mount = &ext4;
	assert_int_equal(held_judge(held, &file), 0);
	text[0] = '\0';
	if (held->unjudged != unjudged)
		return "?";
	if (held->count != count) {
		const struct held_file *denied = &held->list[count];

		assert_string_equal(denied->name, file.name);
		snprintf(text, sizeof(text), "%s %s %u", operation_name(denied->op),
			 reason_words[denied->reason], denied->origin.place.line);
	}
	return text;
}

#define JUDGE(...) judge(&held, (struct open_file){ __VA_ARGS__ })

static void test_judge(void **state)
{
	struct held held = { 0 };
	char deep[2 * (DEPTH_MAX + 1) + 3] = "/a";

	(void)state;
	open_text(policy, &held.compiled);
	assert_string_equal(JUDGE(.name = "/a/x", .is_read = true, .is_written = true), "");
	assert_string_equal(JUDGE(.name = "/b/x", .is_read = true), "file.read default 2");
	assert_string_equal(JUDGE(.name = "/b/x", .is_read = true, .is_written = true),
			    "file.read default 2");
	assert_string_equal(JUDGE(.name = "/b/x", .is_written = true), "file.write default 2");
	assert_string_equal(JUDGE(.name = "/a/ro/x", .is_read = true), "");
	assert_string_equal(JUDGE(.name = "/a/ro/x", .is_read = true, .is_written = true),
			    "file.write rule 3");
	/* On a file system that folds case no name helps. */
	assert_string_equal(JUDGE(.name = "/a/fat/x", .is_read = true, .mount = &vfat),
			    "file.read caseless 0");
	/* Where some directories do, only a denial by name is sure. */
	assert_string_equal(JUDGE(.name = "/a/fold/x", .is_read = true, .mount = &fold), "?");
	assert_string_equal(JUDGE(.name = "/b/fold/x", .is_read = true, .mount = &fold),
			    "file.read default 2");
	/* Two names that it may have: the same verdict, or none. */
	assert_string_equal(JUDGE(.name = "/b (deleted)", .other_name = "/b", .is_read = true),
			    "file.read default 2");
	assert_string_equal(JUDGE(.name = "/a/1", .other_name = "/b/1", .is_read = true), "?");
	assert_string_equal(JUDGE(.name = "/b/1", .other_name = "/a/1", .is_read = true), "?");
	assert_string_equal(JUDGE(.name = NULL, .is_read = true), "?");
	for (int i = 1; i < DEPTH_MAX; i++)
		strcat(deep, "/d");
	assert_string_equal(JUDGE(.name = deep, .is_read = true), "");
	strcat(deep, "/d");
	assert_string_equal(JUDGE(.name = deep, .is_read = true), "file.read too-deep 2");
	held_done(&held);
}

static void test_judge_mapped(void **state)
{
	struct held held = { 0 };

	(void)state;
	open_text(policy, &held.compiled);
	/* What may be run need not be read, but only by being run. */
	assert_string_equal(JUDGE(.name = "/prog/x", .is_read = true, .fd = FD_MAPPED, .is_exe = true), "");
	assert_string_equal(
		JUDGE(.name = "/prog/ld", .is_read = true, .fd = FD_MAPPED, .is_interpreter = true), "");
	assert_string_equal(JUDGE(.name = "/prog/lib", .is_read = true, .fd = FD_MAPPED),
			    "file.read default 2");
	assert_string_equal(JUDGE(.name = "/other", .is_read = true, .fd = FD_MAPPED, .is_exe = true),
			    "file.read default 2");
	/* Each file once, but for every operation and process. */
	assert_string_equal(JUDGE(.name = "/other", .is_read = true, .fd = FD_MAPPED), "");
	assert_string_equal(JUDGE(.name = "/prog/lib", .is_read = true, .fd = FD_MAPPED), "");
	assert_string_equal(JUDGE(.name = "/prog/lib", .is_read = true, .fd = FD_MAPPED, .pid = 2),
			    "file.read default 2");
	assert_string_equal(JUDGE(.name = "/prog/lib", .is_read = true, .fd = 3, .pid = 2),
			    "file.read default 2");
	assert_string_equal(JUDGE(.name = "/prog/lib", .is_read = true, .fd = 4, .pid = 2),
			    "file.read default 2");
	held_done(&held);
}

/* A policy without a file section denies nothing that is open. */
static void test_judge_nothing(void **state)
{
	struct held held = { 0 };

	(void)state;
	open_text("{\"name\": \"p\", \"exec\": {\"default\": \"deny\"}}", &held.compiled);
	assert_string_equal(JUDGE(.name = "/b/x", .is_read = true, .is_written = true), "");
	assert_string_equal(JUDGE(.name = "/a/fat/x", .is_read = true, .mount = &vfat), "");
	assert_string_equal(JUDGE(.name = NULL, .is_read = true), "");
	held_done(&held);
	assert_string_equal(JUDGE(.name = "/b/x", .is_read = true), "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_fdinfo), TEST(test_mapping),	    TEST(test_visit),
		TEST(test_judge),  TEST(test_judge_mapped), TEST(test_judge_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
