/* SPDX-License-Identifier: MIT */
/* The audit shim in the environment of a program that is about to be started, so that it starts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct audit_request {
	const char *program;      /* as it will be executed: PATH is searched */
	bool load;                /* add the shim to LD_AUDIT; else only make room for one that is there */
	bool planned;             /* plan_static_tls comes from a plan */
	uint32_t plan_static_tls; /* bytes, if planned */
};

/*
 * Extends LD_AUDIT as asked, and GLIBC_TUNABLES if the static TLS of the program's libraries does not fit under the
 * shim (elf/static-tls.h). Keeps other auditors and tunables. Returns 0, or negative errno with nothing changed:
 * -ENOTSUP if no loader would read LD_AUDIT.
 */
int audit_environment(const struct audit_request *request);
