/* SPDX-License-Identifier: MIT */
/* The tables of the checks of a machine and of a program. */
#include "doctor/doctor.h"

#include "base/cleanup.h"
#include "doctor/checks.h"

static void (*const machine_checks[])(const struct doctor_host *host, struct doctor_report *report) = {
	check_parts,
	check_switches,
	check_settings,
	check_glibc,
	check_kernel,
	check_recording,
	check_io_uring,
	check_seccomp,
	check_container,
	check_disks,
	check_memory,
	check_preloads,
	check_state,
	check_plans,
};

void doctor_check_machine(const struct doctor_host *host, struct doctor_report *report)
{
	for (size_t i = 0; i < sizeof(machine_checks) / sizeof(machine_checks[0]); i++)
		machine_checks[i](host, report);
}

static void (*const program_checks[])(const struct doctor_host *host, const struct doctor_program *program,
	struct doctor_report *report) = {
	check_kind,
	check_wrapper,
	check_rights,
	check_libraries,
	check_static_tls,
	check_program_disks,
	check_plan,
};

int doctor_check_program(const struct doctor_host *host, const char *command, struct doctor_report *report)
{
	_cleanup_(doctor_program_releasep) struct doctor_program program = {0};
	int r = doctor_program_find(host, command, &program);

	for (size_t i = 0; r == 0 && i < sizeof(program_checks) / sizeof(program_checks[0]); i++)
		program_checks[i](host, &program, report);
	return r;
}
