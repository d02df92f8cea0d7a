#!/bin/sh
# headstart order: which file and which symbols it uses, what it writes for each linker, and what it refuses.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/order/order-lib.sh"
cd "$real"

cat >app.cc <<'EOF'
extern "C" {
__attribute__((noinline)) int one(int x) { return x * 3; }
__attribute__((noinline)) static int two(int x) { return x * 5 + one(x); }
int three(int x) __attribute__((alias("one")));
}
namespace space {
template <class T> __attribute__((noinline)) T four(T x) { return x + two(x); }
}
asm(".section .text.bare,\"ax\"\n.globl bare\n.type bare, %function\nbare:\nret\n"
	".section .text.odd,\"ax\"\n.globl \"odd*name\"\n.type \"odd*name\", %function\n\"odd*name\":\nret\n.text");
int main(int argc, char **) { return space::four(argc) == 0; }
EOF
g++ -O1 -fno-ipa-ra -ffunction-sections -Wl,--build-id -o app app.cc || fail "does not compile"
id=$(readelf -n app | sed -n 's/.*Build ID: //p')
pages=$(($(stat -c %s app) / $(getconf PAGESIZE) + 1))
echo "range 0 $pages 1 1" >all
profile_of "$real/app" profile all

# Every name of every function, once; nothing of .init and .plt; no versions; main in its place.
case_every_linker_gets_every_function_once() {
	order --for lld profile >lld
	for name in one two three main bare 'odd*name' _Z; do grep -q "^${name%\*name}" lld || fail "lld: no $name: $(cat lld)"; done
	! grep -qE '^(_init|_fini)$|@' lld || fail "lld: what is no function of .text: $(cat lld)"
	[ "$(grep -v '^#' lld | sort | uniq -d)" = '' ] || fail "lld: names twice"
	order --for gold profile >gold
	for name in .text.one .text.hot.two .text.startup.main .text.unlikely.two; do
		grep -qxF "$name" gold || fail "gold: no $name"
	done
	! grep -q 'odd' gold || fail "gold: a name that is a glob"
	order --for ld-script profile >script
	grep -qF '*( ".text.one" ".text.hot.one"' script && grep -q '^INSERT BEFORE .text;$' script || fail "script: $(cat script)"
	order --for ld profile >ld
	! grep -q SECTIONS ld || fail "ld: SECTIONS is not for a section ordering file"
	order --for mold profile >mold
	grep -q 'SECTIONS' mold || fail "mold: $(cat mold)"
}

# Options: into a file, with a summary as text or JSON.
case_options_and_summary() {
	order --for gold -o out profile >text
	cmp -s out gold || fail "-o writes something else"
	grep -qE '^functions +[0-9]+, and 0 of the same names' text || fail "summary: $(cat text)"
	grep -qE '^left out +1 name ' text || fail "summary: $(cat text)"
	order --for=lld --output=out --json profile >json
	json json - <<'EOF'
assert TOP["for"] == "lld" and TOP["names_left_out"] == 0 and TOP["profiles"] == 1, TOP
file, = TOP["files"]
assert file["functions"] >= 6 and file["bytes"] >= 6 * 16 and file["pages_before"] >= 1, TOP
EOF
}

# The recorded program was stripped: its build is found by its build-id, anywhere and by any name.
case_stripped_program_is_ordered_by_its_build() {
	mkdir build
	mv app build/other-name
	strip -o app build/other-name
	profile_of "$real/app" stripped.profile all
	order --for lld stripped.profile build/other-name >again
	cmp -s lld again || fail "the unstripped build gives another order: $(diff lld again)"
	refuses 1 "app' is stripped: it has no symbols of functions, and there is no debug file beside it, under '/usr/lib/debug' or in the cache of debuginfod; give" "$headstart" order --for lld stripped.profile
}

# The separate debug file, unless it belongs to another build.
case_separate_debug_file_is_found() {
	folder=$real/debug/.build-id/$(echo "$id" | cut -c 1-2)
	debug=$folder/$(echo "$id" | cut -c 3-).debug
	mkdir -p "$folder"
	objcopy --only-keep-debug build/other-name "$debug"
	order --for lld --debug-dir "$real/debug" stripped.profile >again
	cmp -s lld again || fail "the debug file gives another order: $(diff lld again)"
	if command -v valgrind >/dev/null && ! grep -q '__[at]san_init' "$HEADSTART_TEST_BUILD/tools/headstart-tool"; then
		valgrind --quiet --leak-check=full --error-exitcode=3 "$HEADSTART_TEST_BUILD/tools/headstart-tool" \
			order --for lld --debug-dir "$real/debug" stripped.profile >again || fail "valgrind has something to say"
		cmp -s lld again || fail "valgrind changes the order"
	else
		untried "debug files under valgrind: it is not here, or the build is sanitized"
	fi
	cp /bin/true "$debug"
	refuses 1 "no debug file beside it, under '$real/debug'" "$headstart" order --for lld --debug-dir "$real/debug" stripped.profile
}

# The recorded program was relaid: its pages are where the relaid file has them, its functions where the build has them.
case_relaid_program_is_ordered_like_its_original() {
	python3 - build/other-name >many <<'EOF'
import subprocess, sys
loads = [line.split() for line in subprocess.run(["readelf", "-lW", sys.argv[1]], capture_output=True, text=True).stdout.splitlines()
         if line.split()[:1] == ["LOAD"]]
print("range", int(next(load for load in loads if "E" in load[6:-1])[1], 16) // 4096, "1 1 1")
EOF
	profile_of "$real/build/other-name" some.profile many
	order --for lld some.profile >some
	"$headstart" relayout --profile some.profile -o relaid build/other-name >out 2>&1 || fail "no relayout: $(cat out)"
	readelf -lW relaid | awk '$1 == "LOAD" && / E / { print $2 }' | tail -n 1 >at
	echo "range $(($(cat at) / $(getconf PAGESIZE))) 1 1 1" >hot
	profile_of "$real/relaid" relaid.profile hot
	for file in relaid build/other-name; do
		order --for lld relaid.profile $file >again
		cmp -s some again || fail "relaid, with $file: $(diff some again)"
	done
}

# A stripped file has no symbols, whatever it exports: nothing is written or predicted.
case_file_without_symbols_is_refused() {
	printf 'int shown(int x) { return x + 1; }\n__attribute__((visibility("hidden"))) int hidden(int x) { return x; }\n' >lib.c
	gcc -shared -fPIC -ffunction-sections -Wl,--build-id -o build/lib.so lib.c
	strip -o lib.so build/lib.so
	g++ -O1 -rdynamic -s -Wl,--build-id -o exporting app.cc
	nm -D exporting | grep -q ' T main$' && nm -D lib.so | grep -q ' T shown$' || fail "they export nothing"
	for file in lib.so exporting; do
		profile_of "$real/$file" exports.profile all
		refuses 1 "$file' is stripped: it has no symbols of functions" "$headstart" order --for lld exports.profile
		refuses 1 "$file' is stripped: it has no symbols of functions" "$headstart" order --for lld -o exports exports.profile
		[ ! -e exports ] || fail "an order of a stripped file: $(cat exports)"
	done
}

# Two files in one order.
case_two_files_are_in_one_order() {
	{ echo "program $real/app"; echo "file regular $real/build/other-name"; cat all; echo "file regular $real/lib.so"; echo "range 0 8 100 1"; } |
		"$make_profile" two.profile
	order --for lld two.profile build/other-name build/lib.so >two 2>err
	[ "$(grep -c '^shown$\|^main$' two)" = 2 ] || fail "two files: $(cat two)"
}

# Refused.
case_wrong_files_are_refused() {
	g++ -O2 -ffunction-sections -Wl,--build-id -o build/app app.cc
	refuses 1 "'build/app' is not the build of '$real/app' that was recorded: its build-id is" "$headstart" order --for lld stripped.profile build/app
	g++ -O1 -ffunction-sections -Wl,--build-id=none -o build/app app.cc
	refuses 1 "its build-id is -, not $id" "$headstart" order --for lld stripped.profile build/app
	profile_of "$real/build/app" none.profile all
	order --for lld none.profile >/dev/null
	strip build/app
	refuses 1 "the sizes differ, and neither has a build-id" "$headstart" order --for lld none.profile build/app
	refuses 1 "the profile of '$real/app' has no file '/bin/true'" "$headstart" order --for lld stripped.profile /bin/true
	refuses 1 "cannot read 'nowhere': No such file" "$headstart" order --for lld stripped.profile nowhere
	refuses 1 "'.' is not a regular file" "$headstart" order --for lld stripped.profile .
	refuses 1 "'app' is not a headstart profile" "$headstart" order --for lld app
	refuses 1 "cannot read 'nowhere'" "$headstart" order --for lld nowhere
	printf '#!/bin/sh\n' >script.sh
	profile_of "$real/script.sh" script.profile /dev/null
	refuses 1 "script.sh' is not an ELF file" "$headstart" order --for lld script.profile
	echo 'range 0 1 1 1' >first
	profile_of "$real/build/other-name" first.profile first
	refuses 1 "the start touched no function of" "$headstart" order --for lld first.profile
	refuses 1 "cannot write '/nowhere/out'" "$headstart" order --for lld -o /nowhere/out profile build/other-name
	gcc -c lib.c -o object.o
	profile_of "$real/object.o" object.profile all
	refuses 1 "object.o' is neither an executable nor a shared object" "$headstart" order --for lld object.profile
}

case_wrong_arguments_are_refused() {
	refuses 2 "no linker given" "$headstart" order profile
	refuses 2 "unknown linker 'ld64'" "$headstart" order --for ld64 profile
	refuses 2 "no profile given" "$headstart" order --for lld
	refuses 2 "--json needs -o" "$headstart" order --for lld --json profile
	refuses 2 "'debug' is not an absolute path" "$headstart" order --for lld --debug-dir debug profile
	refuses 2 "--narrow takes only one FILE" "$headstart" order --for lld --narrow profile profile app app
}

# Narrowed by the other profile's program, since none of its files is called app.
case_narrow_leaves_what_the_other_profile_has_too() {
	mkdir other
	cp build/other-name other/other-name
	profile_of "$real/other/other-name" narrow.profile all
	order --for lld --narrow narrow.profile profile build/other-name >again
	cmp -s lld again || fail "narrowed by the same: $(diff lld again)"
	g++ -O1 -x c++ -ffunction-sections -Wl,--build-id -o other/other-name - <<'EOF'
int other() { return 0; }
int main() { return other(); }
EOF
	profile_of "$real/other/other-name" narrow.profile all
	order --for lld --narrow narrow.profile profile build/other-name >again
	grep -qx main again && ! grep -qx one again || fail "narrowed by another program: $(cat again)"
	g++ -O1 -nostdlib -static -Wl,-e,alone -x c++ -ffunction-sections -Wl,--build-id -o other/other-name - <<'EOF'
extern "C" void alone() { }
EOF
	profile_of "$real/other/other-name" narrow.profile all
	refuses 1 "the start in 'narrow.profile' touched no function of 'build/other-name' that the others touched" \
		"$headstart" order --for lld --narrow narrow.profile profile build/other-name
	refuses 1 "cannot read 'nowhere'" "$headstart" order --for lld --narrow nowhere profile build/other-name
}

case_full_disk_is_an_error() {
	! "$headstart" order --for lld profile build/other-name >/dev/full 2>err || fail "a full disk is success"
}

run_cases
