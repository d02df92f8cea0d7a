/* SPDX-License-Identifier: MIT */
/* headstart install: programs start with headstart although nobody types it. */

#include "verb.h"
#include "verbs/install/install.h"

static const char help[] =
	"usage: headstart install --system | --user | --app NAME [OPTION…]\n"
	"Makes programs start with headstart from now on; 'headstart uninstall' takes exactly that back.\n"
	"\n"
	"options:\n"
	"      --system    all programs of the machine, by /etc/ld.so.preload; needs root. Tries\n"
	"                  programs of every kind before it writes anything\n"
	"      --user      all programs of this user's sessions, by LD_PRELOAD in environment.d\n"
	"      --app NAME  one program of this user (firefox, libreoffice, any program in PATH, or a\n"
	"                  .desktop file): a wrapper in ~/.local/bin, and its menu entries\n"
	"      --root DIR  with --system: the system whose root is DIR, such as an image\n"
	"      --force     replace files that headstart did not write; uninstalling brings them back\n"
	"      --dry-run   say what would be written, and write nothing\n"
	"  -h, --help      print this\n";

int cmd_install(int argc, char **argv)
{
	struct install_request request = {0};
	int r = install_parse(argc, argv, help, &request);

	if (r >= 0)
		return r;
	if (request.kind == INSTALL_SYSTEM)
		return install_system(&request);
	return request.kind == INSTALL_APP ? install_app(&request) : install_user(&request);
}
