/* SPDX-License-Identifier: MIT */
/* What `install`, `uninstall` and `status` share: what is asked for, and where it is written down. */
#pragma once

#include <getopt.h>
#include <stdbool.h>
#include <stddef.h>

#include "setup/records.h"

enum install_kind { INSTALL_NOTHING = 0, INSTALL_SYSTEM, INSTALL_USER, INSTALL_APP };

struct install_request {
	enum install_kind kind;
	const char *app; /* for INSTALL_APP: as given */
	bool dry_run;
	bool force;       /* replace files that are not ours; they come back with uninstall */
	const char *root; /* for INSTALL_SYSTEM: the folder that is "/" of another system; NULL: this one */
};

/* What getopt_long(3) returns for the options of `install` and `uninstall` that are no kind. */
enum install_option { INSTALL_ROOT = 'r', INSTALL_FORCE = 'f', INSTALL_DRY_RUN = 'n' };

/*
 * Parses the command line of the verb argv[0]. Returns 0, an exit status with the reason said, or -1 when the
 * help was printed.
 */
int install_parse(int argc, char **argv, const char *help, const struct option *options,
	struct install_request *request);

/* All of these return 0, or an exit status with the reason said. */
int install_app(const struct install_request *request);
int install_user(const struct install_request *request);
int install_system(const struct install_request *request);
int uninstall_system(const struct install_request *request);

/* record_name_of_app() */
int install_record_name(const char *app, char **ret);

/* The folder of records (setup/records.h), in this user's state folder. *ret is the caller's. */
int install_folder(char **ret);

/* The record of that name, empty if there is none, and where it is. Both are the caller's to release. */
int install_record_load(const char *name, char **ret_path, struct manifest *ret);

/* Says what record_prepare() and record_check_file() have found. Returns the exit status. */
int install_refuse_clash(int error, const struct record_clash *clash);

/* Writes the set, or says what would be written, and says so line by line. */
int install_set(const struct install_request *request, const char *record, const struct file_set *set);

/*
 * $VARIABLE if it is an absolute path, else $HOME/rest; `variable` may be NULL. *ret is the caller's. Root is refused
 * a folder that others can change.
 */
int user_folder(const char *variable, const char *rest, char **ret);
