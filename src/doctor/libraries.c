/* SPDX-License-Identifier: MIT */
/* Checks the libraries of a program: whether all exist, and whether their static TLS fits under an auditor. */
#include <stdlib.h>
#include <string.h>

#include "base/plural.h"
#include "doctor/checks.h"
#include "elf/static-tls.h"

void check_libraries(
	const struct doctor_host *host, const struct doctor_program *program, struct doctor_report *report)
{
	const struct elf_closure *closure = &program->closure;

	if (closure->n == 0)
		return;
	if (closure->n_missing > 0) {
		size_t all = closure->n - 1 + closure->n_missing;

		if (closure->n_missing == 1)
			doctor_say(
				report, DOCTOR_NOTE, "libraries", "'%s' is not found", closure->missing[0]);
		else
			doctor_say(report, DOCTOR_NOTE, "libraries",
				"'%s' and %zu other%s of %zu are not found", closure->missing[0],
				closure->n_missing - 1, plural(closure->n_missing - 1), all);
		doctor_consequence(report,
			"unless a wrapper sets LD_LIBRARY_PATH the program does not start; their static TLS "
			"is not counted");
		return;
	}
	doctor_say(report, DOCTOR_OK, "libraries", "%zu are mapped before the program's first instruction",
		closure->n - 1);
}

/* Whether the environment already makes that much room. */
static bool has_room(const struct doctor_host *host, uint64_t bytes)
{
	const char *current = host->variable("GLIBC_TUNABLES");
	char *tunables;

	if (static_tls_fits(bytes))
		return true;
	if (!current || static_tls_tunables(current, bytes, &tunables) < 0)
		return false;
	if (!tunables)
		return true;
	free(tunables);
	return false;
}

void check_static_tls(
	const struct doctor_host *host, const struct doctor_program *program, struct doctor_report *report)
{
	const char *audit = host->variable("LD_AUDIT");
	uint64_t bytes = program->closure.static_tls;
	bool audited = audit && strstr(audit, "libheadstart-audit.so");
	char *tunables;

	if (program->closure.n == 0)
		return;
	if (has_room(host, bytes)) {
		doctor_say(report, DOCTOR_OK, "static TLS", "its libraries take %llu bytes: %s",
			(unsigned long long)bytes,
			static_tls_fits(bytes) ? "they fit under an auditor"
					       : "GLIBC_TUNABLES makes room for that");
		return;
	}
	doctor_say(report, audited ? DOCTOR_PROBLEM : DOCTOR_NOTE, "static TLS",
		"its libraries take %llu bytes, %llu of them '%s'", (unsigned long long)bytes,
		(unsigned long long)program->closure.largest_tls, program->closure.largest);
	doctor_consequence(report,
		"under any auditor that may be too much (%u always fit): the program then does not start "
		"(\"cannot allocate memory in static TLS block\"). 'headstart run' has no such limit, and "
		"with --audit it makes room",
		STATIC_TLS_SURPLUS);
	if (static_tls_tunables(host->variable("GLIBC_TUNABLES"), bytes, &tunables) == 0 && tunables) {
		doctor_mend(report, "export GLIBC_TUNABLES=%s", tunables);
		free(tunables);
	}
}
