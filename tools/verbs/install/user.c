/* SPDX-License-Identifier: MIT */
/* headstart install --user: LD_PRELOAD for all programs of a user's session, by environment.d(5). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "verb.h"
#include "verbs/install/install.h"

/*
 * Not the audit shim: every auditor takes room for static thread-local storage from glibc that some program may need to
 * start (src/elf/closure.h), and nobody knows in advance which programs this session will start.
 */
#define SHIM HEADSTART_PRIVATE_DIR "/libheadstart-preload.so"

static const char content[] =
	"# Written by 'headstart install --user'; 'headstart uninstall --user' takes it back.\n"
	"# headstart-install(1) says what it means for the programs of the session.\n"
	"LD_PRELOAD=${LD_PRELOAD:+$LD_PRELOAD:}" SHIM "\n";

int install_user(const struct install_request *request)
{
	_cleanup_(file_set_releasep) struct file_set set = {0};
	_cleanup_free_ char *folder = NULL, *path = NULL;
	char *copy;
	int r = user_folder("XDG_CONFIG_HOME", ".config", &folder);

	if (r)
		return r;
	if (access(SHIM, R_OK) < 0)
		return verb_fail("there is no shim '%s': install the whole of headstart first", SHIM);
	copy = strdup(content);
	if (!copy || asprintf(&path, "%s/environment.d/60-headstart.conf", folder) < 0 ||
		file_set_add(&set, path, 0644, copy, strlen(content)) < 0)
		return verb_fail("cannot install: out of memory");
	r = install_set(request, RECORD_OF_USER, &set);
	if (r == 0)
		verb_note("it takes effect with the next login, in sessions that systemd starts");
	return r;
}
