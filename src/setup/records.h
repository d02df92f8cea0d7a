/* SPDX-License-Identifier: MIT */
/*
 * The records of what is installed for a user: FOLDER/NAME.json, each a manifest (setup/manifest.h). NAME is "user", or
 * "app-firefox" for an app.
 */
#pragma once

#include "setup/files.h"

#define RECORD_OF_USER "user"

/*
 * The name of an app's record: "app-firefox" for "firefox", for a path that ends so, and for "firefox.desktop". *ret is
 * the caller's. Returns 0, -EINVAL if the name cannot be part of a file's name or of a line, or -ENOMEM.
 */
int record_name_of_app(const char *app, char **ret);

/* The path of the record with that name. *ret is the caller's. Returns 0 or -ENOMEM. */
int record_path(const char *folder, const char *name, char **ret);

/*
 * Reads the record, empty if there is none; the caller releases it. Returns 0, -EBADMSG (it is not a record), or
 * negative errno.
 */
int record_load(const char *path, struct manifest *ret);

/*
 * Calls `each` with the name of every recorded app ("firefox"), in no particular order, until it returns other than 0.
 * Returns that, or -ENOMEM.
 */
int record_each_app(const char *folder, int (*each)(void *context, const char *app), void *context);

/* Why something cannot be installed. What the functions below return decides which field is set. */
struct record_clash {
	char *app;        /* owned; -EEXIST: the app that has the file */
	const char *file; /* borrowed; -EEXIST: the file */
	char *record;     /* owned; other errors: the record that cannot be read, or NULL */
};

void record_clash_release(struct record_clash *clash);

static inline void record_clash_releasep(struct record_clash *clash)
{
	record_clash_release(clash);
}

/*
 * Whether a file belongs to an installed app and is unchanged: -EEXIST with *ret_clash, which the caller releases; 0;
 * or another negative errno.
 */
int record_check_file(const char *folder, const char *path, struct record_clash *ret_clash);

/*
 * Call this before a set is installed under the record `name`. Checks that no file of it belongs to another app. Adds
 * to *manifest, that of the record, the folders of the set's files that another installation has made. Returns as
 * record_check_file() does.
 */
int record_prepare(const char *folder, const char *name, const struct file_set *set,
	struct manifest *manifest, struct record_clash *ret_clash);

/* The state of an installation. */
enum record_state {
	RECORD_NOTHING = 0,
	RECORD_INSTALLED,  /* each file is as we wrote it */
	RECORD_CHANGED,    /* no file is missing, but one is not as we wrote it */
	RECORD_INCOMPLETE, /* a file is missing */
};

enum record_state record_state_of(const struct manifest *manifest);
