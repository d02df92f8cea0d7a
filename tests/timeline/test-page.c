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
#include "report/pictures/pictures.h"
#include "report/timelines/report.h"
#include "report/timelines/words.h"

#define HOSTILE         "/tmp/</script><script>alert(1)</script>\"'\\\n&amp;<!--\xff"
#define HOSTILE_IN_JSON "/tmp/</script><script>alert(1)</script>\"'\\\n&amp;<!--\xef\xbf\xbd"
#define SPANS           200000u
#define FILES           400u

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

static char *written(
	int (*write)(FILE *out, const struct timeline *timelines, size_t n), size_t starts, size_t *ret_size)
{
	const struct timeline both[] = {made, made};
	char *text = NULL;
	FILE *out = open_memstream(&text, ret_size);

	assert_int_equal(write(out, both, starts), 0);
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

static long long number_at(struct json_object *array, size_t i)
{
	return json_object_get_int64(json_object_array_get_idx(array, i));
}

/* The caller releases *ret_page. */
static struct json_object *start_of(const char *page, size_t i, struct json_object **ret_page)
{
	static const char begin[] = "id=\"data\">\n", end[] = "\n</script>";
	const char *at = strstr(page, begin);
	_cleanup_free_ char *text = NULL;

	assert_non_null(at);
	at += strlen(begin);
	text = strndup(at, (size_t)(strstr(at, end) - at));
	*ret_page = json_tokener_parse(text);
	assert_non_null(*ret_page);
	return json_object_array_get_idx(json_object_object_get(*ret_page, "starts"), i);
}

static void expect_length(struct json_object *data, const char *key, size_t low, size_t high)
{
	size_t n = json_object_array_length(json_object_object_get(data, key));

	assert_true(n >= low && n <= high);
}

static void page_of_a_large_start(void **state)
{
	_cleanup_free_ char *page = NULL;
	struct json_object *data, *all;
	const char *program;
	size_t size;

	make(50000);
	page = written(report_timeline_page, 1, &size);
	assert_true(size < 5000000);
	data = start_of(page, 0, &all);
	assert_non_null(data);
	expect_length(data, "reads", 50000, 50000);
	expect_length(data, "files", FILES, FILES);
	expect_length(data, "spans", 20000, 80001);
	/* The page says what the report says. */
	expect_length(all, "states", TIMELINE_STATES + 1, TIMELINE_STATES + 1);
	for (size_t i = 0; i < TIMELINE_STATES; i++) {
		struct json_object *class =
			json_object_array_get_idx(json_object_object_get(all, "states"), i);

		assert_string_equal(
			json_object_get_string(json_object_array_get_idx(class, 0)), timeline_state_name(i));
		assert_string_equal(json_object_get_string(json_object_array_get_idx(class, 1)),
			report_timeline_state(i));
	}
	assert_int_equal(json_object_get_int(json_object_object_get(data, "left_out")), 0);
	program = json_object_get_string(json_object_object_get(data, "program"));
	assert_non_null(strstr(program, "</script><script>alert(1)")); /* whole, as text */
	json_object_put(all);
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
	struct json_object *data, *all;
	size_t size;

	make(100000);
	page = written(report_timeline_page, 1, &size);
	data = start_of(page, 0, &all);
	expect_length(data, "reads", 80000, 80000);
	assert_int_equal(json_object_get_int(json_object_object_get(data, "left_out")), 20000);
	json_object_put(all);
	timeline_release(&made);
}

/* No start lasts for 580 years, but a file may say so. */
static void a_page_of_the_longest_start_has_an_end(void **state)
{
	const uint64_t middle = UINT64_MAX - UINT64_MAX / 64;
	_cleanup_free_ char *page = NULL;
	size_t size;

	made = (struct timeline){.page_size = 4096, .duration = UINT64_MAX};
	for (uint32_t i = 0; i < 81000; i++) {
		const struct timeline_thread thread = {.end = UINT64_MAX,
			.tid = (int32_t)i + 1,
			.pid = (int32_t)i + 1,
			.parent = i ? 0 : TIMELINE_NONE};

		assert_int_equal(timeline_add_thread(&made, &thread, ""), 0);
		for (int half = 0; half < 2; half++)
			assert_int_equal(timeline_add_span(&made,
						 &(struct timeline_span){.begin = half ? middle : 0,
							 .end = half ? UINT64_MAX : middle,
							 .thread = i,
							 .state = TIMELINE_RUNNING,
							 .file = TIMELINE_NONE,
							 .read = TIMELINE_NONE,
							 .note = TIMELINE_NONE,
							 .waker = TIMELINE_NONE}),
				0);
	}
	assert_int_equal(timeline_check(&made), 0);
	page = written(report_timeline_page, 1, &size);
	assert_non_null(strstr(page, "\"spans\":["));
	timeline_release(&made);
}

static void two_starts_are_no_larger_than_one(void **state)
{
	_cleanup_free_ char *page = NULL;
	struct json_object *all;
	size_t size;

	make(100000);
	page = written(report_timeline_page, 2, &size);
	assert_true(size < 5000000);
	for (size_t i = 0; i < 2; i++) {
		expect_length(start_of(page, i, &all), "reads", 40000, 40000);
		json_object_put(all);
	}
	timeline_release(&made);
}

static size_t occurrences_in_picture(size_t starts, const char *word)
{
	_cleanup_free_ char *picture = NULL;
	size_t size;

	picture = written(report_timeline_svg, starts, &size);
	assert_true(size < 5000000);
	return occurrences(picture, word);
}

/* What a name contains ends up as text. tests/timeline/test-timeline-page.sh parses a picture. */
static void picture_of_a_large_start(void **state)
{
	make(50000);
	assert_int_equal(occurrences_in_picture(1, "<script"), 0);
	assert_int_equal(occurrences_in_picture(1, "\xff"), 0);
	assert_int_equal(occurrences_in_picture(1, "where the time went"), 1);
	assert_int_equal(occurrences_in_picture(1, "First start"), 0);
	assert_int_equal(occurrences_in_picture(2, "where the time went"), 2);
	/* At the right edge a time ends where the picture does. */
	assert_int_equal(occurrences_in_picture(1, "<text class=\"faint end\" x=\"1196.0\""), 1);
	assert_int_equal(occurrences_in_picture(2, "First start"), 1);
	timeline_release(&made);
}

/* Where the text stands in the picture. */
static double height_of(const char *picture, const char *text)
{
	const char *at = strstr(picture, text);
	double y = 0;

	assert_non_null(at);
	while (at > picture && strncmp(at, " y=\"", 4) != 0)
		at--;
	assert_int_equal(sscanf(at, " y=\"%lf", &y), 1);
	return y;
}

/* Names that would stand on each other are in rows of their own, and the last one stands to the left of its line. */
static void picture_names_milestones(void **state)
{
	_cleanup_free_ char *picture = NULL;
	size_t size;

	make(50);
	assert_int_equal(timeline_add_mark(&made, 0, "early"), 0);
	assert_int_equal(timeline_add_mark(&made, made.duration / 100, "<soon>"), 0);
	assert_int_equal(timeline_add_mark(&made, made.duration, "last"), 0);
	picture = written(report_timeline_svg, 1, &size);
	assert_int_equal(occurrences(picture, ">early</text>"), 1);
	assert_true(height_of(picture, ">early<") < height_of(picture, ">&#60;soon&#62;<"));
	assert_int_equal(occurrences(picture, ">last</text>"), 1);
	assert_non_null(strstr(picture, "<text class=\"text end\" x=\"1176.0\""));
	timeline_release(&made);
}

/* Reads by a plan: each kind has its colour and its words, and the sentence says their numbers. */
static void what_was_prefetched_is_told_apart(void **state)
{
	_cleanup_(sums_releasep) struct sums sums = {0};
	_cleanup_free_ char *sentence = NULL;

	make(50);
	assert_int_equal(occurrences_in_picture(1, "prefetched"), 0);
	for (size_t i = 0; i < 6; i++)
		made.reads[i].prefetch = i < 3 ? TIMELINE_IN_TIME : i < 5 ? TIMELINE_LATE : TIMELINE_IN_VAIN;
	assert_int_equal(sums_make(&made, &sums), 0);
	sentence = report_timeline_sentence(&made, &sums);
	assert_non_null(strstr(
		sentence, "; of 6 reads that headstart made ahead, 3 came in time, 2 late, and 1 in vain."));
	assert_int_equal(occurrences_in_picture(1, "prefetched in time"), 1);
	assert_int_equal(occurrences_in_picture(1, "prefetched, but the start wanted it earlier"), 1);
	assert_int_equal(occurrences_in_picture(1, "prefetched in vain"), 1);
	timeline_release(&made);
}

/* Waits for a second for each of these files, and for others by name; NULL ends them. */
static char *mostly_of(const char *const *files)
{
	_cleanup_(timeline_releasep) struct timeline timeline = {.page_size = 4096};
	_cleanup_(sums_releasep) struct sums sums = {0};
	uint32_t n = 0;

	while (files[n])
		n++;
	timeline.duration = n * 1000000000ull;
	timeline_add_thread(&timeline,
		&(struct timeline_thread){
			.end = timeline.duration, .tid = 1, .pid = 1, .parent = TIMELINE_NONE},
		"program");
	for (uint32_t i = 0; i < n; i++) {
		/* The same name is the same file. */
		uint32_t file = i > 0 && strcmp(files[i], files[i - 1]) == 0 ? (uint32_t)timeline.n_files - 1
									     : (uint32_t)timeline.n_files;

		if (file == timeline.n_files)
			timeline_add_file(&timeline, TIMELINE_REGULAR, 1, files[i]);
		timeline_add_span(&timeline,
			&(struct timeline_span){.begin = i * 1000000000ull,
				.end = (i + 1) * 1000000000ull,
				.state = TIMELINE_READ,
				.file = file,
				.read = TIMELINE_NONE,
				.note = TIMELINE_NONE,
				.waker = TIMELINE_NONE});
	}
	assert_int_equal(timeline_check(&timeline), 0);
	assert_int_equal(sums_make(&timeline, &sums), 0);
	return report_timeline_mostly(&timeline, &sums);
}

/* A file if it explains half of it, else the deepest folder that does. */
static void what_a_start_mostly_waited_for(void **state)
{
	static const struct {
		const char *files[8], *says;
	} list[] = {
		{{"/lib/a", "/lib/a", "/usr/b"}, "waiting for reads: 3.0 of 3.0 s; 2.0 s of it for /lib/a"},
		{{"/usr/fonts/x/a", "/usr/fonts/b", "/usr/fonts/y/c", "/usr/bin/d"},
			"waiting for reads: 4.0 of 4.0 s; 3.0 s of it for 3 files in /usr/fonts"},
		{{"/usr/fonts/x/a", "/usr/fonts/x/b", "/usr/fonts/c", "/bin/d"},
			"waiting for reads: 4.0 of 4.0 s; 2.0 s of it for 2 files in /usr/fonts/x"},
		{{"/a/1", "/b/2", "/c/3", "/d/4"}, "waiting for reads: 4.0 of 4.0 s; 1.0 s of it for /a/1"},
		{{"", "/", "relative", "/a//"}, "waiting for reads: 4.0 of 4.0 s; 1.0 s of it for "},
	};

	for (size_t i = 0; i < sizeof(list) / sizeof(*list); i++) {
		_cleanup_free_ char *text = mostly_of(list[i].files);

		assert_string_equal(text, list[i].says);
	}
}

static void many_files_of_a_folder_are_counted_with_commas(void **state)
{
	static char names[1200][32];
	const char *files[1201] = {NULL};
	_cleanup_free_ char *text = NULL;

	for (size_t i = 0; i < 1200; i++) {
		snprintf(names[i], sizeof(names[i]), "/usr/fonts/%zu", i);
		files[i] = names[i];
	}
	text = mostly_of(files);
	assert_string_equal(
		text, "waiting for reads: 1200.0 of 1200.0 s; 1200.0 s of it for 1,200 files in /usr/fonts");
}

/* A second of each of these states; TIMELINE_STATES ends them. After that nobody is there until the start has taken `seconds`. */
static struct timeline start_of_states(const enum timeline_state *states, uint32_t seconds)
{
	struct timeline timeline = {.page_size = 4096, .duration = seconds * 1000000000ull};
	uint32_t n = 0;

	while (states[n] != TIMELINE_STATES)
		n++;
	timeline_add_thread(&timeline,
		&(struct timeline_thread){
			.end = n * 1000000000ull, .tid = 1, .pid = 1, .parent = TIMELINE_NONE},
		"program");
	for (uint32_t i = 0; i < n; i++)
		timeline_add_span(&timeline,
			&(struct timeline_span){.begin = i * 1000000000ull,
				.end = (i + 1) * 1000000000ull,
				.state = states[i],
				.file = TIMELINE_NONE,
				.read = TIMELINE_NONE,
				.note = TIMELINE_NONE,
				.waker = TIMELINE_NONE});
	assert_int_equal(timeline_check(&timeline), 0);
	return timeline;
}

static void sentence_has_the_wait_for_a_processor(void **state)
{
	static const enum timeline_state states[] = {TIMELINE_READ, TIMELINE_RUNNABLE, TIMELINE_RUNNABLE,
		TIMELINE_RUNNABLE, TIMELINE_RUNNING, TIMELINE_STATES};
	_cleanup_(timeline_releasep) struct timeline timeline = start_of_states(states, 5);
	_cleanup_(sums_releasep) struct sums sums = {0};
	_cleanup_free_ char *sentence = NULL;

	assert_int_equal(sums_make(&timeline, &sums), 0);
	sentence = report_timeline_sentence(&timeline, &sums);
	assert_string_equal(sentence,
		"1.0 of 5.0 s were waiting for 0 reads; 3.0 s waiting for a processor; 1.0 s computing; what prefetching would "
		"save is not known, since the disk was not measured.");
}

/* A second of computing in five: most of the time went to nobody. */
static void time_without_a_process_is_a_cause(void **state)
{
	static const enum timeline_state states[] = {TIMELINE_RUNNING, TIMELINE_STATES};
	_cleanup_(sums_releasep) struct sums sums = {0};
	_cleanup_free_ char *mostly = NULL, *sentence = NULL, *page = NULL;
	struct json_object *all, *causes, *class;
	uint64_t sum = 0;
	size_t size;

	made = start_of_states(states, 5);
	assert_int_equal(sums_make(&made, &sums), 0);
	mostly = report_timeline_mostly(&made, &sums);
	assert_string_equal(mostly, "no process was there: 4.0 of 5.0 s");
	sentence = report_timeline_sentence(&made, &sums);
	assert_string_equal(sentence,
		"0.000 of 5.0 s were waiting for 0 reads; 4.0 s without any process; 1.0 s computing; there is nothing to gain "
		"by prefetching.");
	page = written(report_timeline_page, 1, &size);
	causes = json_object_object_get(start_of(page, 0, &all), "causes");
	for (size_t i = 0; i < json_object_array_length(causes); i++)
		sum += (uint64_t)number_at(causes, i);
	assert_int_equal(sum, 5000000);
	class = json_object_array_get_idx(json_object_object_get(all, "states"), TIMELINE_STATES);
	assert_string_equal(
		json_object_get_string(json_object_array_get_idx(class, 1)), "no process was there");
	json_object_put(all);
	assert_int_equal(occurrences_in_picture(1, "no process was there: 4.0 s"), 1);
	timeline_release(&made);
}

/* A boot: each unit waits for a file of its own, those that come first for the shortest time. */
static void make_boot(uint32_t units)
{
	made = (struct timeline){.page_size = 4096, .duration = 25000000000ull};
	made.program = strdup("machine");
	made.command = strdup("");
	made.kernel = strdup("");
	made.ended_by = strdup("stop");
	for (uint32_t i = 0; i < units; i++) {
		const int32_t number = (int32_t)i + 1;
		const uint64_t begin = i * 1000000ull, end = begin + number * 1000000ull;
		const struct timeline_thread thread = {
			.begin = begin, .end = end, .tid = number, .pid = number, .parent = TIMELINE_NONE};
		const struct timeline_unit unit = {begin, i % 2 ? end : TIMELINE_NEVER};
		char path[32];

		snprintf(path, sizeof(path), "/file-%u", i);
		assert_int_equal(timeline_add_file(&made, TIMELINE_REGULAR, 100, path), 0);
		assert_int_equal(timeline_add_thread(&made, &thread, HOSTILE), 0);
		assert_int_equal(timeline_add_unit(&made, &unit), 0);
		assert_int_equal(timeline_add_read(&made,
					 &(struct timeline_read){.begin = begin,
						 .end = end,
						 .thread = i,
						 .file = i,
						 .pages = 2,
						 .seeks = true}),
			0);
		assert_int_equal(timeline_add_span(&made,
					 &(struct timeline_span){.begin = begin,
						 .end = end,
						 .thread = i,
						 .state = TIMELINE_READ,
						 .file = i,
						 .read = i,
						 .note = TIMELINE_NONE,
						 .waker = TIMELINE_NONE}),
			0);
	}
	assert_int_equal(timeline_add_mark(&made, 1000, HOSTILE ".target"), 0);
	assert_int_equal(timeline_check(&made), 0);
}

static void page_of_a_boot_with_many_units(void **state)
{
	_cleanup_free_ char *page = NULL;
	struct json_object *data, *all, *units, *first;
	size_t size;

	make_boot(3000);
	page = written(report_timeline_page, 1, &size);
	assert_true(size < 5000000);
	data = start_of(page, 0, &all);
	expect_length(data, "units", 3000, 3000);
	units = json_object_object_get(data, "units");
	first = json_object_array_get_idx(units, 0); /* waited longest */
	assert_int_equal(number_at(first, 0), 2999);
	assert_int_equal(number_at(first, 1), 3000000);
	assert_int_equal(number_at(first, 2), 2 * 4096);
	assert_int_equal(number_at(first, 3), 1);
	assert_int_equal(number_at(first, 4), 1);
	assert_int_equal(number_at(first, 5), 1);
	assert_int_equal(number_at(first, 6), 2999);
	assert_int_equal(number_at(first, 7), 3000000);
	assert_int_equal(number_at(first, 8), 2999000);
	assert_int_equal(number_at(first, 9), 5999000);
	assert_int_equal(number_at(json_object_array_get_idx(units, 1), 9), -1);
	json_object_put(all);
	assert_int_equal(occurrences(page, "<script"), 2);
	assert_int_equal(occurrences(page, "</script"), 2);
	assert_int_equal(occurrences(page, "<!--"), 0);
	assert_int_equal(occurrences_in_picture(1, "<script"), 0);
	assert_int_equal(occurrences_in_picture(1, "\xff"), 0);
	assert_int_equal(occurrences_in_picture(1, "and 2960 more"), 1);
	assert_int_equal(occurrences_in_picture(2, "Second boot"), 1);
	/* Frames of those of the 40 that became active. */
	assert_int_equal(occurrences_in_picture(1, "class=\"frame\""), 20);
	timeline_release(&made);
}

static char *said_of(bool json, size_t rows)
{
	const struct report_style style = {.columns = 100, .rows = rows, .utf8 = true};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	assert_int_equal(
		json ? report_timeline_json(out, &made) : report_timeline_text(out, &made, &style), 0);
	assert_int_equal(fclose(out), 0);
	return text;
}

static void report_of_a_boot(void **state)
{
	_cleanup_free_ char *text = NULL, *json = NULL;
	struct json_object *data, *unit;

	make_boot(1000);
	text = said_of(false, 20);
	assert_non_null(strstr(text, "boot of machine\n"));
	assert_non_null(strstr(text, "in 1000 units\n"));
	assert_non_null(strstr(text, "units by the time that they waited for reads"));
	assert_non_null(strstr(text, "    1.0 s    8.2 kB      1      1      1     1.0    2.0  "));
	assert_non_null(strstr(text, "1.0 s of it for /file-999\n"));
	assert_non_null(strstr(text, "and 980 more"));
	assert_null(strstr(text, "processes"));
	assert_null(strchr(text, '\xff'));
	assert_null(strstr(text, "prefetching"));
	json = said_of(true, 0);
	data = json_tokener_parse(json);
	assert_int_equal(json_object_array_length(json_object_object_get(data, "units")), 1000);
	assert_null(json_object_object_get(data, "processes"));
	unit = json_object_array_get_idx(json_object_object_get(data, "units"), 0);
	assert_int_equal(json_object_get_int(json_object_object_get(unit, "bytes")), 2 * 4096);
	assert_string_equal(json_object_get_string(json_object_object_get(unit, "longest_for")), "/file-999");
	assert_true(json_object_get_double(json_object_object_get(unit, "waited")) == 1.0);
	assert_true(json_object_get_double(json_object_object_get(unit, "active")) == 1.999);
	unit = json_object_array_get_idx(json_object_object_get(data, "units"), 1);
	assert_null(json_object_object_get(unit, "active"));
	json_object_put(data);
	timeline_release(&made);
}

static void waits_that_are_left_out_are_counted(void **state)
{
	static const enum timeline_state states[] = {
		TIMELINE_LOCK, TIMELINE_TIMER, TIMELINE_PIPE, TIMELINE_STATES};
	_cleanup_free_ char *text = NULL, *whole = NULL;

	made = start_of_states(states, 3);
	made.program = strdup("program");
	made.command = strdup("program");
	made.kernel = strdup("");
	made.ended_by = strdup("exit");
	text = said_of(false, 1);
	whole = said_of(false, 3);
	assert_int_equal(occurrences(text, "and 2 more"), 1);
	assert_int_equal(occurrences(whole, " more"), 0);
	timeline_release(&made);
}

static void export_is_json_with_every_read(void **state)
{
	_cleanup_free_ char *text = NULL;
	struct json_object *data, *events;
	size_t size, begun = 0, ended = 0;

	make(5000);
	text = written(report_timeline_perfetto, 1, &size);
	data = json_tokener_parse(text);
	assert_non_null(data);
	events = json_object_object_get(data, "traceEvents");
	for (size_t i = 0; i < json_object_array_length(events); i++) {
		struct json_object *event = json_object_array_get_idx(events, i);
		const char *phase = json_object_get_string(json_object_object_get(event, "ph"));

		assert_non_null(json_object_object_get(event, "name"));
		begun += *phase == 'b';
		ended += *phase == 'e';
		if (*phase != 'b' && *phase != 'e')
			continue;
		/* Perfetto knows the track of an asynchronous event by its name alone. */
		assert_string_equal(
			json_object_get_string(json_object_object_get(event, "name")), HOSTILE_IN_JSON);
		if (*phase == 'b')
			assert_string_equal(json_object_get_string(json_object_object_get(
						    json_object_object_get(event, "args"), "file")),
				HOSTILE_IN_JSON);
	}
	assert_int_equal(begun, 5000);
	assert_int_equal(ended, 5000);
	json_object_put(data);
	timeline_release(&made);
}

/* A start that reads some of each of many files; it waits for the later ones longer. */
static void make_files(uint32_t n)
{
	made = (struct timeline){
		.page_size = 4096, .recorded = 1700000000, .duration = n * (n + 1ull) * 1000};
	made.program = strdup("/bin/program");
	made.command = strdup("program");
	timeline_add_thread(&made,
		&(struct timeline_thread){.end = made.duration, .tid = 1, .pid = 1, .parent = TIMELINE_NONE},
		"program");
	for (uint32_t i = 0; i < n; i++) {
		const uint64_t begin = i * (i + 1ull) * 1000, end = (i + 1) * (i + 2ull) * 1000;
		char path[32];

		snprintf(path, sizeof(path), "/lib/file-%u", i);
		timeline_add_file(&made, TIMELINE_REGULAR, 400, path);
		timeline_add_read(
			&made, &(struct timeline_read){.begin = begin, .end = end, .file = i, .pages = 400});
		timeline_add_span(&made,
			&(struct timeline_span){.begin = begin,
				.end = end,
				.state = TIMELINE_READ,
				.file = i,
				.read = i,
				.note = TIMELINE_NONE,
				.waker = TIMELINE_NONE});
	}
}

/* A process of many threads. */
static void make_threads(uint32_t n)
{
	made = (struct timeline){.page_size = 4096, .duration = 1000000000};
	made.program = strdup("/bin/program");
	made.command = strdup("program");
	for (uint32_t i = 0; i < n; i++) {
		const struct timeline_thread thread = {.end = made.duration,
			.tid = (int32_t)i + 1,
			.pid = 1,
			.parent = i ? 0 : TIMELINE_NONE};
		const struct timeline_span span = {.end = made.duration,
			.thread = i,
			.file = TIMELINE_NONE,
			.read = TIMELINE_NONE,
			.note = TIMELINE_NONE,
			.waker = TIMELINE_NONE};

		timeline_add_thread(&made, &thread, "thread");
		timeline_add_span(&made, &span);
	}
}

/* Writes the page of a start for tests/timeline/test-timeline-page.sh. */
static int write_page(const char *start, const char *path)
{
	FILE *out = fopen(path, "w");
	static const enum timeline_state states[] = {TIMELINE_RUNNING, TIMELINE_RUNNABLE, TIMELINE_READ,
		TIMELINE_WRITE, TIMELINE_LOCK, TIMELINE_CHILD, TIMELINE_TIMER, TIMELINE_MESSAGE,
		TIMELINE_PIPE, TIMELINE_EVENTS, TIMELINE_OTHER, TIMELINE_STATES};

	assert_non_null(out);
	if (strcmp(start, "all-causes") == 0)
		made = start_of_states(states, 12);
	else if (strcmp(start, "many-threads") == 0)
		make_threads(200000);
	else
		make_files(strcmp(start, "many-files") == 0 ? 4000 : 60);
	assert_int_equal(timeline_check(&made), 0);
	assert_int_equal(report_timeline_page(out, &made, 1), 0);
	timeline_release(&made);
	return fclose(out);
}

/*
 * With --large the starts of which a page bears only a part: they would take minutes under valgrind. With --page START FILE it
 * writes a page, and tests nothing.
 */
int main(int argc, char **argv)
{
	const struct CMUnitTest large[] = {
		cmocka_unit_test(page_of_a_large_start),
		cmocka_unit_test(reads_beyond_what_a_page_bears_are_counted),
		cmocka_unit_test(a_page_of_the_longest_start_has_an_end),
		cmocka_unit_test(two_starts_are_no_larger_than_one),
		cmocka_unit_test(picture_of_a_large_start),
		cmocka_unit_test(page_of_a_boot_with_many_units),
	};
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(picture_names_milestones),
		cmocka_unit_test(what_was_prefetched_is_told_apart),
		cmocka_unit_test(what_a_start_mostly_waited_for),
		cmocka_unit_test(many_files_of_a_folder_are_counted_with_commas),
		cmocka_unit_test(sentence_has_the_wait_for_a_processor),
		cmocka_unit_test(time_without_a_process_is_a_cause),
		cmocka_unit_test(report_of_a_boot),
		cmocka_unit_test(waits_that_are_left_out_are_counted),
		cmocka_unit_test(export_is_json_with_every_read),
	};

	if (argc == 4 && strcmp(argv[1], "--page") == 0)
		return write_page(argv[2], argv[3]);
	if (argc > 1 && strcmp(argv[1], "--large") == 0)
		return cmocka_run_group_tests(large, NULL, NULL);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
