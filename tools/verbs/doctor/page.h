/* SPDX-License-Identifier: MIT */
/* Prints a doctor's report for people and for programs. */
#pragma once

#include <stdio.h>

#include "doctor/doctor.h"
#include "report/style.h"

/* program: NULL, or the one that the user gave. Check ferror() for write errors. */
void doctor_page_text(
	FILE *out, const struct doctor_report *report, const char *program, const struct report_style *style);

/* One JSON object, as headstart-doctor(1) describes it. Returns 0 or -ENOMEM. */
int doctor_page_json(FILE *out, const struct doctor_report *report, const char *program);
