/* SPDX-License-Identifier: MIT */
/*
 * What was measured of one disk, as a file: text, one number a line, each line in its place.
 *
 *     headstart disk 1
 *     identity serial S3Z8NB0K 500118192
 *     measured 1763820000
 *     samples 3412
 *     latency_us 168
 *     seek_us 7600
 *     stroke_us 16000
 *     bytes_per_ms 60000
 *     depth 1
 */
#pragma once

#include "device/device.h"

#define MODEL_FILE_MAX 1024u /* bytes */

/* Writes the file to text, with a NUL. Returns its length without that. */
size_t model_file_write(const char *identity, const struct device_model *model, char text[MODEL_FILE_MAX]);

/*
 * Reads a file of `size` bytes with a NUL behind them. Returns 0; -ENOENT if it is another disk's; or -EBADMSG if it is
 * not exactly what model_file_write() writes, or says what no disk is like.
 */
int model_file_read(const char *text, size_t size, const char *identity, struct device_model *ret);
