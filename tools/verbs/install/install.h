/* SPDX-License-Identifier: MIT */
/* What `install`, `uninstall` and `status` share: the request, and the records of what is installed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "setup/records.h"

enum install_kind { INSTALL_NOTHING = 0, INSTALL_SYSTEM, INSTALL_USER, INSTALL_APP };

struct install_request {
	enum install_kind kind;
	const char *app; /* for INSTALL_APP: as the user gave it */
	bool dry_run;
	bool force;       /* replace other people's files; uninstall restores them */
	const char *root; /* for INSTALL_SYSTEM: another system's root folder; NULL: this system */
};

/*
 * Parses the command line of the verb argv[0], which is "install" or "uninstall". Returns -1 to go on, or the exit status.
 */
int install_parse(int argc, char **argv, const char *help, struct install_request *request);

/* All of these return 0, or an exit status after printing the reason. */
int install_app(const struct install_request *request);
int install_user(const struct install_request *request);
int install_system(const struct install_request *request);
int uninstall_system(const struct install_request *request);

/* record_name_of_app() */
int install_record_name(const char *app, char **ret);

/* The folder of records (setup/records.h), in this user's state folder. *ret is the caller's. */
int install_folder(char **ret);

/* Reads the record of that name, empty if there is none, and finds its path. Both are the caller's to release. */
int install_record_load(const char *name, char **ret_path, struct manifest *ret);

/* Reports the clash that record_prepare() or record_check_file() has found. Returns the exit status. */
int install_refuse_clash(int error, const struct record_clash *clash);

/* Writes the set, or only lists it in a dry run. Prints a line for each file. */
int install_set(const struct install_request *request, const char *record, const struct file_set *set);

/*
 * $VARIABLE if it is an absolute path, else $HOME/rest; `variable` may be NULL. *ret is the caller's. Refuses root a
 * folder that others can change.
 */
int user_folder(const char *variable, const char *rest, char **ret);
