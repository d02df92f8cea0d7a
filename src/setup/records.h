/* SPDX-License-Identifier: MIT */
/*
 * The records of what is installed for a user: FOLDER/NAME.json, each a manifest (setup/manifest.h). NAME is "user", or
 * "app-firefox" for an app.
 */
#pragma once

#include "setup/files.h"

#define RECORD_OF_USER "user"

/*
 * The name of an app's record: "app-firefox" for "firefox", for a path that ends so, and for "firefox.desktop". *ret is the
 * caller's. Returns 0, -EINVAL for what cannot be part of a file's name and of a line, or -ENOMEM.
 */
int record_name_of_app(const char *app, char **ret);

/* Where the record of that name is. *ret is the caller's. Returns 0 or -ENOMEM. */
int record_path(const char *folder, const char *name, char **ret);

/* The record, empty if there is none; the caller's to release. Returns 0, -EBADMSG (it is no record), or negative errno. */
int record_load(const char *path, struct manifest *ret);

/*
 * Calls `each` with the name of every recorded app ("firefox"), in no order, until it returns other than 0. Returns that, or
 * -ENOMEM.
 */
int record_each_app(const char *folder, int (*each)(void *context, const char *app), void *context);

/* Why something cannot be installed: what the functions below return says which field is set. */
struct record_clash {
	char *app;        /* owned; -EEXIST: the app that the file is a part of */
	const char *file; /* borrowed; -EEXIST: the file */
	char *record; /* owned; other errors: the record that cannot be read; NULL where none is to blame */
};

void record_clash_release(struct record_clash *clash);

static inline void record_clash_releasep(struct record_clash *clash)
{
	record_clash_release(clash);
}

/*
 * Whether a file is part of an app that is installed, and as it was written: -EEXIST with *ret_clash, the caller's to release; or
 * 0; or negative errno.
 */
int record_check_file(const char *folder, const char *path, struct record_clash *ret_clash);

/*
 * Before a set is installed under the record `name`: no file of it may be part of another app. *manifest, that of the record, gets
 * the folders that another installation has made and the set lies in. Returns as record_check_file().
 */
int record_prepare(const char *folder, const char *name, const struct file_set *set,
	struct manifest *manifest, struct record_clash *ret_clash);

/* What is to be seen of an installation. */
enum record_state {
	RECORD_NOTHING = 0,
	RECORD_INSTALLED,  /* each file is as it was written */
	RECORD_CHANGED,    /* a file is there, but not as it was written */
	RECORD_INCOMPLETE, /* a file is missing */
};

enum record_state record_state_of(const struct manifest *manifest);
