/* SPDX-License-Identifier: MIT */
#include "plan/asked/guess.h"

#include <string.h>
#include <unistd.h>

#include "base/strings.h"
#include "format/asked/search.h"
#include "plan/asked/words.h"

struct guess {
	struct words words;
	char folder[ASKED_TEXT_SIZE]; /* where relative paths begin; "" for the root */
};

/* Appends the names of the path to `ret`, which has a path without a slash at its end. */
static bool append(const char *path, char ret[ASKED_TEXT_SIZE])
{
	size_t length = strlen(ret);

	while (*path) {
		size_t n = strcspn(path, "/");

		if (n == 2 && strncmp(path, "..", 2) == 0)
			return false;
		if (n > 0 && !(n == 1 && *path == '.')) {
			if (length + 1 + n >= ASKED_TEXT_SIZE)
				return false;
			ret[length++] = '/';
			memcpy(ret + length, path, n);
			length += n;
			ret[length] = '\0';
		}
		path += n;
		path += strspn(path, "/");
	}
	return true;
}

static bool find(const struct guess *guess, const char *path, char ret[ASKED_TEXT_SIZE])
{
	strcpy(ret, path[0] == '/' ? "" : guess->folder);
	return append(path, ret);
}

static bool resolve(void *context, char text[ASKED_TEXT_SIZE])
{
	char found[ASKED_TEXT_SIZE];

	if (!find(context, text, found))
		return false;
	strcpy(text, *found ? found : "/");
	return true;
}

static bool enter(void *context, const char *path)
{
	struct guess *guess = context;
	char found[ASKED_TEXT_SIZE];

	if (!find(guess, path, found))
		return false;
	strcpy(guess->folder, found);
	return true;
}

static bool exists(void *context, const char *path)
{
	return true;
}

bool asked_guess(const char *rule, const char *const *argv, struct asked *ret)
{
	struct guess guess = {.words = words_of(argv)};
	const struct asked_source source = {
		.context = &guess, .read = words_read, .resolve = resolve, .enter = enter, .exists = exists};

	if (!getcwd(guess.folder, sizeof(guess.folder)) ||
		guess.folder[0] != '/') /* longer, or out of reach */
		return false;
	if (streq(guess.folder, "/"))
		guess.folder[0] = '\0';
	return asked_for(rule, &source, ret);
}
