/* SPDX-License-Identifier: MIT */
/* What headstart explain has found, and the two ways to print it. */
#pragma once

#include "explain/code.h"
#include "explain/planned.h"
#include "explain/touch.h"
#include "order/choose.h"
#include "plan/store/load.h"
#include "profile/recordings/recordings.h"
#include "profile/updates/staleness.h"

#define EXPLAIN_NO_PAGE UINT64_MAX

/* A plan of the program. */
struct explained_plan {
	uint64_t key;              /* of the starts that it is for; 0: of any start */
	bool shared;               /* for everybody */
	struct loaded_plan loaded; /* owned */
};

struct explanation {
	struct recordings recordings;    /* owned */
	struct profile all;              /* owned: all recordings together */
	const char *path;                /* borrowed */
	const struct profile_file *file; /* of `all`; NULL: no start touched it */
	enum profile_staleness staleness;
	uint64_t page; /* EXPLAIN_NO_PAGE: the whole file is asked about */
	uint64_t last_page;
	const char *symbol;           /* borrowed: what was asked for; NULL: a file or a page */
	bool has_image;               /* the file is as recorded, and has symbols of functions */
	struct order_image image;     /* owned */
	bool has_code;                /* some functions of it lie on touched pages */
	struct order_summary code;    /* if so */
	uint64_t relocations;         /* touched bytes */
	struct explained_plan *plans; /* owned */
	size_t n_plans, plans_capacity;
};

struct json_object;
struct report_style;

/* The functions on a page, and which of them were called, if that was recorded: as lines of a table, and in JSON. */
void explanation_print_functions(
	const struct explanation *explanation, uint64_t page, const struct report_style *style);
void explanation_put_functions(
	struct json_object *json, const struct explanation *explanation, uint64_t page);

/* Each returns 0 or an exit status after printing the reason. */
int explanation_print_text(const struct explanation *explanation);
int explanation_print_json(const struct explanation *explanation);
