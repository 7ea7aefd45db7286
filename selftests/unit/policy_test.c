// SPDX-License-Identifier: GPL-2.0
/* What good policies mean: precedence, includes, variables, names, addresses, and the image's fields. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <fcntl.h>

#include "ctl/policy/coverage.h"
#include "selftests/unit/policy_sample.h"

#define FILE_RULES(rules) "{\"name\":\"p\",\"file\":{\"rules\":[" rules "]}}"
#define EXEC_RULES(rules) "{\"name\":\"p\",\"exec\":{\"rules\":[" rules "]}}"
#define NET_RULES(rules) "{\"name\":\"p\",\"net\":{\"rules\":[" rules "]}}"

/* The first rule that matches wins, each operation for itself. */
static void test_first_match(void **state)
{
	struct compiled compiled;

	(void)state;
	open_text(FILE_RULES("{\"deny\":\"write\",\"path\":\"/a/b/**\"},"
			     "{\"allow\":\"*\",\"path\":\"/a/**\"},"
			     "{\"audit\":\"read\",\"path\":[\"/c\",\"/d\"]}"),
		  &compiled);
	assert_verdict(&compiled, "file.write", "/a/b/c", "deny 0");
	assert_verdict(&compiled, "file.read", "/a/b/c", "allow 1");
	assert_verdict(&compiled, "file.write", "/a/x", "allow 1");
	assert_verdict(&compiled, "file.read", "/a", "allow 1");
	assert_verdict(&compiled, "file.read", "/ab", "deny default");
	assert_verdict(&compiled, "file.read", "/d", "audit 2");
	assert_verdict(&compiled, "file.write", "/d", "deny default");
	compiled_done(&compiled);
}

/* Allow inside deny inside allow: order decides, not how narrow a pattern is. */
static void test_nested(void **state)
{
	struct compiled compiled;

	(void)state;
	open_text(FILE_RULES("{\"allow\":\"*\",\"path\":\"/h/.nvm/**\"},"
			     "{\"deny\":\"*\",\"path\":\"/h/.*/**\"},"
			     "{\"allow\":\"*\",\"path\":\"/h/**\"}"),
		  &compiled);
	assert_verdict(&compiled, "file.read", "/h/.nvm/x", "allow 0");
	assert_verdict(&compiled, "file.read", "/h/.ssh/x", "deny 1");
	assert_verdict(&compiled, "file.read", "/h/work/x", "allow 2");
	compiled_done(&compiled);
}

static void test_defaults(void **state)
{
	struct compiled compiled;

	(void)state;
	open_text(
		"{\"name\":\"p\",\"file\":{\"default\":\"allow\",\"rules\":[{\"deny\":\"read\",\"path\":\"/a\"}]},"
		"\"exec\":{}}",
		&compiled);
	assert_verdict(&compiled, "file.read", "/a", "deny 0");
	assert_verdict(&compiled, "file.write", "/a", "allow default");
	assert_verdict(&compiled, "exec.run", "/a", "deny default");
	/* No section: not enforced. */
	assert_verdict(&compiled, "net.connect", "192.0.2.1:1", "allow default");
	assert_int_equal(compiled.image->enforced,
			 (OPS_FILE | OPS_EXEC | (OPS_KERNEL & ~OPS_FAMILY)) & OPS_HOOKED);
	assert_int_equal(WORD_VERB(compiled.image->fallback[OP_NET_CONNECT]), VERB_ALLOW);
	compiled_done(&compiled);
}

static void test_header(void **state)
{
	const struct image_header *image;
	struct compiled compiled;
	struct rule_text text;
	const uint64_t *cell;

	(void)state;
	open_text(
		"{\"name\":\"my.policy\",\"mode\":\"audit\",\"observe\":[\"exec\",\"file.write\"],"
		"\"net\":{\"rules\":[{\"deny\":\"*\",\"port\":25,\"tag\":\"mail\",\"message\":\"No mail.\"}]},"
		"\"exec\":{\"default\":\"allow\",\"rules\":[{\"deny\":\"run\",\"path\":\"/a\"},"
		"{\"deny\":\"map\",\"path\":\"/b\",\"severity\":\"high\"}]}}",
		&compiled);
	image = compiled.image;
	cell = (const uint64_t *)(image + 1);
	assert_int_equal(image->magic, IMAGE_MAGIC);
	assert_int_equal(image->abi, ABI_VERSION);
	assert_int_equal(image->generation, 0);
	assert_int_equal(image->flags, IMAGE_AUDIT);
	assert_int_equal(image->enforced, (OPS_EXEC | OPS_NET | OPS_UNIX | OPS_KERNEL) & OPS_HOOKED);
	assert_int_equal(image->observed, OPS_EXEC | OP_BIT(OP_FILE_WRITE));
	assert_string_equal(image->name, "my.policy");
	assert_int_equal(image->rule_count, 3);
	assert_int_equal(compiled.image_bytes, sizeof(*image) + 8ul * image->cells);
	/* Numbers go by section, exec before net, whatever the file's order; indexes are each section's own. */
	assert_int_equal(compiled.policy->rules[1].section, SECTION_EXEC);
	assert_int_equal(cell[image->rules + 1], 1 | SEVERITY_HIGH << 24);
	assert_int_equal(compiled.policy->rules[2].section, SECTION_NET);
	assert_int_equal((uint32_t)cell[image->rules + 2], 0);
	assert_int_equal(cell[image->rules] >> 32, 0);
	memcpy(&text, cell + (cell[image->rules + 2] >> 32), sizeof(text));
	assert_string_equal(text.tag, "mail");
	assert_string_equal(text.message, "No mail.");
	assert_int_equal(image->anonymous[OP_EXEC_MAP], WORD(RULE_DEFAULT, VERB_ALLOW));
	compiled_done(&compiled);
}

/* Memory without a file is decided by rules that name it, never by patterns. */
static void test_anonymous(void **state)
{
	struct compiled compiled;

	(void)state;
	open_text(EXEC_RULES("{\"allow\":\"*\",\"path\":\"/**\"}"), &compiled);
	assert_verdict(&compiled, "exec.run", "/x", "allow 0");
	assert_verdict(&compiled, "exec.run", "anon:", "deny default");
	assert_verdict(&compiled, "exec.map", "anon:", "deny default");
	compiled_done(&compiled);
	open_text(
		EXEC_RULES(
			"{\"allow\":\"map\",\"path\":[\"/a\",\"anon:\"]},{\"audit\":\"*\",\"path\":\"anon:\"}"),
		&compiled);
	assert_verdict(&compiled, "exec.map", "anon:", "allow 0");
	assert_verdict(&compiled, "exec.run", "anon:", "audit 1");
	compiled_done(&compiled);
}

static void test_bare_names(void **state)
{
	struct compiled compiled;

	(void)state;
	open_text(EXEC_RULES("{\"deny\":\"run\",\"path\":\"git\"},{\"allow\":\"*\",\"path\":\"/usr/**\"}"),
		  &compiled);
	assert_verdict(&compiled, "exec.run", "/usr/local/bin/git push --force", "deny 0");
	assert_verdict(&compiled, "exec.run", "'/usr/local/bin/git' push", "deny 0");
	assert_verdict(&compiled, "exec.run", "/usr/local/bin/git-x", "allow 1");
	assert_verdict(&compiled, "exec.run", "\"/usr/with space/x\" y", "allow 1");
	compiled_done(&compiled);
}

static void test_include(void **state)
{
	static const char base[] =
		"{\"name\":\"b\",\"vars\":{\"W\":\"/theirs\",\"V\":\"/v\"},"
		"\"file\":{\"default\":\"allow\",\"rules\":[{\"allow\":\"read\",\"path\":\"/a/b\"},"
		"{\"allow\":\"read\",\"path\":[\"${W}/x\",\"${V}/x\"]}]},"
		"\"net\":{\"default\":\"audit\",\"rules\":[{\"deny\":\"connect\",\"port\":25}]},"
		"\"observe\":\"*\",\"mode\":\"audit\",\"tests\":[{\"file.read\":\"/a/b\",\"expect\":\"allow\"}]}";
	static const char own[] =
		"{\"name\":\"o\",\"include\":[\"sub/base.json\"],\"vars\":{\"W\":\"/ours\"},"
		"\"file\":{\"rules\":[{\"deny\":\"*\",\"path\":\"/a/**\"}]}}";
	struct compiled compiled;

	(void)state;
	assert_int_equal(mkdir(scratch_path("sub"), 0755), 0);
	scratch_write("sub/base.json", base, strlen(base));
	scratch_write("own.json", own, strlen(own));
	/* That an own rule decides before an included one is no error: it is what including is for. */
	open_saying("own.json", NULL, "", &compiled);
	assert_verdict(&compiled, "file.read", "/a/b", "deny 0");
	assert_verdict(&compiled, "file.read", "/ours/x", "allow 2");
	assert_verdict(&compiled, "file.read", "/theirs/x", "deny default");
	assert_verdict(&compiled, "file.read", "/v/x", "allow 2");
	/* The own section's default holds; only a section of its own brings one along. */
	assert_verdict(&compiled, "file.write", "/q", "deny default");
	assert_verdict(&compiled, "net.connect", "192.0.2.1:25", "deny 0");
	assert_verdict(&compiled, "net.connect", "192.0.2.1:26", "audit default");
	assert_string_equal(compiled.policy->name, "o");
	assert_int_equal(compiled.policy->observed, 0);
	assert_false(compiled.policy->is_audit);
	assert_int_equal(compiled.policy->test_count, 0);
	assert_int_equal(compiled.policy->file_count, 2);
	assert_string_equal(compiled.policy->rules[1].place.file, scratch_path("sub/base.json"));
	compiled_done(&compiled);
}

/* One file by two ways counts once; what stands beside comes before what is shipped. */
static void test_include_search(void **state)
{
	static const char leaf[] = FILE_RULES("{\"deny\":\"read\",\"path\":\"/leaf\"}");
	static const char shipped[] = FILE_RULES("{\"deny\":\"read\",\"path\":\"/shipped\"}");
	static const char left[] = "{\"name\":\"l\",\"include\":\"leaf.json\"}";
	static const char top[] = "{\"name\":\"t\",\"include\":[\"left.json\",\"leaf.json\",\"only.json\"],"
				  "\"file\":{\"default\":\"allow\"}}";
	char *folder = strdup(scratch_path("shipped"));
	struct policy_options options = { .shipped_folder = folder };
	struct compiled compiled;

	(void)state;
	assert_int_equal(mkdir(scratch_path("shipped"), 0755), 0);
	scratch_write("leaf.json", leaf, strlen(leaf));
	scratch_write("shipped/leaf.json", shipped, strlen(shipped));
	scratch_write("shipped/only.json", shipped, strlen(shipped));
	scratch_write("left.json", left, strlen(left));
	scratch_write("top.json", top, strlen(top));
	open_saying("top.json", &options, "", &compiled);
	assert_int_equal(compiled.policy->rule_count, 2);
	assert_verdict(&compiled, "file.read", "/leaf", "deny 0");
	assert_verdict(&compiled, "file.read", "/shipped", "deny 1");
	compiled_done(&compiled);
	free(folder);
}

static void test_variables(void **state)
{
	static const char text[] =
		"{\"name\":\"p\",\"vars\":{\"W\":\"/w*[x]{y}\",\"D\":\"${W}/d\",\"L\":\"x${W}\"},\"file\":{"
		"\"rules\":[{\"allow\":\"read\",\"path\":[\"${D}/**\",\"/l/\\\\${W}\"]}]}}";
	struct policy_define defines[] = { { "W", "/given" }, { "W", "/second" } };
	struct policy_options options = { .defines = defines, .define_count = 2 };
	struct compiled compiled;

	(void)state;
	scratch_write("p.json", text, strlen(text));
	open_saying("p.json", NULL, "", &compiled);
	/* Glob characters of a value match themselves. */
	assert_verdict(&compiled, "file.read", "/w*[x]{y}/d/z", "allow 0");
	assert_verdict(&compiled, "file.read", "/wAx/d/z", "deny default");
	assert_verdict(&compiled, "file.read", "/l/$W", "allow 0");
	compiled_done(&compiled);
	open_saying("p.json", &options, "", &compiled);
	assert_verdict(&compiled, "file.read", "/given/d/z", "allow 0");
	assert_verdict(&compiled, "file.read", "/second/d/z", "deny default");
	compiled_done(&compiled);
}

static void test_define_unused(void **state)
{
	static const char text[] = "{\"name\":\"p\"}";
	struct policy_define defines[] = { { "WROK", "/w" } };
	struct policy_options options = { .defines = defines, .define_count = 1 };
	struct compiled compiled;

	(void)state;
	scratch_write("p.json", text, strlen(text));
	open_saying("p.json", &options, "warning: -D WROK: the policy has no such variable\n", &compiled);
	compiled_done(&compiled);
}

static void test_user_variables(void **state)
{
	static const char text[] =
		FILE_RULES("{\"allow\":\"read\",\"path\":[\"${HOME}/x\",\"${env.TOOL}/y\"]}");
	struct policy_define user[] = { { "HOME", "/home/u" }, { "env.TOOL", "/opt/t" } };
	struct policy_options options = { .user = user, .user_count = 2, .is_run = true };
	struct compiled compiled;

	(void)state;
	scratch_write("p.json", text, strlen(text));
	open_saying("p.json", &options, "", &compiled);
	assert_verdict(&compiled, "file.read", "/home/u/x", "allow 0");
	assert_verdict(&compiled, "file.read", "/opt/t/y", "allow 0");
	compiled_done(&compiled);
	options.is_run = false;
	refused_saying(
		"p.json", &options, -EINVAL,
		"p.json:1:55: undefined variable '${HOME}': define it in 'vars', or with -D NAME=VALUE\n"
		"p.json:1:67: only 'run' knows the variable '${env.TOOL}': use a variable of 'vars' or -D\n");
}

/* The kernel names the caller's own process directory "self"; a thread's lies below it. */
static void test_own_process(void **state)
{
	struct compiled compiled;

	(void)state;
	open_text(
		FILE_RULES("{\"allow\":\"read\",\"path\":[\"/proc/self/status\",\"/proc/thread-self/comm\"]},"
			   "{\"audit\":\"read\",\"path\":\"/proc/[0-9]*/status\"}"),
		&compiled);
	assert_verdict(&compiled, "file.read", "/proc/self/status", "allow 0");
	assert_verdict(&compiled, "file.read", "/proc/thread-self/comm", "allow 0");
	assert_verdict(&compiled, "file.read", "/proc/self/task/77/comm", "allow 0");
	assert_verdict(&compiled, "file.read", "/proc/self/comm", "deny default");
	assert_verdict(&compiled, "file.read", "/proc/1/status", "audit 1");
	compiled_done(&compiled);
}

static void test_too_deep(void **state)
{
	char path[2 * (DEPTH_MAX + 1) + 1];
	struct compiled compiled;

	(void)state;
	open_text(FILE_RULES("{\"allow\":\"*\",\"path\":\"/**\"}"), &compiled);
	for (size_t i = 0; i <= DEPTH_MAX; i++)
		memcpy(path + 2 * i, "/d", 3);
	assert_verdict(&compiled, "file.read", path, "deny too-deep");
	path[2 * DEPTH_MAX] = '\0';
	assert_verdict(&compiled, "file.read", path, "allow 0");
	assert_verdict(&compiled, "file.read", "/", "allow 0");
	compiled_done(&compiled);
}

static void test_addresses(void **state)
{
	struct compiled compiled;

	(void)state;
	open_text(
		NET_RULES(
			"{\"deny\":\"*\",\"cidr\":\"169.254.169.254/32\"},"
			"{\"allow\":\"connect\",\"cidr\":[\"@loopback\"],\"port\":[80,\"1024-65535\"],\"proto\":\"tcp\"},"
			"{\"allow\":\"connect\",\"cidr\":\"10.0.0.0/8\",\"proto\":\"udp\"},"
			"{\"audit\":\"connect\",\"cidr\":\"2001:db8::/32\"},"
			"{\"allow\":\"connect\",\"cidr\":\"64:ff9b::/96\"},"
			"{\"allow\":\"connect\",\"proto\":\"icmp\"}"),
		&compiled);
	assert_verdict(&compiled, "net.connect", "127.0.0.1:80", "allow 1");
	assert_verdict(&compiled, "net.connect", "127.0.0.1:81", "deny default");
	assert_verdict(&compiled, "net.connect", "127.0.0.1:1023", "deny default");
	assert_verdict(&compiled, "net.connect", "127.9.9.9:1024", "allow 1");
	assert_verdict(&compiled, "net.connect", "127.0.0.1:65535", "allow 1");
	assert_verdict(&compiled, "net.connect", "127.0.0.1:80/udp", "deny default");
	assert_verdict(&compiled, "net.connect", "[::1]:80", "allow 1");
	/* Aliases of the same places: mapped, unspecified, translated. */
	assert_verdict(&compiled, "net.connect", "[::ffff:127.0.0.1]:80", "allow 1");
	assert_verdict(&compiled, "net.connect", "0.0.0.0:80", "allow 1");
	assert_verdict(&compiled, "net.connect", "[::]:80", "allow 1");
	assert_verdict(&compiled, "net.connect", "[::ffff:169.254.169.254]:80", "deny 0");
	assert_verdict(&compiled, "net.connect", "[64:ff9b::a9fe:a9fe]:80", "deny 0");
	assert_verdict(&compiled, "net.connect", "[2002:a9fe:a9fe::1]:80", "deny 0");
	assert_verdict(&compiled, "net.connect", "[::169.254.169.254]:80", "deny 0");
	assert_verdict(&compiled, "net.connect", "[64:ff9b::1.2.3.4]:80", "deny default");
	assert_verdict(&compiled, "net.connect", "10.1.2.3:53/udp", "allow 2");
	assert_verdict(&compiled, "net.connect", "10.1.2.3:53", "deny default");
	assert_verdict(&compiled, "net.connect", "[2001:db8::5]:443", "audit 3");
	assert_verdict(&compiled, "net.connect", "[2001:db9::5]:443", "deny default");
	assert_verdict(&compiled, "net.connect", "192.0.2.1/icmp", "allow 5");
	compiled_done(&compiled);
}

static void test_blocks(void **state)
{
	struct compiled compiled;

	(void)state;
	open_text(NET_RULES("{\"allow\":\"connect\",\"cidr\":\"192.0.2.7\",\"port\":1},"
			    "{\"allow\":\"connect\",\"cidr\":\"::ffff:198.51.100.0/120\",\"port\":2},"
			    "{\"allow\":\"connect\",\"cidr\":\"0.0.0.0\",\"port\":3},"
			    "{\"allow\":\"connect\",\"cidr\":\"::\",\"port\":4},"
			    "{\"allow\":\"connect\",\"cidr\":\"0.0.0.0/0\",\"port\":5},"
			    "{\"allow\":\"connect\",\"cidr\":\"::/0\",\"port\":6}"),
		  &compiled);
	assert_verdict(&compiled, "net.connect", "192.0.2.7:1", "allow 0");
	assert_verdict(&compiled, "net.connect", "192.0.2.8:1", "deny default");
	assert_verdict(&compiled, "net.connect", "198.51.100.9:2", "allow 1");
	assert_verdict(&compiled, "net.connect", "[::ffff:198.51.100.9]:2", "allow 1");
	assert_verdict(&compiled, "net.connect", "127.0.0.1:3", "allow 2");
	assert_verdict(&compiled, "net.connect", "[::1]:4", "allow 3");
	assert_verdict(&compiled, "net.connect", "255.255.255.255:5", "allow 4");
	assert_verdict(&compiled, "net.connect", "[2001:db8::1]:5", "deny default");
	assert_verdict(&compiled, "net.connect", "[2001:db8::1]:6", "allow 5");
	assert_verdict(&compiled, "net.connect", "192.0.2.7:6", "deny default");
	compiled_done(&compiled);
}

/* All addresses are matched where all are meant; port 0 where all are that the kernel picks from. */
static void test_bind(void **state)
{
	struct compiled compiled;

	(void)state;
	open_text("{\"name\":\"p\",\"net\":{\"rules\":["
		  "{\"deny\":\"*\",\"cidr\":\"169.254.169.254/32\"},"
		  "{\"deny\":\"bind\",\"cidr\":\"192.0.2.0/24\",\"port\":[25,80]},"
		  "{\"allow\":\"bind\",\"cidr\":\"@loopback\",\"port\":\"1024-65535\"},"
		  "{\"allow\":[\"connect\",\"bind\"],\"cidr\":\"0.0.0.0\",\"port\":[80,8080]},"
		  "{\"allow\":\"bind\",\"cidr\":\"::/0\",\"port\":[443,8080]}]},"
		  "\"kernel\":{\"families\":[\"vsock\",\"sctp\"]}}",
		  &compiled);
	assert_verdict(&compiled, "net.bind", "127.0.0.1:1024", "allow 2");
	assert_verdict(&compiled, "net.bind", "127.0.0.1:0", "allow 2");
	assert_verdict(&compiled, "net.bind", "0.0.0.0:1024", "deny default");
	assert_verdict(&compiled, "net.bind", "0.0.0.0:80", "deny 1");
	assert_verdict(&compiled, "net.bind", "0.0.0.0:8080", "allow 3");
	assert_verdict(&compiled, "net.bind", "[::]:443", "deny default");
	assert_verdict(&compiled, "net.bind", "[::]:8080", "allow 3");
	assert_verdict(&compiled, "net.bind", "[::1]:443", "allow 4");
	assert_verdict(&compiled, "net.bind", "[::ffff:0.0.0.0]:80", "deny 1");
	assert_verdict(&compiled, "net.connect", "0.0.0.0:80", "allow 3");
	assert_verdict(&compiled, "net.connect", "127.0.0.1:80", "allow 3");
	assert_verdict(&compiled, "kernel.families", "vsock", "allow default");
	assert_verdict(&compiled, "kernel.families", "sctp", "allow default");
	assert_verdict(&compiled, "kernel.families", "dccp", "deny default");
	compiled_done(&compiled);
}

static void test_sets(void **state)
{
	struct compiled compiled;

	(void)state;
	open_text(
		NET_RULES("{\"deny\":\"*\",\"cidr\":\"@metadata\"},{\"audit\":\"*\",\"cidr\":\"@linklocal\"},"
			  "{\"allow\":\"*\",\"cidr\":\"@private\"},{\"deny\":\"*\",\"cidr\":\"@multicast\"},"
			  "{\"audit\":\"*\",\"cidr\":\"@any\"}"),
		&compiled);
	assert_verdict(&compiled, "net.connect", "169.254.169.254:80", "deny 0");
	assert_verdict(&compiled, "net.connect", "[fd00:ec2::254]:80", "deny 0");
	assert_verdict(&compiled, "net.connect", "169.254.1.1:80", "audit 1");
	assert_verdict(&compiled, "net.connect", "[fe80::1]:80", "audit 1");
	assert_verdict(&compiled, "net.connect", "172.31.255.255:80", "allow 2");
	assert_verdict(&compiled, "net.connect", "172.32.0.0:80", "audit 4");
	assert_verdict(&compiled, "net.connect", "[fdff::1]:80", "allow 2");
	assert_verdict(&compiled, "net.connect", "224.0.0.1:80", "deny 3");
	assert_verdict(&compiled, "net.connect", "[ff02::1]:80", "deny 3");
	assert_verdict(&compiled, "net.connect", "192.0.2.1:80", "audit 4");
	assert_verdict(&compiled, "net.connect", "[2001:db8::1]:80", "audit 4");
	compiled_done(&compiled);
}

static void test_bundle(void **state)
{
	static const char base[] = FILE_RULES("{\"deny\":\"read\",\"path\":\"/\\u00e9${W}\"}");
	static const char text[] = "{\"name\":\"p\",\n\t\"include\":\"base.json\",\"vars\":{\"W\":\"x\"}}";
	struct policy_define defines[] = { { "W", "\"quoted\"" }, { "W", "late" } };
	struct policy_options options = { .defines = defines, .define_count = 2 };
	struct diagnostics diagnostics;
	struct compiled compiled;
	int fd = open(scratch_path("bundle"), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	(void)state;
	assert_true(fd >= 0);
	scratch_write("base.json", base, strlen(base));
	scratch_write("p.json", text, strlen(text));
	open_saying("p.json", &options, "", &compiled);
	assert_int_equal(policy_write_bundle(compiled.policy, &options, fd), 0);
	close(fd);
	/* Why it cannot be written is told. */
	fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
	assert_int_equal(policy_write_bundle(compiled.policy, &options, fd), -ENOSPC);
	close(fd);
	compiled_done(&compiled);
	/* The files may be gone or changed: the bundle has them as they were. */
	unlink(scratch_path("base.json"));
	unlink(scratch_path("p.json"));
	diagnostics_init(&diagnostics);
	assert_int_equal(policy_open_bundle(scratch_path("bundle"), &diagnostics, &compiled), 0);
	assert_int_equal(diagnostics.count, 0);
	assert_verdict(&compiled, "file.read", "/é\"quoted\"", "deny 0");
	assert_string_equal(compiled.policy->rules[0].place.file, scratch_path("base.json"));
	compiled_done(&compiled);
	scratch_write("bundle", "{}", 2);
	assert_int_equal(policy_open_bundle(scratch_path("bundle"), &diagnostics, &compiled), -EBADMSG);
	assert_int_equal(policy_open_bundle(scratch_path("none"), &diagnostics, &compiled), -ENOENT);
	diagnostics_done(&diagnostics);
}

static void test_own_tests(void **state)
{
	static const char text[] =
		"{\"name\":\"p\",\"file\":{\"rules\":[{\"deny\":\"read\",\"path\":\"/a\",\"tag\":\"t\"}]},\"tests\":[\n"
		"{\"file.read\":\"/a\",\"expect\":\"deny\",\"tag\":\"t\",\"reason\":\"rule\"},\n"
		"{\"file.read\":\"/a\",\"expect\":\"allow\"},\n"
		"{\"file.read\":\"/a\",\"expect\":\"deny\",\"tag\":\"u\"},\n"
		"{\"file.read\":\"/b\",\"expect\":\"deny\",\"reason\":\"rule\"},\n"
		"{\"file.read\":\"b\",\"expect\":\"deny\"}]}";
	struct diagnostics diagnostics;
	struct compiled compiled;
	char *lines, *wanted;

	(void)state;
	open_text(text, &compiled);
	diagnostics_init(&diagnostics);
	assert_int_equal(policy_run_tests(&compiled, &diagnostics), -EINVAL);
	lines = diagnostic_lines(&diagnostics);
	wanted = text_format(
		"p.json:3:14: test 1 fails: file.read /a: expected allow, got deny by rule 0 at %s:1:30: "
		"mend the rules or the test\n"
		"p.json:4:14: test 2 fails: file.read /a: expected tag 'u', got 't' by rule 0 at %s:1:30: "
		"mend the rules or the test\n"
		"p.json:5:14: test 3 fails: file.read /b: expected reason rule, got default: "
		"mend the rules or the test\n"
		"p.json:6:14: test 4 fails: file.read b: 'b' is no absolute path: write it from the root on: "
		"mend the rules or the test\n",
		scratch_path("p.json"), scratch_path("p.json"));
	assert_string_equal(lines, wanted);
	free(wanted);
	free(lines);
	diagnostics_done(&diagnostics);
	compiled_done(&compiled);
}

/* The one list of what is refused holds each operation without a hook. */
/* The kernel section: values of all kinds, own ones before included ones, and what is not said is denied. */
static void test_programs(void **state)
{
	static const char base[] =
		"{\"name\":\"base\",\"kernel\":{\"tiocsti\":true,\"snapshot\":[\"/opt/s\"]}}";
	struct compiled compiled;

	(void)state;
	scratch_write("base.json", base, sizeof(base) - 1);
	open_text(
		"{\"name\":\"p\",\"include\":[\"base.json\"],\"kernel\":{\"tiocsti\":[\"/opt/a*\",\"tmux\","
		"\"/srv/**\",\"/opt/\\u00e9[!x]\"]},\"file\":{\"rules\":[{\"allow\":\"*\",\"path\":\"/opt/**\"}]}}",
		&compiled);
	assert_verdict(&compiled, "kernel.tiocsti", "/opt/abc", "allow default");
	assert_verdict(&compiled, "kernel.tiocsti", "/opt/a/b", "deny default");
	assert_verdict(&compiled, "kernel.tiocsti", "/x/y/tmux", "allow default");
	assert_verdict(&compiled, "kernel.tiocsti", "/x/y/tmux2", "deny default");
	assert_verdict(&compiled, "kernel.tiocsti", "/srv/a/b/c", "allow default");
	assert_verdict(&compiled, "kernel.tiocsti", "/opt/\xc3\xa9y", "allow default");
	assert_verdict(&compiled, "kernel.tiocsti", "/opt/\xc3\xa9x", "deny default");
	assert_verdict(&compiled, "kernel.tiocsti", "/opt/s", "deny default");
	assert_verdict(&compiled, "kernel.snapshot", "/opt/s", "allow default");
	assert_verdict(&compiled, "kernel.snapshot", "/opt/abc", "deny default");
	compiled_done(&compiled);
}

static void test_coverage(void **state)
{
	size_t count, operations = 0;
	uint32_t detail;
	const char *const *missing = coverage_missing(&count);

	(void)state;
	for (size_t i = 0; i < count; i++)
		operations += operation_parse(missing[i], &detail) >= 0;
	for (int op = 0; op < OP_COUNT; op++)
		operations -= !(OP_BIT(op) & OPS_HOOKED);
	assert_int_equal(operations, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, scratch_make, scratch_remove)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(test_first_match),	  TEST(test_nested),	     TEST(test_defaults),
		TEST(test_header),	  TEST(test_anonymous),	     TEST(test_bare_names),
		TEST(test_include),	  TEST(test_include_search), TEST(test_variables),
		TEST(test_define_unused), TEST(test_user_variables), TEST(test_own_process),
		TEST(test_too_deep),	  TEST(test_addresses),	     TEST(test_blocks),
		TEST(test_bind),	  TEST(test_sets),	     TEST(test_bundle),
		TEST(test_own_tests),	  TEST(test_programs),	     TEST(test_coverage),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
