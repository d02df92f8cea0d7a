/* SPDX-License-Identifier: MIT */
/* For the doctor's unit tests: each check runs on a root of its own, with a /proc, /sys and /etc as they might be. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <stdbool.h>
#include <sys/types.h>

#include "doctor/checks.h"
#include "handmade.h"

/* The machine of the current test: healthy until a test changes it. */
extern struct doctor_host host;
extern struct device disk; /* of every path */

extern struct doctor_report report; /* of the check that ran last */

/* Around each test. */
int begin_on_fake_host(void **state);
int end_on_fake_host(void **state);

#define ON_FAKE_HOST(name) cmocka_unit_test_setup_teardown(name, begin_on_fake_host, end_on_fake_host)

/* Sets a variable of the environment; an empty one is as good as none. */
void set(const char *name, const char *value);

/* Make a file below the root, and the folders above it. */
void put(const char *path, const char *text);
void put_bytes(const char *path, const void *data, size_t size, mode_t mode);

/* A small library; `change` makes something else of it, unless it is NULL. */
void put_library(const char *path, void (*change)(struct handmade *elf));

struct device a_device(enum device_class class, uint32_t read_ahead_kb, const char *name, bool by_rule);

/*
 * Runs one check anew. Its worst finding must be of this severity, and one finding of that severity must have these
 * words.
 */
void finds(void (*check)(const struct doctor_host *, struct doctor_report *), enum doctor_severity severity,
	const char *words);

/* Runs the checks of a program that was asked for, and says whether a finding of this severity has these words. */
void check_asked(const char *command);
bool said(enum doctor_severity severity, const char *words);
