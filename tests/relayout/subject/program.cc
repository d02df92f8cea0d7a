/* SPDX-License-Identifier: MIT */
/* The program half: prints what the library and itself are like, all of which must be the same when relaid. */
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <string>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <pthread.h>
#include <sys/auxv.h>
#include <unistd.h>

extern "C" int throws_at(int depth);
extern "C" uint64_t bulk_sum();
extern "C" std::string *library_state();
extern const Elf64_Ehdr __ehdr_start;

static char program_bss[3000000];
static thread_local int program_tls = 5;

static void print_state(const char *who)
{
	std::string *state = library_state();

	printf("%s: %s\n", who, state->c_str());
	delete state;
}

static void *in_thread(void *)
{
	print_state("thread");
	printf("program tls %d\n", ++program_tls);
	return nullptr;
}

static int see_phdrs(struct dl_phdr_info *info, size_t, void *)
{
	size_t dynamic = 0, tls = 0;

	for (int i = 0; i < info->dlpi_phnum; i++) {
		dynamic += info->dlpi_phdr[i].p_type == PT_DYNAMIC;
		tls += info->dlpi_phdr[i].p_type == PT_TLS;
	}
	if (info->dlpi_name[0] == '\0') {
		bool same = (const void *)getauxval(AT_PHDR) == info->dlpi_phdr &&
			    getauxval(AT_PHNUM) == info->dlpi_phnum;
		bool start = (const char *)&__ehdr_start + __ehdr_start.e_phoff == (const char *)info->dlpi_phdr;

		printf("AT_PHDR %s, __ehdr_start %s, dynamic %zu, tls %zu\n", same ? "right" : "wrong",
			start ? "right" : "wrong", dynamic, tls);
	} else if (strstr(info->dlpi_name, "library.so")) {
		const Elf64_Ehdr *header = (const Elf64_Ehdr *)info->dlpi_addr;

		printf("the library's headers %s\n",
			memcmp((const char *)header + header->e_phoff, info->dlpi_phdr,
				info->dlpi_phnum * sizeof(Elf64_Phdr)) == 0
				? "can be found in memory"
				: "cannot be found");
	}
	return 0;
}

static void use_brk()
{
	char *before = (char *)sbrk(0), *got;

	got = (char *)sbrk(1 << 20);
	printf("brk %s", before >= program_bss + sizeof(program_bss) ? "above the BSS" : "within the BSS");
	if (got == (void *)-1)
		puts(", cannot grow");
	else
		printf(", grows, first byte %d, last %d\n", got[0], got[(1 << 20) - 1]);
	memset(got, 1, 1 << 20);
}

#ifdef DLOPEN
static void open_again(const char *path)
{
	void *other = dlmopen(LM_ID_NEWLM, path, RTLD_NOW);
	uint64_t (*sum)() = other ? (uint64_t(*)())dlsym(other, "bulk_sum") : nullptr;

	if (!sum) {
		printf("dlmopen: %s\n", dlerror());
		return;
	}
	printf("dlmopen %d\n", sum() == bulk_sum());
	dlclose(other);
}
#endif

int main(int argc, char **argv)
{
	pthread_t thread;
	long zeros = 0;

	for (char c : program_bss)
		zeros += c;
	printf("bss %ld\n", zeros);
	dl_iterate_phdr(see_phdrs, nullptr);
	print_state("main");
	pthread_create(&thread, nullptr, in_thread, nullptr);
	pthread_join(thread, nullptr);
	print_state("main");
	printf("sum %llx\n", (unsigned long long)bulk_sum());
	try {
		throws_at(20);
	} catch (const std::exception &e) {
		printf("caught: %s\n", e.what());
	}
	use_brk();
#ifdef DLOPEN
	if (argc > 1)
		open_again(argv[1]);
#endif
	return 0;
}
