#!/bin/sh
# The prefetcher has nothing of the program's: descriptors, session, folder, signals, limits, environment.
. "$HEADSTART_TEST_SOURCE/tests/shim/shim-lib.sh"

make_plan
mkfifo "$tmp/report"
# One reports: the program may be cold still when that has ended, and start another, which nobody would listen to.
cat >"$tmp/prefetcher" <<END
#!/bin/sh
mkdir $tmp/first 2>/dev/null || exit 0
exec >$tmp/report
echo "arguments: \$*"
echo "folder: \$(pwd -P)"
echo "plan: \$(readlink /proc/self/fd/3)"
for fd in 4 5 6 7 8 9 11 12 13; do
	[ -h /proc/\$\$/fd/\$fd ] && echo "leaked: \$fd" # 10 is the shell's own, its script
done
for stream in 0 2; do
	echo "stream: \$(readlink /proc/self/fd/\$stream)"
done
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
says "arguments: --alongside --fd 3"
says "folder: /"
says "plan: $plan"
echo "$report" | grep '^leaked:' && fail "descriptors of the program reach the prefetcher"
says "stream: /dev/null"
says "mask: 0022"
says "SigBlk:	0000000000000000"
says "SigIgn:	0000000000000000"
says "cores: 0"
says "sacrificed: 1000"
says "session: own"
says "HEADSTART_LOG=$log"
echo "$report" | grep -E '^(COLOUR|LD_AUDIT|LD_PRELOAD|HEADSTART_STATE|HOME)=' && fail "the environment was passed on"
hard=$(ulimit -H -n)
says "files: $hard of $hard"

[ "$shim" = audit ] || exit 0 # under the preload shim waits another process: tests/preload/waits.sh

# The program goes on: this prefetcher does not end before the program has. With a plan in physical order it does where
# it is asked to.
mkfifo "$tmp/begun" "$tmp/go"
printf '#!/bin/sh\nread line <"%s"\n' "$tmp/go" >"$tmp/stuck"
chmod +x "$tmp/stuck"
goes_on() {
	make_cold
	rm -f "$log"
	shimmed HEADSTART_PREFETCH="$tmp/stuck" "$@" "$look" >"$tmp/seen" || true
	echo >"$tmp/go"
	grep -q '^sum' "$tmp/seen" || fail "$*: the program did not run beside its prefetcher"
	grep -q plan=started "$log" || fail "$*: no prefetcher was started"
}
goes_on HEADSTART_WAIT=1
ORDER=physical make_plan
goes_on HEADSTART_WAIT=0

# There it waits for the prefetcher to end, however that ends.
printf '#!/bin/sh\necho >"%s"\nread line <"%s"\necho prefetched >>"%s"\n' "$tmp/begun" "$tmp/go" "$tmp/order" >"$tmp/slow"
chmod +x "$tmp/slow"
make_cold
shimmed HEADSTART_PREFETCH="$tmp/slow" "$look" >>"$tmp/order" &
read line <"$tmp/begun"
"$page" came "$tmp/slow" >"$tmp/out" || true
echo >"$tmp/go"
wait $! || true
[ "$(head -1 "$tmp/order")" = prefetched ] || fail "the program did not wait: $(head -1 "$tmp/order")"
grep -q '^sum' "$tmp/order" || fail "the program did not run"
# So all of the plan is there when the program begins.
carried_out() {
	make_cold
	shimmed HEADSTART_PREFETCH="$prefetch" "$look" >"$tmp/seen" || true
	"$page" came $libraries >"$tmp/out" || fail "the plan was not carried out"
}
until_undisturbed carried_out

for dead in /nonexistent /bin/false; do
	make_cold
	shimmed HEADSTART_PREFETCH="$dead" "$look" >"$tmp/seen" || true
	grep -q '^sum' "$tmp/seen" || fail "the program did not run without a prefetcher"
done
