#!/bin/sh
# SPDX-License-Identifier: MIT
# The three backends: each sees what trace events see but for what its biases say, and meets programs of every kind with one sentence.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/record/record-lib.sh"

can_record
make_disk
make_programs
for file in mapped open unmapped closed thread child file; do
	head -c 2000000 /dev/urandom >"$disk/$file"
done
cc -O1 -pthread -o "$disk/coverage" "$HEADSTART_TEST_SOURCE/tests/record/programs/coverage.c" -ldl || fail "cc"
cc -O1 -D_GNU_SOURCE -pthread -o "$disk/followed" "$HEADSTART_TEST_SOURCE/tests/record/programs/followed.c" || fail "cc"
cc -O1 -o "$tmp/without-ptrace" "$HEADSTART_TEST_SOURCE/tests/record/programs/without-ptrace.c" || fail "cc"
profile=$tmp/profile
backends="trace ptrace pagemap"
"$tool" record --quiet --backend ptrace -o "$profile" -- true 2>"$tmp/err" || {
	untried "ptrace does not work here: $(cat "$tmp/err")"
	backends="trace pagemap"
}

# record BACKEND [OPTION…] -- COMMAND…
record() {
	backend=$1
	shift
	rm -f "$profile"
	alone "$tool" record --backend "$backend" --no-drop -o "$profile" "$@" >"$tmp/out" 2>"$tmp/err"
}

shown() { "$tool" show --json --all "$profile"; }

recorded_by_all() {
	for backend in $backends; do
		make_disk_cold
		record "$backend" --until mark --kill --json -- "$disk/coverage" "$disk" "$tool" || fail "$backend: $(cat "$tmp/err")"
		shown >"$tmp/$backend.shown"
		tail -n 1 "$tmp/out" >"$tmp/$backend.said"
	done
}
coverage_is_within_the_biases() {
	recorded_by_all
	json "$tmp/trace.shown" - "$tmp" "$disk" $backends <<'END'
tmp, disk, backends = ARGS[0], ARGS[1], ARGS[3:]
KEPT = {"mapped", "open", "thread", "child", "coverage"}    # until the milestone
LEFT = {"unmapped", "closed", "libone.so.1.0", "helper"}    # before
def pages(shown):
    return {name: {page for file in shown["files"] if file["path"] == disk + "/" + name
                   for run in file["ranges"] for page in range(run["page"], run["page"] + run["pages"])}
            for name in KEPT | LEFT}
exact = pages(TOP)
assert {3, 40, 100} <= exact["mapped"] and set(range(5)) <= exact["open"], exact
assert 9 in exact["thread"] and 7 in exact["child"] and 20 in exact["unmapped"] and 10 in exact["closed"], exact
assert all(exact.values()), exact
for backend in backends:
    shown, said = (json.load(open(f"{tmp}/{backend}.{what}")) for what in ("shown", "said"))
    found = pages(shown)
    missing = {name: exact[name] - found[name] for name in exact if exact[name] - found[name]}
    extra = {(name, page) for name in exact for page in found[name] - exact[name]}
    assert shown["milestone"] == "mark", shown["milestone"]
    if backend == "ptrace":
        assert not missing, (backend, missing)
    else:
        assert "sampled" in shown["bias"] and set(missing) <= LEFT, (backend, missing)
    if extra:
        assert "around" in shown["bias"] and len(extra) <= said["pages_around"], (backend, extra, said["pages_around"])
    beside = {(name, page + i) for name in exact for page in exact[name] for i in range(-16, 17)}
    assert extra <= beside, (backend, extra - beside)
END
}
case_each_backend_sees_what_its_biases_say() {
	until_undisturbed coverage_is_within_the_biases
}

# A container: neither trace events nor ptrace.
case_pagemap_is_chosen_where_ptrace_is_refused() {
	for_others "$tool"
	chmod 755 "$tmp" "$tmp/without-ptrace"
	$as_nobody test -x "$tmp/without-ptrace" || skip "the folder of tests is closed to other users"
	mkdir "$tmp/theirs"
	chown 65534 "$tmp/theirs"
	refused() { $as_nobody "$tmp/without-ptrace" "$others/headstart-tool" record -o "$tmp/theirs/profile" "$@" 2>"$tmp/err"; }
	status=0
	refused --until time:0.5 --kill -- sleep 100 || status=$?
	[ "$status" != 77 ] || skip "no seccomp here"
	grep -q '^headstart: recording by page tables, since trace events need root and ptrace is refused: ' "$tmp/err" ||
		fail "not told: $(cat "$tmp/err")"
	grep -q '^headstart: processes were looked at now and then: ' "$tmp/err" || fail "no bias: $(cat "$tmp/err")"
	"$tool" show --json --all "$tmp/theirs/profile" >"$tmp/shown"
	json "$tmp/shown" - "$(realpath "$(command -v sleep)")" <<'END' || fail "sleep is not in the profile"
assert TOP["backend"] == "pagemap" and {"sampled", "order"} <= set(TOP["bias"]), TOP["bias"]
assert any(file["path"] == ARGS[0] and file["ranges"] for file in TOP["files"])
assert any("libc" in file["path"] and file["ranges"] for file in TOP["files"])
assert [point["path"] for point in TOP["execs"]] == ARGS, TOP["execs"]
END
	status=0
	refused --backend ptrace -- true || status=$?
	[ "$status" = 1 ] || fail "ptrace worked"
	grep -q "forbids tracing 'true' by ptrace .*--backend pagemap$" "$tmp/err" || fail "$(cat "$tmp/err")"
}

case_missing_program() {
	for backend in $backends; do
		rm -f "$profile"
		refuses 127 "'no-such-program' is not in PATH: give its whole path" alone "$tool" record -b "$backend" -o "$profile" -- no-such-program
		refuses 126 "'/etc/passwd' cannot be run" alone "$tool" record -b "$backend" -o "$profile" -- /etc/passwd
		[ ! -e "$profile" ] || fail "$backend left a profile"
	done
}

case_program_that_dies_by_a_signal() {
	for backend in $backends; do
		record "$backend" -- "$disk/followed" killed "$disk/file" || fail "$backend: $(cat "$tmp/err")"
		grep -q "^headstart: '$disk/followed' was ended by signal 11$" "$tmp/err" || fail "$backend: $(cat "$tmp/err")"
		shown >/dev/null || fail "$backend: no profile"
		refuses 1 "was ended by signal 9 (--force keeps it)" \
			alone "$tool" record --quiet -b "$backend" --no-drop -- sh -c 'kill -9 $$'
		! find "$HEADSTART_STATE" -name 'sh-*' -o -name 'dash-*' 2>/dev/null | grep -q . || fail "$backend kept it"
	done
}

# The command is stopped, or a child of it, until somebody else continues it: the recording goes on with it.
case_program_that_is_stopped_meanwhile() {
	cat >"$disk/stopped" <<'END'
#!/bin/sh
# stopped FOLDER CAT FILE: is stopped, and reads the file with CAT when it is continued.
rm -f "$1/continued"
{
	until [ -e "$1/continued" ]; do
		sleep 0.05
		kill -CONT $$
	done
} &
kill -STOP $$
: >"$1/continued"
wait
exec "$2" "$3" >/dev/null
END
	chmod 755 "$disk/stopped"
	cp "$(command -v cat)" "$disk/reader"
	for backend in $backends; do
		for way in exec ''; do
			record "$backend" -- sh -c "$way \"\$@\"; exit" sh "$disk/stopped" "$disk" "$disk/reader" "$disk/file" || fail "$backend: $(cat "$tmp/err")"
			! grep -q "exited with status\|ended by signal" "$tmp/err" || fail "$backend: $(cat "$tmp/err")"
			shown >"$tmp/shown"
			json "$tmp/shown" - "$disk" "$backend" <<'END' || fail "$backend: what it did afterwards is missing"
assert TOP["milestone"] == "exit", TOP["milestone"]
paths = {file["path"] for file in TOP["files"]}
assert ARGS[1] == "pagemap" or {ARGS[0] + "/reader", ARGS[0] + "/file"} <= paths, paths
END
		done
	done
}

case_program_that_never_ends() {
	for backend in $backends; do
		record "$backend" --timeout 0.5 --kill -- sleep 1000 || fail "$backend: $(cat "$tmp/err")"
		[ "$(grep -c '^headstart: ended by the timeout, not by the milestone$' "$tmp/err")" = 1 ] || fail "$backend: $(cat "$tmp/err")"
		shown | json - 'TOP["milestone"]' | grep -qx timeout || fail "$backend: not in the profile"
	done
}

# That the program works and is named in a profile, by each backend.
works() { # PROGRAM ARGUMENT…
	for backend in $backends; do
		record "$backend" -- "$@" || fail "$backend: $*: $(cat "$tmp/err")"
		! grep -q "exited with status\|ended by signal" "$tmp/err" || fail "$backend: $*: $(cat "$tmp/err")"
		shown >"$tmp/shown"
		json "$tmp/shown" - "$(realpath "$1")" <<'END' || fail "$backend: '$1' is not in the profile"
assert any(file["path"] == ARGS[0] for file in TOP["files"]), [file["path"] for file in TOP["files"]]
END
	done
}

case_program_that_closes_all_descriptors() { works "$disk/followed" without-descriptors "$disk/file"; }

case_program_that_nobody_may_look_into() { works "$disk/followed" hidden "$disk/file"; }

case_static_program() {
	cc -O1 -static -D_GNU_SOURCE -pthread -o "$disk/static" "$HEADSTART_TEST_SOURCE/tests/record/programs/followed.c" 2>/dev/null ||
		skip "no static libc"
	works "$disk/static" mapped "$disk/file"
}

case_program_of_musl() {
	have musl-gcc || return 0
	musl-gcc -O1 -D_GNU_SOURCE -idirafter /usr/include -idirafter "/usr/include/$(cc -dumpmachine)" -o "$disk/musl" \
		"$HEADSTART_TEST_SOURCE/tests/record/programs/followed.c" || fail "musl-gcc"
	works "$disk/musl" mapped "$disk/file"
}

case_program_of_32_bits() {
	cc -m32 -O1 -nostdlib -static -fno-pie -no-pie -fno-stack-protector -o "$disk/i386" \
		"$HEADSTART_TEST_SOURCE/tests/record/programs/followed32.c" 2>/dev/null || skip "no compiler for 32-bit programs"
	"$disk/i386" "$disk/file" || skip "32-bit programs do not run here"
	works "$disk/i386" "$disk/file"
}

case_program_that_changes_its_user() {
	works "$(command -v setpriv)" --reuid 65534 --regid 65534 --clear-groups -- true
}

# Started by an ordinary user, it keeps the rights that it gains, unless a filter forbids that: then it is said.
case_set_user_id_program() {
	for_others "$tool"
	chmod 755 "$disk"
	cp "$(command -v id)" "$disk/whoever"
	chmod u+s "$disk/whoever"
	$as_nobody test -x "$disk/whoever" || skip "the folder of tests is closed to other users"
	[ "$($as_nobody "$disk/whoever" -u)" = 0 ] || skip "set-user-ID programs gain no rights here"
	mkdir -p "$tmp/theirs"
	chown 65534 "$tmp/theirs"
	for backend in trace pagemap; do
		command="$as_nobody $others/headstart-tool record"
		[ $backend != trace ] || command="$tool record --no-drop --user $(id -un 65534)"
		alone $command --backend $backend -o "$tmp/theirs/profile" -- "$disk/whoever" -u >"$tmp/out" 2>"$tmp/err" ||
			fail "$backend: $(cat "$tmp/err")"
		[ "$(tr -d '\r' <"$tmp/out")" = 0 ] || fail "$backend: it lost its rights: $(cat "$tmp/out")"
		"$tool" show --json --all "$tmp/theirs/profile" >"$tmp/shown"
		json "$tmp/shown" - "$disk/whoever" <<'END' || fail "$backend: not in the profile"
assert any(file["path"] == ARGS[0] for file in TOP["files"])
END
		rm "$tmp/theirs/profile"
	done
}

# Nothing can be merged with what is stored from a newer headstart: it is replaced as a whole, and that is said.
case_stored_profile_of_a_newer_version() {
	for backend in $backends; do
		alone "$tool" record --quiet --no-drop -- true
		stored=$(find "$HEADSTART_STATE" -name 'true-*.profile')
		printf '\377' | dd of="$stored" bs=1 seek=8 conv=notrunc status=none
		alone "$tool" record -b "$backend" --quiet --no-drop --merge -- true 2>"$tmp/err" || fail "$backend: $(cat "$tmp/err")"
		[ "$(cat "$tmp/err")" = "headstart: '$stored' was made by a newer headstart; it is replaced" ] || fail "$backend: $(cat "$tmp/err")"
		"$tool" show "$stored" >/dev/null || fail "$backend: it was not replaced"
		[ "$(find "$HEADSTART_STATE" -name 'true-*.profile*')" = "$stored" ] || fail "$backend left something"
	done
}

case_full_disk() {
	mkdir "$tmp/full"
	mount -t tmpfs -o size=64k none "$tmp/full"
	at_case_exit() { umount "$tmp/full"; }
	head -c 65536 /dev/zero >"$tmp/full/much"
	for backend in $backends; do
		refuses 1 "cannot write '$tmp/full/profile': No space left on device" \
			alone "$tool" record --quiet -b "$backend" --no-drop -o "$tmp/full/profile" -- "$disk/link"
		[ "$(ls "$tmp/full")" = much ] || fail "$backend left something: $(ls "$tmp/full")"
	done
}

# As in a script: server & exec headstart record … It neither delays the end of the recording nor ends with it.
case_children_from_before_are_no_part_of_the_start() {
	at_case_exit() { kill "$(cat "$tmp/server")" || :; }
	for backend in $backends; do
		sh -c 'sleep 1000 & echo $! >"$1"; shift; exec "$@"' sh "$tmp/server" \
			"$tool" record --backend "$backend" --no-drop --kill -o "$profile" -- sh -c 'true & exit 0' >"$tmp/out" 2>"$tmp/err" 7<&- ||
			fail "$backend: $(cat "$tmp/err")"
		grep -q ' until exit: ' "$tmp/err" || fail "$backend: it did not end with its processes: $(cat "$tmp/err")"
		kill "$(cat "$tmp/server")" || fail "$backend: the process that was there before was ended"
	done
	at_case_exit() { :; }
}

run_cases
