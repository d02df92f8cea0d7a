/* SPDX-License-Identifier: MIT */
/* Finds a program as a shell would, and everything about it that the checks look at. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/quote.h"
#include "base/run/search.h"
#include "base/run/wrapper.h"
#include "base/strings.h"
#include "base/texts/preload-text.h"
#include "doctor/checks.h"
#include "elf/script.h"

bool doctor_program_heeds_audit(const struct doctor_program *program)
{
	return program->is_elf && elf_needs_heeds_audit(&program->needs);
}

int doctor_canonical(const struct doctor_host *host, const char *path, char ret[PATH_MAX])
{
	_cleanup_free_ char *resolved = NULL, *root = NULL;
	char full[PATH_MAX];
	struct stat st;
	size_t length;

	if (!host_path(host, path, full))
		return -ENAMETOOLONG;
	if (stat(full, &st) < 0)
		return -errno;
	if (!S_ISREG(st.st_mode) || (st.st_mode & 0111) == 0)
		return -EACCES;
	resolved = realpath(full, NULL);
	root = realpath(*host->root ? host->root : "/", NULL);
	if (!resolved || !root)
		return -errno;
	length = streq(root, "/") ? 0 : strlen(root);
	if (strncmp(resolved, root, length) != 0 || resolved[length] != '/')
		return -EXDEV;
	snprintf(ret, PATH_MAX, "%s", resolved + length);
	return 0;
}

struct candidate {
	const struct doctor_host *host;
	char *path; /* PATH_MAX bytes: the canonical path of the program that is found */
};

/* A search_check. Rejects relative folders, because where they lead depends on the current folder; and wrappers, since
 * what the user asks about is the program behind them. */
static int check_candidate(void *context, const char *path)
{
	struct candidate *candidate = context;
	char full[PATH_MAX];

	if (path[0] != '/' || !host_path(candidate->host, path, full) || is_wrapper(full))
		return -ENOENT;
	return doctor_canonical(candidate->host, path, candidate->path);
}

static int find_program(const struct doctor_host *host, const char *command, char ret[PATH_MAX])
{
	const char *folders = host->variable("PATH");
	struct candidate candidate = {host, ret};
	char path[PATH_MAX];

	if (!*command)
		return -ENOENT;
	if (command[0] == '/')
		return doctor_canonical(host, command, ret);
	if (strchr(command, '/')) {
		_cleanup_free_ char *here = *host->root ? NULL : realpath(command, NULL);

		return here ? doctor_canonical(host, here, ret) : -ENOENT;
	}
	if (search_folders(folders && *folders ? folders : SEARCH_DEFAULT, command, check_candidate,
		    &candidate, path) < 0)
		return -ENOENT;
	return 0;
}

static bool interpreter_below(const struct doctor_host *host, const char *path, char interpreter[SCRIPT_HEAD])
{
	_cleanup_close_ int fd = -1;
	char full[PATH_MAX];

	if (!host_path(host, path, full))
		return false;
	fd = open(full, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	return fd >= 0 && script_interpreter(fd, interpreter);
}

/*
 * Text without "#!", which shells run when the kernel returns ENOEXEC. Bash takes a file with a NUL in its first line
 * for something else.
 */
static bool is_plain(int fd)
{
	char line[SCRIPT_HEAD];
	ssize_t n = pread(fd, line, sizeof(line) - 1, 0);

	if (n < 0)
		return false;
	line[n] = '\0';
	return !after_prefix(line, "\177ELF") && !after_prefix(line, "#!") &&
		(strchr(line, '\n') || strlen(line) == (size_t)n);
}

static void read_executable(const struct doctor_host *host, struct doctor_program *program)
{
	_cleanup_free_ char *preloads = NULL;
	_cleanup_close_ int fd = -1;
	char full[PATH_MAX];

	if (program->is_relative || !host_path(host, program->executable, full))
		return;
	fd = open(full, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	program->is_elf = fd >= 0 && elf_needs_read(fd, &program->needs) == 0;
	program->is_plain = fd >= 0 && !program->is_script && is_plain(fd);
	if (!doctor_program_heeds_audit(program))
		return;
	program->closure.root = host->root;
	program->closure.library_path = host->variable("LD_LIBRARY_PATH");
	elf_closure_add(&program->closure, program->executable);
	(void)host_read(host, PRELOAD_FILE, &preloads);
	elf_closure_add_preloads(&program->closure, host->variable("LD_PRELOAD"), preloads);
}

int doctor_program_find(const struct doctor_host *host, const char *command, struct doctor_program *ret)
{
	char interpreter[SCRIPT_HEAD];
	int r = find_program(host, command, ret->path);

	if (r < 0)
		return r;
	ret->command = command;
	strcpy(ret->executable, ret->path);
	for (int i = 0; i < SCRIPT_DEPTH && interpreter_below(host, ret->executable, interpreter); i++) {
		ret->is_script = true;
		ret->is_relative = interpreter[0] != '/';
		if (ret->is_relative) {
			strcpy(ret->executable, interpreter);
			break;
		}
		ret->interpreter_error = doctor_canonical(host, interpreter, ret->executable);
		if (ret->interpreter_error < 0) {
			strcpy(ret->executable, interpreter);
			break;
		}
	}
	read_executable(host, ret);
	ret->command_word = quoted_shell(command);
	ret->path_word = quoted_shell(ret->path);
	return ret->command_word && ret->path_word ? 0 : -ENOMEM;
}

void doctor_program_release(struct doctor_program *program)
{
	free(program->command_word);
	free(program->path_word);
	elf_needs_release(&program->needs);
	elf_closure_release(&program->closure);
	*program = (struct doctor_program){0};
}
