#!/bin/sh
# Every function that starts programs starts the prefetcher for a planned, cold program. Otherwise it does what it does without
# the shim: arguments, environment, status, and errno when it fails.
. "$HEADSTART_TEST_SOURCE/tests/preload/preload-lib.sh"

search=$PATH
# Compares a launch with the same one without the shim.
same() {
	what=$*
	expected=0
	env -i PATH="$search" HOME="$tmp" FROM=here "$launch" "$@" >"$tmp/expected" 2>"$tmp/expected.err" </dev/null || expected=$?
	cold shimmed PATH="$search" FROM=here "$launch" "$@"
	[ "$status" = "$expected" ] || fail "$what: exit status $status, not $expected"
	grep -v '^environment: \(LD_PRELOAD\|HOME\|PATH\)=' "$tmp/seen" >"$tmp/seen.own" || true
	grep -v '^environment: \(HOME\|PATH\)=' "$tmp/expected" >"$tmp/expected.own" || true
	cmp -s "$tmp/seen.own" "$tmp/expected.own" || fail "$what: $(diff "$tmp/expected.own" "$tmp/seen.own")"
}
starts_nothing() {
	[ "$(started)" = 0 ] || fail "$what: a prefetcher was started"
}

ways="execve execv execvp execvpe execl execlp execle execle-short fexecve execveat execveat-empty posix_spawn posix_spawnp"

case_every_function_starts_the_prefetcher() {
	for way in $ways vfork-execve vfork-execvp vfork-execl; do
		same "$way" "$target" one two three four five six seven
		starts
		[ "$status" = 7 ] || fail "$way: exit status $status"
		grep -q '^argument: seven$' "$tmp/seen" || [ "$way" = execle-short ] || fail "$way: arguments are lost"
	done
}

# Relative paths, and through links.
case_plan_is_found_by_relative_paths_and_links() {
	ln -s "$target" "$place/link"
	sign=$("$built/plan-for" "$state" "$place/link" $libraries)
	ln -sf "$(basename "$("$built/plan-for" "$state" "$target" $libraries)")" "$sign"
	mkdir "$place/folder"
	ln -s "$place" "$place/folder/up"
	cd "$place"
	for path in ./target target folder/../target "$place/link" ./link folder/up/target "$place/folder/up/link"; do
		for way in execve fexecve execveat posix_spawn; do
			same "$way" "$path"
			starts
		done
	done
	cd /
}

# By the program's current $PATH, or by the default; only the first program found counts.
case_path_is_searched_as_libc_searches_it() {
	for way in execvp execvpe execlp posix_spawnp vfork-execvp; do
		search=/nonexistent:$place:$PATH
		same "$way" target argument
		starts
		same "$way" true
		starts_nothing
		search=:/nonexistent
		cd "$place"
		same "$way" target argument
		starts
		cd /
	done
	mkdir "$place/before"
	printf '#!/bin/sh\nexit 5\n' >"$place/before/target"
	chmod +x "$place/before/target"
	search=$place/before:$place:$PATH
	same execvp target
	starts_nothing
	# execv does not search.
	same execv target
	starts_nothing
	search=$PATH
}

# A script's own path counts, with and without "#!".
case_plan_of_a_script_is_found() {
	for script in '#!/bin/sh
exit 9' 'exit 9'; do
		echo "$script" >"$place/script"
		chmod +x "$place/script"
		"$built/plan-for" "$state" "$place/script" $libraries >"$tmp/out"
		for way in execve execvp posix_spawnp posix_spawn; do
			same "$way" "$place/script"
			[ "$(grep -c "^preload program=$place/script .*plan=started" "$log")" -ge 1 ] || fail "$way: not for a script"
		done
	done
}

gets_what_is_certain() {
	warm_is_right=yes
	cat "$target" >/dev/null
	same "$1" "$target" other
	grep -q "program=$target .*plan=warm" "$log" || fail "$1: not the plan for any start: $(cat "$log")"
}

# The plan of the start is chosen by the arguments, however they are passed; bad addresses among them do no harm.
case_arguments_choose_the_plan() {
	target=$(realpath "$place")/chooser
	cp "$HEADSTART_TEST_BUILD/tests/preload/target" "$target"
	plan_with_rule chooser chosen <<-END
		operand = word
	END
	for way in $ways vfork-execve vfork-execvp vfork-execl; do
		[ "$way" != execle-short ] || continue
		same "$way" "$target" chosen six seven
		starts
		until_undisturbed gets_what_is_certain "$way"
	done
	starts_nothing_when_warm() {
		warm_is_right=yes
		cat "$target" >/dev/null
		same "$1" "$target" chosen
		starts_nothing
	}
	until_undisturbed starts_nothing_when_warm execle-short
	warm_is_right=yes # the plan for any start has the program alone
	same bad-arguments "$target" chosen
	grep -q 'errno: EFAULT' "$tmp/seen" || fail "bad arguments: $(cat "$tmp/seen")"
	same bad-argument "$target" chosen
	grep -q 'errno: EFAULT' "$tmp/seen" || fail "a bad argument: $(cat "$tmp/seen")"
	same no-arguments "$target" chosen
	until_undisturbed starts_nothing_when_warm long-argument
}

# A launch that fails, fails as it does without the shim.
case_failure_is_what_it_was() {
	echo text >"$place/text"
	chmod 644 "$place/text"
	for way in $ways vfork-execve; do
		for path in /nonexistent/target nonexistent "" "$place" "$place/text" "$place/text/below" "$place/libone.so"; do
			case $path:$way in :execle-short) continue ;; esac
			same "$way" "$path"
		done
	done
	same long-argument "$target" argument
	grep -q 'errno: E2BIG' "$tmp/seen" || fail "too long an argument: $(cat "$tmp/seen")"
	same bad-path "$target"
	grep -q 'errno: EFAULT' "$tmp/seen" || fail "a bad path: $(cat "$tmp/seen")"
	same bad-environment "$target"
	grep -q 'errno: EFAULT' "$tmp/seen" || fail "a bad environment: $(cat "$tmp/seen")"
	starts_nothing
	same no-environment "$target"
	starts

	make_plan
}

# If a program is started by one without the shim, it carries its plan out itself.
case_program_sees_to_its_own_plan() {
	rm -f "$log"
	make_cold
	shimmed "$look" >"$tmp/seen" || true
	grep -q "^preload program=$look .*plan=started" "$log" || fail "the program's own plan is not carried out"
}

# No second prefetcher is started while the first one works.
case_second_start_starts_no_second_prefetcher() {
	mkfifo "$tmp/begun" "$tmp/go"
	cp "$HEADSTART_TEST_BUILD/tests/preload/slow" "$tmp/slow"
	rm -f "$log"
	make_cold
	gathering env -i LD_PRELOAD="$preload" HEADSTART_STATE="$state" HEADSTART_LOG="$log" HEADSTART_PREFETCH="$tmp/slow" \
		"$launch" execve "$target" >"$tmp/seen" &
	read line <"$tmp/begun"
	make_cold
	shimmed HEADSTART_PREFETCH="$tmp/slow" "$launch" execve "$target" >"$tmp/seen.second" || true
	echo >"$tmp/go"
	wait $! || true
	grep -q "program=$target .*plan=running" "$log" || fail "the second of two: $(cat "$log")"
	[ "$(started)" = 1 ] || fail "two of two: $(cat "$log")"
}

# None is started either if everything is resident.
case_warm_start_starts_none() {
	seen_warm() {
		shimmed "$launch" execve "$target" >"$tmp/seen" || true
		grep -q "program=$target .*plan=warm" "$log" || fail "a warm start is not seen: $(cat "$log")"
	}
	when_warm seen_warm
}

# The real prefetcher reads the pages.
case_prefetcher_brings_the_pages() {
	carried_out() {
		cold gathering env -i LD_PRELOAD="$preload" HEADSTART_STATE="$state" HEADSTART_PREFETCH="$prefetch" "$launch" execve "$target"
		"$page" came $libraries >"$tmp/out" || fail "the plan was not carried out"
	}
	until_undisturbed carried_out
}

run_cases
