#!/bin/sh
# SPDX-License-Identifier: MIT
# headstart record --functions: the order of first calls over threads, processes and libraries, and what it does not know.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
command -v g++ >/dev/null || skip "no g++"
command -v python3 >/dev/null || skip "no python3"
on_disk
here=$HEADSTART_TEST_SOURCE/tests/record/programs
tool=$HEADSTART_TEST_BUILD/tools/headstart-tool
export HEADSTART_STATE="$tmp/state" CALLS_LOG="$tmp/list"
mkdir "$tmp/made" "$tmp/strip"
cd "$tmp"

# record [OPTION…] -- COMMAND…: what the command writes goes to $tmp/out, what headstart says to $tmp/err.
record() { "$tool" record --timeout 600 -o profile "$@" >out 2>err; }
says() { grep -qE -- "$1" err || fail "it did not say '$1': $(cat err)"; }

status=0
record --functions -- true || status=$?
case $(cat err) in
*"forbids tracing"* | *"does not know this processor"*) skip "functions cannot be recorded here: $(cat err)" ;;
esac
[ "$status" = 0 ] || fail "nothing can be recorded: $(cat err)"
! grep -q "closed its memory" err || skip "this kernel lets nobody write to code: $(cat err)"

python3 "$here/make-calls.py" made 5000 || fail "no program"
flags="-O0 -fPIE -finstrument-functions"
g++ $flags -c -o made/main.o made/main.cc && g++ -O0 -fPIC -finstrument-functions -c -o made/library.o made/library.cc || fail "g++"
# The parts 3 and 4 begin each function with endbr64.
for part in 0 1 2 3 4; do
	protection=$([ "$part" -gt 2 ] && [ "$(uname -m)" = x86_64 ] && echo -fcf-protection || :)
	g++ $flags $protection -c -o made/part$part.o made/part$part.cc || fail "g++"
done
gcc -O1 -fPIE -c -o made/log.o made/log.c || fail "gcc"
g++ -pie -rdynamic -pthread -Wl,--build-id -o calls made/main.o made/part?.o made/log.o -ldl || fail "no program"
g++ -shared -Wl,--build-id -o libcalls.so made/library.o || fail "no library"

new_list() { rm -f list; truncate -s 16M list; }
same_order() {
	"$tool" show --json --all profile >shown || fail "the profile cannot be shown"
	count=$(python3 "$here/compare-calls.py" list shown calls.full libcalls.full made/main.o made/library.o made/part?.o 2>different) ||
		fail "not the order of the program itself: $(cat different)"
	[ "$count" -gt "${1:-2500}" ] || fail "only $count functions were called"
}
cp calls calls.full
cp libcalls.so libcalls.full

# Of few functions, one of which nobody calls.
cat >few.cc <<'END'
#include <thread>
extern "C" {
void third() { }
void first() { }
void never() { }
void second() { }
void other_name() __attribute__((alias("second")));
static void real() { }
void (*pick())() { return real; }
void chosen() __attribute__((ifunc("pick")));
}
int main(int argc, char **) { first(); std::thread(other_name).join(); third(); chosen(); if (argc > 3) never(); }
END
g++ -O0 -pthread -Wl,--build-id -o few few.cc || fail "g++"

case_order_is_that_of_the_program_itself() {
	new_list
	record --functions=calls --functions="$tmp/libcalls.so" -- ./calls "$tmp/libcalls.so" || fail "$(cat err)"
	! grep -qE "exited with|ended by signal" err || fail "the program failed: $(cat err)"
	same_order
	says "^headstart: [0-9,]+ functions of 2 files were called$"
	says "^headstart: of code, the pages of called functions count as touched"
}

# All programs and libraries: also the loader, and the C library with its functions that are chosen when it is loaded.
case_all_objects() {
	new_list
	record --functions -- ./calls "$tmp/libcalls.so" || fail "$(cat err)"
	! grep -qE "exited with|ended by signal" err || fail "the program failed: $(cat err)"
	same_order
	json shown - <<'END' || fail "not all objects"
names = [thing["path"].rsplit("/", 1)[1] for thing in TOP["functions"]]
assert any(name.startswith("ld-") or name.startswith("ld.") for name in names), names
assert any(name.startswith("libc.") or name.startswith("libc-") for name in names), names
END
}

case_stripped_files_are_known_by_their_tables_for_unwinding() {
	new_list
	strip -o strip/calls calls && strip -o strip/libcalls.so libcalls.so
	record --functions=calls --functions=libcalls -- strip/calls "$tmp/strip/libcalls.so" || fail "$(cat err)"
	same_order
	# Their unstripped builds give the order to the linker.
	new_list
	"$tool" order --for lld -o order --json profile calls.full >json || fail "no order"
	[ "$(json json 'TOP["basis"]')" = functions ] || fail "not by functions: $(cat json)"
	grep -vn '^#' order >numbered
	grep -q ':main$' numbered || fail "main is missing: $(head order)"
	! grep -q ":helper4999$" numbered || fail "what was not called is in the order"
}

# No table for unwinding has them.
case_stripped_file_is_known_by_the_debug_file_beside_it() {
	gcc -O0 -fno-asynchronous-unwind-tables -fno-unwind-tables -Wl,--build-id -o named -x c - <<'END' || fail "gcc"
void first(void) { }
void second(void) { }
void never(void) { }
int main(int argc, char **argv) { second(); first(); if (argc > 3) never(); return 0; }
END
	objcopy --only-keep-debug named strip/named.debug && strip -o strip/named named &&
		objcopy --add-gnu-debuglink=strip/named.debug strip/named || fail "cannot be split"
	record --functions=named -- strip/named || fail "$(cat err)"
	"$tool" order --for lld profile | grep -xE 'main|first|second|never' >order || :
	printf '%s\n' main second first | diff order - >&2 || fail "another order: $(cat order)"
	rm strip/named.debug
	record --functions=named -- strip/named || fail "$(cat err)"
	! "$tool" order --for lld profile >order 2>&1 || fail "functions without a debug file: $(cat order)"
}

# The order for the linker is that of the first calls.
case_order_for_a_linker_is_that_of_calls() {
	record --functions=few -- ./few || fail "$(cat err)"
	"$tool" order --for lld profile | grep -xE 'pick|main|first|second|other_name|third|real|never|_ZL4realv' >order || :
	printf '%s\n' pick main first second other_name third >expected
	grep -vxE 'real|_ZL4realv' order | diff expected - >&2 || fail "another order: $(cat order)"
	grep -qxE 'real|_ZL4realv' order || fail "what an IFUNC leads to is missing"
}

# called STORED: how many functions it has.
called() { "$tool" show "$1" | sed -n 's/^  called  *\([0-9,]*\) functions* of 1 file$/\1/p'; }

case_recordings_with_functions_and_without_are_one_of_the_start() {
	store() { "$tool" record --quiet --backend ptrace "$@" -- ./few 2>err || fail "$(cat err)"; }
	store
	"$tool" show --json --all state/few-*.profile >pages
	! grep -q '"called"' pages || fail "the pages are those of a recording with functions"
	store --functions=few
	n=$(called state/few-*.profile)
	[ "${n:-0}" -gt 5 ] || fail "no functions were stored: $("$tool" show state/few-*.profile)"
	"$tool" show --json --all state/few-*.profile >both
	json both - "$(cat pages | tr -d '\n')" <<'END' || fail "the pages are not those of the first recording"
import json
before = json.loads(ARGS[0])
assert TOP["files"] == before["files"] and TOP["bias"] == before["bias"]
END
	store --merge --functions=few
	[ "$(called state/few-*.profile)" = "$n" ] || fail "the same functions became others"
	store
	[ "$(called state/few-*.profile)" = "$n" ] || fail "a recording without functions lost them"
	"$tool" explain state/few-*.profile main >explained || fail "nothing is explained"
	grep -qE '^ +(functions +)?first, call [0-9]+$' explained && grep -qE '^ +and [0-9]+ (more|that were not called)$' explained &&
		! grep -q never explained || fail "not by calls: $(cat explained)"
	"$tool" explain --json state/few-*.profile main >explained
	json explained - <<'END' || fail "not by calls: $(cat explained)"
orders = {call["function"]: call["order"] for page in TOP["pages"] for call in page["calls"]}
assert orders["main"] < orders["first"] < orders["second"] < orders["third"] and "never" not in orders, orders
END
}

case_killed_program() {
	new_list
	record --functions=calls --functions=libcalls.so -- ./calls 9 "$tmp/libcalls.so" || fail "$(cat err)"
	says "was ended by signal 9$"
	same_order
	new_list
	record --functions=calls --functions=libcalls.so -- ./calls 5 "$tmp/libcalls.so" || fail "$(cat err)"
	says "was ended by signal 5$" # a SIGTRAP of its own
	same_order
}

case_static_program() {
	gcc -O0 -static -o static -x c - <<'END' 2>/dev/null || skip "no static libc"
static void first(void) { }
static void second(void) { }
int main(void) { first(); second(); return 0; }
END
	record --functions=static -- ./static || fail "$(cat err)"
	! grep -q "exited with" err || fail "$(cat err)"
	"$tool" order --for lld profile | grep -xE 'main|first|second' | tr '\n' ' ' >order
	[ "$(cat order)" = "main first second " ] || fail "$(cat order)"
}

case_program_of_32_bits() {
	gcc -m32 -O0 -nostdlib -static -fno-pie -no-pie -fno-stack-protector -o narrow -x c - 2>/dev/null <<'END' || skip "no compiler for 32-bit programs"
static void second(void) { }
static void first(void) { second(); }
void _start(void) { first(); __asm__ volatile("int $0x80" : : "a"(1), "b"(0)); }
END
	./narrow || skip "32-bit programs do not run here"
	record --functions=narrow -- ./narrow || fail "$(cat err)"
	! grep -qE "exited with|ended by signal" err || fail "$(cat err)"
	"$tool" order --for lld profile | grep -v '^#' | tr '\n' ' ' >order
	[ "$(cat order)" = "_start first second " ] || fail "$(cat order)"
}

# A process that closes its memory gets its code back before, and so do its children.
hiding_program() {
	gcc -O0 -o hides -x c - <<'END' || fail "gcc"
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
static int late(int x) { return x; }
int main(void)
{
	int status;
	prctl(PR_SET_DUMPABLE, 0);
	if (fork() == 0)
		_exit(late(7));
	wait(&status);
	return !WIFEXITED(status) || WEXITSTATUS(status) != 7 || late(0);
}
END
}
says_that_it_hid() {
	! grep -qE "exited with|ended by signal" err || fail "the program failed: $(cat err)"
	says "^headstart: 1 process closed its memory to headstart: what it called is missing, or a part of it$"
}
case_program_that_hides() {
	hiding_program
	record --functions=hides -- ./hides || fail "$(cat err)"
	says_that_it_hid
}

# Nobody but root may write to the memory of a process that is closed.
case_ordinary_user() {
	[ "$(id -u)" = 0 ] || return 0 # then every case is one
	$as_nobody true || skip "no other user"
	for_others "$tool"
	mkdir users
	chmod 755 "$tmp"
	chown 65534:65534 users
	$as_nobody test -x "$tmp/users" || skip "'$tmp' cannot be reached by an ordinary user"
	hiding_program
	cp few hides users
	$as_nobody "$others/headstart-tool" record --functions=few -o "$tmp/users/profile" -- "$tmp/users/few" 2>err || fail "$(cat err)"
	says "^headstart: [0-9]+ functions of 1 file were called$"
	"$tool" order --for lld users/profile few | grep -xE 'pick|main|first|second|third|never' | tr '\n' ' ' >order
	[ "$(cat order)" = "pick main first second third " ] || fail "another order: $(cat order)"
	$as_nobody "$others/headstart-tool" record --functions -o "$tmp/users/profile" -- "$tmp/users/hides" 2>err || fail "$(cat err)"
	says_that_it_hid
}

# landmarks PROFILE FILE: how many the profile has of that file, which is known by its size (src/profile/file/disk-layout.h).
landmarks() {
	/usr/bin/python3 - "$1" "$(stat -c %s "$2")" <<'END'
import struct, sys
data, size = open(sys.argv[1], "rb").read(), int(sys.argv[2])
files = [data[112 + 72 * i:112 + 72 * (i + 1)] for i in range(struct.unpack_from("<I", data, 48)[0])]
marks, = (struct.unpack_from("<I", file, 68)[0] for file in files if struct.unpack_from("<Q", file)[0] == size)
print(marks)
END
}

# Root reads every file. What is learnt so is not for those who may only execute it.
case_functions_of_a_file_that_the_user_may_not_read() {
	[ "$(id -u)" = 0 ] || { untried "a file that another user may not read: not root"; return; }
	$as_nobody true || skip "no other user"
	for_others few
	closed=$others/closed
	mv "$others/few" "$closed"
	chmod 711 "$closed"
	record --user nobody --functions=closed -- "$closed" || fail "$(cat err)"
	says "^headstart: the functions of '$closed' are left out: 'nobody' may not read that file$"
	"$tool" show --json --all profile >shown
	! grep -q '"calls"' shown || fail "the profile has its functions: $(cat shown)"
	[ "$(landmarks profile "$closed")" = 0 ] || fail "the profile has landmarks of a closed file"
	chmod 755 "$closed"
	record --user nobody --functions=closed -- "$closed" || fail "$(cat err)"
	! grep -q "left out" err || fail "$(cat err)"
	"$tool" show --json --all profile >shown
	grep -q '"calls"' shown || fail "the profile has no functions: $(cat shown)"
	[ "$(landmarks profile "$closed")" -gt 0 ] || fail "the profile has no landmarks: the test looks at the wrong thing"
}

# What root records for itself everybody may read, unless it tells something of a file that not everybody may read.
case_profile_of_a_closed_file_is_for_root_alone() {
	[ "$(id -u)" = 0 ] || { untried "a profile of root's: not root"; return; }
	umask 022
	for_others few
	for mode in 755 711; do
		mv "$others/few" "$others/few$mode"
		chmod $mode "$others/few$mode"
		"$tool" record --quiet --force --user root --functions="few$mode" -- "$others/few$mode" 2>err || fail "$(cat err)"
		for_others few
		cp state/few$mode-*.profile profile
		"$tool" show --json --all profile | grep -q '"calls"' || fail "$mode: the functions are lost"
		stat -c %a state/few$mode-*.profile
		"$tool" record --quiet --user root --functions="few$mode" -o out.profile -- "$others/few$mode" 2>err || fail "$(cat err)"
		stat -c %a out.profile
	done >modes
	[ "$(tr '\n' ' ' <modes)" = "644 644 600 600 " ] || fail "other modes: $(cat modes)"
}

# More processes at once than the recorder may have files open at first: each of them finds its code.
case_many_processes_at_once() {
	gcc -O0 -o many -x c - <<'END' || fail "gcc"
#include <sys/wait.h>
#include <unistd.h>
static int late(int x) { return x; }
int main(void)
{
	int gate[2], status, good = 0;
	char byte;
	if (pipe(gate))
		return 1;
	for (int i = 0; i < 40; i++)
		if (fork() == 0) {
			close(gate[1]);
			if (read(gate[0], &byte, 1))
				return 1;
			_exit(late(7));
		}
	close(gate[1]);
	while (wait(&status) > 0)
		good += WIFEXITED(status) && WEXITSTATUS(status) == 7;
	return good != 40;
}
END
	(ulimit -S -n 24 && record --functions -- ./many) || fail "$(cat err)"
	! grep -qE "exited with|ended by signal" err || fail "some of its processes failed: $(cat err)"
}

case_program_that_traps_itself() {
	[ "$(uname -m)" = x86_64 ] || skip "INT3 is x86's"
	gcc -O0 -o traps -x c - <<'END' || fail "gcc"
#include <signal.h>
static volatile sig_atomic_t n;
static void trap(int s) { n++; }
int main(void)
{
	trap(0); /* a breakpoint in its handler would cost the program the handler */
	signal(SIGTRAP, trap);
	__asm__ volatile("int3");
	raise(SIGTRAP);
	return n != 3;
}
END
	record --functions=traps -- ./traps || fail "$(cat err)"
	! grep -qE "exited with|ended by signal" err || fail "its own traps are lost: $(cat err)"
}

# Without sections and unwind table, as packers leave files.
case_file_without_anything() {
	gcc -O1 -o packed -x c - <<'END' || fail "gcc"
int main(void) { return 0; }
END
	python3 - packed <<'END'
import struct, sys
data = bytearray(open(sys.argv[1], "rb").read())
at, n = struct.unpack_from("<Q", data, 32)[0], struct.unpack_from("<H", data, 56)[0]
for i in range(n):
    if struct.unpack_from("<I", data, at + 56 * i)[0] == 0x6474e550:
        struct.pack_into("<I", data, at + 56 * i, 0)
struct.pack_into("<Q", data, 40, 0)
struct.pack_into("<HHH", data, 58, 0, 0, 0)
open(sys.argv[1], "wb").write(data)
END
	./packed || fail "it does not run"
	record --functions=packed -- ./packed || fail "$(cat err)"
	says "^headstart: the functions of '.*/packed' are not known: it has no symbols, no debug file and no table for unwinding$"
	says "^headstart: 0 functions of 0 files were called$"
}

# Symbols that lie: the program runs as ever, since its table for unwinding knows better.
case_damaged_symbol_table() {
	for seed in 1 2 3 4 5 6 7 8; do
		python3 - few few.damaged "$seed" <<'END'
import random, struct, sys
data, chance = bytearray(open(sys.argv[1], "rb").read()), random.Random(int(sys.argv[3]))
table = struct.unpack_from("<Q", data, 40)[0]
for i in range(struct.unpack_from("<H", data, 60)[0]):
    kind, = struct.unpack_from("<I", data, table + 64 * i + 4)
    begin, size = struct.unpack_from("<QQ", data, table + 64 * i + 24)
    if kind == 2:
        for at in range(begin, begin + size, 24):
            what = chance.randrange(6)
            if what == 0:
                struct.pack_into("<Q", data, at + 8, chance.choice([chance.randrange(0x1000, 0x3000), 2**64 - 1, 0]))
            elif what == 1:
                struct.pack_into("<Q", data, at + 16, chance.choice([2**64 - 1, 2**63, 1, 0]))
            elif what == 2:
                data[at + 4] = data[at + 4] & 0xf0 | 2
            elif what == 3:
                struct.pack_into("<I", data, at, chance.randrange(2**32))
open(sys.argv[2], "wb").write(data)
END
		chmod 755 few.damaged
		record --functions=few.damaged -- ./few.damaged || fail "$seed: $(cat err)"
		! grep -qE "exited with|ended by signal" err || fail "$seed: the program failed: $(cat err)"
	done
}

case_bad_arguments() {
	rm -f profile
	refuses 1 "cannot record functions of './nowhere': No such file or directory" "$tool" record --functions=./nowhere -o profile -- true
	refuses 2 "--functions= names no file" "$tool" record --functions= -o profile -- true
	refuses 2 "--functions stands for all files: leave out --functions=few" "$tool" record --functions --functions=few -o profile -- true
	refuses 2 "--functions follows the command: use --backend ptrace" "$tool" record --functions --backend trace -o profile -- true
	refuses 127 "'no-such-program' is not in PATH: give its whole path" "$tool" record --functions -o profile -- no-such-program
	[ ! -e profile ] || fail "a refused recording left a profile"
	record --functions=libnowhere.so -- true || fail "$(cat err)"
	says "^headstart: nothing mapped 'libnowhere.so': none of its functions are recorded$"
}

run_cases
