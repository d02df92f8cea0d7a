/* SPDX-License-Identifier: MIT */
/* What 'headstart plan' prints of a plan. */
#include <json-c/json.h>
#include <stdio.h>

#include "base/plural.h"
#include "lib/print/page-style.h"
#include "lib/print/print-json.h"
#include "report/json-text.h"
#include "verbs/plan/plan.h"

static const char *order_name(const struct plan_summary *summary)
{
	return summary->device == DEVICE_ROTATIONAL ? "physical" : "touch";
}

static int print_json_result(const char *program, const char *path, const struct plan_summary *summary)
{
	struct json_object *json = json_object_new_object();

	json_object_object_add(json, "program", json_text(program));
	json_object_object_add(json, "plan", json_text(path));
	json_object_object_add(json, "starts", json_object_new_uint64(summary->starts));
	json_object_object_add(json, "files", json_object_new_uint64(summary->files));
	json_object_object_add(json, "stale", json_object_new_uint64(summary->stale));
	json_object_object_add(json, "gone", json_object_new_uint64(summary->gone));
	json_object_object_add(json, "guessed", json_object_new_uint64(summary->guessed));
	json_object_object_add(json, "in_memory", json_object_new_uint64(summary->in_memory));
	json_object_object_add(json, "uncached", json_object_new_uint64(summary->uncached));
	json_object_object_add(json, "others", json_object_new_uint64(summary->others));
	json_object_object_add(json, "extents", json_object_new_uint64(summary->extents));
	json_object_object_add(json, "bytes", json_object_new_uint64(summary->bytes));
	json_object_object_add(json, "gap_bytes", json_object_new_uint64(summary->gap_bytes));
	json_object_object_add(json, "metadata_bytes", json_object_new_uint64(summary->metadata));
	json_object_object_add(json, "device", json_object_new_string(device_class_name(summary->device)));
	json_object_object_add(json, "order", json_object_new_string(order_name(summary)));
	json_object_object_add(json, "wait_ms", json_object_new_uint64(summary->wait_ms));
	return print_json(json, JSON_C_TO_STRING_PRETTY);
}

static int print_text(const char *program, const char *path, const struct plan_summary *summary)
{
	page_line("program  ", program, "");
	page_line("plan     ", path, "");
	if (summary->starts > 0)
		printf("starts   %zu with a plan of their own; what follows is for all others\n",
			summary->starts);
	printf("files    %zu, folders and links included; left out: %zu changed, %zu missing, %zu in memory, %zu uncached\n",
		summary->files, summary->stale, summary->gone, summary->in_memory, summary->uncached);
	if (summary->guessed > 0)
		printf("guessed  %zu of these files: %s updated since the recording\n", summary->guessed,
			plural_of(summary->guessed, "it was", "they were"));
	printf("extents  %zu\n", summary->extents);
	printf("data     %.1f MB, %.1f MB of it gaps\n", (double)summary->bytes / 1e6,
		(double)summary->gap_bytes / 1e6);
	if (summary->metadata > 0)
		printf("metadata %.1f MB, read first where the prefetcher is root's\n",
			(double)summary->metadata / 1e6);
	printf("device   %s\n", device_class_name(summary->device));
	printf("order    %s\n", order_name(summary));
	if (summary->wait_ms)
		printf("wait     %u ms at most\n", summary->wait_ms);
	else
		printf("wait     no\n");
	return 0;
}

int plan_report(const char *program, const char *path, const struct plan_summary *summary, bool json)
{
	return json ? print_json_result(program, path, summary) : print_text(program, path, summary);
}
