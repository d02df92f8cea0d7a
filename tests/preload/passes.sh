#!/bin/sh
# Whatever the shims know of a program, every function that starts programs or opens libraries does what it does without them:
# arguments, environment, status, errno, caller. This asks nothing of the machine that an emulator of a processor does not have.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
[ -e "$preload" ] || skip "no shim is built for this processor"
tests=$HEADSTART_TEST_BUILD/tests
plan_for=$tests/shim/plan-for
on_disk
mkdir "$tmp/state" "$tmp/no-plans" "$tmp/place"
place=$tmp/place
for file in "$tests/preload/launch" "$tests/preload/target" "$tests/preload/libraries" "$tests/preload/libcaller.so" "$tests/shim/look" \
	"$tests/shim/libone.so" "$tests/shim/libtwo.so" "$tests/shim/libthree.so"; do
	cp "$file" "$place"
done
target=$place/target
"$plan_for" "$tmp/state" "$target" "$place/libthree.so" >"$tmp/out"

plain() { env -i PATH="$PATH" FROM=here "$@"; }

# same COMMAND…: prints and exits so with each of $shims, with a plan of what it starts and without.
shims="LD_PRELOAD=$preload LD_AUDIT=$audit"
own_words='/^environment: \(LD_AUDIT\|HEADSTART_[A-Z]*\)=/d; /^LD_PRELOAD [01]$/d' # of the programs, on what is ours
same() {
	expected=0
	plain "$@" >"$tmp/expected" 2>&1 || expected=$?
	sed -i "$own_words" "$tmp/expected"
	for shim in $shims; do
		for state in no-plans state; do
			what="${shim%%=*}, $state, $*" status=0
			plain "$shim" HEADSTART_STATE="$tmp/$state" HEADSTART_PREFETCH=/bin/true "$@" >"$tmp/seen" 2>&1 || status=$?
			sed -i "$own_words" "$tmp/seen"
			[ "$status" = "$expected" ] || fail "$what: exit status $status, not $expected: $(cat "$tmp/seen")"
			cmp -s "$tmp/expected" "$tmp/seen" || fail "$what: $(diff "$tmp/expected" "$tmp/seen")"
		done
	done
}

ways="execve execv execvp execvpe execl execlp execle-short fexecve execveat execveat-empty posix_spawn posix_spawnp"

case_programs_are_started_as_before() {
	for way in $ways vfork-execve vfork-execvp vfork-execl; do
		same "$place/launch" $way "$target" one two three four five six seven eight
		# qemu-user has no execveat.
		[ "$expected" = 7 ] || grep -q '^errno: ENOSYS$' "$tmp/expected" || fail "$way does not start the target: $(cat "$tmp/expected")"
	done
}

case_failure_is_what_it_was() {
	for way in $ways; do
		same "$place/launch" $way /nonexistent/target
		same "$place/launch" $way "$place"
	done
	same "$place/launch" bad-path "$target"
	same "$place/launch" long-argument "$target" argument
}

case_caller_of_dlopen_is_seen_as_before() {
	mkdir "$place/private" "$place/app"
	cp "$place/libthree.so" "$place/private/libfound.so"
	printf 'exit 3\n' >"$place/script"
	chmod +x "$place/script"
	same "$place/libraries" "$place/libcaller.so" "$place/script"
	grep -q "by the caller's RUNPATH: $place/private/libfound.so in ours" "$tmp/expected" || fail "$(cat "$tmp/expected")"
}

case_program_with_libraries_is_as_before() {
	"$plan_for" "$tmp/state" "$place/launch" "$place/libthree.so" >"$tmp/out"
	same "$place/launch" execve "$target" one
}

# What 'headstart install --system' tries. It uses more static thread-local storage than any auditor leaves.
case_self_test_is_as_before() {
	shims=LD_PRELOAD=$preload
	same "$HEADSTART_TEST_BUILD/tools/self-test/headstart-self-test"
	[ "$expected" = 0 ] || fail "it exits $expected: $(cat "$tmp/expected")"
	grep -q '^vfork and execve ' "$tmp/expected" || fail "it says: $(cat "$tmp/expected")"
}

run_cases
