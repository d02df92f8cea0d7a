#!/bin/sh
# A plan says how many libraries its program has when it begins. The prefetcher awaits only a program with few of them.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
on_disk
export HEADSTART_STATE="$tmp/state" HEADSTART_LOG="$tmp/log"
mkdir "$tmp/state"
python=$(realpath /usr/bin/python3)
static=$HEADSTART_TEST_BUILD/tests/preload/target # the tools are not static in every build

printf '#!%s\n' "$python" >"$tmp/script"
printf '#! %s -x\n' "$tmp/script" >"$tmp/outer"
chmod +x "$tmp/script" "$tmp/outer"

# Makes $plan of a program, with the given options.
make_plan() {
	program=$1
	shift
	printf 'program %s\nfile regular %s\nrange 0 1 0 1\n' "$program" "$program" | "$make_profile" "$tmp/profile"
	plan=$tmp/made.plan
	"$headstart" plan -o "$plan" "$@" "$tmp/profile" >/dev/null || fail "plan of $program"
	libraries=$("$headstart" show --json "$plan" | json - 'TOP["libraries"]')
}

case_libraries_of_programs_and_scripts_are_counted() {
	make_plan "$python"
	listed=$(ldd "$python" | grep -c '=> /')
	[ "$libraries" -ge "$listed" ] && [ "$libraries" -le $((listed + 1)) ] || # ld.so counts as a library if an object names it
		fail "$libraries libraries of python, where ldd lists $listed"
	of_python=$libraries
	for script in script outer; do
		make_plan "$(realpath "$tmp")/$script"
		[ "$libraries" = "$of_python" ] || fail "$libraries libraries of $script, and $of_python of its interpreter"
	done
}

case_static_program_has_none() {
	[ -e "$static" ] || skip "no static program is built for this processor"
	make_plan "$(realpath "$static")"
	[ "$libraries" = 0 ] || fail "$libraries libraries of a static program"
}

case_other_file_has_none() {
	make_plan "$(realpath "$HEADSTART_TEST_SOURCE/README.md")"
	[ "$libraries" = 0 ] || fail "$libraries libraries of what is no program"
}

case_program_of_an_image_has_none() {
	mkdir -p "$tmp/image$(dirname "$python")"
	cp -p "$python" "$tmp/image$python"
	make_plan "$python" --root "$tmp/image"
	[ "$libraries" = 0 ] || fail "$libraries libraries in an image"
}

# Whether the prefetcher goes on alongside the program. "waits": somebody holds the lock of a program that waits.
alongside() {
	rm -f "$tmp/log"
	/usr/bin/python3 - "$1" "$prefetch" "$plan" <<'END' || fail "the prefetcher failed"
import fcntl, os, subprocess, sys
plan = os.open(sys.argv[3], os.O_RDONLY)
if sys.argv[1] == "waits":
    fcntl.lockf(plan, fcntl.LOCK_SH, 1, 0)
def give_plan():
    os.dup2(os.open(sys.argv[3], os.O_RDONLY), 3)
sys.exit(subprocess.run([sys.argv[2], "--awaited", "--fd", "3"], close_fds=False, preexec_fn=give_plan,
                        stdout=subprocess.DEVNULL).returncode)
END
	sed -n 's/^prefetch .* alongside=\([01]\) .*/\1/p' "$tmp/log"
}
expect_alongside() {
	plan=$(LIBRARIES=$2 "$HEADSTART_TEST_BUILD/tests/shim/plan-for" "$tmp/state" "$python" "$tmp/script")
	[ "$(alongside waits)" = "$1" ] || fail "alongside=$1 is not what the prefetcher does beside $2 libraries: $(cat "$tmp/log")"
}

case_program_with_one_to_sixteen_libraries_is_awaited() {
	expect_alongside 1 0
	expect_alongside 0 1
	expect_alongside 0 16
	expect_alongside 1 17
}

case_program_that_waits_is_awaited() {
	make_plan "$python"
	[ "$libraries" -le 16 ] || skip "python has $libraries libraries here"
	[ "$(alongside waits)" = 0 ] || fail "beside a program that waits: $(cat "$tmp/log")"
	[ "$(alongside runs)" = 1 ] || fail "beside a program that does not wait: $(cat "$tmp/log")"
}

case_program_without_libraries_is_not_awaited() {
	make_plan "$(realpath "$static")"
	[ "$(alongside waits)" = 1 ] || fail "a program without libraries was awaited: $(cat "$tmp/log")"
}

run_cases
