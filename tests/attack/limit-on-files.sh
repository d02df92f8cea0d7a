#!/bin/sh
# A program with a small RLIMIT_FSIZE gets SIGXFSZ if anything is written beyond the limit. So the shim must write nothing:
# neither a log nor a list of objects, although nobody sees that list as a file.
. "$HEADSTART_TEST_SOURCE/tests/attack/attack-lib.sh"

limited() { # COMMAND…
	# The program itself writes less than the limit; the list would be larger. Python, which waits for all processes in
	# between, ignores the signal.
	as="env --default-signal=XFSZ prlimit --fsize=100000"
	forced "$@"
	as=
	ends_with 7
	[ ! -s "$log" ] || fail "$what: a log was written"
}

# The control: without the limit the shim writes.
case_without_a_limit() {
	loaded=LD_AUDIT=$audit
	unlimited() {
		forced HEADSTART=whole "$look" "$place/libthree.so"
		ends_with 7
		log_says whole=started
	}
	until_undisturbed unlimited
}

case_whole_mode() {
	loaded=LD_AUDIT=$audit
	limited HEADSTART=whole "$look" "$place/libthree.so"
}

case_library_in_whole_mode() { limited HEADSTART=whole "$look" "$place/libthree.so"; }
case_program_with_a_plan() { limited "$launch" posix_spawn "$target"; }

run_cases
