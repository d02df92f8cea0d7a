#!/bin/sh
# A program may overwrite the memory of its initial environment, and its clients may choose with what. So the shim must not
# believe anything there once the program runs.
. "$HEADSTART_TEST_SOURCE/tests/attack/attack-lib.sh"
overwrite=$attack/overwrite
room=ROOM=$(head -c 1000 /dev/zero | tr '\0' x)
has_system

# ROOM comes before the variables that are written into it.
forced_after_room() {
	forced env -u HEADSTART_PREFETCH -u HEADSTART_LOG -u HEADSTART_STATE "$1" HEADSTART_PREFETCH="$own" HEADSTART_LOG="$log" \
		HEADSTART_STATE="$state" "$@"
}

# The control: where nothing is overwritten, the shim works.
control() {
	what="control: $1"
	"$1" "$room" "$overwrite" TEXT "$target"
	ends_with 7
	was_run "$2"
}

# A daemon of root's overwrites its environment with TEXT: overwritten forced_after_room|systemwide TEXT.
overwritten() {
	what="$1, $2"
	"$1" "$room" "$overwrite" "$2" "$target"
	ends_with 7
}

case_prefetcher_named_later_is_not_run() {
	plan_of_root
	control forced_after_room own
	control systemwide installed
	overwritten forced_after_room "HEADSTART_PREFETCH=$evil"
	was_not_run evil
	was_run own
	overwritten systemwide "HEADSTART_PREFETCH=$evil"
	was_not_run evil
	was_run installed
}

case_log_named_later_is_not_written() {
	plan_of_root
	for way in forced_after_room systemwide; do
		overwritten $way "HEADSTART_LOG=$tmp/evil-log"
		[ ! -e "$tmp/evil-log" ] || fail "$what: it was written: $(cat "$tmp/evil-log")"
	done
}

# The folders that the text names have plans of the target; the others have none.
case_folders_named_later_are_not_looked_in() {
	rm -f "$state"/*.plan "$system_state"/*.plan
	mkdir -p "$tmp/folder/.local/state/headstart" "$tmp/folder/headstart"
	for folder in "$tmp/folder" "$tmp/folder/.local/state/headstart" "$tmp/folder/headstart"; do
		"$built/plan-for" "$folder" "$target" $libraries >"$tmp/out"
	done
	overwritten forced_after_room "HEADSTART_STATE=$tmp/folder"
	was_not_run own
	overwritten systemwide "HEADSTART_STATE=$tmp/folder"
	was_not_run installed
	wrapped=$as_victim
	find "$tmp/folder" -name '*.plan' -exec chown $victim {} +
	for name in HOME="$tmp/folder" XDG_STATE_HOME="$tmp/folder"; do
		overwritten systemwide "$name"
		was_not_run installed
	done
}

# A client must not be able to switch headstart off in a program either, or to another mode.
case_switch_thrown_later_has_no_effect() {
	plan_of_root
	for text in HEADSTART=off HEADSTART=whole HEADSTART_RECORDING=name; do
		overwritten systemwide "$text"
		was_run installed
	done
}

case_title_of_a_perl_daemon_is_not_believed() {
	command -v perl >/dev/null || skip "no perl"
	plan_of_root
	# The title begins where the arguments do. /proc says how long these are, and where ROOM is in the environment.
	cat >"$tmp/daemon" <<'PERL'
sub contents { open my $file, "<", "/proc/self/$_[0]" or die; local $/; scalar <$file> }
$0 = "x" x (length(contents("cmdline")) + index(contents("environ"), "ROOM=")) . "$ARGV[0]\0";
system $ARGV[1];
exit $? >> 8;
PERL
	for way in forced_after_room systemwide; do
		what="$way, perl"
		$way "$room" perl "$tmp/daemon" "HEADSTART_PREFETCH=$evil" "$target"
		ends_with 7
		was_not_run evil
	done
}

run_cases
