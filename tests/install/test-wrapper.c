/* SPDX-License-Identifier: MIT */
/*
 * Unit tests of the files that are written for one program of a user: which programs, which wrappers, which menu
 * entries.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "replace/publish.h"
#include "setup/app.h"
#include "tree.h"

struct fixture {
	char folder[32];
	char path[128], data_path[64], wrappers[64], data[64];
	struct manifest before;
	struct app app;
};

static const char *below(const struct fixture *fixture, const char *name)
{
	return tree_path(fixture->folder, name);
}

static void write_file(const struct fixture *fixture, const char *name, mode_t mode, const char *text)
{
	char folder[256];

	strcpy(folder, below(fixture, name));
	*strrchr(folder, '/') = '\0';
	assert_int_equal(make_folders(folder, 0755), 0);
	assert_int_equal(publish_file(below(fixture, name), mode, text, strlen(text)), 0);
}

static int set_up(void **state)
{
	struct fixture *fixture = calloc(1, sizeof(*fixture));

	assert_non_null(fixture);
	strcpy(fixture->folder, "/tmp/headstart-test.XXXXXX");
	assert_non_null(mkdtemp(fixture->folder));
	strcpy(fixture->wrappers, below(fixture, "home/bin"));
	strcpy(fixture->data, below(fixture, "home/share"));
	strcpy(fixture->data_path, below(fixture, "share"));
	snprintf(fixture->path, sizeof(fixture->path), "relative:%s:%s/programs", fixture->wrappers,
		fixture->folder);
	write_file(fixture, "programs/painter", 0755, "#!/bin/sh\n");
	*state = fixture;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *fixture = *state;

	app_release(&fixture->app);
	assert_int_equal(tree_remove(fixture->folder), 0);
	free(fixture);
	return 0;
}

static enum app_problem find(struct fixture *fixture, const char *name, const char **ret_subject)
{
	const struct app_places places = {
		.path = fixture->path,
		.data_path = fixture->data_path,
		.wrappers = fixture->wrappers,
		.data = fixture->data,
		.before = &fixture->before,
	};
	enum app_problem problem;

	app_release(&fixture->app);
	assert_int_equal(app_init(&fixture->app, name, &places), 0);
	assert_int_equal(app_find(&fixture->app, &problem, ret_subject), 0);
	return problem;
}

static void assert_found(struct fixture *fixture, const char *name, const char *program)
{
	const char *subject;

	assert_int_equal(find(fixture, name, &subject), APP_GOOD);
	assert_string_equal(fixture->app.programs[0].path, below(fixture, program));
	assert_int_equal(app_make_files(&fixture->app), 0);
}

static void a_command_gets_a_wrapper(void **state)
{
	struct fixture *fixture = *state;
	const struct new_file *wrapper;

	assert_found(fixture, "painter", "programs/painter");
	assert_int_equal(fixture->app.set.n_files, 1);
	assert_int_equal(fixture->app.n_menus, 0);
	wrapper = &fixture->app.set.files[0];
	assert_string_equal(wrapper->path, below(fixture, "home/bin/painter"));
	assert_int_equal(wrapper->mode, 0755);
	assert_non_null(strstr(wrapper->content, " run -- "));
	assert_non_null(strstr(wrapper->content, below(fixture, "programs/painter")));
}

static void a_wrapper_is_not_the_program(void **state)
{
	struct fixture *fixture = *state;

	write_file(fixture, "home/bin/painter", 0755, "#!/bin/sh\n");
	assert_found(fixture, "painter", "programs/painter");
}

static void a_program_can_have_two_names(void **state)
{
	struct fixture *fixture = *state;

	write_file(fixture, "programs/soffice", 0755, "#!/bin/sh\n");
	assert_found(fixture, "libreoffice", "programs/soffice");
	write_file(fixture, "programs/libreoffice", 0755, "#!/bin/sh\n");
	assert_found(fixture, "libreoffice", "programs/libreoffice");
	assert_int_equal(fixture->app.n_programs, 2);
}

static void menu_entries_that_start_it_are_copied(void **state)
{
	struct fixture *fixture = *state;
	const struct new_file *menu;

	write_file(fixture, "share/applications/kde/painter.desktop", 0644,
		"[Desktop Entry]\nExec=painter %U\n");
	write_file(fixture, "share/applications/other.desktop", 0644, "[Desktop Entry]\nExec=sh\n");
	assert_found(fixture, "painter", "programs/painter");
	assert_int_equal(fixture->app.n_menus, 1);
	menu = &fixture->app.set.files[1];
	assert_string_equal(menu->path, below(fixture, "home/share/applications/kde-painter.desktop"));
	assert_non_null(strstr(menu->content, below(fixture, "home/bin/painter %U")));
}

static void a_menu_entry_names_its_program(void **state)
{
	struct fixture *fixture = *state;
	char path[256];

	write_file(fixture, "share/applications/org.example.Art.desktop", 0644,
		"[Desktop Entry]\nExec=painter\n");
	assert_found(fixture, "org.example.Art", "programs/painter");
	assert_found(fixture, "org.example.Art.desktop", "programs/painter");
	strcpy(path, below(fixture, "share/applications/org.example.Art.desktop"));
	assert_found(fixture, path, "programs/painter");
}

static void what_is_nowhere_is_unknown(void **state)
{
	struct fixture *fixture = *state;
	const char *subject;

	assert_int_equal(find(fixture, "none", &subject), APP_UNKNOWN);
	write_file(fixture, "programs/text", 0644, "text\n");
	assert_int_equal(find(fixture, "text", &subject), APP_UNKNOWN);
}

static void a_program_in_the_place_of_its_wrapper_is_told(void **state)
{
	struct fixture *fixture = *state;
	const char *subject;

	write_file(fixture, "home/bin/own", 0755, "#!/bin/sh\n");
	assert_int_equal(find(fixture, "own", &subject), APP_IN_PLACE);
	assert_string_equal(subject, below(fixture, "home/bin/own"));
	assert_int_equal(symlink("../home/bin/own", below(fixture, "programs/own")), 0);
	assert_int_equal(find(fixture, "own", &subject), APP_IN_PLACE);
	assert_string_equal(subject, below(fixture, "home/bin/own"));
}

static void what_a_sandbox_starts_is_told(void **state)
{
	struct fixture *fixture = *state;
	const char *subject;

	write_file(fixture, "programs/flatpak", 0755, "#!/bin/sh\n");
	write_file(fixture, "share/applications/boxed.desktop", 0644,
		"[Desktop Entry]\nExec=flatpak run boxed\n");
	assert_int_equal(find(fixture, "boxed", &subject), APP_CONTAINED);
	assert_string_equal(subject, "flatpak");
}

static void folders_are_the_same_by_any_name(void **state)
{
	struct fixture *fixture = *state;
	char link[256], programs[256], list[1024];

	strcpy(programs, below(fixture, "programs"));
	strcpy(link, below(fixture, "link"));
	assert_int_equal(symlink("programs", link), 0);
	snprintf(list, sizeof(list), "bin:%s:%s", link, fixture->wrappers);
	assert_int_equal(app_first_folder(list, fixture->wrappers, programs), 2);
	assert_int_equal(app_first_folder(list, programs, fixture->wrappers), 1);
	assert_int_equal(app_first_folder(list, "/none", "/nothing"), 0);
	assert_int_equal(app_first_folder(NULL, programs, programs), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_command_gets_a_wrapper, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_wrapper_is_not_the_program, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_program_can_have_two_names, set_up, tear_down),
		cmocka_unit_test_setup_teardown(menu_entries_that_start_it_are_copied, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_menu_entry_names_its_program, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_nowhere_is_unknown, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_program_in_the_place_of_its_wrapper_is_told, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_a_sandbox_starts_is_told, set_up, tear_down),
		cmocka_unit_test_setup_teardown(folders_are_the_same_by_any_name, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
