/* SPDX-License-Identifier: MIT */
/* Target: the profile on disk, and everything that is done with a profile. */
#include "fuzz.h"

#include "base/cleanup.h"
#include "profile/profile-file.h"
#include "report/report.h"
#include "seal.h"

size_t inputs_taken;

/* Reading and writing again gives the same bytes: nothing in a file is ignored. */
static void write_again(const struct profile *profile, const void *data, size_t size)
{
	_cleanup_free_ void *again = NULL;
	size_t again_size;

	must(profile_check(profile) == 0);
	must(profile_serialize(profile, &again, &again_size) == 0);
	must(again_size == size && memcmp(again, data, size) == 0);
}

static void merge_with_itself(const struct profile *profile, const void *data, size_t size)
{
	_cleanup_(profile_releasep) struct profile merged = {0};

	must(profile_parse(data, size, &merged) == PROFILE_GOOD);
	if (profile_merge(&merged, profile) < 0)
		return;
	must(merged.runs == 2 * profile->runs);
	must(merged.touches == profile->touches);
	must(profile_bytes(&merged) == profile_bytes(profile));
	must(profile_check(&merged) == 0);
}

static void cut_at_every_exec(const struct profile *profile)
{
	for (size_t i = 0; i < profile->n_execs && i < 16; i++) {
		_cleanup_(profile_releasep) struct profile cut = {0};

		must(profile_from_exec(profile, i, &cut) == 0);
		must(profile_bytes(&cut) <= profile_bytes(profile));
		must(strcmp(cut.program, profile->execs[i].path) == 0);
	}
}

/* Returns whether it is a good profile with touches. */
static bool parse(const void *data, size_t size)
{
	const struct report_style style = {.columns = 80, .rows = 5, .utf8 = size % 2};
	_cleanup_(profile_releasep) struct profile profile = {0};

	if (profile_parse(data, size, &profile) != PROFILE_GOOD)
		return false;
	write_again(&profile, data, size);
	merge_with_itself(&profile, data, size);
	cut_at_every_exec(&profile);
	must(report_profile_text(nowhere(), &profile, &style) == 0);
	must(report_profile_json(nowhere(), &profile) == 0);
	return profile.touches > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	_cleanup_free_ void *copy = exact_copy(data, size);
	bool taken = parse(copy, size);

	seal_profile(copy, size);
	taken |= parse(copy, size);
	inputs_taken += taken;
	return 0;
}
