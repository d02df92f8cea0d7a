#!/bin/sh
# With a plan in physical order the program waits for its prefetcher, and no other process does.
. "$HEADSTART_TEST_SOURCE/tests/preload/waits-lib.sh"

make_physical
ln -s "$look" "$place/link"
sign=$("$built/plan-for" "$state" "$place/link" $libraries $untouched) # only for its name
rm "$sign"

# By whatever function it is started, in the place of its parent or in a child; or by a program without the shim.
case_program_waits_whatever_function_starts_it() {
	for way in execv execvp execl execlp vfork-execl; do
		what=$way
		start_slowly "$launch" "$way" "$look"
		go
		waited
	done
}

case_child_of_another_program_waits() {
	what="a child of a shell"
	start_slowly sh -c '"$1"; exit' sh "$look"
	go
	waited
	what="a child of posix_spawn"
	start_slowly /usr/bin/python3 -c 'import os, sys
os.waitpid(os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ), 0)' "$look"
	go
	waited
}

case_program_waits_for_its_own_plan() {
	what="its own plan"
	start_slowly "$look"
	go
	waited_itself
}

# A script waits in its interpreter.
case_script_waits_in_its_interpreter() {
	printf '#!/bin/sh\nexec "%s"\n' "$look" >"$place/script"
	chmod +x "$place/script"
	rm "$plan"
	make_physical "$place/script"
	what="a script"
	start_slowly "$launch" execv "$place/script"
	go
	waited
	rm "$plan"
	make_physical
}

# By another name, if there is a sign of that.
case_program_waits_by_another_name_with_a_sign() {
	rm -f "$log"
	make_cold
	shimmed "$place/link" >"$tmp/seen" || true
	[ ! -e "$log" ] || fail "a plan is found by another name, without a sign: $(cat "$log")"
	ln -s "$(basename "$plan")" "$sign"
	what="another name"
	start_slowly "$launch" execv "$place/link"
	go
	waited
	what="another name, its own plan"
	start_slowly "$place/link"
	go
	waited_itself
}

# The shim does not trust a sign.
case_wrong_sign_is_not_believed() {
	"$built/plan-for" "$state" "$target" $libraries $untouched >"$tmp/out"
	ln -sfn "$(basename "$(cat "$tmp/out")")" "$sign"
	start_slowly "$place/link"
	go
	waited_itself
	ln -sfn /nonexistent "$sign"
	start_slowly "$place/link"
	go
	waited_itself
}

goes_on() {
	begin_slowly "$@"
	wait $starter || true
	echo >"$tmp/go"
	"$unclaimed" "$plan"
	grep -q '^sum' "$order" || fail "$*: the program did not run"
	grep -q plan=started "$log" || fail "$*: no prefetcher was started"
}

# It does not wait if it is told not to, nor with a plan in another order.
case_program_goes_on_if_it_is_told_to() {
	goes_on HEADSTART_WAIT=0 "$look"
	goes_on HEADSTART_WAIT=0 "$launch" execv "$look"
	"$built/plan-for" "$state" "$look" $libraries $untouched >"$tmp/out"
	goes_on HEADSTART_WAIT=1 "$launch" execv "$look"
	WAIT_MS=0 make_physical
	goes_on HEADSTART_WAIT=1 "$launch" execv "$look"
	goes_on HEADSTART_WAIT=1 "$look"
	if can_trace; then
		what=started
		follow HEADSTART_PREFETCH="$tmp/slow" "$look"
		echo >"$tmp/go"
		"$unclaimed" "$plan"
		read -r line <&8
		[ -z "$(waits_up_to)" ] || fail "it waits, though its plan says not to: $(cat "$tmp/calls")"
	fi
	make_physical
}

# Nor for longer than its plan says.
case_program_waits_no_longer_than_its_plan_says() {
	can_trace || skip "strace cannot trace here"
	"$unclaimed" "$plan"
	WAIT_MS=3500 make_physical
	what=started
	for way in "$launch execv" ""; do
		follow HEADSTART_PREFETCH="$tmp/slow" $way "$look"
		echo >"$tmp/go"
		"$unclaimed" "$plan"
		read -r line <&8
		[ -n "$(waits_up_to)" ] || fail "it does not wait at all: $(cat "$tmp/calls")"
		[ "$(waits_up_to)" -le 3 ] || fail "it waits longer than its plan says: $(cat "$tmp/calls")"
	done
	make_physical
}

# Nor if it is started by a path that does not lead to its plan: a relative path, or one with a link that has no sign.
case_program_goes_on_by_a_path_without_a_plan() {
	ln -s "$place" "$tmp/current"
	cd "$place"
	for path in ./look "$tmp/current/look"; do
		goes_on "$launch" execv "$path"
	done
	cd "$OLDPWD"
}

# A signal ends the waiting program, as it would end any other.
case_signal_ends_a_program_that_waits() {
	start_slowly "$launch" execv "$look"
	kill -TERM "$waiting"
	status=0
	wait $starter || status=$?
	[ "$status" = 143 ] || fail "a signal while it waits: status $status: $(cat "$order")"
	echo >"$tmp/go"
	"$unclaimed" "$plan"
}

# It goes on however the prefetcher ends.
case_dead_prefetcher_holds_up_nobody() {
	for dead in /nonexistent /bin/false; do
		make_cold
		shimmed HEADSTART_PREFETCH="$dead" "$launch" execv "$look" >"$tmp/seen" || true
		grep -q '^sum' "$tmp/seen" || fail "the program did not run without a prefetcher"
	done
}

# If the prefetcher does not end, the program goes on after a while, and no other program waits for that prefetcher again.
case_endless_prefetcher_holds_up_nobody_for_ever() {
	"$unclaimed" "$plan"
	rm -f "$log" "$order"
	make_cold
	start_in_background tell "$look"
	prefetcher_begins
	wait $starter || true
	[ "$(grep -c '^sum' "$order")" = 1 ] || fail "a prefetcher that does not end holds the program up for ever"
	if can_trace; then
		what=running
		follow HEADSTART_PREFETCH="$tmp/slow" "$look"
		[ -z "$(waits_up_to)" ] || fail "a prefetcher that does not end is waited for again: $(cat "$tmp/calls")"
	fi
	echo >"$tmp/go"
	"$unclaimed" "$plan"
}

# The prefetcher's age counts, not how long this program has waited: of ten seconds, less than three are left here. On a slow
# machine there may be none left; then this shows nothing.
case_age_of_the_prefetcher_counts() {
	meet_an_old_one() {
		"$unclaimed" "$plan"
		rm -f "$order"
		make_cold # now: of the three seconds nothing may be lost
		is_cold=yes
		/usr/bin/python3 - "$plan" "$tmp/slow" <<-'END' &
			import fcntl, os, sys, time
			plan = os.open(sys.argv[1], os.O_RDONLY)
			os.set_inheritable(plan, True)
			fcntl.lockf(plan, fcntl.LOCK_SH, 1, (1 << 32) + int(time.monotonic() * 1000) - 7000)
			os.execv(sys.argv[2], sys.argv[2:])
		END
		prefetcher_begins
		what=running
		follow HEADSTART_PREFETCH="$tmp/slow" "$look"
		echo >"$tmp/go"
		"$unclaimed" "$plan"
		[ -n "$(waits_up_to)" ] || fail "three seconds went by before the program came to wait"
	}
	if can_trace; then
		until_undisturbed meet_an_old_one
		[ "$(waits_up_to)" -le 2 ] || fail "an old prefetcher is waited for like a young one: $(cat "$tmp/calls")"
	else
		untried "how long an old prefetcher is waited for: strace cannot trace here"
	fi
}

# The same for the daemon's, which holds its own lock besides. It need not be told: nobody can see what it executes.
case_age_of_the_daemons_prefetcher_counts() {
	meet_the_daemons() { # SECONDS ago
		"$unclaimed" "$plan"
		/usr/bin/python3 - "$plan" "$1" <<-'END' &
			import fcntl, os, sys, time
			plan = os.open(sys.argv[1], os.O_RDWR)
			fcntl.lockf(plan, fcntl.LOCK_EX, 1, 1)
			fcntl.lockf(plan, fcntl.LOCK_SH, 1, (1 << 32) + int((time.monotonic() - int(sys.argv[2])) * 1000))
			os.write(8, b"\n")
			time.sleep(60)
		END
		daemons=$!
		prefetcher_begins
		what=running
		follow HEADSTART_PREFETCH="$tmp/slow" "$look" &
		wait $!
		seconds=$(waits_up_to)
		kill "$daemons"
		wait "$daemons" || :
	}
	if can_trace; then
		meet_the_daemons 7
		[ -z "$seconds" ] || [ "$seconds" -le 2 ] || fail "an old prefetcher is waited for like a young one: $(cat "$tmp/calls")"
		meet_the_daemons 12
		[ -z "$seconds" ] || fail "a prefetcher that does not end is waited for: $(cat "$tmp/calls")"
	else
		untried "how long the daemon's old prefetcher is waited for: strace cannot trace here"
	fi
}

# With the real prefetcher: the whole plan is resident when the program begins, and the program notices nothing else.
case_whole_plan_is_there_when_the_program_begins() {
	exec 8<&-
	what="the real prefetcher"
	all_is_there() {
		rm -f "$log"
		make_cold
		expect_same HEADSTART_PREFETCH="$prefetch"
		grep -q "^prefetch program=$look .* asked=[1-9]" "$log" || fail "the plan was not carried out: $(cat "$log")"
		"$page" came $libraries $untouched >"$tmp/out" || fail "not all of the plan is there"
	}
	for way in "" "$launch execv"; do
		through=$way
		until_undisturbed all_is_there
	done
}

run_cases
