#!/bin/sh
# headstart run: the program sees what it would see without headstart, with a plan, without one, and with bad ones.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
on_disk
witness=$HEADSTART_TEST_BUILD/tests/launcher/witness
export HEADSTART_STATE="$tmp/state"
mkdir -p "$HEADSTART_STATE"
log=$tmp/log.store
cd "$tmp"

# The same process, before and after: exec keeps the pid that the shell writes into WITNESS_PID.
see() {
	sh -c 'WITNESS_PID=$$; export WITNESS_PID; exec "$@"' sh "$@"
}

same() {
	see "$witness" one 'two words' '' >"$tmp/expected" 5<"$tmp" && status=0 || status=$?
	see "$headstart" run "$@" -- "$witness" one 'two words' '' >"$tmp/expected.run" 5<"$tmp" 2>"$tmp/err" &&
		run_status=0 || run_status=$?
	[ "$status" = "$run_status" ] || fail "exit status $run_status instead of $status with 'run $*'"
	# stdout and stderr are other files in each of the two runs
	grep -v '^fd [12] ' "$tmp/expected" >"$tmp/a"
	grep -v '^fd [12] ' "$tmp/expected.run" >"$tmp/b"
	cmp -s "$tmp/a" "$tmp/b" || fail "the program sees a difference with 'run $*': $(diff "$tmp/a" "$tmp/b")"
	grep -q '^children -1' "$tmp/b" || fail "a child of ours is left to the program"
}

# A plan of a file that is not in the page cache, so that the prefetcher really starts.
plan_for_cold_file() {
	dd if=/dev/zero of="$tmp/data" bs=64k count=8 2>/dev/null
	sync "$tmp/data"
	evict "$tmp/data"
	printf 'program %s\nfile regular %s\nrange 0 128 0 1\n' "$witness" "$tmp/data" | "$make_profile" "$tmp/profile"
	"$headstart" plan -o "$tmp/plan" "$tmp/profile" >/dev/null || fail "cannot make a plan"
}

# The prefetcher logs its line when it has finished; the program is running by then.
logged() {
	tries=0
	until [ -s "$1" ]; do
		[ $((tries += 1)) -lt 60000 ] || fail "the prefetcher did not run: no $1"
		sleep 0.01
	done
}

plan_for_cold_file
case_program_sees_no_difference() {
	same
	WITNESS_STATUS=7 same
	for wait in none done; do
		evict "$tmp/data"
		HEADSTART_LOG="$tmp/log.$wait" same --plan "$tmp/plan" --wait "$wait"
		logged "$tmp/log.$wait"
	done
	grep -q 'asked=524288' "$tmp/log.done" || fail "the prefetcher did not run: $(cat "$tmp"/log.* 2>&1)"
}

# The program's own plan is found by its name.
case_plan_is_found_by_the_program_s_name() {
	export HEADSTART_LOG="$log"
	"$headstart" plan "$tmp/profile" >/dev/null
	evict "$tmp/data"
	same --wait done
	logged "$log"
	grep -q 'asked=524288' "$log" || fail "the stored plan was not found"
}

# Switched off: nothing is read.
case_switched_off_nothing_is_read() {
	export HEADSTART_LOG="$log"
	rm -f "$log"
	evict "$tmp/data"
	HEADSTART=off same --wait done
	HEADSTART=off gathering "$headstart" run --wait done -- "$witness" >/dev/null
	[ ! -e "$log" ] || fail "HEADSTART=off prefetched"
}

# While the start is recorded, nothing is read either: it would be recorded as touched.
case_recorded_start_reads_nothing() {
	export HEADSTART_LOG="$log"
	rm -f "$log"
	evict "$tmp/data"
	for recording in 1-2 1-2-99999999999; do
		HEADSTART_RECORDING=$recording gathering "$headstart" run --verbose --audit --wait done -- "$witness" >"$tmp/out" 2>"$tmp/err"
		[ ! -e "$log" ] || fail "a recorded start prefetched: $(cat "$log")"
		grep -qx "headstart: '$witness' is started without prefetching: its start is being recorded" "$tmp/err" || fail "$(cat "$tmp/err")"
		! grep -q LD_AUDIT "$tmp/out" || fail "the audit shim is in a recorded start"
	done
}

# A terminal that was recorded long ago still has the name of that recording.
case_recording_that_is_over_says_nothing() {
	HEADSTART_RECORDING=1-2-1 "$headstart" run --verbose --wait done -- "$witness" >"$tmp/out" 2>"$tmp/err"
	! grep -q "its start is being recorded" "$tmp/err" || fail "$(cat "$tmp/err")"
}

# Warm: nothing is read either.
case_warm_nothing_is_read() {
	make_warm() { cat "$tmp/data" >/dev/null; }
	nothing_read() {
		gathering "$headstart" run --wait done -- "$witness" >/dev/null
		[ ! -e "$log" ] || fail "a warm start prefetched: $(cat "$log")"
	}
	export HEADSTART_LOG="$log"
	when_warm nothing_read
	make_warm
	same --wait done
}

# What was in time and what was not: the prefetcher says it, before the program begins or beside it.
case_verbose_says_what_was_read() {
	verbose() {
		gathering "$headstart" run --verbose --plan "$tmp/plan" "$@" -- "$witness" >/dev/null 2>"$tmp/err"
	}
	says() { grep -q "^headstart: read $1\$" "$tmp/err" || fail "not '$1': $(cat "$tmp/err")"; }
	waited() {
		evict "$tmp/data"
		verbose --wait done
		says "0.5 MB in [0-9.]* s before '$witness' began"
	}
	at_once() {
		evict "$tmp/data"
		verbose --wait none
		says "0.5 MB in [0-9.]* s while '$witness' started"
	}
	half_is_there() {
		evict "$tmp/data"
		/usr/bin/python3 -c 'import os, sys
fd = os.open(sys.argv[1], os.O_RDONLY)
os.posix_fadvise(fd, 0, 0, os.POSIX_FADV_RANDOM)
os.pread(fd, 131072, 131072)' "$tmp/data"
		verbose --wait done
		says "0.4 MB in [0-9.]* s before '$witness' began; 0.1 MB more were in memory already"
	}
	until_undisturbed waited
	[ "$(sed -n 1p "$tmp/err")" = "headstart: prefetching 1 file for '$witness'" ] || fail "$(cat "$tmp/err")"
	until_undisturbed at_once
	until_undisturbed half_is_there
}

# The program, and headstartd, which sees that it is executed, find the plan taken, also by a prefetcher that comes late. Where programs
# wait long for a processor, the launcher may have given up before; such a start proves nothing.
case_plan_is_taken_before_the_program_runs() {
	command -v strace >/dev/null || { untried "no strace"; return; }
	plan_for_cold_file
	proven=0
	for try in $(seq 200); do
		evict "$tmp/data"
		strace -f -o "$tmp/calls" -e trace=setsid,poll,fcntl,execve -e inject=setsid:delay_enter=5000 \
			"$headstart" run --wait none --plan "$tmp/plan" -- "$witness" >"$tmp/out" || fail "the program fails ($?)"
		! grep -q 'poll.* = 0 (Timeout)' "$tmp/calls" || continue
		begins=$(grep -n "execve(\"$witness\"" "$tmp/calls" | cut -d : -f 1)
		locks=$(grep -n 'F_SETLK, {l_type=F_RDLCK, l_whence=SEEK_SET, l_start=[0-9]\{10,\}' "$tmp/calls" | head -n 1 | cut -d : -f 1)
		[ "${locks:-$begins}" -lt "$begins" ] || fail "the program runs before somebody holds the plan: $(cat "$tmp/calls")"
		proven=$((proven + 1))
		[ "$proven" -lt 5 ] || break
	done
	[ "$proven" -gt 0 ] || fail "the launcher never waits until the plan is taken: $(cat "$tmp/calls")"
}

# Damaged, truncated, foreign, missing plans: the program is started, one sentence says why.
case_bad_plan_is_one_sentence_and_the_program_starts() {
	for bad in damaged short text empty missing folder; do
		case $bad in
		damaged) cp "$tmp/plan" "$tmp/$bad" && damage "$tmp/$bad" 200 ;;
		short) head -c 100 "$tmp/plan" >"$tmp/$bad" ;;
		text) echo 'not a plan' >"$tmp/$bad" ;;
		empty) : >"$tmp/$bad" ;;
		folder) mkdir "$tmp/$bad" ;;
		esac
		same --plan "$tmp/$bad"
		grep -q 'is started without prefetching' "$tmp/err" || fail "nothing said about a $bad plan"
		[ "$bad" != missing ] || grep -qF "cannot read the plan '$tmp/missing': No such file or directory" "$tmp/err" || fail "it says: $(cat "$tmp/err")"
		[ "$(wc -l <"$tmp/err")" = 1 ] || fail "more than one sentence: $(cat "$tmp/err")"
	done
}

# with_prefetcher COMMAND…: a command that says what the program sees, in $tmp/seen, and that starts a prefetcher.
with_prefetcher() {
	rm -f "$tmp/log.with"
	evict "$tmp/data"
	HEADSTART_LOG=$tmp/log.with "$@" >"$tmp/seen"
	grep -q 'asked=524288' "$tmp/log.with" || fail "no prefetcher read anything"
}

# A blocked SIGCHLD must not be pending afterwards: the first child of the double fork raises none.
case_blocked_sigchld_is_not_pending() {
	until_undisturbed with_prefetcher gathering /usr/bin/python3 -c '
import os, signal, sys
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGCHLD})
os.execv(sys.argv[1], sys.argv[1:])' "$headstart" run --plan "$tmp/plan" -- "$witness"
	grep -q '^signal 17 blocked 1 pending 0' "$tmp/seen" || fail "a SIGCHLD is pending: $(grep 'signal 17' "$tmp/seen")"
}

# A caller that collects orphans: the prefetcher must not become the program's child.
case_subreaper_gets_no_child_of_ours() {
	until_undisturbed with_prefetcher collecting "$headstart" run --plan "$tmp/plan" -- "$witness"
	grep -q '^children -1' "$tmp/seen" || fail "a subreaper got our prefetcher: $(grep children "$tmp/seen")"
}

# A stale plan is marked. A start that would have to wait for the compiler does not compile the plan; the next start does, even if
# it is warm, and removes the mark.
case_stale_plan_is_marked_and_compiled_anew() {
	dd if=/dev/zero of="$tmp/kept" bs=64k count=8 2>/dev/null
	printf 'program %s\nfile regular %s\nrange 0 128 0 1\nfile regular %s\nrange 0 128 128 1\n' \
		"$witness" "$tmp/data" "$tmp/kept" | "$make_profile" "$tmp/profile"
	plan=$("$headstart" plan "$tmp/profile" | sed -n 's/^plan *//p')
	cp "$tmp/profile" "${plan%.plan}.profile"
	echo >>"$tmp/data"
	sync "$tmp/data" "$tmp/kept"
	evict "$tmp/data" "$tmp/kept"
	cp -p "$plan" "$tmp/before"
	collecting "$headstart" run --wait done -- "$witness" >/dev/null
	[ -e "$plan.stale" ] || fail "the stale plan is not marked"
	cmp -s "$plan" "$tmp/before" || fail "a program that nothing can be detached from waited for a new plan"
	cat "$tmp/data" "$tmp/kept" >/dev/null
	gathering "$headstart" run -- "$witness" >/dev/null
	[ ! -e "$plan.stale" ] || fail "the stale plan was not compiled anew"
	! cmp -s "$plan" "$tmp/before" || fail "the mark is gone, the old plan is not"
}

# Programs that cannot be started.
case_program_that_cannot_be_started_is_told() {
	refuses 127 "cannot start '$tmp/none'" "$headstart" run -- "$tmp/none"
	printf '#!/none\n' >"$tmp/no-interpreter"
	chmod 755 "$tmp/no-interpreter"
	PATH=$tmp:$PATH refuses 127 "cannot start 'no-interpreter': No such file" "$headstart" run -- no-interpreter
	refuses 127 "'no-such-program' is not in PATH: give its whole path" "$headstart" run -- no-such-program
	: >"$tmp/notexec"
	refuses 126 "cannot start '$tmp/notexec'" "$headstart" run -- "$tmp/notexec"
	refuses 2 "no program given" "$headstart" run
	refuses 2 "unknown option '--nonsense'" "$headstart" run --nonsense -- true
	refuses 2 "unknown value 'soon' of --wait: use auto, none or done" "$headstart" run --wait soon -- true
	refuses 2 "unknown verb 'fly'" "$headstart" fly
}

# Many starts at once.
case_many_start_at_once() {
	pids=
	for i in 1 2 3 4 5 6 7 8; do
		"$headstart" run --plan "$tmp/plan" -- true &
		pids="$pids $!"
	done
	for pid in $pids; do
		wait "$pid" || fail "a concurrent launch failed"
	done
}

run_cases
