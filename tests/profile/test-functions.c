/* SPDX-License-Identifier: MIT */
/* Unit tests of the functions of a recording: in memory, merged, on disk, and damaged there. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "fixture.h"
#include "format/endian.h"
#include "profile/file/profile-file.h"
#include "profile/functions.h"
#include "profile/recordings/common.h"
#include "profile/recordings/from-exec.h"
#include "profile/recordings/merge.h"
#include "seal.h"

/* Offsets on disk: profile/file/disk-layout.h. */
enum { AT_STRINGS_SIZE = 60, AT_FUNCTIONS_SIZE = 104, OBJECT = 48, CALL = 24 };

static const uint8_t id[] = {1, 2, 3, 4};

/* Adds the calls to the object of this path and build-id, up to address 0. */
static void call(
	struct profile_functions *functions, const char *path, size_t id_size, const uint64_t *addresses)
{
	size_t index;

	assert_int_equal(profile_functions_add_object(functions, path, id, id_size, &index), 0);
	for (; *addresses; addresses++)
		assert_int_equal(profile_functions_add_call(functions, index, *addresses, NULL), 0);
}

/* The program calls two functions, a library one, then the program a third. */
static struct profile_functions *some(void)
{
	struct profile_functions *functions = calloc(1, sizeof(*functions));
	size_t unused;

	call(functions, "/opt/app/bin/app", 4, (const uint64_t[]){0x401100, 0x401000, 0});
	call(functions, "/usr/lib/libone.so", 0, (const uint64_t[]){0x2000, 0});
	call(functions, "/opt/app/bin/app", 4, (const uint64_t[]){0x401200, 0});
	assert_int_equal(profile_functions_add_object(functions, "/usr/lib/libnone.so", id, 4, &unused), 0);
	profile_functions_finish(functions);
	assert_int_equal(profile_functions_check(functions), 0);
	return functions;
}

static uint32_t order_of(
	const struct profile_functions *functions, const char *path, size_t id_size, uint64_t address)
{
	struct profile_file file = {.path = (char *)path, .build_id_size = id_size};
	const struct profile_object *object;
	const struct profile_call *found;

	memcpy(file.build_id, id, id_size);
	object = profile_functions_of(functions, &file);
	assert_non_null(object);
	found = profile_object_find(object, address);
	assert_non_null(found);
	return found->order;
}

static void assert_some(const struct profile_functions *functions)
{
	assert_int_equal(functions->n_objects, 2);
	assert_int_equal(functions->n_calls, 4);
	assert_int_equal(order_of(functions, "/anywhere/app", 4, 0x401100), 0);
	assert_int_equal(order_of(functions, "/anywhere/app", 4, 0x401000), 1);
	assert_int_equal(order_of(functions, "/usr/lib/libone.so", 0, 0x2000), 2);
	assert_int_equal(order_of(functions, "/anywhere/app", 4, 0x401200), 3);
}

static void calls_are_found_by_build_id_or_path(void **state)
{
	struct profile_functions *functions = some();
	const struct profile_file elsewhere = {.path = (char *)"/usr/lib/libtwo.so"};

	assert_some(functions);
	assert_null(profile_functions_of(functions, &elsewhere));
	assert_null(profile_functions_of(NULL, &elsewhere));
	assert_null(profile_object_find(&functions->objects[0], 0x401001));
	profile_functions_free(functions);
}

/* What only the second has comes last, in its order; another build is another object. */
static void merging_keeps_both_orders(void **state)
{
	struct profile_functions *into = some(), *from = calloc(1, sizeof(*from)), *nothing = NULL;

	call(from, "/opt/app/bin/app", 4, (const uint64_t[]){0x401300, 0x401000, 0x400f00, 0});
	call(from, "/opt/app/bin/app", 3, (const uint64_t[]){0x401100, 0});
	profile_functions_finish(from);
	assert_int_equal(profile_functions_merge(&into, from), 0);
	assert_int_equal(profile_functions_check(into), 0);
	assert_int_equal(into->n_calls, 7);
	assert_int_equal(order_of(into, "", 4, 0x401000), 1);
	assert_int_equal(order_of(into, "", 4, 0x401300), 4);
	assert_int_equal(order_of(into, "", 4, 0x400f00), 5);
	assert_int_equal(order_of(into, "", 3, 0x401100), 6);
	assert_int_equal(profile_functions_merge(&nothing, NULL), 0);
	assert_null(nothing);
	assert_int_equal(profile_functions_merge(&nothing, into), 0);
	assert_int_equal(nothing->n_calls, 7);
	profile_functions_free(into);
	profile_functions_free(from);
	profile_functions_free(nothing);
}

/* Without one object, the calls of the others keep their order. */
static void an_object_is_left_out_with_its_calls(void **state)
{
	struct profile_functions *functions = some();

	assert_int_equal(profile_functions_leave_out(functions, 1), 0);
	assert_int_equal(profile_functions_check(functions), 0);
	assert_int_equal(functions->n_objects, 1);
	assert_int_equal(functions->n_calls, 3);
	assert_int_equal(order_of(functions, "", 4, 0x401100), 0);
	assert_int_equal(order_of(functions, "", 4, 0x401000), 1);
	assert_int_equal(order_of(functions, "", 4, 0x401200), 2);
	assert_int_equal(profile_functions_leave_out(functions, 0), 0);
	assert_int_equal(profile_functions_check(functions), 0);
	assert_int_equal(functions->n_objects, 0);
	profile_functions_free(functions);
}

/* What is known of the place of a function is kept in copies, merged, and on disk. */
static void places_are_kept(void **state)
{
	static const struct profile_place place = {0x1100, 64, 201, 202};
	_cleanup_(profile_releasep) struct profile profile = fixture_small(), read = {0};
	_cleanup_free_ void *data = NULL;
	struct profile_functions *known = calloc(1, sizeof(*known));
	const struct profile_call *found;
	size_t index, size;

	assert_int_equal(profile_functions_add_object(known, "/opt/app/bin/app", id, 4, &index), 0);
	assert_int_equal(profile_functions_add_call(known, index, 0x401400, &place), 0);
	profile_functions_finish(known);
	profile.functions = some();
	assert_int_equal(profile_functions_merge(&profile.functions, known), 0);
	assert_int_equal(profile_serialize(&profile, &data, &size), 0);
	assert_int_equal(profile_parse(data, size, &read), PROFILE_GOOD);
	found = profile_object_find(&read.functions->objects[0], 0x401400);
	assert_non_null(found);
	assert_memory_equal(&found->place, &place, sizeof(place));
	found = profile_object_find(&read.functions->objects[0], 0x401100);
	assert_int_equal(found->place.size, 0);
	known->objects[0].calls[0].place.size = UINT32_MAX - 0x10ff;
	assert_int_not_equal(profile_functions_check(known), 0);
	profile_functions_free(known);
}

static size_t index_of(struct profile_functions *functions, const char *path, const uint8_t *build_id)
{
	size_t index;

	assert_int_equal(profile_functions_add_object(functions, path, build_id, sizeof(id), &index), 0);
	return index;
}

/* Many objects, and another build of each. */
static void each_build_of_an_object_is_one_object(void **state)
{
	static const uint8_t other[sizeof(id)] = {9};
	struct profile_functions *functions = calloc(1, sizeof(*functions));
	char path[32];

	for (size_t round = 0; round < 3; round++) {
		for (size_t i = 0; i < 1000; i++) {
			snprintf(path, sizeof(path), "/lib/%zu", i);
			assert_int_equal(index_of(functions, path, id), 2 * i);
			assert_int_equal(index_of(functions, path, other), 2 * i + 1);
			assert_int_equal(
				profile_functions_add_call(functions, 2 * i + round % 2, round, NULL), 0);
		}
		assert_int_equal(functions->n_objects, 2000);
	}
	profile_functions_finish(functions); /* all are called */
	assert_int_equal(index_of(functions, "/lib/999", other), 1999);
	profile_functions_free(functions);
}

/* Made to have the same hash where that has no seed, or is no more than that of the path XOR that of the build-id. */
static void objects_made_to_collide_do_not(void **state)
{
	enum { MANY = 100 };
	struct profile_functions *functions = calloc(1, sizeof(*functions));
	char path[33];
	size_t index;

	assert_non_null(functions);
	for (size_t i = 0; i < MANY; i++) {
		snprintf(path, sizeof(path), "/tmp/aaaaaaaaaaa\xde\xd4\x6d\xe9\x83\x90\x97\xdb%08zu", i);
		assert_int_equal(profile_functions_add_object(functions, path, id, sizeof(id), &index), 0);
		snprintf(path, sizeof(path), "/%zu", i);
		assert_int_equal(profile_functions_add_object(
					 functions, path, (const uint8_t *)path, strlen(path), &index),
			0);
	}
	assert_int_equal(functions->indexed, 2 * MANY - 1);
	assert_int_equal(functions->by_name.count, functions->indexed);
	profile_functions_free(functions);
}

static void orders_are_checked(void **state)
{
	struct profile_functions *functions = some();

	functions->objects[0].calls[0].order = 2;
	assert_int_not_equal(profile_functions_check(functions), 0);
	functions->objects[0].calls[0].order = 4;
	assert_int_not_equal(profile_functions_check(functions), 0);
	functions->objects[0].calls[0].order = 1;
	functions->objects[0].calls[0].address = functions->objects[0].calls[1].address;
	assert_int_not_equal(profile_functions_check(functions), 0);
	profile_functions_free(functions);
}

struct image {
	uint8_t *data; /* owned */
	size_t size;
};

static struct image image_of(bool functions)
{
	_cleanup_(profile_releasep) struct profile profile = fixture_small();
	struct image image;

	profile.functions = functions ? some() : NULL;
	assert_int_equal(profile_serialize(&profile, (void **)&image.data, &image.size), 0);
	return image;
}

static void profile_with_functions_is_read_back(void **state)
{
	_cleanup_(profile_releasep) struct profile read = {0}, copy = {0}, cut = {0};
	struct image image = image_of(true);

	assert_int_equal(profile_parse(image.data, image.size, &read), PROFILE_GOOD);
	assert_some(read.functions);
	assert_int_equal(profile_copy(&read, &copy), 0);
	assert_some(copy.functions);
	assert_int_equal(profile_merge(&copy, &read), 0);
	assert_some(copy.functions);
	assert_int_equal(profile_from_exec(&read, 1, &cut), 0);
	assert_null(cut.functions);
	assert_int_equal(profile_keep_common(&copy, &read), 0);
	assert_null(copy.functions);
	for (size_t size = 0; size < image.size; size++)
		assert_int_not_equal(profile_parse(image.data, size, &cut), PROFILE_GOOD);
	free(image.data);
}

static void profile_without_functions_has_none(void **state)
{
	_cleanup_(profile_releasep) struct profile read = {0};
	struct image image = image_of(false);

	assert_int_equal(profile_parse(image.data, image.size, &read), PROFILE_GOOD);
	assert_null(read.functions);
	free(image.data);
}

/* The functions with each of their bits changed are refused or another good profile; nothing crashes. */
static void damaged_functions_do_no_harm(void **state)
{
	struct image with = image_of(true);
	size_t begin, end, refused = 0;
	uint64_t functions_size;
	uint32_t strings_size;

	memcpy(&functions_size, with.data + AT_FUNCTIONS_SIZE, sizeof(functions_size));
	memcpy(&strings_size, with.data + AT_STRINGS_SIZE, sizeof(strings_size));
	end = with.size - sizeof(uint64_t) - LE32(strings_size);
	begin = end - LE64(functions_size);
	assert_int_equal(functions_size,
		LE64(2 * OBJECT + sizeof("/opt/app/bin/app") + sizeof("/usr/lib/libone.so") + 4 * CALL));
	for (size_t i = begin; i < end; i++)
		for (int bit = 0; bit < 8; bit++) {
			struct profile read = {0};

			with.data[i] ^= (uint8_t)(1 << bit);
			seal_profile(with.data, with.size);
			if (profile_parse(with.data, with.size, &read) == PROFILE_GOOD)
				profile_release(&read);
			else
				refused++;
			with.data[i] ^= (uint8_t)(1 << bit);
		}
	assert_true(refused >= 4 * 32); /* any other order at least */
	free(with.data);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_are_found_by_build_id_or_path),
		cmocka_unit_test(merging_keeps_both_orders),
		cmocka_unit_test(an_object_is_left_out_with_its_calls),
		cmocka_unit_test(places_are_kept),
		cmocka_unit_test(each_build_of_an_object_is_one_object),
		cmocka_unit_test(objects_made_to_collide_do_not),
		cmocka_unit_test(orders_are_checked),
		cmocka_unit_test(profile_with_functions_is_read_back),
		cmocka_unit_test(profile_without_functions_has_none),
		cmocka_unit_test(damaged_functions_do_no_harm),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
