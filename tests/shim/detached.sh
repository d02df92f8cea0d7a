#!/bin/sh
# The prefetcher inherits nothing from the program: descriptors, session, folder, signals, limits, environment.
. "$HEADSTART_TEST_SOURCE/tests/shim/shim-lib.sh"

make_plan
mkfifo "$tmp/report"
# Only one prefetcher reports. When it has ended, the program may still be cold and start another, to which nobody would listen.
cat >"$tmp/prefetcher" <<END
#!/bin/sh
mkdir $tmp/first 2>/dev/null || exit 0
exec >$tmp/report
for fd in 0 2 3 4 5 6 7 8 9 12 13; do
	[ -h /proc/\$\$/fd/\$fd ] && echo "leaked: \$fd" # 10 and 11 are the plan and the shell's own, for its script
done
echo "arguments: \$*"
echo "folder: \$(pwd -P)"
echo "plan: \$(readlink /proc/\$\$/fd/\$2)"
echo "mask: \$(umask)"
grep -E '^(SigBlk|SigIgn)' /proc/self/status
echo "cores: \$(ulimit -c)"
echo "files: \$(ulimit -S -n) of \$(ulimit -H -n)"
echo "sacrificed: \$(cat /proc/self/oom_score_adj)"
tr '\000' '\n' </proc/\$\$/environ | grep -v '^\(PWD\|OLDPWD\|SHLVL\|_\)='
read pid name state parent group session rest </proc/\$\$/stat
echo "session: \$([ "\$session" = "\$\$" ] && echo own)"
echo end
END
chmod +x "$tmp/prefetcher"

make_cold
(
	cd "$place"
	umask 077
	ulimit -S -n 64
	trap '' HUP TERM USR1
	exec 5<"$look" 8</ 9>"$tmp/kept"
	shimmed HEADSTART_PREFETCH="$tmp/prefetcher" COLOUR=red $through "$look" >/dev/null
) &
report=$(cat "$tmp/report")
wait $! || true
says() { echo "$report" | grep -qxF -- "$1" || fail "not '$1': $report"; }

case_arguments_are_the_shim_s() {
	echo "$report" | grep -qx "arguments: --fd [0-9]* --alongside" || fail "$report"
}
case_folder_is_the_root() { says "folder: /"; }
case_descriptor_is_the_plan_alone() {
	says "plan: $plan"
	! echo "$report" | grep '^leaked:' || fail "descriptors of the program reach the prefetcher"
}
case_signals_and_mask_are_the_defaults() {
	says "mask: 0022"
	says "SigBlk:	0000000000000000"
	says "SigIgn:	0000000000000000"
}
case_limits_are_not_the_program_s() {
	says "cores: 0"
	hard=$(ulimit -H -n)
	says "files: $hard of $hard"
	says "sacrificed: 1000"
}
case_session_is_its_own() { says "session: own"; }
case_environment_is_the_log_alone() {
	says "HEADSTART_LOG=$log"
	! echo "$report" | grep -E '^(COLOUR|LD_AUDIT|LD_PRELOAD|HEADSTART_STATE|HOME)=' || fail "the environment was passed on"
}

run_cases
