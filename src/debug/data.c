/* SPDX-License-Identifier: MIT */
#include "debug/data.h"

#include <errno.h>
#include <lzma.h>
#include <stdlib.h>

#include "base/array.h"
#include "base/cleanup.h"

#define DATA_MAX    (256u << 20) /* bytes, compressed or not */
#define DECODER_MAX (128u << 20) /* bytes of the decoder: xz -9 needs 65 MiB */
#define CHUNK       (64u << 10)  /* bytes */

/* Decompresses what the stream has as its input. The caller frees *data, also after a failure. */
static int decompress(lzma_stream *stream, uint8_t **data, size_t *ret_size)
{
	size_t size = 0, capacity = 0;
	lzma_ret code = lzma_stream_decoder(stream, DECODER_MAX, 0);

	while (code == LZMA_OK && size < DATA_MAX) {
		int r = ARRAY_RESERVE(*data, capacity, size + CHUNK);

		if (r < 0)
			return r;
		stream->next_out = *data + size;
		stream->avail_out = capacity - size;
		code = lzma_code(stream, LZMA_FINISH);
		size = capacity - stream->avail_out;
	}
	*ret_size = size;
	return code == LZMA_STREAM_END ? 0 : code == LZMA_MEM_ERROR ? -ENOMEM : -ENOEXEC;
}

int debug_data_read(struct elf_file *file, uint8_t **ret, size_t *ret_size)
{
	_cleanup_free_ uint8_t *compressed = NULL, *data = NULL;
	lzma_stream stream = LZMA_STREAM_INIT;
	Elf64_Shdr section;
	size_t size;
	int r = elf_file_section_named(file, ".gnu_debugdata", &section);

	if (r < 0)
		return r;
	if (section.sh_size > DATA_MAX)
		return -ENOEXEC;
	compressed = malloc(section.sh_size + 1);
	if (!compressed)
		return -ENOMEM;
	r = elf_file_read(file, section.sh_offset, compressed, section.sh_size);
	if (r < 0)
		return r;
	stream.next_in = compressed;
	stream.avail_in = section.sh_size;
	r = decompress(&stream, &data, &size);
	lzma_end(&stream);
	if (r < 0)
		return r;
	*ret = TAKE_PTR(data);
	*ret_size = size;
	return 0;
}
