/* SPDX-License-Identifier: MIT */
/* Unit tests of the doctor's checks of programs, of what is preloaded into them, and of plans. */
#include "fake-host.h"

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/strings.h"
#include "doctor/state.h"
#include "format/state-folder.h"

static void with_tls(struct handmade *elf)
{
	elf->stack = (Elf64_Phdr){PT_TLS, PF_R, 0x2e80, 0x3e80, 0x3e80, 0x10, 0x10000, 64};
	elf->entries[3] = (Elf64_Dyn){DT_FLAGS, {DF_STATIC_TLS}};
}

static void of_32_bits(struct handmade *elf)
{
	elf->header.e_ident[EI_CLASS] = ELFCLASS32;
}

static void needing_another(struct handmade *elf)
{
	elf->entries[3] = (Elf64_Dyn){DT_NEEDED, {1}};
}

static void preloads(void **state)
{
	finds(check_preloads, DOCTOR_OK, "0 preloaded libraries, 0 auditors");
	put_library("/lib/good.so", NULL);
	set("LD_AUDIT", "/lib/good.so");
	set("LD_PRELOAD", "/lib/good.so good.so");
	put("/etc/ld.so.preload", "# /lib/commented.so\n/$LIB/good.so # more\n\n");
	finds(check_preloads, DOCTOR_OK, "3 preloaded libraries, 1 auditor");
	put("/lib/ld-linux.so.2", "");
	put("/etc/ld.so.preload", "/lib/good.so\n");
	finds(check_preloads, DOCTOR_NOTE, "there is no 32-bit version");
	put_library("/lib64/libheadstart-preload.so", NULL);
	put("/lib32/libheadstart-preload.so", "");
	put("/etc/ld.so.preload", "/${LIB}/libheadstart-preload.so\n");
	finds(check_preloads, DOCTOR_OK, "3 preloaded libraries (headstart's among them), 1 auditor");
	put("/etc/ld.so.preload", "/lib/good.so\n/lib/none.so\n");
	finds(check_preloads, DOCTOR_PROBLEM, "'/lib/none.so', which does not exist");
	put("/etc/ld.so.preload", "/$LIB/none.so\n");
	finds(check_preloads, DOCTOR_PROBLEM, "'/$LIB/none.so', which does not exist");
	put("/lib/text.so", "INPUT(libgood.so)\n");
	put("/etc/ld.so.preload", "/lib/text.so\n");
	finds(check_preloads, DOCTOR_PROBLEM, "sudoedit /etc/ld.so.preload");
	put("/etc/ld.so.preload", HEADSTART_PRELOAD_NAME "\n");
	finds(check_preloads, DOCTOR_PROBLEM, "sudo headstart uninstall --system");
	put_library("/lib/old.so", of_32_bits);
	put("/etc/ld.so.preload", "/lib/old.so");
	finds(check_preloads, DOCTOR_PROBLEM, "is a 32-bit library");
	put_library("/lib/needing.so", needing_another);
	put("/etc/ld.so.preload", "/lib/needing.so");
	finds(check_preloads, DOCTOR_PROBLEM, "needs a library that is not found");
	put_library("/lib/libhand.so.1", NULL);
	finds(check_preloads, DOCTOR_NOTE, "there is no 32-bit version");
	put("/etc/ld.so.preload", "/lib");
	finds(check_preloads, DOCTOR_PROBLEM, "not a regular file");
	put("/etc/ld.so.preload", "");
	set("LD_AUDIT", "/lib/gone.so:/lib/good.so");
	finds(check_preloads, DOCTOR_PROBLEM, "unset LD_AUDIT");
	set("LD_AUDIT", "");
	put_library("/lib/libasan.so.8", NULL);
	set("LD_PRELOAD", "/lib/libasan.so.8");
	finds(check_preloads, DOCTOR_NOTE, "the first of all libraries");
	put_library("/lib/tls.so", with_tls);
	set("LD_PRELOAD", "/lib/tls.so");
	finds(check_preloads, DOCTOR_NOTE, "export GLIBC_TUNABLES=glibc.rtld.optional_static_tls=66111");
}

/* Truncated where only mapped bytes are missing: every program would die of SIGBUS. */
static void a_truncated_preload(void **state)
{
	struct handmade elf;

	handmade_init(&elf);
	elf.data.p_filesz = 0x1000;
	elf.data.p_memsz = 0x1000;
	put_bytes("/lib/cut.so", &elf, sizeof(elf), 0755);
	put("/etc/ld.so.preload", "/lib/cut.so");
	finds(check_preloads, DOCTOR_PROBLEM, "is truncated");
}

/* The loader ignores such a file silently. */
static void a_preload_file_that_cannot_be_read(void **state)
{
	char full[PATH_MAX];

	assert_true(host_path(&host, "/etc/ld.so.preload", full));
	put("/etc/passwd", "");
	assert_int_equal(mkdir(full, 0755), 0);
	finds(check_preloads, DOCTOR_NOTE, "'/etc/ld.so.preload' is a directory");
	finds(check_preloads, DOCTOR_NOTE, "sudo rmdir /etc/ld.so.preload");
	assert_int_equal(rmdir(full), 0);
	assert_int_equal(symlink("ld.so.preload", full), 0);
	finds(check_preloads, DOCTOR_NOTE, "'/etc/ld.so.preload' cannot be read: Too many levels");
	assert_int_equal(unlink(full), 0);
	finds(check_preloads, DOCTOR_OK, "0 preloaded libraries");
	put_library("/lib/good.so", NULL);
	put("/etc/ld.so.preload", "/lib/good.so\n");
	assert_int_equal(chmod(full, 0640), 0);
	finds(check_preloads, DOCTOR_NOTE, "not all users can read");
	finds(check_preloads, DOCTOR_NOTE, "sudo chmod a+r /etc/ld.so.preload");
	assert_int_equal(chmod(full, 0444), 0);
	finds(check_preloads, DOCTOR_OK, "1 preloaded library");
}

/* No more of it than its version can be read. */
static void put_older(const char *path)
{
	const struct plan_header header = {.magic = PLAN_MAGIC, .version = LE32(PLAN_VERSION - 1)};

	put_bytes(path, &header, sizeof(header), 0644);
}

static void state_folder_and_plans(void **state)
{
	char full[PATH_MAX];

	set("HEADSTART_STATE", "/state folder");
	finds(check_state, DOCTOR_NOTE, "does not exist");
	assert_string_equal(report.findings[0].mend, "headstart record -- PROGRAM");
	finds(check_plans, DOCTOR_OK, "none yet");
	put("/state folder/a-0.plan", "frob");
	finds(check_state, DOCTOR_OK, "exists");
	finds(check_plans, DOCTOR_PROBLEM, "rm '/state folder/a-0.plan'");
	assert_true(host_path(&host, "/state folder/a-0.plan", full));
	assert_int_equal(chmod(full, 0666), 0);
	finds(check_plans, DOCTOR_PROBLEM, "headstart ignores them");
	assert_int_equal(unlink(full), 0);
	assert_int_equal(symlink("/etc/passwd", full), 0);
	finds(check_plans, DOCTOR_PROBLEM, "headstart ignores them");
	assert_int_equal(unlink(full), 0);
	assert_int_equal(mkfifo(full, 0600), 0);
	finds(check_plans, DOCTOR_PROBLEM, "headstart ignores them");
	assert_int_equal(unlink(full), 0);
	put_older("/state folder/b-0@1.plan");
	finds(check_plans, DOCTOR_PROBLEM, "rm '/state folder/b-0@1.plan'");
	put("/state folder/b-0.profile", "of which it was made");
	finds(check_plans, DOCTOR_PROBLEM, "1 made by an older headstart");
	finds(check_plans, DOCTOR_PROBLEM, "headstart config apply --older");
	assert_true(host_path(&host, "/state folder/b-0@1.plan", full));
	assert_int_equal(unlink(full), 0);
	put("/state folder/x.profile", "not a plan");
	finds(check_plans, DOCTOR_OK, "none yet");
	assert_true(host_path(&host, "/state folder", full));
	assert_int_equal(chmod(full, 0777), 0);
	finds(check_state, DOCTOR_PROBLEM, "chmod 755 '/state folder'");
	host.user = 1000;
	finds(check_state, DOCTOR_PROBLEM, "sudo chown 1000 '/state folder'");
	set("HEADSTART_STATE", "relative");
	finds(check_state, DOCTOR_NOTE, "not an absolute path");
}

static bool is_home(const struct doctor_host *of, const char *path)
{
	return of == &host && strncmp(path, "/home/", 6) == 0;
}

static void plans_on_a_server(void **state)
{
	host.user = 1000;
	host.is_served = is_home;
	set("HOME", "/home/ann");
	finds(check_state, DOCTOR_NOTE, "a server has '/home/ann/.local/state/headstart'");
	set("HEADSTART_STATE", "/home/state");
	doctor_report_release(&report);
	check_state(&host, &report);
	assert_false(said(DOCTOR_NOTE, "a server has"));
}

static void dynamic_program(struct handmade *elf)
{
	elf->header.e_type = ET_EXEC;
	elf->stack.p_type = PT_INTERP;
	elf->stack.p_offset = offsetof(struct handmade, strings) + 0x40;
	elf->stack.p_filesz = 0x20;
	strcpy(elf->strings + 0x40, "/lib64/ld-linux-x86-64.so.2");
	elf->entries[3] = (Elf64_Dyn){DT_NEEDED, {1}};
}

static void musl_program(struct handmade *elf)
{
	dynamic_program(elf);
	strcpy(elf->strings + 0x40, "/lib/ld-musl-x86_64.so.1");
}

static void go_program(struct handmade *elf)
{
	static const char note[] = "\4\0\0\0\0\0\0\0\4\0\0\0Go\0";

	elf->header.e_type = ET_EXEC;
	elf->dynamic.p_type = PT_NULL;
	elf->stack = (Elf64_Phdr){PT_NOTE, PF_R, 0x600, 0x600, 0x600, sizeof(note), sizeof(note), 4};
	memcpy((char *)elf + 0x600, note, sizeof(note));
}

/* An ordinary user needs sudo to mend root's plans: a plan of the user's own would not be looked at. */
static void plans_of_roots(void **state)
{
	char full[PATH_MAX];

	host.user = 1000;
	set("HOME", "/home/ann");
	finds(check_state, DOCTOR_NOTE, "sudo headstart record -- PROGRAM");
	put(HEADSTART_STATE_DIR "/a-0.plan", "frob");
	assert_true(host_path(&host, HEADSTART_STATE_DIR, full));
	assert_int_equal(chmod(full, 0777), 0);
	finds(check_state, DOCTOR_PROBLEM, "sudo chown 0 " HEADSTART_STATE_DIR);
	assert_int_equal(chmod(full, 0755), 0);
	put(HEADSTART_STATE_DIR "/a-0.plan", "frob");
	finds(check_plans, DOCTOR_PROBLEM, "sudo rm " HEADSTART_STATE_DIR "/a-0.plan");
	host.user = 0;
	finds(check_plans, DOCTOR_PROBLEM, "rm " HEADSTART_STATE_DIR "/a-0.plan");
	assert_string_equal(state_sudo(&host, HEADSTART_STATE_DIR "/a-0.plan"), "");
	host.user = 1000;
	assert_string_equal(state_sudo(&host, "/home/ann/.local/state/headstart/a-0.plan"), "");
	assert_string_equal(state_sudo(&host, HEADSTART_STATE_DIR "x/a-0.plan"), "");
	set("HEADSTART_STATE", HEADSTART_STATE_DIR);
	assert_string_equal(state_sudo(&host, HEADSTART_STATE_DIR "/a-0.plan"), "");
}

static void programs(void **state)
{
	assert_int_equal(doctor_check_program(&host, "nothing", &report), -ENOENT);
	assert_int_equal(doctor_check_program(&host, "", &report), -ENOENT);
	set("PATH", "/none:/usr/bin");
	put_library("/usr/bin/dynamic", dynamic_program);
	check_asked("dynamic");
	assert_true(
		said(DOCTOR_OK, "'/usr/bin/dynamic' is a dynamic program: '/lib64/ld-linux-x86-64.so.2'"));
	assert_true(said(DOCTOR_NOTE, "'libhand.so.1' is not found"));
	assert_true(said(DOCTOR_NOTE, "sudo headstart record -- dynamic"));
	/* One that opens a window does not end by itself. */
	put("/usr/share/applications/terminal.desktop", "[Desktop Entry]\nExec=dynamic\nTerminal=true\n");
	put("/usr/share/applications/other.desktop", "[Desktop Entry]\nExec=/usr/bin/other\n");
	check_asked("dynamic");
	assert_true(said(DOCTOR_NOTE, "sudo headstart record -- dynamic"));
	put("/usr/share/applications/window.desktop", "[Desktop Entry]\nName=x\nExec=dynamic --new %U\n");
	check_asked("dynamic");
	assert_true(said(DOCTOR_NOTE, "sudo headstart record --until idle:3 --kill -- dynamic"));
	put_library("/lib/libhand.so.1", with_tls);
	check_asked("/usr/bin/dynamic");
	assert_true(said(DOCTOR_NOTE, "65599 of them '/lib/libhand.so.1'"));
	set("LD_AUDIT", "/x/libheadstart-audit.so");
	check_asked("dynamic");
	assert_true(said(DOCTOR_PROBLEM, "export GLIBC_TUNABLES=glibc.rtld.optional_static_tls=66112"));
	set("GLIBC_TUNABLES", "glibc.rtld.optional_static_tls=0x20000");
	check_asked("dynamic");
	assert_true(said(DOCTOR_OK, "makes room"));
	put_library("/usr/bin/musl", musl_program);
	check_asked("musl");
	assert_true(said(DOCTOR_NOTE, "musl"));
	put_library("/usr/bin/go-it's", go_program);
	check_asked("go-it's");
	assert_true(said(DOCTOR_NOTE, "a Go program"));
	assert_true(said(DOCTOR_NOTE, "headstart run -- 'go-it'\\''s'"));
	put_library("/usr/bin/old", of_32_bits);
	check_asked("old");
	assert_true(said(DOCTOR_NOTE, "32-bit"));
	put_bytes("/snap/bin/app", "#!/usr/bin/dynamic", 18, 0755);
	check_asked("/snap/bin/app");
	assert_true(said(DOCTOR_NOTE, "starts a Snap"));
	assert_true(said(DOCTOR_OK, "a script, run by '/usr/bin/dynamic'"));
	put_bytes("/usr/bin/loop", "#!/usr/bin/loop\n", 16, 0755);
	check_asked("loop");
	assert_true(said(DOCTOR_PROBLEM, "not an ELF file"));
}

static void scripts(void **state)
{
	set("PATH", "/usr/bin");
	put_library("/usr/bin/dynamic", dynamic_program);
	put_bytes("/usr/bin/orphan", "#! /usr/bin/gone -x\n", 20, 0755);
	check_asked("orphan");
	assert_true(said(DOCTOR_PROBLEM,
		"'/usr/bin/orphan' is a script whose interpreter '/usr/bin/gone' is missing"));
	assert_false(said(DOCTOR_PROBLEM, "ELF"));
	put("/usr/bin/gone", "");
	check_asked("orphan");
	assert_true(said(DOCTOR_PROBLEM, "whose interpreter '/usr/bin/gone' cannot be executed"));
	put_bytes("/usr/bin/outer", "#!/usr/bin/orphan\n", 18, 0755);
	check_asked("outer");
	assert_true(said(DOCTOR_PROBLEM, "'/usr/bin/outer' is a script whose interpreter '/usr/bin/gone'"));
	put_bytes("/usr/bin/text", "echo it runs\n", 13, 0755);
	check_asked("text");
	assert_true(said(DOCTOR_NOTE, "'/usr/bin/text' has no '#!'"));
	assert_int_equal(doctor_count(&report, DOCTOR_PROBLEM), 0);
	put_bytes("/usr/bin/empty", "", 0, 0755);
	check_asked("empty");
	assert_true(said(DOCTOR_NOTE, "has no '#!'"));
	put_bytes("/usr/bin/nearby", "#!bin/tool\n", 11, 0755);
	check_asked("nearby");
	assert_true(said(DOCTOR_NOTE,
		"'/usr/bin/nearby' is a script whose interpreter 'bin/tool' is looked for in the current folder"));
	assert_int_equal(doctor_count(&report, DOCTOR_PROBLEM), 0);
	put_bytes("/usr/bin/bytes", "\1\2\0\3\n", 5, 0755);
	check_asked("bytes");
	assert_true(said(DOCTOR_PROBLEM, "not an ELF file"));
	put_bytes("/usr/bin/cut", "\177ELF", 4, 0755);
	check_asked("cut");
	assert_true(said(DOCTOR_PROBLEM, "not an ELF file, or a damaged one"));
}

static char *deny(const char *program)
{
	return strdup("the settings deny it");
}

/* Whether the finding's command begins with these words. */
static bool mends_plan(const char *command)
{
	for (size_t i = 0; i < report.n; i++)
		if (streq(report.findings[i].subject, "plan"))
			return report.findings[i].mend && after_prefix(report.findings[i].mend, command);
	return false;
}

/* Root's plan takes precedence over a user's own, so a user cannot mend it without root. */
static void whose_plan(void **state)
{
	static const char program[] = "/usr/bin/dynamic", own[] = "/home/u/.local/state/headstart";
	const struct {
		const char *folder, *plan, *apply;
		bool root;
	} cases[] = {
		{HEADSTART_STATE_DIR, "headstart plan", "headstart config apply", true},
		{HEADSTART_STATE_DIR, "sudo headstart plan", "sudo headstart config apply", false},
		{own, "headstart plan", "headstart config apply", false},
	};
	unsigned user = geteuid() ? geteuid() : 1000; /* root's files are trusted, whoever asks */
	char name[PLAN_NAME_SIZE], path[PATH_MAX], full[PATH_MAX];

	set("HOME", "/home/u");
	put_library(program, dynamic_program);
	plan_name(program, STATE_PLAN_SUFFIX, name);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		if (cases[i].root && geteuid() != 0)
			continue;
		host.user = cases[i].root ? 0 : user;
		snprintf(path, sizeof(path), "%s/%s", cases[i].folder, name);
		put(path, "damaged");
		host.denied = NULL;
		check_asked(program);
		assert_true(mends_plan(cases[i].plan));
		host.denied = deny;
		check_asked(program);
		assert_true(mends_plan(cases[i].apply));
		assert_true(host_path(&host, path, full));
		assert_int_equal(unlink(full), 0);
	}
}

/* Whatever lies there, there is an answer, and no crash. */
static void garbage_everywhere(void **state)
{
	static const char *const files[] = {"/proc/self/status", "/proc/self/mountinfo", "/proc/meminfo",
		"/etc/ld.so.preload", "/proc/pressure/memory", "/proc/sys/kernel/io_uring_disabled",
		"/etc/ld.so.cache", "/state/a-0.plan"};
	uint8_t garbage[3000];

	set("HEADSTART_STATE", "/state");
	put_library("/usr/bin/dynamic", dynamic_program);
	for (unsigned seed = 0; seed < 50; seed++) {
		srand(seed);
		for (size_t i = 0; i < sizeof(garbage); i++)
			garbage[i] = (uint8_t)(rand() >> 7);
		if (seed % 2)
			memcpy(garbage, "glibc-ld.so.cache1.1", 20);
		for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
			put_bytes(files[i], garbage, seed * 60, 0600);
		doctor_report_release(&report);
		doctor_check_machine(&host, &report);
		assert_true(report.n >= 13);
		check_asked("/usr/bin/dynamic");
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ON_FAKE_HOST(preloads),
		ON_FAKE_HOST(a_truncated_preload),
		ON_FAKE_HOST(a_preload_file_that_cannot_be_read),
		ON_FAKE_HOST(state_folder_and_plans),
		ON_FAKE_HOST(plans_on_a_server),
		ON_FAKE_HOST(plans_of_roots),
		ON_FAKE_HOST(programs),
		ON_FAKE_HOST(scripts),
		ON_FAKE_HOST(whose_plan),
		ON_FAKE_HOST(garbage_everywhere),
	};

	umask(022); /* files that others may read have another finding */
	return cmocka_run_group_tests(tests, NULL, NULL);
}
