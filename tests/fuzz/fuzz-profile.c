/* SPDX-License-Identifier: MIT */
/* Target: the profile on disk, and everything that is done with a profile. */
#include "fuzz.h"

#include "base/cleanup.h"
#include "profile/file/profile-file.h"
#include "profile/metadata.h"
#include "profile/recordings/from-exec.h"
#include "profile/recordings/merge.h"
#include "profile/recordings/recordings.h"
#include "profile/updates/carry.h"
#include "report/profiles/report.h"
#include "seal.h"

size_t inputs_taken;

/* What is read and written again is the same, byte by byte: nothing in a file is ignored. */
static void write_again(const struct recordings *recordings, const void *data, size_t size)
{
	_cleanup_free_ void *again = NULL;
	size_t again_size;

	for (size_t i = 0; i < recordings->n; i++)
		must(profile_check(&recordings->items[i]) == 0);
	must(recordings_serialize(recordings, &again, &again_size) == 0);
	must(again_size == size && memcmp(again, data, size) == 0);
}

static void find_what_is_common(const struct recordings *recordings)
{
	_cleanup_(profile_releasep) struct profile common = {0};

	must(recordings_common(recordings, &common) == 0);
	must(profile_check(&common) == 0);
	must(profile_bytes(&common) <= profile_bytes(&recordings->items[0]));
	must(profile_metadata_pages(&common) <= profile_metadata_pages(&recordings->items[0]));
}

static void merge_with_itself(const struct profile *profile, const void *data, size_t size)
{
	_cleanup_(profile_releasep) struct profile merged = {0};

	must(profile_parse(data, size, &merged) == PROFILE_GOOD);
	if (profile_merge(&merged, profile) < 0)
		return;
	must(merged.runs == 2 * profile->runs);
	must(merged.touches == profile->touches);
	must(profile_metadata_pages(&merged) == profile_metadata_pages(profile));
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

/* Whatever is said of functions, no page lies beyond the file. */
static void carry_by_functions(const struct profile *profile, const struct profile_file *file)
{
	for (size_t i = 0; file->landmarks && profile->functions && i < profile->functions->n_objects; i++) {
		_cleanup_(profile_file_releasep) struct profile_file carried = {0};

		if (profile_file_carry(file, &profile->functions->objects[i], file->landmarks, file->size,
			    profile->page_size, &carried) < 0)
			continue;
		for (size_t j = 0; j < carried.n_ranges; j++)
			must((uint64_t)carried.ranges[j].page * profile->page_size < file->size);
	}
}

/* Carries each file to itself, and to the one before it. */
static void carry_every_file(const struct profile *profile)
{
	const struct elf_landmarks *before = NULL;

	for (size_t i = 0; i < profile->n_files; i++) {
		const struct profile_file *file = &profile->files[i];
		const struct elf_landmarks *builds[] = {file->landmarks, before};

		for (size_t j = 0; j < 2 && file->landmarks; j++) {
			_cleanup_(profile_file_releasep) struct profile_file carried = {0};

			if (builds[j] &&
				profile_file_carry(
					file, NULL, builds[j], file->size, profile->page_size, &carried) == 0)
				must(profile_file_pages(&carried) <= profile_file_pages(file));
		}
		carry_by_functions(profile, file);
		before = file->landmarks ? file->landmarks : before;
	}
}

/* Returns whether it is a good profile with touches. */
static bool parse(const void *data, size_t size)
{
	const struct report_style style = {.columns = 80, .rows = 5, .utf8 = size % 2};
	_cleanup_(recordings_releasep) struct recordings recordings = {0};
	_cleanup_(profile_releasep) struct profile profile = {0};

	if (recordings_parse(data, size, &recordings) != PROFILE_GOOD)
		return false;
	write_again(&recordings, data, size);
	find_what_is_common(&recordings);
	if (profile_parse(data, size, &profile) != PROFILE_GOOD)
		return false;
	merge_with_itself(&profile, data, size);
	cut_at_every_exec(&profile);
	carry_every_file(&profile);
	must(report_profile_text(nowhere(), &profile, &recordings, &style) == 0);
	must(report_profile_json(nowhere(), &profile, &recordings) == 0);
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
