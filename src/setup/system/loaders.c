/* SPDX-License-Identifier: MIT */
/* Finds loaders at the places that the psABIs name, and asks them how they were built. */
#include "setup/system/loaders.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/run/process.h"
#include "base/strings.h"
#include "setup/system/searched-lib.h"

#define TIMEOUT_MS 10000
#define OUTPUT_MAX (1u << 20) /* bytes */

/* Program interpreters of glibc's ports (https://sourceware.org/glibc/wiki/ABIList). */
static const char *const places[] = {
	"/lib64/ld-linux-x86-64.so.2",
	"/lib/ld-linux.so.2",
	"/libx32/ld-linux-x32.so.2",
	"/lib/ld-linux-aarch64.so.1",
	"/lib/ld-linux-armhf.so.3",
	"/lib/ld-linux.so.3",
	"/lib/ld-linux-riscv64-lp64d.so.1",
	"/lib64/ld-linux-loongarch-lp64d.so.1",
	"/lib64/ld64.so.2",
	"/lib/ld64.so.1",
};

/* The value of a line `key="value"`; the caller frees it. NULL if there is no such line. */
static char *quoted_value(const char *text, const char *key)
{
	for (const char *line = text; line; line = strchr(line, '\n')) {
		const char *value;

		line += *line == '\n';
		value = after_prefix(line, key);
		if (value && value[0] == '=' && value[1] == '"')
			return strndup(value + 2, strcspn(value + 2, "\"\n"));
	}
	return NULL;
}

/* Returns 0, -ENOEXEC if the loader cannot be run, or negative errno. */
static int ask(const char *path, char **ret_lib)
{
	const char *const argv[] = {path, "--list-diagnostics", NULL}, *const envp[] = {"LC_ALL=C", NULL};
	const struct process_options options = {
		.argv = argv, .envp = envp, .timeout_ms = TIMEOUT_MS, .output_max = OUTPUT_MAX};
	_cleanup_(process_result_releasep) struct process_result said = {0};
	int r = process_run(&options, &said);

	if (r < 0)
		return r;
	if (said.status != 0 && said.out_size == 0 && said.err_size == 0)
		return -ENOEXEC;
	*ret_lib = quoted_value(said.out, "dl_dst_lib");
	return *ret_lib ? 0 : searched_lib(path, ret_lib);
}

/* Returns 1, 0 if there is no loader that can be run, or negative errno. */
static int look_at(const char *path, struct loader *ret)
{
	_cleanup_free_ char *copy = NULL, *lib = NULL;
	struct object_kind kind;
	const char *problem;
	int r = object_kind_of(path, &kind, &problem);

	if (r < 0)
		return r == -ENOMEM ? r : 0;
	r = ask(path, &lib);
	if (r < 0)
		return r == -ENOEXEC ? 0 : r;
	copy = strdup(path);
	if (!copy)
		return -ENOMEM;
	*ret = (struct loader){TAKE_PTR(copy), TAKE_PTR(lib), kind};
	return 1;
}

int loaders_find(struct loader **ret, size_t *ret_count)
{
	struct loader *loaders = calloc(sizeof(places) / sizeof(places[0]), sizeof(*loaders));
	size_t count = 0;

	if (!loaders)
		return -ENOMEM;
	for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
		int r = look_at(places[i], &loaders[count]);

		if (r < 0) {
			loaders_free(loaders, count);
			return r;
		}
		count += (size_t)r;
	}
	*ret = loaders;
	*ret_count = count;
	return 0;
}

void loaders_free(struct loader *loaders, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		free(loaders[i].path);
		free(loaders[i].lib);
	}
	free(loaders);
}

char *loader_expand(const struct loader *loader, const char *path)
{
	const char *dollar = strstr(path, "$LIB");
	char *expanded;

	if (!dollar)
		return strdup(path);
	if (!loader->lib ||
		asprintf(&expanded, "%.*s%s%s", (int)(dollar - path), path, loader->lib, dollar + 4) < 0)
		return NULL;
	return expanded;
}
