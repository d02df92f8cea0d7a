/* SPDX-License-Identifier: MIT */
/*
 * What a start asks of its program, as a number: its key. Starts with the same key touch the same files, as far as the
 * command line can tell. Freestanding: the shims and the tools must agree.
 *
 * A rule says which arguments count. It is a text of words with single blanks between them, which hosts.d holds for
 * known programs (headstart-hosts(5)), and which a plan carries in its head:
 *
 *     all             every argument counts; one that looks like a document counts by its suffix alone
 *     operand=ROLE    what the first argument is that is no option; with `skip`, no such argument counts
 *     -X=ROLE         what the value of this option is; so with -name and --name
 *     joined          options of one letter may share an argument with each other and with a value: -Bc CODE
 *     assignments     arguments of the form NAME=VALUE before the first operand do not count
 *     called=NAME     called by another name, the program is asked for that name
 *     near=ENTRY      the nearest folder, at or above the working folder, that has this entry counts as well
 *     own=FOLDER      of no concern here: what is in this folder, seen from the program's, is as certain as its libraries
 *
 * Roles; the first letter decides:
 *
 *     file       a file, which counts by its canonical path     these four end the search: what follows
 *     word       counts as it is                                belongs to the thing that was asked for
 *     text       counts as it is
 *     command    counts as it is, with all that follows and with the working folder
 *     also       counts as it is, and the search goes on
 *     skip       does not count
 *     in         the working folder from here on
 *     operand    the option has no value; it makes the first operand a text (sh -c)
 *     never      no start with this option has a key
 *
 * A start without any of the first four counts by all its arguments.
 *
 * The arguments may be in memory that another thread changes. Each byte of them is read once, by source->read(), into
 * `text`, and nothing else of them is looked at.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/hash.h"

#define ASKED_RULE_ALL      "all"
#define ASKED_RULE_MAX      1024u /* bytes, with the NUL */
#define ASKED_TEXT_SIZE     512u  /* bytes: a longer path has no key */
#define ASKED_ARGUMENTS_MAX 64u   /* a start with more of them before what it asks for has no key */
#define ASKED_BYTES_MAX     8192u /* of arguments; a start with more has no key */
#define ASKED_FOLDERS_MAX   32u   /* levels that are searched for the entry of near= */
#define ASKED_SUFFIX_MAX    16u   /* bytes: the longest suffix of a document, with its dot */

#define ASKED_END   (-1)
#define ASKED_ERROR (-2)

struct asked_source {
	void *context;
	/*
	 * Copies up to `size` bytes of an argument, from `offset` on, to `text`. Returns how many there were before its NUL,
	 * ASKED_END if there is no such argument, or ASKED_ERROR.
	 */
	long (*read)(void *context, unsigned int number, size_t offset, char *text, size_t size);
	/* Replaces a path, which may be relative to the working folder, by its canonical one. False if it is too long. */
	bool (*resolve)(void *context, char text[ASKED_TEXT_SIZE]);
	/* Changes the working folder for resolve(). */
	bool (*enter)(void *context, const char *path);
	/* Whether there is something at that absolute path. */
	bool (*exists)(void *context, const char *path);
};

struct asked {
	uint64_t key; /* 0: none */
	/* The argument that says what is asked for: those after it belong to that. ASKED_ARGUMENTS_MAX: there is none. */
	unsigned int number;
	char role; /* of it; 0: none, or the rule is `all` */
	/* The canonical path of the file, or else of the folder of near=, or "". */
	char text[ASKED_TEXT_SIZE];
};

/* Private to this file from here on, but for asked_for() and asked_rule_good(). */
/* Not inlined: a shim is in every program, and this runs only where there is a plan. */
#define ASKED_PART static __attribute__((noinline, unused))

struct asking {
	const char *rule;
	const struct asked_source *source;
	struct asked *asked;
	uint64_t hash;  /* of what counts */
	uint64_t all;   /* of all arguments so far: what counts if nothing is asked for */
	size_t length;  /* of the text */
	size_t counted; /* bytes read of all arguments */
	char operand;   /* role of the first operand */
};

ASKED_PART void asking_add(uint64_t *hash, const char *text, size_t length)
{
	static const char end = '\0'; /* no text contains it: two texts never look like one */

	*hash = fnv1a64(fnv1a64(*hash, text, length), &end, 1);
}

static inline size_t asking_length(const char *text)
{
	size_t n = 0;

	while (text[n])
		n++;
	return n;
}

/* What follows NAME= in the rule, or NULL. An empty name has none. */
ASKED_PART const char *asking_value(const char *rule, const char *name, size_t length)
{
	while (length && *rule) {
		size_t i = 0;

		while (i < length && rule[i] == name[i])
			i++;
		if (i == length && rule[i] == '=')
			return rule + i + 1;
		while (*rule && *rule != ' ')
			rule++;
		while (*rule == ' ')
			rule++;
	}
	return NULL;
}

static inline char asking_role(const char *rule, const char *name, size_t length)
{
	const char *value = asking_value(rule, name, length);

	return value ? *value : '\0';
}

ASKED_PART bool asking_has(const char *rule, const char *word)
{
	while (*rule) {
		size_t i = 0;

		while (word[i] && rule[i] == word[i])
			i++;
		if (!word[i] && (!rule[i] || rule[i] == ' '))
			return true;
		while (*rule && *rule != ' ')
			rule++;
		while (*rule == ' ')
			rule++;
	}
	return false;
}

/* Reads the next piece of an argument into the text. Returns as source->read(). */
ASKED_PART long asking_read(struct asking *asking, unsigned int number, size_t offset)
{
	char *text = asking->asked->text;
	long length =
		asking->source->read(asking->source->context, number, offset, text, ASKED_TEXT_SIZE - 1);

	text[length > 0 ? length : 0] = '\0';
	asking->length = length > 0 ? (size_t)length : 0;
	asking->counted += asking->length;
	return asking->counted > ASKED_BYTES_MAX ? ASKED_ERROR : length;
}

/* Adds an argument whose first piece has been read, from the offset in that piece on. False if it cannot be read on. */
ASKED_PART bool asking_add_argument(
	struct asking *asking, uint64_t *hash, char role, unsigned int number, size_t from)
{
	size_t offset = 0;

	*hash = fnv1a64(*hash, &role, 1);
	for (;;) {
		long length;

		*hash = fnv1a64(*hash, asking->asked->text + from, asking->length - from);
		if (asking->length < ASKED_TEXT_SIZE - 1)
			break;
		offset += asking->length;
		from = 0;
		length = asking_read(asking, number, offset);
		if (length < 0)
			return false;
	}
	asking_add(hash, "", 0);
	return true;
}

/* The suffix of a document's name, with its dot; NULL if it has none. */
static inline const char *asking_suffix(const char *text)
{
	const char *dot = NULL, *base = text;

	for (const char *at = text; *at; at++) {
		if (*at == '/')
			base = at + 1, dot = NULL;
		else if (*at == '.' && at > base)
			dot = at;
	}
	return dot && dot[1] && asking_length(dot) <= ASKED_SUFFIX_MAX ? dot : NULL;
}

/* The rule `all`. */
ASKED_PART bool asking_all(struct asking *asking)
{
	const char *text = asking->asked->text;

	for (unsigned int n = 1; n < ASKED_ARGUMENTS_MAX; n++) {
		long length = asking_read(asking, n, 0);
		const char *suffix = NULL;

		if (length == ASKED_END)
			return true;
		if (length < 0)
			return false;
		if (text[0] != '-' && asking->length < ASKED_TEXT_SIZE - 1)
			suffix = asking_suffix(text);
		if (suffix)
			asking_add(&asking->hash, suffix, asking_length(suffix));
		else if (!asking_add_argument(asking, &asking->hash, 'w', n, 0))
			return false;
	}
	return false;
}

/*
 * The role of an argument that is an option; 0 if the rule does not name it. *ret_at is where its value begins in the
 * text, or 0 if the next argument is the value.
 */
ASKED_PART char asking_option(struct asking *asking, size_t *ret_at)
{
	const char *text = asking->asked->text;
	char role = asking_role(asking->rule, text, asking->length);
	size_t equals = 0;

	*ret_at = 0;
	if (role)
		return role;
	while (text[equals] && text[equals] != '=')
		equals++;
	role = text[equals] ? asking_role(asking->rule, text, equals) : '\0';
	*ret_at = role ? equals + 1 : 0;
	if (role || text[1] == '-' || !asking_has(asking->rule, "joined"))
		return role;
	for (size_t i = 1; text[i]; i++) {
		const char letter[] = {'-', text[i]};

		role = asking_role(asking->rule, letter, sizeof(letter));
		if (role == 'o')
			asking->operand = 't';
		else if (role) {
			*ret_at = text[i + 1] ? i + 1 : 0;
			return role;
		}
	}
	return '\0';
}

ASKED_PART bool asking_resolve(struct asking *asking, size_t from)
{
	char *text = asking->asked->text;

	if (asking->length >= ASKED_TEXT_SIZE - 1)
		return false;
	for (size_t i = 0; from && i <= asking->length - from; i++)
		text[i] = text[from + i];
	if (!asking->source->resolve(asking->source->context, text) || text[0] != '/')
		return false;
	asking->length = asking_length(text);
	return true;
}

/* The working folder, as the text. */
static inline bool asking_here(struct asking *asking)
{
	asking->asked->text[0] = '.';
	asking->asked->text[1] = '\0';
	asking->length = 1;
	return asking_resolve(asking, 0);
}

/* Appends "/" and the entry, a word of the rule, to the folder that the text is, and says whether there is such a file.
 * The text is as before then. */
static inline bool asking_has_entry(struct asking *asking, const char *entry)
{
	char *text = asking->asked->text;
	size_t at = asking->length == 1 ? 0 : asking->length; /* "/" */
	bool exists;

	text[at++] = '/';
	for (; *entry && *entry != ' '; entry++) {
		if (at >= ASKED_TEXT_SIZE - 1)
			return false;
		text[at++] = *entry;
	}
	text[at] = '\0';
	exists = asking->source->exists(asking->source->context, text);
	text[asking->length] = '\0';
	return exists;
}

/* Makes the text the nearest folder, at or above the working folder, that has the entry. */
ASKED_PART bool asking_near(struct asking *asking, const char *entry)
{
	char *text = asking->asked->text;

	if (!asking_here(asking))
		return false;
	for (unsigned int i = 0; i < ASKED_FOLDERS_MAX; i++) {
		if (asking_has_entry(asking, entry))
			return true;
		if (asking->length == 1)
			return false;
		while (text[asking->length - 1] != '/')
			asking->length--;
		if (asking->length > 1)
			asking->length--;
		text[asking->length] = '\0';
	}
	return false;
}

/* Adds what is asked for: the argument `number` of this role, whose value begins at `from`. */
ASKED_PART bool asking_take(struct asking *asking, char role, unsigned int number, size_t from)
{
	const char *near = asking_value(asking->rule, "near", 4);

	asking->asked->role = role;
	asking->asked->number = number;
	if (role == 'f') {
		if (!asking_resolve(asking, from))
			return false;
		asking->hash = fnv1a64(asking->hash, &role, 1);
		asking_add(&asking->hash, asking->asked->text, asking->length);
	} else if (!asking_add_argument(asking, &asking->hash, role, number, from)) {
		return false;
	}
	if (role == 'c') {
		long length;

		while ((length = asking_read(asking, ++number, 0)) >= 0)
			if (number >= ASKED_ARGUMENTS_MAX ||
				!asking_add_argument(asking, &asking->hash, role, number, 0))
				return false;
		if (length != ASKED_END)
			return false;
	}
	if (role == 'c' || near) {
		if (!(near ? asking_near(asking, near) : asking_here(asking)))
			return false;
		asking_add(&asking->hash, asking->asked->text, asking->length);
	}
	if (role != 'f' && !near)
		asking->asked->text[0] = '\0';
	return true;
}

/* Whether argv[0] names another program than called= does. If so, the name counts, and nothing else. */
ASKED_PART bool asking_called(struct asking *asking, const char *name, bool *ret_good)
{
	const char *text = asking->asked->text;
	size_t base = 0, i = 0;

	*ret_good = asking_read(asking, 0, 0) >= 0 && asking->length < ASKED_TEXT_SIZE - 1;
	if (!*ret_good)
		return false;
	for (size_t at = 0; text[at]; at++)
		if (text[at] == '/')
			base = at + 1;
	while (text[base + i] && text[base + i] == name[i])
		i++;
	if (!text[base + i] && (!name[i] || name[i] == ' '))
		return false;
	asking->asked->role = 'w';
	asking->asked->number = 0;
	asking_add(&asking->hash, text + base, asking->length - base);
	asking->asked->text[0] = '\0';
	return true;
}

static inline bool asking_is_assignment(const char *text)
{
	while (*text && *text != '=')
		text++;
	return *text == '=';
}

/* Follows a rule other than `all`. Sets `hash`, or returns false. */
ASKED_PART bool asking_search(struct asking *asking)
{
	const char *text = asking->asked->text, *called = asking_value(asking->rule, "called", 6);
	bool options = true, good = true;
	char pending = '\0'; /* role of the option whose value comes next */

	if (called && (asking_called(asking, called, &good) || !good))
		return good;
	for (unsigned int n = 1; n < ASKED_ARGUMENTS_MAX; n++) {
		long length = asking_read(asking, n, 0);
		char role = pending;
		size_t from = 0;

		if (length == ASKED_END) {
			asking->hash = fnv1a64(asking->all, &asking->hash, sizeof(asking->hash));
			asking->asked->text[0] = '\0';
			return true;
		}
		if (length < 0)
			return false;
		pending = '\0';
		if (!role && options && text[0] == '-' && text[1]) {
			options = text[1] != '-' || text[2];
			role = options ? asking_option(asking, &from) : '\0';
			if (role == 'o')
				asking->operand = 't';
			else if (role == 'a')
				asking_add(&asking->hash, text, from ? from : asking->length);
			if (role == 'n')
				return false;
			if (role && !from && role != 'o')
				pending = role;
			if (!role || pending || role == 'o')
				role = 's';
		} else if (!role) {
			role = asking_has(asking->rule, "assignments") && asking_is_assignment(text)
				? 's'
				: asking->operand;
		}
		if (role == 's' && asking->operand == 's' && text[0] != '-')
			continue; /* a document, or the like */
		if (role == 'f' || role == 'w' || role == 't' || role == 'c')
			return asking_take(asking, role, n, from);
		if (role == 'i' &&
			(asking->length >= ASKED_TEXT_SIZE - 1 ||
				!asking->source->enter(asking->source->context, text + from)))
			return false;
		if (role == 'a') {
			if (!asking_add_argument(asking, &asking->hash, role, n, from))
				return false;
			continue;
		}
		if (!asking_add_argument(asking, &asking->all, 'x', n, 0))
			return false;
	}
	return false;
}

/*
 * What a start asks for by the rule, which ends with a NUL. Returns false if it has no key: it cannot be told, or is too
 * long to be told in a moment. *ret is filled in either way.
 */
static inline bool asked_for(const char *rule, const struct asked_source *source, struct asked *ret)
{
	struct asking asking = {
		.rule = rule,
		.source = source,
		.asked = ret,
		.hash = FNV1A64_START,
		.all = FNV1A64_START,
		.operand = asking_role(rule, "operand", 7),
	};
	bool known;

	ret->key = 0;
	ret->number = ASKED_ARGUMENTS_MAX;
	ret->role = '\0';
	ret->text[0] = '\0';
	if (asking_has(rule, ASKED_RULE_ALL)) {
		ret->number = 0;
		known = asking_all(&asking);
		ret->text[0] = '\0';
	} else {
		known = asking_search(&asking);
	}
	if (!known)
		ret->text[0] = '\0';
	ret->key = known ? asking.hash | (asking.hash == 0) : 0;
	return known;
}
