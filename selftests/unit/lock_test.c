// SPDX-License-Identifier: GPL-2.0
/* One reader at a time, and who it is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ctl/event/lock.h"

static void test_lock_names_its_holder(void **state)
{
	char dir[] = "/tmp/event_test.XXXXXX", lock_dir[64], file[128];
	pid_t holder = -1, child;
	int fd, status;

	(void)state;
	assert_non_null(mkdtemp(dir));
	snprintf(lock_dir, sizeof(lock_dir), "%s/run", dir);
	assert_int_equal(reader_lock(lock_dir, &fd, &holder), 0);
	child = fork();
	if (!child) {
		pid_t seen = -1;
		int other;
		int error = reader_lock(lock_dir, &other, &seen);

		_exit(error == -EBUSY && seen == getppid() ? 0 : 1);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	close(fd);
	assert_int_equal(reader_lock(lock_dir, &fd, &holder), 0);
	close(fd);
	snprintf(file, sizeof(file), "%s/%s", lock_dir, READER_LOCK_NAME);
	unlink(file);
	rmdir(lock_dir);
	rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lock_names_its_holder),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
