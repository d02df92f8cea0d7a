/* SPDX-License-Identifier: MIT */
/* headstart install: programs are started with headstart without anybody typing it. */
#include <stdio.h>

#include "install.h"
#include "verb.h"

static const char help[] =
	"usage: headstart install --system | --user | --app NAME [OPTION…]\n"
	"Has programs started with headstart from now on; 'headstart uninstall' takes exactly that back.\n"
	"\n"
	"options:\n"
	"      --system    all programs of the machine, by /etc/ld.so.preload; needs root. Programs of\n"
	"                  every kind are tried before anything is written\n"
	"      --user      all programs of this user's sessions, by LD_PRELOAD in environment.d\n"
	"      --app NAME  one program of this user (firefox, libreoffice, any program in PATH, or a\n"
	"                  .desktop file): a wrapper in ~/.local/bin, and its menu entries\n"
	"      --root DIR  with --system: the system whose root is DIR, such as an image\n"
	"      --force     replace files that headstart did not write, until it is uninstalled\n"
	"      --dry-run   say what would be written, and write nothing\n"
	"  -h, --help      print this\n";

/* Returns 0, an exit status with the reason said, or -1 when the help was printed. */
static int parse(int argc, char **argv, struct install_request *request)
{
	static const struct option longs[] = {
		{"system", no_argument, NULL, INSTALL_SYSTEM},
		{"root", required_argument, NULL, 'r'},
		{"user", no_argument, NULL, INSTALL_USER},
		{"app", required_argument, NULL, INSTALL_APP},
		{"force", no_argument, NULL, 'f'},
		{"dry-run", no_argument, NULL, 'n'},
		{"help", no_argument, NULL, 'h'},
		{0},
	};
	int option;

	while ((option = verb_option(argc, argv, ":h", longs)) != -1) {
		switch (option) {
		case INSTALL_SYSTEM:
		case INSTALL_USER:
		case INSTALL_APP:
			if (request->kind)
				return verb_usage("install", "one of --system, --user and --app at a time");
			request->kind = (enum install_kind)option;
			request->app = optarg;
			break;
		case 'r':
			request->root = optarg;
			break;
		case 'f':
			request->force = true;
			break;
		case 'n':
			request->dry_run = true;
			break;
		case 'h':
			return fputs(help, stdout) < 0 ? VERB_FAILED : -1;
		default:
			return VERB_USAGE;
		}
	}
	if (optind < argc)
		return verb_usage("install", "'%s' is too much", argv[optind]);
	if (request->root && request->kind != INSTALL_SYSTEM)
		return verb_usage("install", "--root goes with --system");
	return request->kind ? 0 : verb_usage("install", "install what: --system, --user or --app NAME");
}

int cmd_install(int argc, char **argv)
{
	struct install_request request = {0};
	int r = parse(argc, argv, &request);

	if (r)
		return r < 0 ? 0 : r;
	if (request.kind == INSTALL_SYSTEM)
		return install_system(&request);
	return request.kind == INSTALL_APP ? install_app(&request) : install_user(&request);
}
