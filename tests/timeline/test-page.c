/* SPDX-License-Identifier: MIT */
/* The page and the export of a large start with hostile names: small enough, and no name gets out of its string. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <json-c/json.h>

#include "base/cleanup.h"
#include "report/timeline-export.h"
#include "report/timeline-report.h"

#define HOSTILE "/tmp/</script><script>alert(1)</script>\"'\\\n&amp;<!--\xff"
#define SPANS   200000u
#define FILES   400u

static struct timeline made;

/* A start of the size of Firefox's: a thread that waits for each read, and one that computes in between. */
static void make(size_t reads)
{
	made = (struct timeline){.page_size = 4096, .duration = 25000000000ull};
	made.program = strdup(HOSTILE);
	made.command = strdup(HOSTILE);
	assert_int_equal(timeline_add_thread(&made,
				 &(struct timeline_thread){.end = made.duration,
					 .tid = 1000000,
					 .pid = 1000000,
					 .parent = TIMELINE_NONE},
				 HOSTILE),
		0);
	for (size_t i = 0; i < FILES; i++)
		assert_int_equal(timeline_add_file(&made, TIMELINE_REGULAR, 30000, HOSTILE), 0);
	assert_int_equal(timeline_add_note(&made, HOSTILE), 0);
	assert_int_equal(timeline_add_exec(&made, 0, 0, HOSTILE), 0);
	assert_int_equal(timeline_add_mark(&made, made.duration, HOSTILE), 0);
	for (size_t i = 0; i < reads; i++) {
		uint64_t begin = made.duration / reads * i;

		assert_int_equal(timeline_add_read(&made,
					 &(struct timeline_read){.begin = begin,
						 .end = begin + made.duration / reads / 2,
						 .file = (uint32_t)(i % FILES),
						 .page = (uint32_t)(20000 + i % 9000),
						 .pages = 32,
						 .seeks = i % 2}),
			0);
	}
	for (size_t i = 0; i < SPANS; i++) {
		uint64_t begin = made.duration / SPANS * i;

		assert_int_equal(timeline_add_span(&made,
					 &(struct timeline_span){.begin = begin,
						 .end = begin + made.duration / SPANS,
						 .state = i % 3 ? TIMELINE_RUNNING : TIMELINE_READ,
						 .file = i % 3 ? TIMELINE_NONE : (uint32_t)(i % FILES),
						 .read = TIMELINE_NONE,
						 .note = i % 3 == 1 ? 0 : TIMELINE_NONE,
						 .waker = TIMELINE_NONE}),
			0);
	}
	assert_int_equal(timeline_check(&made), 0);
}

static char *written(int (*write)(FILE *out, const struct timeline *timeline), size_t *ret_size)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, ret_size);

	assert_int_equal(write(out, &made), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static size_t occurrences(const char *text, const char *word)
{
	size_t n = 0;

	for (; (text = strstr(text, word)); text++)
		n++;
	return n;
}

static struct json_object *data_of(const char *page)
{
	static const char begin[] = "id=\"data\">\n", end[] = "\n</script>";
	const char *at = strstr(page, begin);
	_cleanup_free_ char *text = NULL;

	assert_non_null(at);
	at += strlen(begin);
	text = strndup(at, (size_t)(strstr(at, end) - at));
	return json_tokener_parse(text);
}

static void expect_length(struct json_object *data, const char *key, size_t low, size_t high)
{
	size_t n = json_object_array_length(json_object_object_get(data, key));

	assert_true(n >= low && n <= high);
}

static void page_of_a_large_start(void **state)
{
	_cleanup_free_ char *page = NULL;
	struct json_object *data;
	const char *program;
	size_t size;

	make(50000);
	page = written(report_timeline_page, &size);
	assert_true(size < 5000000);
	data = data_of(page);
	assert_non_null(data);
	expect_length(data, "reads", 50000, 50000);
	expect_length(data, "files", FILES, FILES);
	expect_length(data, "spans", 20000, 80001);
	/* The page says what the report says. */
	expect_length(data, "words", TIMELINE_STATES, TIMELINE_STATES);
	for (size_t i = 0; i < TIMELINE_STATES; i++)
		assert_string_equal(json_object_get_string(json_object_array_get_idx(
					    json_object_object_get(data, "words"), i)),
			report_timeline_state(i));
	assert_int_equal(json_object_get_int(json_object_object_get(data, "left_out")), 0);
	program = json_object_get_string(json_object_object_get(data, "program"));
	assert_non_null(strstr(program, "</script><script>alert(1)")); /* whole, as text */
	json_object_put(data);
	/* Only the page's own scripts begin and end, and nothing is fetched. */
	assert_int_equal(occurrences(page, "<script"), 2);
	assert_int_equal(occurrences(page, "</script"), 2);
	assert_int_equal(occurrences(page, "<!--"), 0);
	assert_int_equal(occurrences(page, "http://") + occurrences(page, "https://"), 0);
	timeline_release(&made);
}

static void reads_beyond_what_a_page_bears_are_counted(void **state)
{
	_cleanup_free_ char *page = NULL;
	struct json_object *data;
	size_t size;

	make(100000);
	page = written(report_timeline_page, &size);
	data = data_of(page);
	expect_length(data, "reads", 80000, 80000);
	assert_int_equal(json_object_get_int(json_object_object_get(data, "left_out")), 20000);
	json_object_put(data);
	timeline_release(&made);
}

static void export_is_json_with_every_read(void **state)
{
	_cleanup_free_ char *text = NULL;
	struct json_object *data, *events;
	size_t size, begun = 0, ended = 0;

	make(5000);
	text = written(report_timeline_perfetto, &size);
	data = json_tokener_parse(text);
	assert_non_null(data);
	events = json_object_object_get(data, "traceEvents");
	for (size_t i = 0; i < json_object_array_length(events); i++) {
		struct json_object *event = json_object_array_get_idx(events, i);
		const char *phase = json_object_get_string(json_object_object_get(event, "ph"));

		assert_non_null(json_object_object_get(event, "name"));
		begun += *phase == 'b';
		ended += *phase == 'e';
	}
	assert_int_equal(begun, 5000);
	assert_int_equal(ended, 5000);
	json_object_put(data);
	timeline_release(&made);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(page_of_a_large_start),
		cmocka_unit_test(reads_beyond_what_a_page_bears_are_counted),
		cmocka_unit_test(export_is_json_with_every_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
