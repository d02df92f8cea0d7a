/* SPDX-License-Identifier: MIT */
/* Unit tests of the live model: windows that add up to the whole, what /proc says, and pages that fit a terminal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <elf.h>
#include <errno.h>
#include <json-c/json.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "live/look.h"
#include "live/show.h"
#include "live/window.h"
#include "record/timelines/status.h"
#include "record/timelines/threads.h"

#define MS     UINT64_C(1000000) /* nanoseconds */
#define DEVICE (8u << 20)
#define DISK   (8u << 20)
#define CHILD  101
#define LEADER 100

struct fixture {
	struct window window;
	struct live live;
	struct record_trace trace;
	struct record_files files;
};

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));
	const struct carried first = {.tid = LEADER, .pid = LEADER};
	struct record_file *file;

	assert_non_null(fixture);
	fixture->live.exact = true;
	fixture->live.began = fixture->window.began = 1 * MS;
	assert_int_equal(carry_add(&fixture->window.carry, &first, "prog", 0), 0);
	assert_int_equal(record_files_add(&fixture->files, &file), 0);
	file->path = strdup("/lib/x.so");
	file->device = DEVICE;
	file->inode = 5;
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	window_release(&fixture->window);
	live_release(&fixture->live);
	record_trace_release(&fixture->trace);
	record_files_release(&fixture->files);
	free(fixture);
	return 0;
}

static void add(struct fixture *fixture, const struct timeline_moment *moment)
{
	assert_int_equal(record_trace_add_moment(&fixture->trace, moment), 0);
}

static void add_switch(struct fixture *fixture, uint64_t time, int32_t from, int32_t to, uint32_t state)
{
	add(fixture,
		&(struct timeline_moment){.kind = MOMENT_SWITCH,
			.time = time,
			.thread = from,
			.other = to,
			.state = state,
			.name = "prog"});
}

static void add_pages(
	struct fixture *fixture, uint64_t time, enum timeline_moment_kind kind, uint32_t first, uint32_t last)
{
	add(fixture,
		&(struct timeline_moment){.kind = (uint8_t)kind,
			.time = time,
			.thread = LEADER,
			.device = DEVICE,
			.inode = 5,
			.first = first,
			.last = last});
}

static void add_request(struct fixture *fixture, uint64_t time, bool done)
{
	const struct record_request request = {
		.time = time, .device = DISK, .sectors = 32, .reads = !done, .done = done};

	assert_int_equal(record_trace_add_request(&fixture->trace, &request), 0);
}

static void turn(struct fixture *fixture, uint64_t complete)
{
	assert_int_equal(window_take(&fixture->window, &fixture->trace), 0);
	assert_int_equal(fixture->trace.n_moments + fixture->trace.n_requests, 0);
	assert_int_equal(window_turn(&fixture->window, &fixture->files, complete, &fixture->live), 0);
}

static struct live_process *process(struct fixture *fixture, int32_t pid)
{
	for (size_t i = 0; i < fixture->live.n_processes; i++)
		if (fixture->live.processes[i].pid == pid)
			return &fixture->live.processes[i];
	fail_msg("there is no process %d", pid);
	return NULL;
}

static void assert_about(uint64_t is, uint64_t expected)
{
	assert_in_range(is, expected - 1000, expected + 1000);
}

/* The thread asks for pages at 1.2 ms, waits from 1.3 to 2.5 ms, and runs on. A window ends at 2 ms. */
static void begin_read(struct fixture *fixture)
{
	add_switch(fixture, 11 * MS / 10, 0, LEADER, 0);
	add(fixture,
		&(struct timeline_moment){.kind = MOMENT_CALL, .time = 115 * MS / 100, .thread = LEADER});
	add_pages(fixture, 120 * MS / 100, MOMENT_TOUCH, 0, 0);
	add_pages(fixture, 121 * MS / 100, MOMENT_ADDED, 0, 3);
	add(fixture,
		&(struct timeline_moment){.kind = MOMENT_ASKED,
			.time = 122 * MS / 100,
			.thread = LEADER,
			.disk = DISK,
			.sectors = 32});
	add_request(fixture, 123 * MS / 100, false);
	add_switch(fixture, 13 * MS / 10, LEADER, 0, 2);
}

static void a_read_over_two_windows_is_one_read(void **state)
{
	struct fixture *fixture = *state;
	struct live *live = &fixture->live;
	uint64_t page_size = (uint64_t)sysconf(_SC_PAGESIZE);

	begin_read(fixture);
	turn(fixture, 2 * MS);
	assert_string_equal(live->reading, "/lib/x.so");
	assert_int_equal(live->reader, LEADER);
	assert_int_equal(process(fixture, LEADER)->state, TIMELINE_READ);
	assert_int_equal(live->reads, 1);
	assert_int_equal(live->recent, 32 * 512 / page_size * page_size);
	assert_about(live->waited, 7 * MS / 10);

	add(fixture,
		&(struct timeline_moment){.kind = MOMENT_WAKING,
			.time = 25 * MS / 10,
			.other = LEADER,
			.context = CONTEXT_HARD});
	add_request(fixture, 249 * MS / 100, true);
	add_switch(fixture, 26 * MS / 10, 0, LEADER, 0);
	turn(fixture, 3 * MS);
	assert_null(live->reading);
	assert_int_equal(process(fixture, LEADER)->state, TIMELINE_RUNNING);
	assert_int_equal(live->reads, 1);
	assert_int_equal(live->recent, 0);
	assert_about(live->waited, 12 * MS / 10);
	assert_int_equal(live->n_files, 1);
	assert_about(live->files[0].waited, 12 * MS / 10);
	assert_about(process(fixture, LEADER)->states[TIMELINE_READ], 12 * MS / 10);
	assert_about(process(fixture, LEADER)->states[TIMELINE_RUNNING], 6 * MS / 10);
	assert_string_equal(process(fixture, LEADER)->name, "prog");
}

/* Without an event it goes on doing the same. */
static void a_quiet_window_changes_no_state(void **state)
{
	struct fixture *fixture = *state;

	begin_read(fixture);
	turn(fixture, 2 * MS);
	turn(fixture, 3 * MS);
	turn(fixture, 4 * MS);
	assert_int_equal(process(fixture, LEADER)->state, TIMELINE_READ);
	assert_about(fixture->live.waited, 27 * MS / 10);
	assert_int_equal(fixture->live.reads, 1);
}

/* Events that came while the window was made belong to the next one. */
static void what_comes_late_is_not_lost(void **state)
{
	struct fixture *fixture = *state;

	begin_read(fixture);
	turn(fixture, 125 * MS / 100);
	assert_int_equal(process(fixture, LEADER)->state, TIMELINE_RUNNING);
	turn(fixture, 2 * MS);
	assert_int_equal(process(fixture, LEADER)->state, TIMELINE_READ);
	assert_int_equal(fixture->live.reads, 1);
	assert_about(fixture->live.waited, 7 * MS / 10);
}

static void children_come_and_go(void **state)
{
	struct fixture *fixture = *state;

	add_switch(fixture, 11 * MS / 10, 0, LEADER, 0);
	add(fixture,
		&(struct timeline_moment){
			.kind = MOMENT_NEW, .time = 12 * MS / 10, .thread = LEADER, .other = CHILD});
	add_switch(fixture, 13 * MS / 10, LEADER, CHILD, 1);
	turn(fixture, 2 * MS);
	assert_int_equal(process(fixture, CHILD)->parent, LEADER);
	assert_false(process(fixture, CHILD)->ended);
	assert_int_equal(process(fixture, CHILD)->state, TIMELINE_RUNNING);
	add_switch(fixture, 25 * MS / 10, CHILD, 0, 0x20);
	turn(fixture, 3 * MS);
	assert_about(process(fixture, CHILD)->states[TIMELINE_RUNNING], 12 * MS / 10);
	turn(fixture, 4 * MS);
	assert_true(process(fixture, CHILD)->ended);
	assert_about(process(fixture, CHILD)->states[TIMELINE_RUNNING], 12 * MS / 10);
	assert_false(process(fixture, LEADER)->ended);
}

/* The first thread makes another one, which runs from 1.3 ms on; the first one ends. */
static void end_first_thread(struct fixture *fixture)
{
	add_switch(fixture, 11 * MS / 10, 0, LEADER, 0);
	add(fixture,
		&(struct timeline_moment){.kind = MOMENT_NEW,
			.time = 12 * MS / 10,
			.thread = LEADER,
			.other = CHILD,
			.flags = MOMENT_SHARES_THREAD});
	add_switch(fixture, 13 * MS / 10, LEADER, CHILD, 0x20);
	turn(fixture, 2 * MS);
	assert_false(process(fixture, LEADER)->ended);
	assert_int_equal(process(fixture, LEADER)->state, TIMELINE_RUNNING);
}

/* A read of the thread that has this number, from 3.2 ms on. */
static void read_as(struct fixture *fixture, int32_t tid)
{
	add(fixture,
		&(struct timeline_moment){.kind = MOMENT_ADDED,
			.time = 31 * MS / 10,
			.thread = tid,
			.device = DEVICE,
			.inode = 5,
			.first = 0,
			.last = 3});
	add(fixture,
		&(struct timeline_moment){.kind = MOMENT_ASKED,
			.time = 32 * MS / 10,
			.thread = tid,
			.disk = DISK,
			.sectors = 32});
	add_request(fixture, 33 * MS / 10, false);
	turn(fixture, 4 * MS);
	assert_int_equal(fixture->live.n_processes, 1);
	assert_int_equal(fixture->live.reads, 1);
	assert_int_equal(fixture->live.files[0].pid, LEADER);
	assert_false(process(fixture, LEADER)->ended);
	add_switch(fixture, 45 * MS / 10, tid, 0, 0x20);
	turn(fixture, 5 * MS);
	turn(fixture, 6 * MS);
	assert_true(process(fixture, LEADER)->ended);
	assert_int_equal(fixture->window.carry.count, 0);
}

static void a_process_goes_on_without_its_first_thread(void **state)
{
	end_first_thread(*state);
	turn(*state, 3 * MS);
	read_as(*state, CHILD);
}

/* It has the number of the first thread from then on. */
static void a_thread_that_executes_goes_on_as_the_first(void **state)
{
	end_first_thread(*state);
	turn(*state, 3 * MS);
	read_as(*state, LEADER);
}

/* Without system calls it is not known what a thread waits for, whatever it has touched before. */
static void sleep_of_the_machine_is_no_read(void **state)
{
	struct fixture *fixture = *state;

	fixture->window.no_calls = true;
	add_switch(fixture, 11 * MS / 10, 0, LEADER, 0);
	add_pages(fixture, 120 * MS / 100, MOMENT_TOUCH, 0, 0);
	add_switch(fixture, 13 * MS / 10, LEADER, 0, 1);
	turn(fixture, 2 * MS);
	assert_int_equal(process(fixture, LEADER)->state, TIMELINE_OTHER);
	assert_int_equal(fixture->live.waited, 0);
}

static void add_call(struct fixture *fixture, uint64_t time, int32_t who, int64_t number)
{
	add(fixture,
		&(struct timeline_moment){.kind = MOMENT_CALL, .time = time, .thread = who, .call = number});
}

/* The numbers of its system calls mean something else, in later windows, too, and in what it forks. */
static void calls_of_a_32_bit_program_are_unknown(void **state)
{
	struct fixture *fixture = *state;
	const Elf32_Ehdr header = {.e_ident = ELFMAG "\1"};
	char path[] = "/tmp/headstart-live.XXXXXX";
	_cleanup_close_ int fd = mkstemp(path);

	assert_true(fd >= 0 && write(fd, &header, sizeof(header)) == (ssize_t)sizeof(header));
	assert_int_equal(record_trace_add_exec(&fixture->trace, 11 * MS / 10, LEADER, path), 0);
	turn(fixture, 2 * MS);
	add_switch(fixture, 21 * MS / 10, 0, LEADER, 0);
	add(fixture,
		&(struct timeline_moment){
			.kind = MOMENT_NEW, .time = 22 * MS / 10, .thread = LEADER, .other = CHILD});
	add_call(fixture, 23 * MS / 10, LEADER, __NR_nanosleep);
	add_switch(fixture, 24 * MS / 10, LEADER, CHILD, MOMENT_SLEEPS);
	turn(fixture, 3 * MS);
	assert_int_equal(process(fixture, LEADER)->state, TIMELINE_OTHER);
	add_call(fixture, 31 * MS / 10, CHILD, __NR_nanosleep);
	add_switch(fixture, 32 * MS / 10, CHILD, 0, MOMENT_SLEEPS);
	turn(fixture, 4 * MS);
	turn(fixture, 5 * MS);
	assert_int_equal(process(fixture, LEADER)->states[TIMELINE_TIMER], 0);
	assert_int_equal(process(fixture, CHILD)->states[TIMELINE_TIMER], 0);
	assert_true(process(fixture, CHILD)->states[TIMELINE_OTHER] > MS);
	/* A 64-bit program. */
	assert_int_equal(record_trace_add_exec(&fixture->trace, 51 * MS / 10, CHILD, "/proc/self/exe"), 0);
	add_switch(fixture, 52 * MS / 10, 0, CHILD, 0);
	add_call(fixture, 53 * MS / 10, CHILD, __NR_nanosleep);
	add_switch(fixture, 54 * MS / 10, CHILD, 0, MOMENT_SLEEPS);
	turn(fixture, 6 * MS);
	turn(fixture, 7 * MS);
	assert_int_equal(process(fixture, CHILD)->state, TIMELINE_TIMER);
	unlink(path);
}

static void threads_that_are_there_are_found(void **state)
{
	struct fixture *fixture = *state;
	const struct carried *us;

	assert_int_equal(threads_add(&fixture->window.carry, getpid()), 0);
	us = carry_find(&fixture->window.carry, getpid());
	assert_non_null(us);
	assert_int_equal(us->parent, getppid());
	assert_true(us->away.name[0]);
	assert_false(us->narrow);
	assert_int_equal(threads_add(&fixture->window.carry, INT32_MAX), 0); /* there is none */
}

/* Otherwise what it reads would never be shown. */
static void a_process_whose_beginning_was_lost_is_found(void **state)
{
	struct fixture *fixture = *state;
	pid_t child;

	fixture->window.attached = true;
	fixture->window.top = getpid();
	turn(fixture, 2 * MS);
	child = fork();
	if (child == 0)
		for (;;)
			pause();
	fixture->trace.lost = true;
	turn(fixture, 3 * MS);
	assert_int_equal(process(fixture, child)->parent, getpid());
	turn(fixture, 4 * MS);
	assert_false(process(fixture, child)->ended);
	kill(child, SIGKILL);
	waitpid(child, NULL, 0);
	fixture->trace.lost = true;
	turn(fixture, 5 * MS);
	turn(fixture, 6 * MS);
	assert_true(process(fixture, child)->ended);
}

/* Otherwise it would be shown for ever, and watching a process would not end with it. */
static void a_thread_whose_end_was_lost_ends(void **state)
{
	struct fixture *fixture = *state;
	const struct carried gone = {.tid = INT32_MAX, .pid = INT32_MAX};

	fixture->window.attached = true;
	assert_int_equal(carry_add(&fixture->window.carry, &gone, "gone", 1), 0);
	assert_int_equal(threads_add(&fixture->window.carry, getpid()), 0);
	turn(fixture, 2 * MS);
	assert_false(process(fixture, INT32_MAX)->ended);
	fixture->trace.lost = true;
	turn(fixture, 3 * MS);
	assert_false(process(fixture, getpid())->ended);
	turn(fixture, 4 * MS);
	assert_true(process(fixture, INT32_MAX)->ended);
	assert_null(carry_find(&fixture->window.carry, INT32_MAX));
}

static void status_is_parsed_whatever_the_name_is(void **state)
{
	struct thread_status status;

	(void)state;
	assert_true(thread_status_parse("12 (a) S 7 1 1", &status));
	assert_int_equal(status.parent, 7);
	assert_true(thread_status_parse("12 (a) R (b)) D 9 1", &status));
	assert_string_equal(status.name, "a) R (b)");
	assert_int_equal(status.state, 'D');
	assert_int_equal(status.parent, 9);
	assert_true(thread_status_parse("1 (a name that is much too long) S 1", &status));
	assert_int_equal(strlen(status.name), sizeof(status.name) - 1);
	assert_false(thread_status_parse("", &status));
	assert_false(thread_status_parse("1 )( S 1", &status));
	assert_false(thread_status_parse("1 (a)", &status));
}

static void looks_find_this_process_and_what_it_touched(void **state)
{
	struct fixture *fixture = *state;
	struct look look = {0};
	const int32_t pids[] = {getpid(), INT32_MAX};
	const struct record_event event = {
		.device = DEVICE, .inode = 5, .first = 2, .last = 3, .pid = getpid(), .kind = RECORD_TOUCH};

	fixture->live.exact = false;
	assert_int_equal(record_trace_add_event(&fixture->trace, &event), 0);
	assert_int_equal(record_trace_add_exec(&fixture->trace, 0, 77, "/bin/short"), 0);
	assert_int_equal(
		look_turn(&look, &fixture->trace, &fixture->files, pids, 2, 2 * MS, &fixture->live), 0);
	assert_int_equal(process(fixture, getpid())->parent, getppid());
	assert_int_equal(process(fixture, getpid())->states[process(fixture, getpid())->state], MS);
	assert_string_equal(process(fixture, 77)->name, "short");
	assert_true(process(fixture, 77)->ended);
	assert_string_equal(fixture->live.files[0].path, "/lib/x.so");
	assert_int_equal(fixture->live.files[0].bytes, 2 * sysconf(_SC_PAGESIZE));
	assert_int_equal(fixture->trace.n_events + fixture->trace.n_execs, 0);
	look_release(&look);
}

static void fill(struct live *live)
{
	live_turn(live, 2 * MS);
	for (int32_t pid = 1; pid <= 30; pid++) {
		struct live_process *made = live_process(live, pid, pid / 2);
		char path[200];

		assert_non_null(made);
		snprintf(made->name, sizeof(made->name),
			pid == 3 ? "\033[2J\n" : "\xe6\xbc\xa2\xe5\xad\x97%d", pid);
		snprintf(path, sizeof(path),
			"/folder/with/a/long/name/\xe6\xbc\xa2\xe5\xad\x97/%d\033]0;x\a\n", pid);
		live_add_bytes(live, live_file(live, path, pid % 2), (uint64_t)pid, pid);
	}
	live_sort(live);
}

static void processes_stand_below_their_parents(void **state)
{
	struct fixture *fixture = *state;
	const struct live *live = &fixture->live;

	fill(&fixture->live);
	assert_int_equal(live->processes[0].pid, 1);
	assert_int_equal(live->processes[1].pid, 2);
	assert_int_equal(live->processes[2].pid, 4);
	assert_int_equal(live->processes[2].depth, 2);
	assert_int_equal(live->n_processes, 30);
	assert_int_equal(live->files[0].bytes, 30);
}

static struct live_file *file(struct live *live, const char *path, bool metadata)
{
	struct live_file *found = live_file(live, path, metadata);

	assert_non_null(found);
	assert_string_equal(found->path, path);
	assert_true(found->metadata == metadata);
	return found;
}

static void processes_and_files_are_found_again_after_sorting(void **state)
{
	struct fixture *fixture = *state;
	struct live *live = &fixture->live;
	char path[32];

	fill(live);
	live_add_bytes(live, file(live, "/dev/sda", false), 1, 1);
	live_add_bytes(live, file(live, "/dev/sda", true), 2, 1);
	live_sort(live);
	assert_int_equal(live->n_files, 32);
	assert_int_equal(file(live, "/dev/sda", true)->bytes, 2);
	assert_int_equal(file(live, "/dev/sda", false)->bytes, 1);
	for (int32_t pid = 1; pid <= 30; pid++)
		assert_int_equal(live_process(live, pid, 0)->parent, pid / 2);
	live_process(live, 7, 0)->ended = true;
	assert_int_equal(live_process(live, 7, 99)->parent, 99); /* the number is used again */
	live_sort(live);
	assert_int_equal(live_process(live, 7, 0)->parent, 99);
	for (int i = 0; i < 300; i++) {
		snprintf(path, sizeof(path), "/%d", i);
		file(live, path, false);
	}
	assert_int_equal(live->n_files, 332);
	assert_int_equal(live->n_processes, 31);
}

static void the_file_that_is_waited_for_stays_and_others_are_forgotten(void **state)
{
	struct fixture *fixture = *state;
	struct live *live = &fixture->live;
	char path[32];

	live_turn(live, 2 * MS);
	for (int i = 0; i < 6000; i++) {
		snprintf(path, sizeof(path), "/%d", i);
		live_add_bytes(live, file(live, path, false), 1, 1);
	}
	live->reading = file(live, "/waited-for", false)->path;
	live_sort(live);
	assert_true(live->n_files < 6000);
	assert_ptr_equal(file(live, "/waited-for", false)->path, live->reading);
}

/* In bytes without continuation bytes: at most so many columns, for what is not wide. */
static void page_has_no_more_lines_than_the_terminal(void **state)
{
	struct fixture *fixture = *state;

	fill(&fixture->live);
	for (size_t lines = 1; lines < 90; lines += lines < 30 ? 1 : 10)
		for (size_t columns = 5; columns < 200; columns += 13) {
			const struct show_style style = {.page = {.columns = columns, .utf8 = false},
				.lines = lines,
				.title = "a \033 title"};
			char *text = NULL;
			size_t size, n = 0, width = 0;
			FILE *out = open_memstream(&text, &size);

			show_page(out, &fixture->live, &style);
			fclose(out);
			for (const char *at = text; *at; at++) {
				n += *at == '\n';
				width = *at == '\n' ? 0 : width + 1;
				assert_true(*at == '\n' || (*at >= ' ' && *at < 0x7f));
				assert_true(width <= columns);
			}
			assert_true(n >= 1 && n <= lines);
			free(text);
		}
}

static char *shown(struct fixture *fixture, bool json)
{
	const struct show_style style = {.page = {.columns = 100, .whole_paths = true}, .title = ""};
	char *text = NULL;
	size_t size;
	FILE *out = open_memstream(&text, &size);

	if (json)
		assert_int_equal(show_json(out, &fixture->live), 0);
	else
		show_lines(out, &fixture->live, &style);
	fclose(out);
	return text;
}

static void lines_escape_what_a_terminal_would_act_upon(void **state)
{
	struct fixture *fixture = *state;
	char *text;
	size_t n = 0;

	fill(&fixture->live);
	text = shown(fixture, false);
	for (const char *at = text; *at; at++) {
		n += *at == '\n';
		assert_true(*at == '\n' || (*at >= ' ' && *at < 0x7f));
	}
	assert_int_equal(n, 6); /* five files, and that there are more */
	assert_non_null(strstr(text, "and 25 more files"));
	assert_non_null(strstr(text, "\\x1b]0;x\\x07\\x0a"));
	free(text);
}

static void json_is_one_object_a_line(void **state)
{
	struct fixture *fixture = *state;
	struct json_object *top, *value;
	char *text;

	fill(&fixture->live);
	text = shown(fixture, true);
	assert_ptr_equal(strchr(text, '\n'), text + strlen(text) - 1);
	top = json_tokener_parse(text);
	assert_non_null(top);
	assert_true(json_object_object_get_ex(top, "files", &value));
	assert_int_equal(json_object_array_length(value), 30);
	assert_true(json_object_object_get_ex(top, "processes", &value));
	assert_int_equal(json_object_array_length(value), 30);
	json_object_put(top);
	free(text);
}

int main(void)
{
#define LIVE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		LIVE(a_read_over_two_windows_is_one_read),
		LIVE(a_quiet_window_changes_no_state),
		LIVE(what_comes_late_is_not_lost),
		LIVE(children_come_and_go),
		LIVE(a_process_goes_on_without_its_first_thread),
		LIVE(a_thread_that_executes_goes_on_as_the_first),
		LIVE(sleep_of_the_machine_is_no_read),
		LIVE(calls_of_a_32_bit_program_are_unknown),
		LIVE(threads_that_are_there_are_found),
		LIVE(a_process_whose_beginning_was_lost_is_found),
		LIVE(a_thread_whose_end_was_lost_ends),
		LIVE(status_is_parsed_whatever_the_name_is),
		LIVE(looks_find_this_process_and_what_it_touched),
		LIVE(processes_stand_below_their_parents),
		LIVE(processes_and_files_are_found_again_after_sorting),
		LIVE(the_file_that_is_waited_for_stays_and_others_are_forgotten),
		LIVE(page_has_no_more_lines_than_the_terminal),
		LIVE(lines_escape_what_a_terminal_would_act_upon),
		LIVE(json_is_one_object_a_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
