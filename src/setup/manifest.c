/* SPDX-License-Identifier: MIT */
/* Reads and writes manifests as JSON. */
#include "setup/manifest.h"

#include <errno.h>
#include <inttypes.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/array.h"
#include "base/cleanup.h"
#include "base/files/io.h"
#include "base/strings.h"
#include "replace/publish.h"

#define VERSION      1
#define MANIFEST_MAX (1u << 20)

static void json_putp(struct json_object **json)
{
	json_object_put(*json);
}

int manifest_add_file(struct manifest *manifest, const struct installed_file *file)
{
	_cleanup_free_ char *path = strdup(file->path), *saved = file->saved ? strdup(file->saved) : NULL;
	int r = ARRAY_RESERVE(manifest->files, manifest->files_capacity, manifest->n_files + 1);

	if (r < 0 || !path || (file->saved && !saved))
		return -ENOMEM;
	manifest->files[manifest->n_files++] = (struct installed_file){.path = TAKE_PTR(path),
		.checksum = file->checksum,
		.was = file->was,
		.saved = TAKE_PTR(saved)};
	return 0;
}

int manifest_add_folder(struct manifest *manifest, const char *path)
{
	_cleanup_free_ char *copy = strdup(path);
	int r = ARRAY_RESERVE(manifest->folders, manifest->folders_capacity, manifest->n_folders + 1);

	if (r < 0 || !copy)
		return -ENOMEM;
	manifest->folders[manifest->n_folders++] = TAKE_PTR(copy);
	return 0;
}

const struct installed_file *manifest_find(const struct manifest *manifest, const char *path)
{
	for (size_t i = 0; i < manifest->n_files; i++)
		if (streq(manifest->files[i].path, path))
			return &manifest->files[i];
	return NULL;
}

void manifest_release(struct manifest *manifest)
{
	for (size_t i = 0; i < manifest->n_files; i++) {
		free(manifest->files[i].path);
		free(manifest->files[i].saved);
	}
	for (size_t i = 0; i < manifest->n_folders; i++)
		free(manifest->folders[i]);
	free(manifest->files);
	free(manifest->folders);
	*manifest = (struct manifest){0};
}

/* The string member, if it is an absolute path; else NULL. */
static const char *member_path(struct json_object *json, const char *key)
{
	struct json_object *value = json_object_object_get(json, key);
	const char *path =
		json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;

	return path && path[0] == '/' && strlen(path) == (size_t)json_object_get_string_len(value) ? path
												   : NULL;
}

/* A checksum, or what it is if there is no such member. Returns 0 or -EBADMSG. */
static int member_checksum(struct json_object *json, const char *key, uint64_t *ret)
{
	const char *text = json_object_get_string(json_object_object_get(json, key));
	uint64_t number;
	char *end;

	if (!text)
		return 0;
	number = strtoull(text, &end, 16);
	if (strlen(text) != 16 || *end)
		return -EBADMSG;
	*ret = number;
	return 0;
}

static int read_file_entry(struct json_object *json, struct manifest *manifest)
{
	struct installed_file file = {
		.path = (char *)member_path(json, "path"), .saved = (char *)member_path(json, "saved")};

	if (!file.path || !json_object_object_get(json, "checksum") ||
		member_checksum(json, "checksum", &file.checksum) < 0)
		return -EBADMSG;
	file.was = file.checksum;
	return member_checksum(json, "was", &file.was) < 0 ? -EBADMSG : manifest_add_file(manifest, &file);
}

static struct json_object *member_array(struct json_object *json, const char *key)
{
	struct json_object *value = json_object_object_get(json, key);

	return json_object_is_type(value, json_type_array) ? value : NULL;
}

static int read_entries(struct json_object *json, struct manifest *manifest)
{
	struct json_object *files = member_array(json, "files"), *folders = member_array(json, "folders");
	int r = 0;

	if (!files || !folders || json_object_get_int(json_object_object_get(json, "version")) != VERSION)
		return -EBADMSG;
	for (size_t i = 0; r == 0 && i < json_object_array_length(files); i++)
		r = read_file_entry(json_object_array_get_idx(files, i), manifest);
	for (size_t i = 0; r == 0 && i < json_object_array_length(folders); i++) {
		struct json_object *folder = json_object_array_get_idx(folders, i);

		r = json_object_is_type(folder, json_type_string)
			? manifest_add_folder(manifest, json_object_get_string(folder))
			: -EBADMSG;
	}
	return r;
}

int manifest_load(const char *path, struct manifest *ret)
{
	_cleanup_(manifest_releasep) struct manifest manifest = {0};
	_cleanup_(json_putp) struct json_object *json = NULL;
	_cleanup_free_ char *text = NULL;
	size_t size;
	int r = read_file(path, MANIFEST_MAX, &text, &size);

	if (r < 0)
		return r;
	json = json_tokener_parse(text);
	if (!json_object_is_type(json, json_type_object))
		return -EBADMSG;
	r = read_entries(json, &manifest);
	if (r < 0)
		return r;
	*ret = manifest;
	manifest = (struct manifest){0};
	return 0;
}

static void add_checksum(struct json_object *entry, const char *key, uint64_t checksum)
{
	char text[17];

	snprintf(text, sizeof(text), "%016" PRIx64, checksum);
	json_object_object_add(entry, key, json_object_new_string(text));
}

int manifest_save(const char *path, const struct manifest *manifest)
{
	_cleanup_(json_putp) struct json_object *json = json_object_new_object();
	struct json_object *files = json_object_new_array(), *folders = json_object_new_array();
	const char *text;

	json_object_object_add(json, "version", json_object_new_int(VERSION));
	json_object_object_add(json, "folders", folders);
	json_object_object_add(json, "files", files);
	for (size_t i = 0; i < manifest->n_folders; i++)
		json_object_array_add(folders, json_object_new_string(manifest->folders[i]));
	for (size_t i = 0; i < manifest->n_files; i++) {
		const struct installed_file *file = &manifest->files[i];
		struct json_object *entry = json_object_new_object();

		json_object_object_add(entry, "path", json_object_new_string(file->path));
		add_checksum(entry, "checksum", file->checksum);
		if (file->was != file->checksum)
			add_checksum(entry, "was", file->was);
		if (file->saved)
			json_object_object_add(entry, "saved", json_object_new_string(file->saved));
		json_object_array_add(files, entry);
	}
	text = json_object_to_json_string_ext(json, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE);
	return text ? publish_file(path, 0600, text, strlen(text)) : -ENOMEM;
}
