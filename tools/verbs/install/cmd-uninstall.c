/* SPDX-License-Identifier: MIT */
/* headstart uninstall: removes what `headstart install` wrote, and nothing else. */
#include <stdio.h>

#include "base/cleanup.h"
#include "lib/files/stranger-refusal.h"
#include "lib/print/page-style.h"
#include "verb.h"
#include "verbs/install/install.h"

static const char help[] =
	"usage: headstart uninstall --system | --user | --app NAME [OPTION…]\n"
	"Takes back what 'headstart install' with the same option wrote. Leaves and names files that were\n"
	"changed since.\n"
	"\n"
	"options:\n"
	"      --system    all programs of the machine; needs root\n"
	"      --user      all programs of this user's sessions\n"
	"      --app NAME  one program of this user\n"
	"      --root DIR  with --system: the system whose root is DIR\n"
	"      --dry-run   say what would be taken back, and do nothing\n"
	"  -h, --help      print this\n";

static void tell(void *context, const char *path, enum file_removal what, const char *saved)
{
	switch (what) {
	case FILE_REMOVED:
		page_line("removed ", path, "");
		break;
	case FILE_RESTORED:
		page_line("restored ", path, "");
		break;
	case FILE_GONE:
		page_line("was gone: ", path, "");
		break;
	case FILE_KEPT:
		if (saved)
			verb_note(
				"'%s' was changed since and is left as it is; the file that was there "
				"before is '%s'",
				path, saved);
		else
			verb_note("'%s' was changed since and is left as it is", path);
	}
}

/* Root may have installed into a user's folders, with that user's HOME. Root must not follow paths there. */
static int refuse_strange_files(const struct manifest *manifest, const char *record)
{
	_cleanup_free_ char *advice = NULL;
	int r = 0;

	if (asprintf(&advice, "remove what --dry-run lists as its owner, and then '%s' as root", record) < 0)
		return verb_fail("cannot take anything back: out of memory");
	for (size_t i = 0; r == 0 && i < manifest->n_files; i++)
		r = refuse_stranger(manifest->files[i].path, advice);
	return r;
}

static int remove_recorded(const struct install_request *request, const char *record)
{
	_cleanup_(manifest_releasep) struct manifest manifest = {0};
	_cleanup_free_ char *path = NULL;
	const char *culprit;
	int r = install_record_load(record, &path, &manifest);

	if (r)
		return r;
	if (manifest.n_files == 0) {
		if (request->kind == INSTALL_APP)
			verb_note("'%s' is not installed; 'headstart status' lists what is", request->app);
		else
			verb_note("nothing to take back: it is not installed");
		return 0;
	}
	for (size_t i = 0; request->dry_run && i < manifest.n_files; i++)
		page_line("would take back ", manifest.files[i].path, "");
	if (request->dry_run)
		return 0;
	r = refuse_strange_files(&manifest, path);
	if (r)
		return r;
	r = files_remove(path, &manifest, tell, NULL, &culprit);
	return r < 0 ? verb_fail_errno(r, "cannot take back '%s'", culprit) : 0;
}

int cmd_uninstall(int argc, char **argv)
{
	_cleanup_free_ char *record = NULL;
	struct install_request request = {0};
	int r = install_parse(argc, argv, help, &request);

	if (r >= 0)
		return r;
	if (request.kind == INSTALL_SYSTEM)
		return uninstall_system(&request);
	if (request.kind == INSTALL_USER)
		return remove_recorded(&request, RECORD_OF_USER);
	r = install_record_name(request.app, &record);
	return r ? r : remove_recorded(&request, record);
}
