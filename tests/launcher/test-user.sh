#!/bin/sh
# headstart for an ordinary user and on degraded machines: whose plan is used, and where it is kept; a home that is read-only or
# missing; a user namespace; files that changed or are gone; a huge plan; the memory budget.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/prefetch/prefetch-lib.sh"
unset HEADSTART_STATE HEADSTART_LOG HEADSTART XDG_STATE_HOME
nobody=65534

# If root runs this test, another user does all of it; the files stay root's, like those of /usr.
chmod 755 "$tmp" "$disk"
[ -x /usr/bin/python3 ] || skip "no python3"
if [ "$(id -u)" = 0 ]; then
	command -v setpriv >/dev/null || skip "no setpriv to become an ordinary user with"
	as_user="$as_nobody"
	users() { chown -R $nobody:$nobody "$@"; }
else
	as_user=
	users() { :; }
fi
as_user() { $as_user env HOME="$home" "$@"; }
home=$tmp
as_user test -x "$disk" || skip "'$disk' cannot be reached by an ordinary user"

mkdir "$tmp/home" "$tmp/readonly" "$tmp/out.d"
for_others "$headstart" "$headstart-tool" "$prefetch"
headstart=$others/headstart
home=$tmp/home
users "$tmp/home" "$tmp/out.d"
chmod 555 "$tmp/readonly"
log=$tmp/out.d/log

real=$(realpath "$disk")
app=$real/app
printf '#!/bin/sh\nexit 7\n' >"$app"
chmod 755 "$app"
make_files 4
describe() {
	printf 'program %s\nfile regular %s\nrange 0 1 0 1\n' "$app" "$app"
	for i in 1 2 3 4; do
		printf 'file regular %s\nrange 0 100 %s 1\n' "$real/f$i" "$((i * 100))"
	done
}
describe | "$make_profile" "$tmp/profile"
chmod 644 "$tmp/profile"

# Runs a command of the user's as a process that collects orphans: headstart then waits for its prefetcher to end, so that no
# later step races with it.
as_collector() {
	collecting $as_user env HOME="$home" "$@"
}

# run_says WORDS [OPTION…]: the user starts the program cold; it must end as always, and headstart must print the one sentence.
run_says() {
	words=$1
	shift
	evict "$real"/f* "$app"
	rm -f "$log"
	status=0
	HEADSTART_LOG=$log as_collector "$headstart" run --verbose --wait done "$@" -- "$app" >"$tmp/out" 2>"$tmp/err" ||
		status=$?
	[ "$status" = 7 ] || fail "the program's exit status is $status: $(cat "$tmp/err")"
	grep -qF -- "$words" "$tmp/err" || fail "'run $*' did not say '$words': $(cat "$tmp/err")"
	sed -i '/^headstart: read .* before /d' "$tmp/err" # what came in time
	[ "$(wc -l <"$tmp/err")" = 1 ] && [ ! -s "$tmp/out" ] || fail "'run $*' said more: $(cat "$tmp/err" "$tmp/out")"
}
logged() {
	grep -qE -- "$1" "$log" || fail "the log does not say '$1': $(cat "$log" 2>&1)"
}
plans() {
	as_user "$headstart" plan "$@" "$tmp/profile" >"$tmp/out" 2>"$tmp/err" || fail "no plan: $(cat "$tmp/err")"
}

plans
plan=$(sed -n 's/^plan  *//p' "$tmp/out")
state=$home/.local/state/headstart

# The user's own plan is in the state folder, and only this user can read it. run finds it, and every other verb works.
case_own_plan_is_private_and_found() {
	[ "${plan%/*}" = "$state" ] || fail "the plan is not in '$state': $plan"
	[ "$(stat -c %a "$state")" = 700 ] && [ "$(stat -c %a "$plan")" = 600 ] || fail "others may read '$plan'"
	[ "$(ls -A "$state")" = "${plan##*/}" ] || fail "something is left beside the plan: $(ls -A "$state")"
	run_says "prefetching 5 files for '$app'"
	logged 'opened=5 stale=0 missing=0 refused=0 asked=1638417 '
	run_says "prefetching 5 files for '$app'" --plan "$plan"
	as_user "$headstart" show "$plan" | grep -q '^  here  *no file has changed since ' || fail "show: the plan is not fresh"
	as_user "$headstart" show --json "$tmp/profile" >"$tmp/out" || fail "show: cannot show a profile"
	as_user "$headstart" merge -o "$tmp/out.d/merged" "$tmp/profile" "$tmp/profile" || fail "merge failed"
	if "$headstart" record --help >/dev/null 2>&1; then # built with libtracefs
		refuses 1 "needs root: use sudo, or --backend ptrace" as_user "$headstart" record --backend trace -- true
		refuses 1 "which recording?" as_user "$headstart" mark
		refuses 1 "there is no recording '1-2'" as_user "$headstart" mark 1-2
	fi
	refuses 1 "'$app' was not recorded: 'sudo headstart record -- $app' records a start" as_user "$headstart" plan --program "$app"
}

# A plan that somebody else owns or can write is ignored. Root's plan serves everybody.
case_plan_that_others_could_have_written_is_passed_over() {
	chmod 620 "$plan"
	run_says "no plan for it"
	chmod 602 "$plan"
	run_says "no plan for it"
	chmod 600 "$plan"
	if [ "$(id -u)" = 0 ]; then
		mkdir "$tmp/theirs"
		cp "$plan" "$tmp/theirs"
		chmod 644 "$tmp/theirs/${plan##*/}"
		export HEADSTART_STATE="$tmp/theirs"
		run_says "prefetching 5 files"
		chown 65533 "$tmp/theirs/${plan##*/}"
		run_says "no plan for it"
		unset HEADSTART_STATE
		evict "$real"/f* "$app"
		HEADSTART_STATE=$tmp/theirs "$headstart" run --verbose -- "$app" 2>"$tmp/err" || :
		grep -q "no plan for it" "$tmp/err" || fail "root uses another user's plan: $(cat "$tmp/err")"
	fi
}

# As after a recording of a file that only root can read.
case_profile_for_root_alone_is_told() {
	[ "$(id -u)" = 0 ] || skip "not root"
	mkdir -m 755 "$tmp/unread"
	name=${plan##*/}
	cp "$tmp/profile" "$tmp/unread/${name%.plan}.profile"
	chmod 600 "$tmp/unread/${name%.plan}.profile"
	export HEADSTART_STATE="$tmp/unread"
	refuses 1 "only root can read what was recorded of '$app': use sudo" as_user "$headstart" plan --program "$app"
	refuses 1 "only root can read what was recorded of '$app': use sudo" as_user env PATH="${app%/*}:$PATH" "$headstart" diff "${app##*/}"
	chmod 644 "$tmp/unread/${name%.plan}.profile"
	as_user env PATH="${app%/*}:$PATH" "$headstart" diff "${app##*/}" >"$tmp/out" || fail "diff does not read it"
	unset HEADSTART_STATE
}

# A user namespace, with and without a name for the user in it.
case_program_starts_in_a_user_namespace() {
	for map in '' r; do
		as_user unshare -U$map true 2>/dev/null || {
			untried "unshare -U$map, which does not work here"
			continue
		}
		status=0
		as_user unshare -U$map "$headstart" run -- "$app" >"$tmp/out" 2>&1 || status=$?
		[ "$status" = 7 ] && [ ! -s "$tmp/out" ] || fail "in a user namespace ($map): $status $(cat "$tmp/out")"
		as_user unshare -U$map "$headstart" show "$plan" >"$tmp/out" || fail "show in a user namespace ($map) fails"
		as_user unshare -U$map "$headstart" plan -o "$tmp/out.d/plan" "$tmp/profile" >"$tmp/out" ||
			fail "plan in a user namespace ($map) fails"
	done
}

# If the home is read-only or missing, no plan is kept; everything else works.
case_program_starts_without_a_home() {
	home=$tmp/readonly
	refuses 1 "cannot make the folder of plans '$home/.local/state/headstart': Permission denied; -o FILE" \
		as_user "$headstart" plan "$tmp/profile"
	run_says "no plan for it"
	plans -o "$tmp/out.d/plan"
	run_says "prefetching 5 files" --plan "$tmp/out.d/plan"
	without_home() { as_user env -u HOME "$@"; }
	refuses 1 "as HOME is not set; -o FILE puts the plan elsewhere" without_home "$headstart" plan "$tmp/profile"
	refuses 1 "as HOME is not set; -o FILE writes the profile elsewhere" without_home "$headstart" record -- "$app"
	refuses 1 "as HOME is not set" without_home "$headstart" forget "$app"
	refuses 1 "as HOME is not set" without_home "$headstart" plan --mark-stale
	refuses 1 "as HOME is not set" without_home "$headstart" config apply
	status=0
	without_home "$headstart" run -- "$app" >"$tmp/out" 2>&1 || status=$?
	[ "$status" = 7 ] && [ ! -s "$tmp/out" ] || fail "without a home: $status $(cat "$tmp/out")"
	home=relative
	refuses 1 "as HOME is no absolute path" as_user "$headstart" plan "$tmp/profile"
	home=/dev/null
	refuses 1 "cannot make the folder of plans '/dev/null/" as_user "$headstart" plan "$tmp/profile"
	run_says "no plan for it"
}

# A changed file drops out alone, and so does one that is gone; the plan is marked.
case_changed_or_missing_file_drops_out_alone() {
	as_user cp "$plan" "$tmp/out.d/relative.plan"
	echo more >>"$real/f2"
	run_says "prefetching 5 files"
	logged 'opened=4 stale=1 missing=0 refused=0 asked=1228817 '
	[ -e "$plan.stale" ] || fail "the plan was not marked stale"
	cd "$tmp/out.d"
	evict "$real"/f*
	HEADSTART_LOG=relative.log as_collector "$headstart" run --wait done --plan relative.plan -- "$app" || :
	[ ! -e relative.log ] && [ ! -e /relative.log ] || fail "a log with a relative name was written"
	run_says "prefetching 5 files" --plan relative.plan
	cd /
	[ -e "$tmp/out.d/relative.plan.stale" ] || fail "a plan given by a relative name was not marked stale"
	rm "$real/f3"
	run_says "prefetching 5 files"
	logged 'opened=3 stale=1 missing=1 refused=0 asked=819217 '
}

refreshes() {
	evict "$real"/f* "$app"
	status=0
	gathering $as_user env HOME="$home" "$headstart" run -- "$app" >"$tmp/out" 2>&1 || status=$?
	[ "$status" = 7 ] || fail "the program's exit status is $status: $(cat "$tmp/out")"
	[ ! -s "$tmp/out" ] || fail "the planner is heard: $(cat "$tmp/out")"
}

# With a profile in the store, the plan is compiled anew.
case_stale_plan_is_compiled_anew() {
	as_user cp "$tmp/profile" "${plan%.plan}.profile"
	refreshes
	run_says "prefetching 3 files"
	logged 'opened=3 stale=0 missing=0 '
	[ ! -e "$plan.stale" ] || fail "the mark outlives the stale plan"
	rm "$plan"
	refreshes
	[ -s "$plan" ] || fail "a missing plan is not compiled from the profile"
}

# Only root compiles root's stale plan anew.
case_stale_plan_of_root_is_left_to_root() {
	if [ "$(id -u)" = 0 ]; then
		mkdir "$tmp/roots"
		cp "$plan" "${plan%.plan}.profile" "$tmp/roots"
		chmod 644 "$tmp/roots"/*
		echo more >>"$real/f1"
		before=$(stat -c '%i %Y' "$tmp/roots/${plan##*/}")
		HEADSTART_STATE=$tmp/roots refreshes
		[ "$(ls "$tmp/roots" | wc -l)" = 2 ] && [ "$(stat -c '%i %Y' "$tmp/roots/${plan##*/}")" = "$before" ] ||
			fail "a user has changed root's plan"
	fi
}

# 50,000 files: far more than may be open at once.
case_fifty_thousand_files_are_opened() {
	mkdir "$disk/many"
	/usr/bin/python3 - "$real" >"$tmp/description" <<'EOF_PYTHON'
import os, sys
folder = sys.argv[1] + "/many/"
print("program " + sys.argv[1] + "/app")
for n in range(50000):
    name = folder + "%05d" % n
    if n % 100:
        os.link(folder + "%05d" % (n - n % 100), name)
    else:
        with open(name, "w") as out:
            out.write("x" * 100)
    print("file regular", name)
    print("range 0 1", n, 1)
EOF_PYTHON
	"$make_profile" "$tmp/huge" <"$tmp/description"
	chmod 644 "$tmp/huge"
	sync -f "$disk"
	as_user "$headstart" plan -o "$tmp/out.d/huge.plan" "$tmp/huge" >"$tmp/out" || fail "no plan of 50,000 files"
	# On a busy machine it may take longer than the 30 seconds that a prefetcher has.
	out=$(as_user sh -c 'ulimit -n 256; exec "$@"' sh "$others/headstart-prefetch" --wait --json --time-budget 0 "$tmp/out.d/huge.plan") ||
		fail "headstart-prefetch fails with 50,000 files"
	[ "$(value opened "$out")" = 50000 ] || fail "not all of 50,000 files were opened: $out"
	as_user "$headstart" show "$tmp/out.d/huge.plan" >"$tmp/out" || fail "cannot show a plan of 50,000 files"
	evict "$real/many/00000" "$app"
	status=0
	as_user "$headstart" run --plan "$tmp/out.d/huge.plan" -- "$app" >"$tmp/out" 2>&1 || status=$?
	[ "$status" = 7 ] && [ ! -s "$tmp/out" ] || fail "with a plan of 50,000 files: $status $(cat "$tmp/out")"
}

# The memory budget: pages that are touched first are read, the rest is left.
case_memory_budget_is_kept() {
	describe | "$make_profile" "$tmp/budget"
	chmod 644 "$tmp/budget"
	as_user "$headstart" plan --device solid -o "$tmp/out.d/budget.plan" "$tmp/budget" >/dev/null || fail "no plan"
	evict "$real"/f?
	out=$(as_user "$others/headstart-prefetch" --wait --json --memory-budget 300000 "$tmp/out.d/budget.plan")
	asked=$(value bytes_asked "$out") skipped=$(value bytes_skipped_budget "$out")
	[ "$asked" -gt 0 ] && [ "$asked" -le 300000 ] && [ $((asked + skipped)) = 1228817 ] || fail "the budget: $out"
	refuses 2 "not a value for this option: '0'" "$prefetch" --memory-budget 0 "$tmp/out.d/budget.plan"
	plans --budget 64K -o "$tmp/out.d/small.plan"
	grep -q '^data  *0.1 MB' "$tmp/out" || fail "plan --budget: $(cat "$tmp/out")"
}

run_cases
