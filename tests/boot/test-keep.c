/* SPDX-License-Identifier: MIT */
/* Unit tests of the recordings of the last boots, and of the plan that is made of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "boot/files.h"
#include "boot/keep.h"
#include "format/plan-view.h"
#include "profile/file/profile-file.h"
#include "profile/metadata.h"
#include "profile/updates/staleness.h"

#define PAGE  4096
#define FILES 6

/* A folder of files to be read, and of what is kept of that. */
struct machine {
	char folder[64], profile[96], plan[96];
	char files[FILES][96];
};

static int setup(void **state)
{
	static struct machine machine;
	static const char content[2 * PAGE];

	*state = &machine;
	if (geteuid() != 0)
		return 0;
	snprintf(machine.folder, sizeof(machine.folder), "/var/tmp/headstart-test-XXXXXX");
	if (!mkdtemp(machine.folder))
		return -1;
	snprintf(machine.profile, sizeof(machine.profile), "%s/state/boot/profile", machine.folder);
	snprintf(machine.plan, sizeof(machine.plan), "%s/state/boot/plan", machine.folder);
	for (size_t i = 0; i < FILES; i++) {
		_cleanup_close_ int fd = -1;

		snprintf(machine.files[i], sizeof(machine.files[i]), "%s/f%zu", machine.folder, i);
		fd = open(machine.files[i], O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
		if (fd < 0 || write_full(fd, content, sizeof(content)) < 0)
			return -1;
	}
	return 0;
}

static int teardown(void **state)
{
	struct machine *machine = *state;
	char path[128];

	if (geteuid() != 0)
		return 0;
	for (size_t i = 0; i < FILES; i++)
		unlink(machine->files[i]);
	unlink(machine->profile);
	unlink(machine->plan);
	snprintf(path, sizeof(path), "%s/state/boot", machine->folder);
	rmdir(path);
	snprintf(path, sizeof(path), "%s/state", machine->folder);
	rmdir(path);
	return rmdir(machine->folder);
}

/* A boot that read one page of each file of which the number is in `which`. */
static struct profile boot(const struct machine *machine, const char *program, const char *which)
{
	struct profile profile = {.command = strdup("boot"),
		.program = strdup(program),
		.kernel = strdup("6.12"),
		.device = strdup(""),
		.milestone = strdup("stop"),
		.page_size = PAGE,
		.runs = 1,
		.backend = PROFILE_BACKEND_SYNTHETIC};
	uint32_t order = 0;

	for (; *which; which++, order++) {
		size_t file;

		assert_int_equal(
			profile_add_file(&profile, machine->files[*which - '0'], PROFILE_REGULAR, &file), 0);
		profile.files[file].order = order;
		assert_int_equal(profile_file_add_range(&profile.files[file],
					 (struct profile_range){.pages = 1, .order = order, .runs = 1}),
			0);
		assert_int_equal(profile_file_identify(&profile.files[file]), 0);
	}
	assert_int_equal(profile_finish(&profile), 0);
	return profile;
}

static int keep_recording(
	const struct machine *machine, struct profile *recording, bool anew, struct boot_kept *kept)
{
	/* A file in memory would be left out of the plan. */
	const struct plan_options options = {.device = DEVICE_SOLID};

	return boot_keep(recording, anew, machine->profile, machine->plan, &options, kept);
}

static int keep(const struct machine *machine, const char *which, bool anew, struct boot_kept *kept)
{
	_cleanup_(profile_releasep) struct profile profile = {0};

	if (geteuid() != 0)
		skip(); /* a plan of a boot names only root's files */
	profile = boot(machine, "/", which);
	return keep_recording(machine, &profile, anew, kept);
}

static size_t recordings_of(const struct machine *machine)
{
	_cleanup_(recordings_releasep) struct recordings recordings = {0};
	enum profile_fault fault;

	assert_int_equal(recordings_load(machine->profile, &recordings, &fault), 0);
	return recordings.n;
}

/* Whether the plan has exactly these files. */
static void assert_planned(const struct machine *machine, const char *which)
{
	_cleanup_free_ char *data = NULL;
	struct plan_view view = {0};
	size_t size, found = 0;

	assert_int_equal(read_file(machine->plan, 1 << 20, &data, &size), 0);
	assert_int_equal(plan_view_init(&view, data, size, checksum64), PLAN_GOOD);
	assert_true(plan_is_snapshot(&view));
	for (const char *file = which; *file; file++)
		for (uint32_t i = 0; i < view.file_count; i++)
			found += strcmp(plan_file_path(&view, i), machine->files[*file - '0']) == 0;
	assert_int_equal(found, strlen(which));
	assert_int_equal(view.file_count, strlen(which));
}

static void a_plan_has_what_the_last_boots_read(void **state)
{
	struct machine *machine = *state;
	struct boot_kept kept;

	assert_int_equal(keep(machine, "01", false, &kept), 0);
	assert_int_equal(kept.recordings, 1);
	assert_false(kept.damaged);
	assert_planned(machine, "01");
	assert_int_equal(keep(machine, "02", false, &kept), 0);
	assert_planned(machine, "012");
	assert_int_equal(keep(machine, "0", false, &kept), 0);
	assert_int_equal(keep(machine, "03", false, &kept), 0);
	assert_int_equal(kept.recordings, 4);
	assert_planned(machine, "0123");
	/* Only the first boot has read file 1, and only the second file 2. */
	assert_int_equal(keep(machine, "04", false, &kept), 0);
	assert_int_equal(recordings_of(machine), BOOT_RECORDINGS);
	assert_planned(machine, "0234");
	assert_int_equal(keep(machine, "0", false, &kept), 0);
	assert_planned(machine, "034");
}

/* As before Linux 6.12: a boot that was read ahead shows only what the plan lacked. */
static void where_the_kernel_does_not_tell_nothing_leaves_the_plan(void **state)
{
	static const char *const boots[] = {"01", "2", "", "", "3", "", "", ""};
	struct machine *machine = *state;

	if (geteuid() != 0)
		skip();
	for (size_t i = 0; i < sizeof(boots) / sizeof(*boots); i++) {
		_cleanup_(profile_releasep) struct profile profile = boot(machine, "/", boots[i]);
		struct boot_kept kept;

		profile.bias |= PROFILE_BIAS_READAHEAD;
		assert_int_equal(keep_recording(machine, &profile, false, &kept), 0);
		assert_true(kept.recordings <= BOOT_RECORDINGS);
	}
	assert_planned(machine, "0123");
}

/* Only the first boot, which was not read ahead, has metadata: what reads ahead brings it in, and is not recorded. */
static void metadata_stays(void **state)
{
	_cleanup_(recordings_releasep) struct recordings recordings = {0};
	_cleanup_(profile_releasep) struct profile all = {0};
	struct machine *machine = *state;
	enum profile_fault fault;

	if (geteuid() != 0)
		skip();
	for (unsigned i = 0; i < 2 * BOOT_RECORDINGS; i++) {
		_cleanup_(profile_releasep) struct profile profile = boot(machine, "/", "0");
		struct boot_kept kept;

		if (i == 0)
			assert_int_equal(
				profile_add_metadata(&profile, 7, (struct profile_block_range){100, 5}), 0);
		if (i == 3)
			assert_int_equal(
				profile_add_metadata(&profile, 7, (struct profile_block_range){103, 4}), 0);
		assert_int_equal(keep_recording(machine, &profile, false, &kept), 0);
	}
	assert_int_equal(recordings_load(machine->profile, &recordings, &fault), 0);
	assert_int_equal(recordings.n, BOOT_RECORDINGS);
	assert_int_equal(recordings_merge(&recordings, &all), 0);
	assert_int_equal(all.n_file_systems, 1);
	assert_int_equal(profile_metadata_pages(&all), 7);
}

static void anew(void **state)
{
	struct machine *machine = *state;
	struct boot_kept kept;

	assert_int_equal(keep(machine, "01", false, &kept), 0);
	assert_int_equal(keep(machine, "2", true, &kept), 0);
	assert_int_equal(kept.recordings, 1);
	assert_int_equal(recordings_of(machine), 1);
	assert_planned(machine, "2");
}

static void for_root_alone(void **state)
{
	struct machine *machine = *state;
	struct boot_kept kept;
	struct stat st;

	assert_int_equal(keep(machine, "0", false, &kept), 0);
	assert_int_equal(stat(machine->profile, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(stat(machine->plan, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	/* What others could have written does not count, and is not replaced. */
	assert_int_equal(chmod(machine->profile, 0602), 0);
	assert_int_equal(keep(machine, "1", false, &kept), -EPERM);
	assert_planned(machine, "0");
	assert_int_equal(boot_open(machine->profile), -EPERM);
}

static void overwrite(const char *path, const void *data, size_t size, off_t offset)
{
	_cleanup_close_ int fd = open(path, O_WRONLY | O_CLOEXEC);

	assert_true(fd >= 0);
	assert_int_equal(pwrite(fd, data, size, offset), size);
}

static void damaged_recordings_are_replaced(void **state)
{
	struct machine *machine = *state;
	struct boot_kept kept;

	assert_int_equal(keep(machine, "0", false, &kept), 0);
	overwrite(machine->profile, "damaged", 7, 40);
	assert_int_equal(keep(machine, "1", false, &kept), 0);
	assert_true(kept.damaged);
	assert_planned(machine, "1");
	/* So is a profile of a program, and an empty file. */
	{
		_cleanup_(recordings_releasep) struct recordings other = {0};
		_cleanup_(profile_releasep) struct profile profile = boot(machine, "/usr/bin/true", "0");

		assert_int_equal(recordings_add(&other, &profile), 0);
		assert_int_equal(recordings_save(&other, machine->profile, 0600), 0);
	}
	assert_int_equal(keep(machine, "2", false, &kept), 0);
	assert_true(kept.damaged);
	assert_planned(machine, "2");
	assert_int_equal(truncate(machine->profile, 0), 0);
	assert_int_equal(keep(machine, "3", false, &kept), 0);
	assert_true(kept.damaged);
	assert_planned(machine, "3");
}

/* The version is the number after the magic. */
static void those_of_a_newer_version_are_left_alone(void **state)
{
	static const uint8_t newer[4] = {0xff, 0, 0, 0};
	struct machine *machine = *state;
	struct boot_kept kept;

	assert_int_equal(keep(machine, "0", false, &kept), 0);
	overwrite(machine->profile, newer, sizeof(newer), (off_t)strlen(PROFILE_MAGIC));
	assert_int_equal(keep(machine, "1", false, &kept), -EPROTO);
	assert_planned(machine, "0");
}

static void nothing_to_read_leaves_the_plan(void **state)
{
	struct machine *machine = *state;
	struct boot_kept kept;

	assert_int_equal(keep(machine, "0", false, &kept), 0);
	assert_int_equal(keep(machine, "", true, &kept), -ENODATA);
	assert_planned(machine, "0");
}

static void made_anew_of_what_is_kept(void **state)
{
	const struct plan_options options = {.device = DEVICE_SOLID};
	struct machine *machine = *state;
	struct boot_kept kept;

	assert_int_equal(keep(machine, "01", false, &kept), 0);
	assert_int_equal(unlink(machine->plan), 0);
	assert_int_equal(boot_plan_anew(machine->profile, machine->plan, &options), 0);
	assert_planned(machine, "01");
	assert_int_equal(recordings_of(machine), 1);
	overwrite(machine->profile, "damaged", 7, 40);
	assert_int_equal(boot_plan_anew(machine->profile, machine->plan, &options), -EBADMSG);
	assert_planned(machine, "01");
	assert_int_equal(unlink(machine->profile), 0);
	assert_int_equal(boot_plan_anew(machine->profile, machine->plan, &options), -ENOENT);
	assert_planned(machine, "01");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_plan_has_what_the_last_boots_read, setup, teardown),
		cmocka_unit_test_setup_teardown(
			where_the_kernel_does_not_tell_nothing_leaves_the_plan, setup, teardown),
		cmocka_unit_test_setup_teardown(metadata_stays, setup, teardown),
		cmocka_unit_test_setup_teardown(anew, setup, teardown),
		cmocka_unit_test_setup_teardown(for_root_alone, setup, teardown),
		cmocka_unit_test_setup_teardown(damaged_recordings_are_replaced, setup, teardown),
		cmocka_unit_test_setup_teardown(those_of_a_newer_version_are_left_alone, setup, teardown),
		cmocka_unit_test_setup_teardown(nothing_to_read_leaves_the_plan, setup, teardown),
		cmocka_unit_test_setup_teardown(made_anew_of_what_is_kept, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
