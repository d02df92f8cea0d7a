/* SPDX-License-Identifier: MIT */
/* Writes and reads the file of a disk. */
#include "device/model-file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/strings.h"

#define TITLE "headstart disk 1\n"

/* More than any disk has: a minute, 4 GB a millisecond, a million reads. */
#define TIME_TOP  60000000u
#define RATE_TOP  UINT32_MAX
#define DEPTH_TOP 1000000u

size_t model_file_write(const char *identity, const struct device_model *model, char text[MODEL_FILE_MAX])
{
	int n = snprintf(text, MODEL_FILE_MAX,
		TITLE
		"identity %s\nmeasured %lld\nsamples %u\nlatency_us %u\nseek_us %u\nstroke_us %u\n"
		"bytes_per_ms %u\ndepth %u\n",
		identity, (long long)model->measured, model->samples, model->latency_us, model->seek_us,
		model->stroke_us, model->bytes_per_ms, model->depth);

	return n > 0 && (size_t)n < MODEL_FILE_MAX ? (size_t)n : 0;
}

/* "key 123" and a newline at *at, without sign or leading zeros. Moves *at behind it. */
static bool take_number(const char **at, const char *key, uint64_t top, uint64_t *ret)
{
	const char *text = after_prefix(*at, key);
	uint64_t number = 0;

	if (!text || *text++ != ' ' || *text < '0' || *text > '9' || (*text == '0' && text[1] != '\n'))
		return false;
	for (; *text >= '0' && *text <= '9'; text++)
		if (__builtin_mul_overflow(number, 10, &number) ||
			__builtin_add_overflow(number, (uint64_t)(*text - '0'), &number) || number > top)
			return false;
	if (*text++ != '\n')
		return false;
	*at = text;
	*ret = number;
	return true;
}

static bool take_field(const char **at, const char *key, uint32_t top, uint32_t *ret)
{
	uint64_t number;

	if (!take_number(at, key, top, &number))
		return false;
	*ret = (uint32_t)number;
	return true;
}

int model_file_read(const char *text, size_t size, const char *identity, struct device_model *ret)
{
	const char *at = after_prefix(text, TITLE "identity "), *end;
	struct device_model model = {0};
	uint64_t measured;

	if (strlen(text) != size || !at)
		return -EBADMSG;
	end = strchr(at, '\n');
	if (!end)
		return -EBADMSG;
	if ((size_t)(end - at) != strlen(identity) || strncmp(at, identity, (size_t)(end - at)) != 0)
		return -ENOENT;
	at = end + 1;
	if (!take_number(&at, "measured", INT64_MAX, &measured) ||
		!take_field(&at, "samples", UINT32_MAX, &model.samples) ||
		!take_field(&at, "latency_us", TIME_TOP, &model.latency_us) ||
		!take_field(&at, "seek_us", TIME_TOP, &model.seek_us) ||
		!take_field(&at, "stroke_us", TIME_TOP, &model.stroke_us) ||
		!take_field(&at, "bytes_per_ms", RATE_TOP, &model.bytes_per_ms) ||
		!take_field(&at, "depth", DEPTH_TOP, &model.depth) || *at)
		return -EBADMSG;
	model.measured = (int64_t)measured;
	*ret = model;
	return 0;
}
