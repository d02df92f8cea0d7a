/* SPDX-License-Identifier: MIT */
/*
 * Which disk this is, and whose. A name like sda can be another disk's after the next boot. What the disk calls itself
 * stays: it is text from outside.
 */
#include <stdio.h>
#include <string.h>

#include "base/strings.h"
#include "device/block.h"

#define SECTOR 512u /* bytes; the unit of `size` whatever the disk's sectors are */

static bool has_vendor(const char *text)
{
	/* By the vendor of SCSI disks, or in the model of NVMe and IDE disks. */
	static const char *const vendors[] = {"QEMU", "VMware", "VBOX", "Msft", "Microsoft", "Google",
		"Amazon", "Virtual", "nvme_card", "VIRTUAL", "Xen"};

	for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
		if (strstr(text, vendors[i]))
			return true;
	return false;
}

bool block_is_virtual(const char *folder)
{
	static const char *const attributes[] = {"device/vendor", "device/model"};
	const char *name = strrchr(folder, '/');
	char text[BLOCK_ATTRIBUTE_MAX];

	/* virtio and Xen have no vendor in words. */
	if (name && (after_prefix(name, "/vd") || after_prefix(name, "/xvd")))
		return true;
	for (size_t i = 0; i < sizeof(attributes) / sizeof(attributes[0]); i++)
		if (block_attribute(folder, attributes[i], text) == 0 && has_vendor(text))
			return true;
	return false;
}

/* Leaves one printable word. */
static void make_word(char *text)
{
	for (; *text; text++)
		if (*text <= ' ' || *text > '~')
			*text = '_';
}

/* The first that is there and not empty. The number is the last resort, which the next boot may change. */
static bool find_name(const char *folder, const char **ret_what, char text[BLOCK_ATTRIBUTE_MAX])
{
	static const struct {
		const char *attribute, *what;
	} names[] = {
		{"wwid", "wwid"}, /* NVMe */
		{"device/wwid", "wwid"},
		{"serial", "serial"}, /* virtio */
		{"device/serial", "serial"},
		{"device/cid", "cid"}, /* MMC */
		{"loop/backing_file", "file"},
		{"dev", "number"},
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		if (block_attribute(folder, names[i].attribute, text) < 0 || !*text)
			continue;
		*ret_what = names[i].what;
		return true;
	}
	return false;
}

void block_identify(const char *folder, struct device *device)
{
	char text[BLOCK_ATTRIBUTE_MAX], size[BLOCK_ATTRIBUTE_MAX];
	const char *what;
	uint64_t sectors;

	if (block_attribute(folder, "size", size) < 0 || !number_of_line(size, "", &sectors) ||
		sectors == 0 || sectors > UINT64_MAX / SECTOR || !find_name(folder, &what, text))
		return;
	make_word(text);
	device->size = sectors * SECTOR;
	snprintf(device->identity, sizeof(device->identity), "%s %s %llu", what, text,
		(unsigned long long)sectors);
}
