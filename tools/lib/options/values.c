/* SPDX-License-Identifier: MIT */
#include "lib/options/values.h"

#include <stddef.h>

#include "base/texts/milestone.h"
#include "device/device.h"
#include "verb.h"

int option_take_class(const char *verb, const char *value, void *to)
{
	if (device_class_parse(value, to))
		return 0;
	return verb_usage(verb, "unknown class of device '%s': use auto, rotational, solid or lazy", value);
}

int option_take_milestone(const char *verb, const char *value, void *to)
{
	if (milestone_parse(value, to))
		return 0;
	return verb_usage(verb,
		"unknown milestone '%s': use exit, window, mark, idle:SECONDS or time:SECONDS (such as idle:3)",
		value);
}

int option_take_seconds(const char *verb, const char *value, void *to)
{
	return milestone_parse_seconds(value, to)
		? 0
		: verb_usage(verb, "'%s' is not a number of seconds above 0, such as 2.5", value);
}

int option_take_absolute(const char *verb, const char *value, void *to)
{
	if (value[0] != '/')
		return verb_usage(verb, "'%s' is not an absolute path", value);
	*(const char **)to = value;
	return 0;
}

int option_take_rows(const char *verb, const char *value, void *to)
{
	unsigned long long rows;

	if (!verb_parse_u64(value, &rows))
		return verb_usage(verb, "'%s' is not a number of rows, such as 20", value);
	*(size_t *)to = (size_t)rows;
	return 0;
}
