#!/bin/sh
# A start by the shim that finds its plan stale leads to a new plan, with no command by hand; and nobody notices the planner.
. "$HEADSTART_TEST_SOURCE/tests/preload/preload-lib.sh"
command -v cc >/dev/null || skip "no compiler"
chmod 711 "$tmp"
for_others "$prefetch" "$HEADSTART_TEST_BUILD/tools/headstart-tool"
prefetcher=$others/headstart-prefetch
library=$place/libhot.so
data=$place/cold
head -c 300000 /dev/zero >"$data"

# build MORE: the library, with so many functions in front of the others. A package manager renames.
build() {
	awk -v more="$1" 'BEGIN {
		for (i = 0; i < more; i++)
			printf "void more%d(void) { __asm__ volatile(\".skip 500\"); }\n", i
		for (i = 0; i < 300; i++)
			printf "void f%d(void) { __asm__ volatile(\".skip %d\"); }\n", i, 16 * ((i * 37) % 67 + 1)
	}' >"$tmp/lib.c"
	cc -O1 -fno-toplevel-reorder -shared -fPIC -o "$tmp/new.so" "$tmp/lib.c"
	mv "$tmp/new.so" "$library"
	sync "$library"
}

# Puts the profile of a start that touches the library, and its plan, where 'headstart record' would.
record() { # [STATE]
	store=${1-$state}
	rm -rf "$store"
	mkdir "$store"
	build 0
	printf 'program %s\nfile regular %s\nrange 0 2 0 1\nfile regular %s\nrange 0 20 2 1\nfile regular %s\nrange 0 60 22 1\n' \
		"$target" "$target" "$library" "$data" | "$make_profile" "$tmp/profile"
	HEADSTART_STATE=$store "$headstart" plan --device solid "$tmp/profile" >"$tmp/out" || fail "plan: $(cat "$tmp/out")"
	plan=$(find "$store" -name '*.plan' -type f)
	profile=${plan%.plan}.profile
	cp "$tmp/profile" "$profile"
	rm -f "$log"
	: >"$tmp/planned"
}
update() { # the library, after the recording
	build 5
	was=$(cksum <"$plan")
}

# Starts the program cold, by the shim of the program that executes it, and waits for all that comes of it. Nothing may be printed
# but what the program prints.
start() { # [WORD…], in front
	"$unclaimed" "$plan"
	"$page" out "$target" "$library" "$data" || fail "pages stay in the page cache"
	status=0
	gathering "$@" env -i PATH="$PATH" HOME="${home-$tmp}" LD_PRELOAD="$preload" HEADSTART_STATE="$store" HEADSTART_LOG="$log" \
		HEADSTART_PREFETCH="$prefetcher" "$launch" execve "$target" one >"$tmp/seen" 2>&1 || status=$?
	[ "$status" = 7 ] || fail "exit status $status: $(cat "$tmp/seen")"
	[ "$(grep -v '^environment: ' "$tmp/seen")" = "argument: one" ] || fail "it is heard: $(cat "$tmp/seen")"
}
finds_it_stale() {
	until_undisturbed stale_start "$@"
}
stale_start() {
	rm -f "$log"
	start "$@"
	grep -q "^prefetch program=$target .* stale=1 " "$log" || fail "no stale plan was carried out: $(cat "$log")"
}

plan_is_new() {
	[ "$(cksum <"$plan")" != "$was" ] || fail "the plan is the old one"
	[ ! -e "$plan.stale" ] || fail "the mark stays"
	"$headstart" show --json "$plan" >"$tmp/json"
	json "$tmp/json" - "$library" <<'EOF' || fail "$(cat "$tmp/json")"
assert TOP["stale"] == 0
assert any(e["guessed"] for e in TOP["extents"] if TOP["files"][e["file"]]["path"] == ARGS[0])
EOF
}
plan_is_old() {
	[ "$(cksum <"$plan")" = "$was" ] || fail "the plan was replaced"
}

# A planner that says that it was started, and ends when it is told to.
make_slow_planner() {
	mkdir -p "$tmp/slow"
	cp "$prefetch" "$tmp/slow"
	prefetcher=$tmp/slow/headstart-prefetch
	rm -f "$tmp/go"
	mkfifo "$tmp/go"
	cat >"$tmp/slow/headstart-tool" <<-EOF
		#!/bin/sh
		echo "\$*" >>"$tmp/planned"
		echo heard
		echo heard >&2
		[ ! -p "$tmp/go" ] || read -r line <"$tmp/go"
	EOF
	chmod 755 "$tmp/slow" "$tmp/slow/headstart-tool"
}

case_stale_plan_heals() {
	record
	start
	[ ! -e "$plan.stale" ] || fail "the plan is stale at once"
	update
	finds_it_stale
	plan_is_new
	start
	grep -q "^prefetch program=$target .* stale=0 " "$log" || fail "the new plan is not carried out: $(cat "$log")"
}

case_stale_plan_of_a_user_heals() {
	[ "$(id -u)" = 0 ] || skip "not root"
	home=$tmp/home
	mkdir -p "$home/.local/state"
	record "$home/.local/state/headstart"
	chown -R 65534:65534 "$home"
	for_others "$launch" "$preload"
	launch=$others/launch
	preload=$others/${preload##*/}
	log=$home/log
	update
	finds_it_stale $as_nobody
	plan_is_new
	[ "$(stat -c %u "$plan")" = 65534 ] || fail "the plan is not the user's: $(ls -l "$plan")"
}

comes() { # COMMAND…
	for try in $(seq 1500); do
		! "$@" || return 0
		sleep 0.02
	done
	fail "'$*' never comes: $(cat "$log")"
}
was_carried_out() { [ "$(grep -c '^prefetch .* stale=1 ' "$log")" -ge "$1" ]; }

case_nobody_waits_for_the_planner_and_there_is_one() {
	until_undisturbed starts_with_a_slow_planner
}
starts_with_a_slow_planner() {
	record
	update
	make_slow_planner
	for time in 1 2 3; do
		"$unclaimed" "$plan"
		"$page" out "$target" "$library" "$data" || fail "pages stay in the page cache"
		# The end of the file shows that nobody has the pipe any more.
		seen=$(timeout 60 env -i LD_PRELOAD="$preload" HEADSTART_STATE="$store" HEADSTART_LOG="$log" HEADSTART_PREFETCH="$prefetcher" \
			"$launch" execve "$target" one 2>&1) && status=0 || status=$?
		[ "$status" = 7 ] || fail "exit status $status"
		[ "$(echo "$seen" | grep -v '^environment: ')" = "argument: one" ] || fail "it is heard: $seen"
		comes was_carried_out "$time"
		comes test -s "$tmp/planned"
	done
	[ "$(cat "$tmp/planned")" = "plan --program $target" ] || fail "not one planner: $(cat "$tmp/planned")"
	echo >"$tmp/go"
}

case_profile_is_gone() {
	record
	rm "$profile"
	update
	make_slow_planner
	rm "$tmp/go" # so that it ends at once
	finds_it_stale
	plan_is_old
	[ ! -s "$tmp/planned" ] || fail "the planner has nothing to make a plan of: $(cat "$tmp/planned")"
	HEADSTART_STATE=$store "$headstart" doctor "$target" >"$tmp/out" 2>&1 || :
	grep -q "plan FILE   # the profile of which the plan was made" "$tmp/out" || fail "doctor does not say so: $(cat "$tmp/out")"
}

case_planner_is_missing() {
	record
	update
	mkdir "$tmp/alone"
	cp "$prefetch" "$tmp/alone"
	prefetcher=$tmp/alone/headstart-prefetch
	[ ! -e "$(defined HEADSTART_PRIVATE_DIR)/headstart-tool" ] || skip "headstart is installed here"
	finds_it_stale
	plan_is_old
}

case_planner_is_somebody_elses() {
	[ "$(id -u)" = 0 ] || skip "not root"
	record
	update
	make_slow_planner
	rm "$tmp/go" # so that it ends at once
	chown 65534 "$tmp/slow/headstart-tool"
	finds_it_stale
	[ ! -s "$tmp/planned" ] || fail "root has executed what a user can change"
}

case_store_cannot_be_written() {
	record
	make_slow_planner
	rm "$tmp/go"
	update
	if [ "$(id -u)" = 0 ]; then # root's plan: only root compiles it
		for_others "$launch" "$preload"
		launch=$others/launch
		preload=$others/${preload##*/}
		mkdir "$tmp/logs"
		chmod 1777 "$tmp/logs"
		log=$tmp/logs/log
		: >"$tmp/planned"
		chmod 666 "$tmp/planned"
		finds_it_stale $as_nobody
	else
		chmod 555 "$store"
		finds_it_stale
		chmod 755 "$store"
	fi
	plan_is_old
	[ ! -e "$plan.stale" ] && [ ! -s "$tmp/planned" ] || fail "something was tried: $(ls "$store")"
}

# There user ids say nothing of who owns a file.
case_user_namespace() {
	unshare -Ur true 2>/dev/null || skip "unshare -Ur does not work here"
	record
	make_slow_planner
	rm "$tmp/go"
	update
	gathering unshare -Ur "$prefetcher" --fd 3 3<"$plan" >"$tmp/seen" 2>&1 || fail "the prefetcher fails: $(cat "$tmp/seen")"
	[ ! -s "$tmp/seen" ] && [ ! -s "$tmp/planned" ] || fail "something was started: $(cat "$tmp/seen" "$tmp/planned")"
}

# A plan that a person has named is only marked.
case_named_plan_is_marked() {
	record
	make_slow_planner
	rm "$tmp/go"
	update
	gathering "$prefetcher" "$plan" >"$tmp/seen" 2>&1 || fail "the prefetcher fails: $(cat "$tmp/seen")"
	[ -e "$plan.stale" ] && [ ! -s "$tmp/planned" ] || fail "it was compiled: $(cat "$tmp/planned")"
}

at_case_exit() { rm -rf "$tmp/slow" "$tmp/alone" "$tmp/logs" "$tmp/home"; }
run_cases
