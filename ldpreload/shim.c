/* SPDX-License-Identifier: MIT */
/* The start of the program as the shim sees it, and whether anything may be done in it. */
#include "shim.h"

#include <link.h>
#include <linux/auxvec.h>

#define DISABLE_FILE "/etc/headstart/disable" /* the administrator's kill switch */

struct shim_start shim_start = {.secure = true};

/* The compiler may call these for copies it makes up itself; hidden, so the program's own are not in
 * question. */
void *memcpy(void *restrict to, const void *restrict from, size_t size);
void *memset(void *to, int byte, size_t size);

void *memcpy(void *restrict to, const void *restrict from, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((char *)to)[i] = ((const char *)from)[i];
	return to;
}

void *memset(void *to, int byte, size_t size)
{
	for (size_t i = 0; i < size; i++)
		((char *)to)[i] = (char)byte;
	return to;
}

size_t shim_length(const char *string)
{
	size_t n = 0;

	while (string[n])
		n++;
	return n;
}

bool shim_equal(const char *a, const char *b)
{
	while (*a && *a == *b)
		a++, b++;
	return *a == *b;
}

bool shim_begins(const char *string, const char *prefix)
{
	while (*prefix && *string == *prefix)
		string++, prefix++;
	return !*prefix;
}

void shim_text_add_character(struct shim_text *text, char character)
{
	if (text->end - text->at < 2) {
		text->overflow = true;
		return;
	}
	*text->at++ = character;
	*text->at = '\0';
}

void shim_text_add(struct shim_text *text, const char *string)
{
	while (*string && !text->overflow)
		shim_text_add_character(text, *string++);
}

void shim_text_add_number(struct shim_text *text, uint64_t number)
{
	char digits[21];
	char *at = digits + sizeof(digits) - 1;

	*at = '\0';
	do
		*--at = (char)('0' + number % 10);
	while (number /= 10);
	shim_text_add(text, at);
}

void shim_begin(int argc, char **argv, char **envp)
{
	struct shim_start start = {.environment = envp, .secure = true};
	const uintptr_t *auxv = (const uintptr_t *)envp;
	bool understood = false;

	if (envp != argv + argc + 1)
		return;
	while (*auxv)
		auxv++;
	while (!*auxv)
		auxv++;
	for (; auxv[0] != AT_NULL; auxv += 2) {
		switch (auxv[0]) {
		case AT_EXECFN:
			start.program = (const char *)auxv[1];
			break;
		case AT_PHDR:
			start.headers = (const void *)auxv[1];
			break;
		case AT_PHENT:
			understood = auxv[1] == sizeof(ElfW(Phdr));
			break;
		case AT_PHNUM:
			start.header_count = auxv[1];
			break;
		case AT_ENTRY:
			start.entry = auxv[1];
			break;
		case AT_BASE:
			start.loader = auxv[1];
			break;
		case AT_EUID:
			start.uid = (uint32_t)auxv[1];
			break;
		case AT_SECURE:
			start.secure = auxv[1] != 0;
			break;
		}
	}
	if (understood)
		shim_start = start;
}

char *shim_environment_entry(const char *name)
{
	size_t length = shim_length(name);

	for (char **entry = shim_start.environment; *entry; entry++) {
		if (shim_begins(*entry, name) && (*entry)[length] == '=')
			return *entry;
	}
	return NULL;
}

const char *shim_environment(const char *name)
{
	const char *entry = shim_environment_entry(name);

	return entry ? entry + shim_length(name) + 1 : NULL;
}

/* A file that cannot be read, or the rest of one that fills the buffer (a status with many groups), says nothing. */
bool shim_status_says(const char *path, const char *line)
{
	size_t length = shim_length(line), matched = 0;
	char status[3072];
	int fd = sys_open(path, O_RDONLY);
	long size;

	if (fd < 0)
		return false;
	size = sys_read(fd, status, sizeof(status));
	sys_close(fd);
	for (long i = 0; i < size; i++) {
		matched = status[i] == line[matched] ? matched + 1 : status[i] == '\n';
		if (matched == length)
			return true;
	}
	return false;
}

/* Whether a seccomp filter is in force, told by the one way that no filter can make fatal: prctl(2) might be. */
static bool seccomp_off(void)
{
	return shim_status_says("/proc/self/status", "\nSeccomp:\t0\n");
}

bool shim_unfiltered(enum shim_answer *answer)
{
	if (*answer == SHIM_NOT_ASKED)
		*answer = seccomp_off() && sys_getpid() != 1 ? SHIM_YES : SHIM_NO;
	return *answer == SHIM_YES;
}

bool shim_wanted(void)
{
	const char *mode;
	int fd;

	if (shim_start.secure || !shim_start.program)
		return false;
	mode = shim_environment("HEADSTART");
	if ((mode && shim_equal(mode, "off")) || shim_environment(SHIM_RECORDING))
		return false;
	fd = sys_open(DISABLE_FILE, O_PATH);
	if (fd >= 0)
		sys_close(fd);
	return fd < 0;
}

void shim_log(const char *program, const char *what)
{
	const char *file = shim_environment("HEADSTART_LOG");
	char line[SHIM_PATH_MAX + 128];
	struct shim_text text;
	int fd;

	if (!file)
		return;
	fd = sys_open(file, O_WRONLY | O_APPEND | O_CREAT | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return;
	text = shim_text(line, sizeof(line));
	shim_text_add(&text, shim_name);
	shim_text_add(&text, " program=");
	shim_text_add(&text, program);
	shim_text_add(&text, " pid=");
	shim_text_add_number(&text, (uint64_t)sys_getpid());
	shim_text_add(&text, " ");
	shim_text_add(&text, what);
	shim_text_add(&text, "\n");
	sys_write(fd, line, (size_t)(text.at - line));
	sys_close(fd);
}
