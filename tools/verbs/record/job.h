/* SPDX-License-Identifier: MIT */
/* What `headstart record` was asked to do, for all its files. */
#pragma once

#include <stdbool.h>

#include "format/asked.h"
#include "record/mark.h"
#include "record/record.h"
#include "verbs/record/inside.h"

/* Exit statuses if the command cannot be started, as shells have them. */
#define NOT_EXECUTABLE 126

/* --functions. */
struct record_functions {
	char **objects; /* owned, and each of them, too; choice.n_objects of them */
	size_t capacity;
	bool all;
	struct functions_choice choice;
};

struct record_job {
	struct record_options record;
	const char *verb;   /* "record", "trace" or "watch" */
	const char *makes;  /* "profile" or "timeline" */
	const char *output; /* NULL: the store */
	bool kill, merge, force, quiet, json;
	bool choose;   /* the best backend that works here */
	int refused;   /* negative errno: why that is not trace events; 0: it is, or was not asked */
	int no_ptrace; /* negative errno: why it is not ptrace either; 0 as above */
	struct record_functions functions;
	char *path;                /* owned; of the command, links not resolved */
	char *program;             /* owned; links resolved */
	char *folder;              /* owned; the working folder */
	char rule[ASKED_RULE_MAX]; /* how to tell what COMMAND is asked for */
	struct asked asked;
	char *caller; /* owned; the user who called sudo, or NULL */
	char recording[MARK_NAME_MAX];
	int mark; /* owned, and so is record.window; the socket of that name; -1 without */
	struct markers markers;
	struct record_inside inside;
	bool told_stranger; /* we have reported a user who may not mark */
};
