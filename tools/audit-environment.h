/* SPDX-License-Identifier: MIT */
/* The audit shim in the environment of a program that is about to be started, so that it starts. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct audit_request {
	const char *program; /* as it will be executed: searched in PATH */
	bool load;    /* add the shim to LD_AUDIT; without, only one that is there already is cared for */
	bool planned; /* the plan has told static_tls */
	uint32_t plan_static_tls; /* bytes, where planned */
};

/*
 * Extends LD_AUDIT as asked, and GLIBC_TUNABLES where the program's libraries would not find room for their
 * static TLS under the shim (elf/static-tls.h). Other auditors and tunables are kept. Returns 0, or negative
 * errno with nothing changed: -ENOTSUP where no loader would heed LD_AUDIT.
 */
int audit_environment(const struct audit_request *request);
