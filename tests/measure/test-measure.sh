#!/bin/sh
# SPDX-License-Identifier: MIT
# headstart measure: what it says of a gain and of a loss, what it makes cold and what not, how a start ends, and that nothing
# is left of any.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/lib/display-lib.sh"
on_disk
tool=$HEADSTART_TEST_BUILD/tools/headstart-tool
needs=$HEADSTART_TEST_BUILD/tests/measure/needs
export HEADSTART_STATE=$tmp/state
mkdir "$HEADSTART_STATE"

# Each program has a file of its own that its plan names, and no other. It may say more at its start.
make_program() { # NAME LINE…
	head -c 299008 /dev/urandom >"$tmp/$1.data"
	{
		echo "#!/bin/sh"
		printf '%s\n' "$2"
	} >"$tmp/$1"
	chmod +x "$tmp/$1"
	sync "$tmp/$1.data"
	"$page" out "$tmp/$1.data" || skip "this file system does not say what is in memory"
	plan_of_program "$1"
}
plan_of_program() {
	printf 'program %s\nfile regular %s\nrange 0 73 0 1\n' "$tmp/$1" "$tmp/$1.data" | "$make_profile" "$tmp/$1.profile"
	"$tool" plan "$tmp/$1.profile" >"$tmp/$1.planned" || fail "cannot make a plan"
}
# measure OPTION… -- COMMAND…
measure() {
	"$tool" measure --json "$@" >"$tmp/json" 2>"$tmp/err" || fail "'measure $*': $(cat "$tmp/err")"
}

case_gain_is_told() {
	make_program gains "exec $needs cold $tmp/gains.data"
	gains() {
		measure --runs 3 -- "$tmp/gains" a 'b c'
		json "$tmp/json" - "$tmp/gains" <<'END'
assert TOP["verdict"] == "faster", TOP
assert TOP["command"] == ARGS + ["a", "b c"] and TOP["until"] == "exit", TOP
assert len(TOP["with"]["seconds"]) == len(TOP["without"]["seconds"]) == TOP["prefetched"] == 3, TOP
assert TOP["without"]["median"] >= 1 > TOP["with"]["median"], TOP
assert TOP["speedup_interval"][0] <= TOP["speedup"] <= TOP["speedup_interval"][1], TOP
assert TOP["cold"] == {"files": 1, "bytes": 299008, "files_unreadable": 0, "files_left": 0, "bytes_left": 0, "pages_looked_at": 0,
                       "pages_left": 0} and TOP["failed"] == 0, TOP
assert len(TOP["warm"]["seconds"]) == 2 and TOP["warm"]["median"] < 1, TOP
END
	}
	until_undisturbed gains
	"$tool" measure --runs 3 "$tmp/gains" >"$tmp/out" 2>"$tmp/err" || fail "no text"
	grep -qx "headstart: to start it with headstart:  headstart run -- $tmp/gains" "$tmp/err" || fail "no next command: $(cat "$tmp/err")"
	grep -qE "^[0-9.]+ times faster with headstart \([0-9]+\.[0-9]{2} to [0-9]+\.[0-9]{2}\)$" "$tmp/out" || fail "the verdict: $(cat "$tmp/out")"
	for words in "cold, without " "cold, with " "warm " "3 cold starts of each kind" "299.0 kB of 1 file"; do
		grep -qF "$words" "$tmp/out" || fail "the page does not say '$words': $(cat "$tmp/out")"
	done
	! awk 'length > 80' "$tmp/out" | grep . || fail "the page is wider than 80 columns"
}

case_loss_is_told() {
	make_program loses "exec $needs warm $tmp/loses.data"
	loses() {
		measure --runs 3 -- "$tmp/loses"
		json "$tmp/json" 'TOP["verdict"]' | grep -qx slower || fail "no loss: $(cat "$tmp/json")"
	}
	until_undisturbed loses
	"$tool" measure --runs 3 "$tmp/loses" | grep -q "slower with headstart: leave it off" || fail "not told"
}

# A start that was recorded is measured with its own plan, as 'headstart run' starts it, and others with what is certain.
case_plan_of_the_arguments_is_measured() {
	make_program keyed :
	mkdir -m 755 "$tmp/hosts.d"
	printf '[keyed]\noperand = word\n' >"$tmp/hosts.d/test.conf"
	export HEADSTART_HOSTS="$tmp/hosts.d"
	rm "$tmp/keyed.profile"
	add=
	for word in one two; do
		head -c 299008 /dev/urandom >"$tmp/$word.data"
		sync "$tmp/$word.data"
		printf 'program %s\nargument keyed\nargument %s\nfile regular %s\nrange 0 73 0 1\nfile regular %s\nrange 0 73 73 1\n' \
			"$tmp/keyed" $word "$tmp/keyed.data" "$tmp/$word.data" | "$make_profile" $add "$tmp/keyed.profile"
		add=--add
	done
	"$tool" plan "$tmp/keyed.profile" >/dev/null || fail "cannot make the plans"
	for word in one two three; do
		measure --runs 3 -- "$tmp/keyed" $word
		json "$tmp/json" '(TOP["cold"]["files"], "@" in TOP["plan"].rpartition("/")[2], TOP["plan"])' >"$tmp/$word"
	done
	for word in one two; do
		grep -q "(2, True, " "$tmp/$word" || fail "'$word' is measured with $(cat "$tmp/$word")"
	done
	! cmp -s "$tmp/one" "$tmp/two" || fail "both are measured with the same plan"
	grep -q "(1, False, " "$tmp/three" || fail "a start that was not recorded is measured with $(cat "$tmp/three")"
}

# As LibreOffice's localc.
case_alias_is_measured_with_the_plan_of_what_it_executes() {
	make_program executed :
	printf '#!/bin/sh\nexec %s --sheet "$@"\n' "$tmp/executed" >"$tmp/alias"
	chmod +x "$tmp/alias"
	measure --runs 3 -- "$tmp/alias" a
	json "$tmp/json" 'TOP["plan"].rpartition("/")[2]' | grep -q "^executed-" || fail "not its plan: $(cat "$tmp/json")"
	printf '[programs]\ndeny = %s\n' "$tmp/executed" >"$tmp/conf"
	HEADSTART_CONFIG="$tmp/conf" refuses 1 "headstart does nothing for '$tmp/executed'" "$tool" measure -- "$tmp/alias"
}

# The rest of the page cache stays as it is.
case_only_files_of_the_plan_become_cold() {
	make_program alone :
	head -c 300000 /dev/urandom >"$tmp/another"
	sync "$tmp/another"
	untouched() {
		cat "$tmp/another" "$tmp/alone.data" >/dev/null
		taken=$("$page" taken "$tmp/another") # what was read anew at this moment
		[ "$taken" = 0 ] || fail "the other file was not in memory at the beginning"
		HEADSTART_TEST=1 measure --runs 3 -- "$tmp/alone"
		"$page" came "$tmp/another" >/dev/null || fail "another file left the page cache"
	}
	until_undisturbed untouched
}

# hold NAME PAGES: $holder becomes a process that has the first pages of the program's data mapped.
hold() {
	mkfifo "$tmp/$1.ready"
	/usr/bin/python3 -c '
import mmap, sys, time
with open(sys.argv[1]) as file:
    mapped = mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ)
    mapped.madvise(mmap.MADV_RANDOM)
    sum(mapped[at * 4096] for at in range(int(sys.argv[3])))
    open(sys.argv[2], "w").close()
    time.sleep(1000)' "$tmp/$1.data" "$tmp/$1.ready" "$2" &
	holder=$!
	read -r word <"$tmp/$1.ready" || :
}

# Pages that another process has mapped stay, and are counted.
case_mapped_pages_are_counted() {
	make_program mapped :
	hold mapped 10
	counted() {
		"$tool" measure --runs 3 -- "$tmp/mapped" >"$tmp/out" 2>"$tmp/err"
		grep -q "of 1 file stayed in memory, because other programs use it" "$tmp/err" || fail "not told: $(cat "$tmp/err")"
		grep -q "^Each began with [0-9.]* kB of 1 file out of memory.$" "$tmp/out" || fail "not told: $(cat "$tmp/out")"
		! grep -qF "299.0 kB" "$tmp/out" || fail "what stayed counts as out of memory: $(cat "$tmp/out")"
		measure --runs 3 -- "$tmp/mapped"
		json "$tmp/json" - <<'END'
assert TOP["cold"]["files_left"] == 1 and 40960 <= TOP["cold"]["bytes_left"] < 299008, TOP
END
	}
	until_undisturbed counted
	kill "$holder"
}

# If all of it stays in memory, headstart reads nothing ahead, and nothing was compared.
case_what_stays_in_memory_is_not_measured() {
	make_program stays :
	hold stays 73
	stays() {
		"$tool" measure --runs 3 -- "$tmp/stays" >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
		head -n 1 "$tmp/out" | grep -q "^not measured: headstart read nothing ahead" || fail "the verdict: $(cat "$tmp/out")"
		! grep -q "leave it off" "$tmp/out" || fail "it gives advice all the same: $(cat "$tmp/out")"
		measure --runs 3 -- "$tmp/stays"
		[ "$(json "$tmp/json" '(TOP["prefetched"], TOP["verdict"])')" = "(0, 'unmeasured')" ] || fail "$(cat "$tmp/json")"
	}
	until_undisturbed stays
	kill "$holder"
}

# If its plan names only what is gone by now, that is the reason.
case_plan_of_what_is_gone_is_not_measured() {
	make_program gone-by-now :
	rm "$tmp/gone-by-now.data"
	"$tool" measure --runs 3 -- "$tmp/gone-by-now" >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
	head -n 1 "$tmp/out" | grep -qx "not measured: headstart read nothing ahead, because what it looks at has changed, is gone, or was in memory" ||
		fail "the verdict: $(cat "$tmp/out")"
	grep -q "1 file of the plan is changed or gone, or cannot be read" "$tmp/err" || fail "not told: $(cat "$tmp/err")"
}

# A user measures what root has installed and recorded, without being root.
case_ordinary_user() {
	[ "$(id -u)" = 0 ] || skip "only root can be another user"
	make_program theirs :
	for_others "$tool" "$headstart" "$needs" "$tmp/theirs" "$tmp/theirs.data"
	sync "$others/theirs.data" # what is not written yet cannot be evicted
	$as_nobody test -x "$others/theirs" || skip "other users may not enter '$others'"
	mkdir "$others/state"
	printf 'program %s\nfile regular %s\nrange 0 73 0 1\n' "$others/theirs" "$others/theirs.data" |
		"$make_profile" "$others/profile"
	HEADSTART_STATE=$others/state "$tool" plan "$others/profile" >/dev/null || fail "cannot make a plan"
	theirs() {
		$as_nobody env HEADSTART_STATE="$others/state" "$others/headstart-tool" measure --json --runs 3 \
			-- "$others/theirs" >"$tmp/json" 2>"$tmp/err" || fail "not measured: $(cat "$tmp/err")"
		json "$tmp/json" - <<'END'
cold = TOP["cold"]
assert cold["files"] == 1 and cold["pages_looked_at"] > 0 and cold["pages_left"] == 0 and TOP["prefetched"] == 3, TOP
END
	}
	until_undisturbed theirs
	$as_nobody env HEADSTART_STATE="$others/state" "$others/headstart-tool" measure --runs 3 -- "$others/theirs" >"$tmp/out" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
	grep -qx "Each began with at most 299.0 kB of 1 file out of memory." "$tmp/out" || fail "what is not known exactly: $(cat "$tmp/out")"
}

# The command sees that headstart is off in one kind of starts and not in the other, and nothing else that is ours.
case_what_the_command_sees() {
	make_program sees "echo \"\${HEADSTART-} \$(ps -o sid= -p \$\$ | tr -d ' ') \$\$ \$(readlink /proc/self/fd/0 /proc/\$\$/fd/1 /proc/\$\$/fd/2 | tr '\\n' ' ') \$(pwd)\" >>$tmp/sees.log; echo said; echo said >&2"
	(cd /usr && measure --runs 3 -- "$tmp/sees")
	! grep said "$tmp/json" "$tmp/err" || fail "the output of the command came through"
	[ "$(wc -l <"$tmp/sees.log")" = 9 ] || fail "not nine starts: $(cat "$tmp/sees.log")"
	[ "$(grep -c '^off ' "$tmp/sees.log")" = 6 ] || fail "not six starts without headstart"
	awk '$(NF - 5) != $(NF - 4) || $NF != "/usr" || $(NF - 1) != "/dev/null" || $(NF - 2) != "/dev/null"' "$tmp/sees.log" |
		grep . && fail "other surroundings" || :
}

# To the end of everything that was started, also of orphans.
case_exit_of_the_tree_is_awaited() {
	make_program leaves "(sleep 0.2; echo x >>$tmp/leaves.log) & exit 0"
	measure --runs 3 -- "$tmp/leaves"
	[ "$(wc -l <"$tmp/leaves.log")" = 9 ] || fail "the next start did not wait for what the last one left"
	json "$tmp/json" 'min(TOP["with"]["seconds"] + TOP["without"]["seconds"]) >= 0.2' | grep -qx True ||
		fail "orphans do not count: $(cat "$tmp/json")"
}

# Below a program that ignores SIGCHLD, as everything that it starts does.
case_caller_that_ignores_the_ends_of_children() {
	make_program ignored :
	env --ignore-signal=CHLD "$tool" measure --json --runs 3 --timeout 30 -- "$tmp/ignored" >"$tmp/json" 2>"$tmp/err" || fail "$(cat "$tmp/err")"
	json "$tmp/json" 'max(TOP["with"]["seconds"] + TOP["without"]["seconds"]) < 30' | grep -qx True || fail "$(cat "$tmp/json")"
}

# As in a script: server & exec headstart measure … Neither does its work count, nor is it ended.
case_children_from_before_are_no_part_of_a_start() {
	for options in "" "--until idle:0.3"; do
		make_program waits "${options:+exec sleep 1000}"
		sh -c 'while :; do :; done & echo $! >"$1"; shift; exec "$@"' sh "$tmp/server" "$tool" measure $options --runs 3 -- "$tmp/waits" \
			>"$tmp/out" 2>"$tmp/err" || :
		kill "$(cat "$tmp/server")" || fail "${options:-without options}: the process that was there before was ended"
		grep -q "3 cold starts of each kind" "$tmp/out" || fail "${options:-without options}: $(cat "$tmp/err")"
	done
}

gone() { ! kill -0 "$(cat "$1")" 2>/dev/null || fail "a process is left"; }

# A program that goes on is over when it is idle, not counting the time of waiting, and is ended.
case_idle_ends_a_start() {
	make_program idles "echo \$\$ >$tmp/idles.pid; i=0; while [ \$i -lt 20000 ]; do i=\$((i + 1)); done; exec sleep 1000"
	measure --runs 3 --until idle:0.5 -- "$tmp/idles"
	gone "$tmp/idles.pid"
	json "$tmp/json" '0 < TOP["without"]["median"] < 100' | grep -qx True || fail "wrong times: $(cat "$tmp/json")"
	make_program ends :
	refuses 1 "ended before it reached 'idle:50'" "$tool" measure --runs 3 --until idle:50 -- "$tmp/ends"
}

# The first window of the program itself; menus, splash screens and the windows of others do not count.
case_window_ends_a_start() {
	shows=$HEADSTART_TEST_BUILD/tests/lib/shows
	[ -x "$shows" ] || skip "this build has no libxcb"
	have Xvfb || return 0
	make_program windows "echo \$\$ \$WAYLAND_DISPLAY >$tmp/windows.pid; exec $shows \"\$@\""
	start_display
	at_case_exit() { stop_display; }
	measure --runs 3 --until window -- "$tmp/windows" window
	json "$tmp/json" '0 < TOP["without"]["median"] < 100' | grep -qx True || fail "wrong times: $(cat "$tmp/json")"
	grep -q "headstart-uses-x11" "$tmp/windows.pid" || fail "the program may open its window where nobody sees it"
	sed -i 's/ .*//' "$tmp/windows.pid"
	gone "$tmp/windows.pid"
	refuses 1 "did not reach 'window' within 1 s" "$tool" measure --timeout 1 --until window -- "$tmp/windows" none
	DISPLAY= refuses 1 "DISPLAY names no X11 display" "$tool" measure --until window -- "$tmp/windows" window
	refuses 1 "DISPLAY names no X11 display" env -u DISPLAY "$tool" measure --until window -- "$tmp/windows" window
}

case_interrupt_leaves_nothing() {
	mkfifo "$tmp/goes.begun"
	make_program goes "echo \$\$ >$tmp/goes.pid; sleep 1000 & echo \$! >$tmp/goes.child; echo begun >$tmp/goes.begun; wait"
	for signal in INT TERM HUP; do
		# A shell has its children in the background ignore SIGINT.
		/usr/bin/python3 -c 'import os, signal, sys
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])' "$tool" measure -- "$tmp/goes" >"$tmp/out" 2>"$tmp/err" &
		measuring=$!
		read -r word <"$tmp/goes.begun"
		kill -$signal "$measuring"
		status=0
		wait "$measuring" || status=$?
		[ "$status" = 130 ] || fail "exit status $status after SIG$signal"
		grep -q "interrupted; nothing was measured" "$tmp/err" || fail "$(cat "$tmp/err")"
		[ ! -s "$tmp/out" ] || fail "a result after SIG$signal: $(cat "$tmp/out")"
		gone "$tmp/goes.pid"
		gone "$tmp/goes.child"
	done
	make_program stays "exec sleep 1000"
	refuses 1 "'$tmp/stays' did not end within 0.3 s" "$tool" measure --timeout 0.3 -- "$tmp/stays"
}

case_failed_command_is_noted() {
	make_program fails "exit 7"
	"$tool" measure --runs 3 -- "$tmp/fails" >/dev/null 2>"$tmp/err" || fail "not measured"
	grep -q "'$tmp/fails' exited with status 7 (9 of 9 starts failed)" "$tmp/err" || fail "$(cat "$tmp/err")"
}

# Whatever is in the way is said before anything is started.
case_what_cannot_be_measured() {
	make_program refused "echo started >$tmp/refused.started"
	plan=$(sed -n 's/^plan *//p' "$tmp/refused.planned")
	refuses 127 "'no-such-program' is not in PATH: give its whole path" "$tool" measure no-such-program
	refuses 126 "cannot be run" "$tool" measure "$tmp/refused.data"
	refuses 1 "there is no plan for '/usr/bin/env': 'sudo headstart record -- env' makes one" "$tool" measure env
	refuses 1 "'sudo headstart record --until idle:3 --kill -- env sleep 5' makes one" "$tool" measure --until idle:3 -- env sleep 5
	make_program recorded :
	cp "$tmp/recorded.profile" "$(echo "$HEADSTART_STATE"/recorded-*.plan | sed s/plan$/profile/)"
	rm "$HEADSTART_STATE"/recorded-*.plan
	refuses 1 "'$tmp/recorded' was recorded, but has no plan: make it first, with 'headstart plan --program $tmp/recorded'" \
		"$tool" measure "$tmp/recorded"
	refuses 2 "'2' is not a number from 3 to 100" "$tool" measure --runs 2 "$tmp/refused"
	refuses 2 "'101' is not a number from 3 to 100" "$tool" measure --runs 101 "$tmp/refused"
	refuses 2 "unknown milestone 'mark': use" "$tool" measure --until mark "$tmp/refused"
	refuses 2 "unknown milestone 'soon': use" "$tool" measure --until soon "$tmp/refused"
	refuses 2 "'0' is not a number of seconds" "$tool" measure --timeout 0 "$tmp/refused"
	refuses 2 "no command given" "$tool" measure
	refuses 1 "switched off by HEADSTART=off" env HEADSTART=off "$tool" measure "$tmp/refused"
	printf '[programs]\ndeny = %s\n' "$tmp/refused" >"$tmp/conf"
	HEADSTART_CONFIG=$tmp/conf refuses 1 "headstart does nothing for '$tmp/refused'" "$tool" measure "$tmp/refused"
	if [ "$(id -u)" = 0 ]; then
		refuses 1 "without sudo" env SUDO_UID=1000 "$tool" measure "$tmp/refused"
		chmod 666 "$plan"
		refuses 1 "there is no plan" "$tool" measure "$tmp/refused"
		chmod 644 "$plan"
	fi
	damage "$plan" 200
	refuses 1 "is damaged" "$tool" measure "$tmp/refused"
	[ ! -e "$tmp/refused.started" ] || fail "the command was started"
}

run_cases
