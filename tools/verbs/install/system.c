/* SPDX-License-Identifier: MIT */
/*
 * headstart install --system: adds one line to /etc/ld.so.preload, which loads our code into every process of a
 * machine. Before anything is written, the library is checked, and programs of every kind are run with the new content
 * of the file, which no other process sees.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/strings.h"
#include "base/texts/preload-text.h"
#include "replace/publish.h"
#include "setup/system/battery.h"
#include "setup/system/library.h"
#include "setup/system/line.h"
#include "setup/system/namespace.h"
#include "setup/system/preload-file.h"
#include "setup/system/stub.h"
#include "setup/system/turn.h"
#include "verb.h"
#include "verbs/install/install.h"

#define NAME    HEADSTART_PRELOAD_NAME
#define RECORDS HEADSTART_STATE_DIR "/install"
#define RECORD  RECORDS "/ld.so.preload"

struct loader_list {
	struct loader *loaders;
	size_t count;
};

static void loader_list_release(struct loader_list *list)
{
	loaders_free(list->loaders, list->count);
}

/* Enters another system's root, for "install" or "uninstall". No mount of ours is visible outside. */
static int enter_root(const char *root, const char *verb)
{
	int r;

	if (geteuid() != 0)
		return verb_fail("only root can change %s: sudo headstart %s --system", PRELOAD_FILE, verb);
	umask(022); /* everybody may read what we make */
	if (!root)
		return 0;
	r = namespace_enter();
	if (r < 0)
		return verb_fail_errno(r, "cannot make a mount namespace to enter '%s'", root);
	if (chroot(root) < 0 || chdir("/") < 0)
		return verb_fail_errno(errno, "cannot enter '%s'", root);
	return 0;
}

static void note_waiting(void)
{
	verb_note("waiting for another installation to end");
}

/* If there can be no lock, only the check of the file's content protects us. */
static void take_turn(struct turn *turn)
{
	(void)turn_take(turn, RECORDS, note_waiting);
}

static int read_preload_file(struct preload_file *ret)
{
	int r = preload_file_read(PRELOAD_FILE, ret);

	if (r == -ELOOP)
		return verb_fail("'%s' is a symbolic link that leads nowhere", PRELOAD_FILE);
	if (r == -EINVAL || r == -EISDIR)
		return verb_fail("'%s' is not a regular file", PRELOAD_FILE);
	return r < 0 ? verb_fail_errno(r, "cannot read '%s'", PRELOAD_FILE) : 0;
}

static int cannot_change(const char *path, int error)
{
	if (streq(path, RECORD))
		return verb_fail_errno(error, "cannot write the record '%s'", path);
	if (error == -ESTALE)
		return verb_fail(
			"somebody else is changing '%s'; nothing was written, try again", PRELOAD_FILE);
	if (error == -EMLINK)
		return verb_fail(
			"'%s' has more than one name (hard links); nothing was written", PRELOAD_FILE);
	if (error == -EPERM)
		return verb_fail("'%s' cannot be replaced: is it immutable (lsattr)?", PRELOAD_FILE);
	return verb_fail_errno(error, "cannot change '%s'", path);
}

static int find_loaders(struct loader_list *ret)
{
	int r = loaders_find(&ret->loaders, &ret->count);

	if (r < 0)
		return verb_fail_errno(r, "cannot find the dynamic loaders");
	if (ret->count == 0)
		return verb_fail(
			"there is no dynamic loader of glibc here: nothing would read %s", PRELOAD_FILE);
	return 0;
}

/* The path where programs of that loader look for the library; the caller frees it. NULL if it is unknown. */
static char *library_path(const struct loader *loader)
{
	return loader->lib ? loader_expand(loader, NAME) : NULL; /* the self-test will find out */
}

static void remove_stub(const struct loader *loader)
{
	_cleanup_free_ char *path = library_path(loader);

	if (path)
		stub_remove(path);
}

static void remove_stubs(const struct loader_list *list)
{
	for (size_t i = 0; i < list->count; i++)
		remove_stub(&list->loaders[i]);
}

/* Of 32-bit loaders that have been removed since, by the usual values of $LIB. */
static void remove_stubs_left(void)
{
	static const char *const libs[] = {"lib/i386-linux-gnu", "lib32", "lib"};

	for (size_t i = 0; i < sizeof(libs) / sizeof(*libs); i++)
		remove_stub(&(struct loader){.lib = (char *)libs[i]});
}

/* Whether this build's library suits that loader, which looks for it elsewhere. */
static bool built_for_another_folder(const struct loader *loader)
{
	const char *problem;

	return library_check(loader, HEADSTART_PRIVATE_DIR "/libheadstart-preload.so", &problem) == 0 &&
		!problem;
}

/* A loader that finds no library of its kind prints an error in every process it starts. */
static int check_library(const struct loader *loader, bool *ret_placed)
{
	_cleanup_free_ char *path = library_path(loader);
	const char *problem = NULL;
	int r;

	*ret_placed = false;
	if (!path)
		return 0;
	r = stub_place(loader, path, ret_placed);
	if (r < 0)
		return verb_fail_errno(
			r, "cannot place the library for programs of '%s' at '%s'", loader->path, path);
	r = library_check(loader, path, &problem);
	if (r < 0)
		return verb_fail_errno(r, "cannot look at '%s'", path);
	if (problem && access(path, F_OK) < 0 && built_for_another_folder(loader))
		return verb_fail(
			"headstart was built for '%s', and programs of '%s' look for '%s': set it up "
			"with --libdir=%s, and install it again",
			HEADSTART_PRIVATE_DIR, loader->path, path, loader->lib);
	if (problem)
		return verb_fail("the library for programs of '%s', '%s', %s", loader->path, path, problem);
	return 0;
}

static int check_libraries(const struct loader_list *list)
{
	bool placed;
	int r = 0;

	for (size_t i = 0; r == 0 && i < list->count; i++)
		r = check_library(&list->loaders[i], &placed);
	return r;
}

/* The line is there. Programs of another kind may have come since, which need a library of theirs. */
static int serve_new_loaders(const struct install_request *request)
{
	_cleanup_(loader_list_release) struct loader_list list = {0};
	int r;

	verb_note("it is installed already");
	if (request->dry_run)
		return 0;
	r = find_loaders(&list);
	for (size_t i = 0; r == 0 && i < list.count; i++) {
		bool placed;

		r = check_library(&list.loaders[i], &placed);
		if (placed)
			printf("placed the library for programs of %s\n", list.loaders[i].path);
	}
	return r;
}

static void show_progress(void *context, const char *name, size_t done, size_t of)
{
	fprintf(stderr, "\r\033[Kheadstart: self-test, %zu of %zu: %s", done + 1, of, name);
	fflush(stderr);
}

static int self_test(const struct loader_list *list, const struct preload_file *before)
{
	_cleanup_free_ char *text = NULL, *difference = NULL;
	bool show = isatty(STDERR_FILENO);
	struct battery battery = {
		.before = before,
		.library = strrchr(NAME, '/') + 1,
		.loaders = list->loaders,
		.n_loaders = list->count,
		.self_test = HEADSTART_PRIVATE_DIR "/headstart-self-test",
		.progress = show ? show_progress : NULL,
	};
	size_t tried;
	int r = preload_text_add(before->text, before->size, NAME, &text, &battery.size);

	battery.text = text;
	if (r == 0)
		r = battery_run(&battery, &tried, &difference);
	if (show)
		fputs("\r\033[K", stderr);
	if (r == -EOPNOTSUPP)
		return verb_fail(
			"without overlayfs the self-test needs the file '%s' to exist; an empty one will do",
			PRELOAD_FILE);
	if (r == -EPERM)
		return verb_fail(
			"the self-test may not make a mount namespace: in a container, give it "
			"CAP_SYS_ADMIN");
	if (r < 0)
		return verb_fail_errno(r, "the self-test cannot be done; nothing was written");
	if (difference)
		return verb_fail("nothing was written: %s", difference);
	printf("tried %zu programs with and without the line: no difference\n", tried);
	return 0;
}

/* Only root needs the record: the line in the file does everything else. */
static int write_line(const struct loader_list *list, const struct preload_file *before)
{
	const struct system_line line = {PRELOAD_FILE, NAME, RECORD};
	enum system_outcome outcome;
	const char *culprit;
	int r = make_folders(RECORDS, 0755);

	if (r < 0)
		return verb_fail_errno(r, "cannot make the folder '%s'", RECORDS);
	r = system_line_write(&line, before, list->loaders, list->count, &outcome, &culprit);
	switch (outcome) {
	case SYSTEM_WRITTEN:
		printf("wrote %s\n", PRELOAD_FILE);
		return 0;
	case SYSTEM_STUCK:
		return verb_fail_errno(r,
			"the line '%s' is in '%s', does not work, and cannot be removed: "
			"remove it by hand",
			NAME, PRELOAD_FILE);
	case SYSTEM_TAKEN_BACK:
		break;
	}
	if (r < 0)
		return cannot_change(culprit, r);
	return verb_fail(
		"programs failed with the line in '%s' though the self-test had passed; it was removed again",
		PRELOAD_FILE);
}

static void note_mode(void)
{
	mode_t mode;

	if (!preload_file_for_all(PRELOAD_FILE, &mode))
		verb_note(
			"'%s' keeps its mode %04o: programs of users who cannot read it do not load the "
			"library; "
			"'chmod a+r %s' changes that",
			PRELOAD_FILE, (unsigned)mode, PRELOAD_FILE);
}

int install_system(const struct install_request *request)
{
	_cleanup_(loader_list_release) struct loader_list list = {0};
	_cleanup_(preload_file_releasep) struct preload_file before = {0};
	_cleanup_(turn_end) struct turn turn = TURN_NONE;
	int r = enter_root(request->root, "install");

	if (r)
		return r;
	take_turn(&turn);
	r = read_preload_file(&before);
	if (r)
		return r;
	if (preload_text_has(before.text, before.size, NAME))
		return serve_new_loaders(request);
	r = find_loaders(&list);
	if (r)
		return r;
	r = check_libraries(&list);
	if (r == 0)
		r = self_test(&list, &before);
	if (r == 0 && request->dry_run)
		printf("would add to %s: %s\n", PRELOAD_FILE, NAME);
	else if (r == 0)
		r = write_line(&list, &before);
	if (r == 0)
		note_mode();
	if (r || request->dry_run)
		remove_stubs(&list);
	return r;
}

int uninstall_system(const struct install_request *request)
{
	_cleanup_(loader_list_release) struct loader_list list = {0};
	_cleanup_(preload_file_releasep) struct preload_file before = {0};
	_cleanup_(turn_end) struct turn turn = TURN_NONE;
	int r = enter_root(request->root, "uninstall");
	const char *culprit;
	bool there;

	if (r)
		return r;
	take_turn(&turn);
	r = read_preload_file(&before);
	if (r)
		return r;
	there = preload_text_has(before.text, before.size, NAME);
	if (!there)
		verb_note("nothing to take back: it is not installed");
	if (request->dry_run) {
		if (there)
			printf("would take out of %s: %s\n", PRELOAD_FILE, NAME);
		return 0;
	}
	r = preload_file_remove(PRELOAD_FILE, &before, NAME, RECORD, &culprit);
	if (r < 0 && !streq(culprit, RECORD))
		return cannot_change(culprit, r);
	if (loaders_find(&list.loaders, &list.count) == 0)
		remove_stubs(&list);
	remove_stubs_left();
	if (there)
		printf("took %s out of %s\n", NAME, PRELOAD_FILE);
	return r < 0 ? verb_fail_errno(r, "cannot remove the record '%s'", RECORD) : 0;
}
