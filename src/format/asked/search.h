/* SPDX-License-Identifier: MIT */
/* Goes through the arguments of a start by a rule (format/asked.h), and finds what it asks for. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "format/asked.h"
#include "format/asked/key.h"
#include "format/asked/rule.h"
#include "format/hash.h"

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

	if (at >= ASKED_TEXT_SIZE - 1)
		return false;
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
			asking->asked->also = true;
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
	ret->also = false;
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
