#!/bin/sh
# headstart order of stripped files: where it looks for debug files, which it refuses, and .gnu_debugdata.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/order/order-lib.sh"
cd "$real"
export HOME="$real/home"
unset DEBUGINFOD_CACHE_PATH DEBUGINFOD_URLS XDG_CACHE_HOME

# Of its functions, one is exported even without symbols.
cat >app.c <<'END'
__attribute__((noinline, visibility("default"))) int shown(int x) { return x * 3; }
__attribute__((noinline)) static int inner(int x) { return x * 5 + shown(x); }
__attribute__((noinline)) int outer(int x) { return x + inner(x); }
int main(int argc, char **argv) { return outer(argc) == 0; }
END
build() { gcc -O1 -fno-ipa-ra -fvisibility=hidden -ffunction-sections -Wl,--export-dynamic-symbol=shown "$@" -o full app.c; }
build -Wl,--build-id=0x0123456789abcdef && mkdir other && objcopy --only-keep-debug full other/app.debug || fail "does not compile"
build -Wl,--build-id || fail "does not compile"
id=$(readelf -n full | sed -n 's/.*Build ID: //p')
objcopy --only-keep-debug full app.debug
echo "range 0 $(($(stat -c %s full) / $(getconf PAGESIZE) + 1)) 1 1" >all
profile_of "$real/full" full.profile all
order --for lld full.profile >full.order
for name in shown inner outer main; do grep -qx $name full.order || fail "the order is without $name: $(cat full.order)"; done

[ "$(id -u)" != 0 ] || for_others "$HEADSTART_TEST_BUILD/tools/headstart-tool"

# place [FILE]: the program without symbols, which names FILE or app.debug as its debug file, is place/app of place.profile.
place() {
	rm -rf place
	mkdir place
	strip -o place/app full
	objcopy --add-gnu-debuglink="${1:-app.debug}" place/app
	profile_of "$real/place/app" place.profile all
}
is_found() { # by the debug file of $1
	order --for lld --json -o found "$@" place.profile >json
	cmp -s found full.order || fail "another order: $(diff found full.order)"
	json json - <<'END'
assert TOP["files"][0]["symbols"] == "debug file", TOP
END
}
is_not_found() { refuses 1 "place/app' is stripped: it has no symbols of functions" timeout 60 "$headstart" order --for lld "$@" place.profile; }

case_debug_link_leads_beside_the_file() {
	place
	is_not_found
	cp app.debug place
	is_found
	mkdir place/.debug
	mv place/app.debug place/.debug
	is_found
}

case_debug_link_leads_below_the_folder_of_debug_files() {
	place
	mkdir -p "below$real/place"
	cp app.debug "below$real/place"
	is_not_found
	is_found --debug-dir "$real/below"
	rm -r below
}

# The folder of the file is the one where it lies, by whatever name it is found.
case_debug_link_leads_to_the_folder_behind_a_link() {
	place
	cp app.debug place
	mkdir alias
	ln -s ../place/app alias/app
	order --for lld place.profile alias/app >found
	cmp -s found full.order || fail "another order: $(diff found full.order)"
}

case_debug_file_with_another_checksum_is_refused() {
	place
	cp app.debug place
	printf x >>place/app.debug
	is_not_found
	mkdir place/.debug
	cp app.debug place/.debug
	is_found
}

# By its checksum it is the one.
case_debug_file_of_another_build_is_refused() {
	place other/app.debug
	cp other/app.debug place
	is_not_found
	# By its name it is the one.
	by_id=by-id/.build-id/$(echo "$id" | cut -c 1-2)
	mkdir -p "$by_id"
	cp other/app.debug "$by_id/$(echo "$id" | cut -c 3-).debug"
	is_not_found --debug-dir "$real/by-id"
	cp app.debug "$by_id/$(echo "$id" | cut -c 3-).debug"
	is_found --debug-dir "$real/by-id"
}

case_debug_file_for_another_processor_is_refused() {
	cp app.debug kept.debug
	poke app.debug 18 '\267' # e_machine
	place
	cp app.debug place
	is_not_found
	cache home/.cache/debuginfod_client
	is_not_found
	mv kept.debug app.debug
	cache home/.cache/debuginfod_client
	is_found
	rm -r home
}

case_file_without_build_id_has_a_debug_link() {
	mv full kept
	build -Wl,--build-id=none
	mkdir -p none
	objcopy --only-keep-debug full none/app.debug
	place none/app.debug
	mv kept full
	cp none/app.debug place
	is_found
	printf x >>place/app.debug
	is_not_found
}

# What lies beside the file may be anything.
case_debug_link_to_no_regular_file_is_refused() {
	place
	mkfifo place/app.debug
	is_not_found
	rm place/app.debug
	mkdir place/app.debug
	is_not_found
	rmdir place/app.debug
	ln -s ../app.debug place/app.debug
	is_not_found
}

# A sparse file of many terabytes would be read for hours.
case_huge_debug_file_is_refused() {
	place
	truncate -s 5T place/app.debug 2>/dev/null || { untried "a huge file: no room for one"; return; }
	is_not_found
}

case_damaged_debug_links_are_refused() {
	for link in '' 'app.debug' 'app.debug\0' 'app.debug\0\0\0' '\0\0\0\0\1\2\3\4' '../app.debug\0\0\0\1\2\3\4' \
		'/etc/passwd\0\1\2\3\4' '.\0\0\0\1\2\3\4' '..\0\0\1\2\3\4'; do
		place
		cp app.debug place
		printf "$link" >link
		objcopy --update-section .gnu_debuglink=link place/app 2>/dev/null || objcopy --remove-section .gnu_debuglink --add-section .gnu_debuglink=link place/app
		is_not_found
	done
	# Its checksum is right, but its name leads elsewhere.
	place
	objcopy -O binary --only-section=.gnu_debuglink --set-section-flags .gnu_debuglink=alloc place/app link
	cp app.debug place
	{ printf '../place/app.debug\0\0' && tail -c 4 link; } >other-link
	objcopy --update-section .gnu_debuglink=other-link place/app
	is_not_found
	{ printf 'app.debug\0\0\0' && tail -c 4 link; } >other-link
	objcopy --update-section .gnu_debuglink=other-link place/app
	is_found
}

# In a folder like /tmp anybody can put a file beside another one.
case_debug_file_of_a_stranger_is_refused() {
	[ "$(id -u)" = 0 ] || { untried "a stranger's debug file: not root"; return; }
	place
	cp app.debug place
	chown 65534 place/app.debug
	is_not_found
	chown 65534 place/app
	is_found
}

# The debug file as debuginfod's client leaves it in the cache $1.
cache() {
	mkdir -p "$1/$id"
	cp app.debug "$1/$id/debuginfo"
}

case_debuginfod_has_downloaded_it() {
	place
	is_not_found
	cache home/.cache/debuginfod_client
	is_found
	rm -r home
	cache home/.debuginfod_client_cache
	is_found
	rm -r home
	cache other-home/debuginfod_client
	is_not_found
	XDG_CACHE_HOME="$real/other-home" is_found
	DEBUGINFOD_CACHE_PATH="$real/other-home/debuginfod_client" is_found
	cd other-home
	DEBUGINFOD_CACHE_PATH=debuginfod_client refuses 1 "is stripped" "$headstart" order --for lld ../place.profile
	cd ..
}

# Nobody is asked, whatever the environment says.
case_no_server_is_asked() {
	have strace || return 0
	place
	DEBUGINFOD_URLS="http://127.0.0.1:9/" strace -f -o trace -e trace=connect,socket,execve \
		"$headstart" order --for lld place.profile 2>/dev/null >&2 || :
	grep -q execve trace || { untried "servers: strace cannot trace here"; return; }
	! grep -E 'socket|connect|debuginfod' trace || fail "it asked somebody"
	[ ! -e home ] || fail "a folder was made: $(find home)"
}

# An empty file says that no server has the debug file.
case_wrong_file_in_the_cache_is_refused() {
	place
	cache home/.cache/debuginfod_client
	for wrong in /dev/null /bin/true other/app.debug; do
		cat $wrong >"home/.cache/debuginfod_client/$id/debuginfo"
		is_not_found
	done
	rm -r home
}

# Root does not believe what a user has put into a cache.
case_cache_of_a_stranger_is_refused() {
	[ "$(id -u)" = 0 ] || { untried "a stranger's cache: not root"; return; }
	place
	cache home/.cache/debuginfod_client
	chown -R 65534 home
	is_not_found
	chown -R 0 home
	is_found
	chmod 777 home/.cache
	is_not_found
	chmod 755 home/.cache
	chown 65534 "home/.cache/debuginfod_client/$id/debuginfo"
	is_not_found
	rm -r home
}

# Nor does one user believe another.
case_users_believe_their_own_cache_and_that_of_root() {
	[ "$(id -u)" = 0 ] || { untried "a cache of another user: not root"; return; }
	place
	cp place/app "$others"
	profile_of "$others/app" "$others/profile" all
	cache "$others/cache"
	export DEBUGINFOD_CACHE_PATH="$others/cache"
	for owner in 65534 0; do
		chown -R $owner "$others/cache"
		$as_nobody "$others/headstart-tool" order --for lld "$others/profile" >found || fail "not the cache of user $owner"
		cmp -s found full.order || fail "another order: $(diff found full.order)"
	done
	chown -R 1 "$others/cache"
	refuses 1 "is stripped" $as_nobody "$others/headstart-tool" order --for lld "$others/profile"
}

# As gdb's manual makes it, "Debugging information in a special section": the symbols of what the file does not export.
make_small() {
	nm -D full --format=posix --defined-only | cut -d ' ' -f 1 | sort >exported
	nm full --format=posix --defined-only | awk '$2 == "T" || $2 == "t" { print $1 }' | sort >functions
	comm -13 exported functions >hidden
	objcopy -S --remove-section .comment --keep-symbols=hidden app.debug small
}
# embed FILE: the program without symbols has FILE as .gnu_debugdata.
embed() {
	place
	objcopy --remove-section .gnu_debuglink --add-section .gnu_debugdata="$1" place/app 2>/dev/null || fail "cannot add $1"
}

case_gnu_debugdata_has_the_symbols() {
	have xz || return 0
	make_small
	! nm small | grep -q ' shown$' || fail "it has the exported functions: $(nm small)"
	xz -k small
	embed small.xz
	order --for lld --json -o found place.profile >json
	cmp -s found full.order || fail "another order: $(diff found full.order)"
	json json - <<'END'
assert TOP["files"][0]["symbols"] == ".gnu_debugdata", TOP
END
	# A debug file comes first. With all symbols in it, nothing is named twice.
	cache home/.cache/debuginfod_client
	is_found
	rm -r home
	objcopy -S --keep-symbols=functions app.debug every
	xz -f every
	embed every.xz
	order --for lld place.profile >found
	cmp -s found full.order || fail "with exported functions, another order: $(diff found full.order)"
}

case_damaged_gnu_debugdata_is_refused() {
	have xz || return 0
	make_small
	xz -kf small
	head -c 200 small.xz >cut
	head -c "$(($(stat -c %s small.xz) - 1))" small.xz >short
	printf '\375' >magic
	: >empty
	xz -c app.c >text
	gzip -c small >gzipped
	for file in cut short magic empty text gzipped app.c; do
		embed $file
		is_not_found
	done
	# Symbols of another program, where this one has no code.
	printf 'int elsewhere(void) { return 0; }\nint _start(void) { return elsewhere(); }\n' >other.c
	gcc -nostdlib -static -Wl,-Ttext=0x70000000 -o elsewhere other.c
	xz -f elsewhere
	embed elsewhere.xz
	is_not_found
}

# Neither memory nor time is taken without bounds.
case_gnu_debugdata_that_grows_is_refused() {
	have xz || return 0
	{ cat full && head -c 300M /dev/zero; } | xz -0 >bomb
	embed bomb
	is_not_found
	xz -k -c --lzma2=preset=0,dict=512MiB full >greedy 2>/dev/null || { untried "a large dictionary: xz has no memory for it"; return; }
	embed greedy
	is_not_found
}

# One field after the other is changed in the ELF file within: an order or one sentence, and no crash.
case_hostile_gnu_debugdata_does_no_harm() {
	have xz || return 0
	make_small
	python3 - "$headstart" "$real" <<'END'
import lzma, random, struct, subprocess, sys
headstart, folder = sys.argv[1:]
good = open(f"{folder}/small", "rb").read()
chance = random.Random(7)
shoff, shnum = struct.unpack_from("<Q", good, 40)[0], struct.unpack_from("<H", good, 60)[0]
fields = [(4, 1), (5, 1), (16, 2), (40, 8), (58, 2), (60, 2), (62, 2)]
for i in range(shnum):
    kind, = struct.unpack_from("<I", good, shoff + 64 * i + 4)
    fields += [(shoff + 64 * i + at, size) for at, size in [(0, 4), (4, 4), (8, 8), (16, 8), (24, 8), (32, 8), (40, 4), (56, 8)]
               if kind in (2, 3) or chance.randrange(8) == 0]
    if kind == 2:
        offset, size = struct.unpack_from("<QQ", good, shoff + 64 * i + 24)
        fields += [(symbol + at, length) for symbol in range(offset, offset + size, 24)
                   for at, length in [(0, 4), (4, 1), (8, 8), (16, 8)] if chance.randrange(3) == 0]
values = [0, 1, 0x7f, 0xffff, 0x7fffffff, 0xffffffff, 1 << 40, (1 << 63) - 1, (1 << 64) - 1, 0xfffffffffffff000]
cases = [good] + [good[:chance.randrange(len(good))] for _ in range(10)]
for at, size in fields:
    value = chance.choice(values) & ((1 << 8 * size) - 1)
    cases.append(good[:at] + value.to_bytes(size, "little") + good[at + size:])
done = refused = 0
subprocess.run(["strip", "-o", f"{folder}/bare", f"{folder}/full"], check=True)
for number, case in enumerate(cases):
    open(f"{folder}/hostile", "wb").write(lzma.compress(case, preset=0))
    subprocess.run(["objcopy", f"--add-section=.gnu_debugdata={folder}/hostile", f"{folder}/bare", f"{folder}/place/app"],
                   check=True, stderr=subprocess.DEVNULL)
    run = subprocess.run([headstart, "order", "--for", "lld", f"{folder}/place.profile", f"{folder}/place/app"],
                         capture_output=True, timeout=60)
    if run.returncode == 0 and run.stdout:
        done += 1
    elif run.returncode == 1 and not run.stdout and run.stderr.count(b"\n") == 1:
        refused += 1
    else:
        sys.exit(f"FAIL: case {number}: {run}")
    assert number > 0 or (done == 1 and b"\ninner\n" in run.stdout), run
print(f"{done} ordered, {refused} refused")
assert done > 10 and refused > 10
END
}

# explain names the functions of a page in the same way.
case_explain_names_functions_of_a_debug_file() {
	place
	cp app.debug place
	at=$((0x$(nm full | sed -n 's/ [tT] outer$//p')))
	load=$(readelf -lW full | awk '$1 == "LOAD" && / E / { print $2, $3 }')
	page=$(((at - ${load#* } + ${load% *}) / $(getconf PAGESIZE)))
	"$headstart" explain --json place.profile "app:$page" >json || fail "no explanation"
	json json - <<'END'
assert "outer" in TOP["pages"][0]["functions"], TOP
END
}

run_cases
