#!/bin/sh
# SPDX-License-Identifier: MIT
# What headstartd says where it cannot work.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/daemon/daemon-lib.sh"

case_without_root() {
	for_others "$daemon"
	refuses 1 "needs root" $as_nobody "$others/headstartd"
}

case_without_tracefs() {
	if ! as_root_of_user_namespace true 2>"$tmp/err"; then
		skip "no user namespaces: $(cat "$tmp/err")"
	fi
	refuses 1 "the kernel refuses tracing" as_root_of_user_namespace "$daemon"
}

case_in_a_container() {
	refuses 1 "must run outside of containers" unshare --pid --fork --mount-proc "$daemon"
}

# What it may raise by itself is no reason.
case_few_descriptors() {
	refuses 1 "may open only 8 files at once" prlimit --nofile=8:8 "$daemon"
	confined="prlimit --nofile=8:1024 $confined"
	start_daemon
	stop_daemon
	[ "$daemon_status" = 0 ] || fail "it exits $daemon_status: $(cat "$tmp/daemon-log")"
}

case_wrong_words() {
	refuses 2 "unknown option '--frob'" "$daemon" --frob
	refuses 2 "unexpected argument 'now'" "$daemon" now
	refuses 2 "not a number of megabytes: 'many'" "$daemon" --budget many
	refuses 2 "a value is missing after '--budget'" "$daemon" --budget
}

case_verbs_without_root() {
	for_others "$tool"
	refuses 1 "only root can read what the daemon knows" $as_nobody "$others/headstart-tool" why true
	for verb in pause resume; do
		refuses 1 "only root can $verb the daemon: sudo headstart $verb" $as_nobody "$others/headstart-tool" $verb
	done
	refuses 2 "no program given" "$tool" why
	refuses 2 "unexpected argument 'now'" "$tool" resume now
}

case_why_of_a_damaged_store() {
	mkdir -p "$HEADSTART_STATE/learn"
	echo nonsense >"$HEADSTART_STATE/learn/known"
	refuses 1 "is damaged: the daemon begins it anew" "$tool" why true
	rm "$HEADSTART_STATE/learn/known"
	"$tool" why true >"$tmp/out" || fail "why without a store"
	grep -q "^starts   no cold start was seen" "$tmp/out" || fail "it says: $(cat "$tmp/out")"
	grep -q "^next     nothing: headstartd is not running" "$tmp/out" || fail "it says: $(cat "$tmp/out")"
}

case_state_of_others() {
	mkdir "$tmp/theirs"
	chown 65534 "$tmp/theirs"
	status=0
	HEADSTART_STATE=$tmp/theirs "$daemon" 2>"$tmp/err" || status=$?
	[ "$status" = 1 ] || fail "exit status $status: $(cat "$tmp/err")"
	refuses 1 "cannot use '/proc/state/" env HEADSTART_STATE=/proc/state "$daemon"
}

run_cases
