/* SPDX-License-Identifier: MIT */
/* The file of a measured disk: what is written is read again, and nothing else is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "device/model-file.h"

static const char identity[] = "serial S3Z8NB0K 500118192";
static const struct device_model hdd = {.latency_us = 168,
	.seek_us = 7600,
	.stroke_us = 16000,
	.bytes_per_ms = 60000,
	.depth = 1,
	.samples = 3412,
	.measured = 1763820000};
static const char good[] =
	"headstart disk 1\nidentity serial S3Z8NB0K 500118192\nmeasured 1763820000\nsamples 3412\n"
	"latency_us 168\nseek_us 7600\nstroke_us 16000\nbytes_per_ms 60000\ndepth 1\n";

static int read_text(const char *text, struct device_model *ret)
{
	return model_file_read(text, strlen(text), identity, ret);
}

static void what_is_written_is_read(void **state)
{
	char text[MODEL_FILE_MAX];
	struct device_model model;

	assert_int_equal(model_file_write(identity, &hdd, text), strlen(good));
	assert_string_equal(text, good);
	assert_int_equal(read_text(text, &model), 0);
	assert_memory_equal(&model, &hdd, sizeof(model));
	assert_true(model_file_write(identity, &(struct device_model){0}, text) > 0);
	assert_int_equal(read_text(text, &model), 0);
	assert_int_equal(model.samples, 0);
}

static void another_disk_is_not_this_one(void **state)
{
	struct device_model model = {.samples = 7};

	assert_int_equal(model_file_read(good, strlen(good), "serial S3Z8NB0K 50011819", &model), -ENOENT);
	assert_int_equal(model_file_read(good, strlen(good), "serial S3Z8NB0K 5001181920", &model), -ENOENT);
	assert_int_equal(model_file_read(good, strlen(good), "", &model), -ENOENT);
	assert_int_equal(model.samples, 7);
}

/* One place of a good file replaced by something else. */
static void expect_bad(const char *what, const char *instead)
{
	const char *at = strstr(good, what);
	char text[MODEL_FILE_MAX];
	struct device_model model;

	assert_non_null(at);
	snprintf(text, sizeof(text), "%.*s%s%s", (int)(at - good), good, instead, at + strlen(what));
	if (read_text(text, &model) != -EBADMSG)
		print_error("believed: '%s'\n", text);
	assert_int_equal(read_text(text, &model), -EBADMSG);
}

static void anything_else_is_refused(void **state)
{
	expect_bad("disk 1", "disk 2");
	expect_bad("headstart", " headstart");
	expect_bad("samples 3412\n", "");
	expect_bad("samples 3412\n", "samples 3412\nsamples 3412\n");
	expect_bad("samples 3412\nlatency_us 168\n", "latency_us 168\nsamples 3412\n");
	expect_bad("3412", "");
	expect_bad("3412", "-3412");
	expect_bad("3412", "+3412");
	expect_bad("3412", "03412");
	expect_bad("3412", " 3412");
	expect_bad("3412", "3412 ");
	expect_bad("3412", "3412\r");
	expect_bad("3412", "0x3412");
	expect_bad("3412", "4294967296");
	expect_bad("3412", "18446744073709551616");
	expect_bad("1763820000", "9223372036854775808");
	expect_bad("latency_us 168", "latency_us 60000001");
	expect_bad("depth 1", "depth 1000001");
	expect_bad("depth 1\n", "depth 1");
	expect_bad("depth 1\n", "depth 1\nmore 1\n");
	expect_bad("depth 1\n", "depth 1\n\n");
}

static void a_file_of_any_length_is_refused_whole(void **state)
{
	struct device_model model;
	char text[sizeof(good)];

	for (size_t length = 0; length < strlen(good); length++) {
		memcpy(text, good, length);
		text[length] = '\0';
		assert_int_equal(read_text(text, &model), -EBADMSG);
	}
	/* a NUL within */
	memcpy(text, good, sizeof(good));
	text[strlen(good) - 3] = '\0';
	assert_int_equal(model_file_read(text, strlen(good), identity, &model), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(another_disk_is_not_this_one),
		cmocka_unit_test(anything_else_is_refused),
		cmocka_unit_test(a_file_of_any_length_is_refused_whole),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
