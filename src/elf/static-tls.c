/* SPDX-License-Identifier: MIT */
/* Whether a program's static TLS fits under an auditor, and the tunable that makes room. */
#include "elf/static-tls.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/files/open.h"
#include "base/strings.h"
#include "base/texts/preload-text.h"
#include "elf/closure.h"
#include "elf/script.h"

#define PRELOADS_MAX (64u << 10) /* bytes of ld.so.preload */

static int loader_heeds(const char *path, bool *ret)
{
	_cleanup_close_ int fd = open_regular(path, 0);
	_cleanup_(elf_needs_releasep) struct elf_needs needs = {0};
	int r;

	if (fd < 0)
		return fd;
	r = elf_needs_read(fd, &needs);
	if (r < 0)
		return r;
	*ret = elf_needs_heeds_audit(&needs);
	return 0;
}

int static_tls_of_program(const char *program, const char *preload, const char *library_path, uint64_t *ret,
	bool *ret_loader_heeds)
{
	_cleanup_(elf_closure_releasep) struct elf_closure closure = {.library_path = library_path};
	_cleanup_free_ char *path = NULL, *preloads = NULL;
	size_t size;
	bool heeds = false;
	int r = script_executed(program, NULL, &path);

	if (r == 0)
		r = loader_heeds(path, &heeds);
	if (r == 0 && heeds)
		r = elf_closure_add(&closure, path);
	if (r == 0 && heeds) {
		(void)read_file(PRELOAD_FILE, PRELOADS_MAX, &preloads, &size);
		r = elf_closure_add_preloads(&closure, preload, preloads);
	}
	if (r < 0)
		return r;
	*ret = closure.static_tls;
	*ret_loader_heeds = heeds;
	return 0;
}

/* The part of a list of tunables that sets this one, or NULL. If there are several, the last counts, as for glibc. */
static const char *find_tunable(const char *list, const char **ret_value, const char **ret_end)
{
	const char *found = NULL;

	while (*list) {
		size_t length = strcspn(list, ":");
		const char *value = after_prefix(list, STATIC_TLS_TUNABLE "=");

		if (value) {
			found = list;
			*ret_value = value;
			*ret_end = list + length;
		}
		list += length + (list[length] != '\0');
	}
	return found;
}

int static_tls_tunables(const char *current, uint64_t bytes, char **ret)
{
	uint64_t wanted = static_tls_add(bytes, STATIC_TLS_OPTIONAL + 63) & ~63ull;
	const char *at, *value, *end;
	char *text = NULL;
	int n;

	if (!current)
		current = "";
	at = find_tunable(current, &value, &end);
	if (at ? strtoull(value, NULL, 0) >= wanted : static_tls_fits(bytes)) {
		*ret = NULL;
		return 0;
	}
	if (at)
		n = asprintf(&text, "%.*s" STATIC_TLS_TUNABLE "=%llu%s", (int)(at - current), current,
			(unsigned long long)wanted, end);
	else
		n = asprintf(&text, "%s%s" STATIC_TLS_TUNABLE "=%llu", current, *current ? ":" : "",
			(unsigned long long)wanted);
	if (n < 0)
		return -ENOMEM;
	*ret = text;
	return 0;
}
