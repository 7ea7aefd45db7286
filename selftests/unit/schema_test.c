// SPDX-License-Identifier: GPL-2.0
/* Runs schema_check, which holds policies/schema.json against the parser, where Python has a validator. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>

static void test_schema(void **state)
{
	(void)state;
	if (system("python3 -c 'import jsonschema' 2>/dev/null")) {
		skip();
		return;
	}
	/* Only what went wrong is worth a line here. */
	assert_int_equal(
		system("out=$(selftests/unit/schema_check); status=$?; echo \"$out\" | sed -n '/^ok\\|^1\\.\\./!s/^/# /p'; "
		       "exit $status"),
		0);
}

int main(void)
{
	static const struct CMUnitTest tests[] = { cmocka_unit_test(test_schema) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
