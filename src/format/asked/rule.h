/* SPDX-License-Identifier: MIT */
/* The words of a rule (format/asked.h). */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "format/asked.h"

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

/* The first letter of what follows NAME=, or 0. */
static inline char asking_role(const char *rule, const char *name, size_t length)
{
	const char *value = asking_value(rule, name, length);

	return value ? *value : '\0';
}

/* Whether that is a word of the rule. */
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
