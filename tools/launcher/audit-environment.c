/* SPDX-License-Identifier: MIT */
/*
 * LD_AUDIT and GLIBC_TUNABLES of a program that is about to be started.
 *
 * The launcher alone needs neither. With the shim in LD_AUDIT, put there by --audit or by the user, a library with much
 * static TLS could keep the program from starting. The tunable makes room for it, and does nothing else.
 */
#include "launcher/audit-environment.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "elf/static-tls.h"
#include "lib/programs/private-file.h"
#include "plan/store/store.h"

#define SHIM_NAME "libheadstart-audit.so"

static bool names_shim(const char *auditors)
{
	return auditors && strstr(auditors, SHIM_NAME);
}

/* How much static TLS the libraries take: the plan counts those of the start, but not what LD_PRELOAD adds. */
static int static_tls_wanted(const struct audit_request *request, uint64_t *ret)
{
	const char *preload = getenv("LD_PRELOAD");
	uint64_t bytes = request->planned ? request->plan_static_tls : 0, here = 0;
	_cleanup_free_ char *path = NULL;
	bool heeds = true;
	int r;

	if (!request->planned || (preload && *preload)) {
		r = store_find_command(request->program, &path);
		if (r == 0)
			r = static_tls_of_program(path, preload, getenv("LD_LIBRARY_PATH"), &here, &heeds);
		if (r < 0)
			return r;
		if (!heeds)
			return -ENOTSUP;
	}
	*ret = here > bytes ? here : bytes;
	return 0;
}

int audit_environment(const struct audit_request *request)
{
	const char *auditors = getenv("LD_AUDIT");
	bool present = names_shim(auditors);
	_cleanup_free_ char *tunables = NULL, *list = NULL, *shim = NULL;
	uint64_t bytes;
	int r;

	if (!present && !request->load)
		return 0;
	r = static_tls_wanted(request, &bytes);
	if (r == 0)
		r = static_tls_tunables(getenv("GLIBC_TUNABLES"), bytes, &tunables);
	if (r == 0 && !present)
		r = private_file("ldpreload", SHIM_NAME, &shim);
	if (r < 0)
		return r;
	if (!present &&
		asprintf(&list, "%s%s%s", auditors ? auditors : "", auditors && *auditors ? ":" : "", shim) <
			0)
		return -ENOMEM;
	if (tunables && setenv("GLIBC_TUNABLES", tunables, 1) < 0)
		return -errno;
	return list && setenv("LD_AUDIT", list, 1) < 0 ? -errno : 0;
}
