/* SPDX-License-Identifier: MIT */
#include "verbs/record/functions.h"
#include "base/plural.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "profile/functions.h"
#include "record/follow/breakpoint.h"
#include "report/words.h"
#include "verb.h"

/* A path is what it leads to, since that is what programs map. */
int record_functions_add(struct record_job *job, const char *object)
{
	struct record_functions *functions = &job->functions;
	char *name;

	functions->all |= !object;
	job->record.functions = &functions->choice;
	if (!object)
		return 0;
	if (!*object)
		return verb_usage("record", "--functions= names no file");
	name = strchr(object, '/') ? realpath(object, NULL) : strdup(object);
	if (!name)
		return verb_fail_errno(errno, "cannot record functions of '%s'", object);
	if (ARRAY_RESERVE(functions->objects, functions->capacity, functions->choice.n_objects + 1) < 0) {
		free(name);
		return verb_fail_errno(ENOMEM, "cannot record functions of '%s'", object);
	}
	functions->objects[functions->choice.n_objects++] = name;
	return 0;
}

int record_functions_check(struct record_job *job)
{
	struct record_functions *functions = &job->functions;

	if (!job->record.functions)
		return 0;
	if (!breakpoint_possible())
		return verb_fail(
			"--functions does not know this processor: it is for x86-64 and AArch64 so far");
	if (functions->all && functions->choice.n_objects > 0)
		return verb_usage("record", "--functions stands for all files: leave out --functions=%s",
			functions->objects[0]);
	if (!job->choose && job->record.backend != RECORD_BACKEND_PTRACE)
		return verb_usage("record", "--functions follows the command: use --backend ptrace");
	functions->choice.objects = (const char *const *)functions->objects;
	job->choose = false;
	job->record.backend = RECORD_BACKEND_PTRACE;
	job->record.keep_cache = true; /* breakpoints read all the code in any case */
	return 0;
}

void record_functions_report(const struct record_result *result)
{
	const struct profile_functions *functions = result->profile.functions;
	const struct follow_notes *notes = &result->following.notes;
	char calls[WORDS_MAX];

	if (!functions)
		return;
	if (notes->missing)
		verb_note("nothing mapped '%s': none of its functions are recorded", notes->missing);
	if (notes->n_unknown == 1)
		verb_note(
			"the functions of '%s' are not known: it has no symbols, no debug file and no table "
			"for unwinding",
			notes->unknown);
	if (notes->n_unknown > 1)
		verb_note(
			"the functions of '%s' and of %zu more file%s are not known: they have no symbols, no "
			"debug file and no table for unwinding",
			notes->unknown, notes->n_unknown - 1, plural(notes->n_unknown - 1));
	if (result->following.processes_unplanted)
		verb_note(
			"%zu process%s closed %s memory to headstart: what %s called is missing, or a part of it",
			result->following.processes_unplanted,
			plural_of(result->following.processes_unplanted, "", "es"),
			plural_of(result->following.processes_unplanted, "its", "their"),
			plural_of(result->following.processes_unplanted, "it", "they"));
	verb_note("%s function%s of %zu file%s w%s called", words_count(functions->n_calls, calls),
		plural(functions->n_calls), functions->n_objects, plural(functions->n_objects),
		plural_of(functions->n_calls, "as", "ere"));
}

void record_functions_release(struct record_functions *functions)
{
	for (size_t i = 0; i < functions->choice.n_objects; i++)
		free(functions->objects[i]);
	free(functions->objects);
	*functions = (struct record_functions){0};
}
