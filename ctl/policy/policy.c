// SPDX-License-Identifier: GPL-2.0
/* A policy as a whole: freeing it, and reading and compiling it in one go. */
#include "ctl/policy/policy.h"

#include <errno.h>
#include <stdlib.h>

#include "ctl/pattern/pattern.h"
#include "ctl/policy/include.h"
#include "ctl/policy/source.h"

void policy_tests_free(struct policy *policy)
{
	for (size_t i = 0; i < policy->test_count; i++) {
		free(policy->tests[i].object);
		free(policy->tests[i].target);
		free(policy->tests[i].tag);
	}
	free(policy->tests);
}

static void rule_done(struct policy_rule *rule)
{
	pattern_free(rule->pattern);
	pattern_free(rule->names);
	pattern_free(rule->written);
	free(rule->tag);
	free(rule->message);
}

static void file_done(struct policy_file *file)
{
	free(file->path);
	free(file->text);
	free(file->real);
}

void policy_free(struct policy *policy)
{
	if (!policy)
		return;
	for (size_t i = 0; i < policy->rule_count; i++)
		rule_done(&policy->rules[i]);
	for (size_t i = 0; i < policy->file_count; i++)
		file_done(&policy->files[i]);
	for (int op = 0; op < OP_COUNT; op++)
		pattern_free(policy->surface[op].programs);
	policy_tests_free(policy);
	free(policy->rules);
	free(policy->files);
	free(policy->description);
	free(policy);
}

void compiled_done(struct compiled *compiled)
{
	policy_free(compiled->policy);
	free(compiled->image);
	*compiled = (struct compiled){ 0 };
}

static int open_from(const char *path, const struct policy_bundle *bundle,
		     const struct policy_options *options, struct diagnostics *diagnostics,
		     struct compiled *ret)
{
	struct compiled compiled = { 0 };
	int result;

	*ret = compiled;
	result = policy_read_from(path, bundle, options, diagnostics, &compiled.policy);
	if (!result)
		result = policy_compile(compiled.policy, diagnostics, &compiled.image, &compiled.image_bytes);
	diagnostics_sort(diagnostics);
	if (result)
		compiled_done(&compiled);
	*ret = compiled;
	return result;
}

int policy_open(const char *path, const struct policy_options *options, struct diagnostics *diagnostics,
		struct compiled *ret)
{
	return open_from(path, NULL, options, diagnostics, ret);
}

int policy_open_bundle(const char *path, struct diagnostics *diagnostics, struct compiled *ret)
{
	struct policy_bundle bundle;
	struct policy_options options = { 0 };
	int result = bundle_read(path, &bundle);

	*ret = (struct compiled){ 0 };
	if (result)
		return result;
	options.defines = bundle.defines;
	options.define_count = bundle.define_count;
	result = open_from(bundle_main(&bundle), &bundle, &options, diagnostics, ret);
	bundle_done(&bundle);
	return result;
}
