#!/bin/sh
# A process loses its record locks (fcntl(2)) on a file when it closes any descriptor of that file. So a hook must not probe files
# that a program may have locked. The plan here is made by headstart itself, which chooses the probes.
. "$HEADSTART_TEST_SOURCE/tests/attack/attack-lib.sh"
locked=$attack/locked
tool=$HEADSTART_TEST_BUILD/tools/headstart-tool
data=$place/data
head -c 1000000 /dev/urandom >"$data"
libraries="$libraries $data" # which make_cold empties from memory, too

# By size alone the data would be the first choice, as the largest file of the plan.
"$make_profile" "$tmp/profile" <<END
program $target
file regular $place/libthree.so
range 0 4 0 1
file regular $data
range 0 200 4 1
END
rm -f "$state"/*
HEADSTART_STATE=$state "$tool" plan "$tmp/profile" >"$tmp/out" || fail "no plan: $(cat "$tmp/out")"
plan=$(find "$state" -name '*.plan')
"$tool" show --json "$plan" >"$tmp/shown"

case_lock_on_planned_data_is_kept() {
	chmod 666 "$data" # a write lock needs write permission; root's plan would not have named such a file
	grep -qF "\"$data\"" "$tmp/shown" || fail "the plan does not name the data: $(cat "$tmp/shown")"
	for way in posix_spawn vfork-execv; do
		for as in "" "$as_victim"; do
			what="$way, '$as'"
			forced "$locked" "$data" $way "$target"
			ends_with 7
			was_run own
		done
	done
}

# The controls: closing the file loses the lock, and so does a plan that has the data as a probe.
case_a_lost_lock_is_seen() {
	forced "$locked" "$data" reopen "$target"
	ends_with 98
	"$built/plan-for" "$state" "$target" "$data" >"$tmp/out"
	forced "$locked" "$data" posix_spawn "$target"
	ends_with 98
}

# A database may lie where programs only read, too. In a mount namespace these files do.
case_database_below_usr_is_no_probe() {
	needs_mounts
	mkdir "$place/src"
	{ printf 'SQLite format 3\0' && head -c 900000 /dev/zero; } >"$place/src/database"
	head -c 400000 /dev/zero >"$place/src/text"
	cat >"$tmp/description" <<-END
		program $target
		file regular /usr/src/database
		range 0 200 0 1
		file regular /usr/src/text
		range 0 90 200 1
	END
	unshare --mount --propagation private sh -c 'mount --bind "$1" /usr/src && "$2" "$3.profile" <"$3" && "$4" plan -o "$3.plan" "$3.profile"' \
		sh "$place/src" "$make_profile" "$tmp/description" "$tool" >"$tmp/out" 2>&1 || fail "no plan: $(cat "$tmp/out")"
	"$HEADSTART_TEST_BUILD/tests/plan/dump-plan" "$tmp/description.plan" >"$tmp/dumped"
	[ "$(grep '^probe' "$tmp/dumped")" = "probe /usr/src/text 89" ] || fail "other probes: $(cat "$tmp/dumped")"
}

run_cases
