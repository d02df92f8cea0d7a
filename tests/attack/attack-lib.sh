# Shared by the attacker's tests. In addition to what tests/preload/preload-lib.sh has, there are a victim and an attacker, a
# machine on which every program loads the preload shim, and stand-ins for the prefetcher that leave a sign when they are run.
# A test is a list of cases, which run_cases of sh-lib.sh runs.
. "$HEADSTART_TEST_SOURCE/tests/preload/preload-lib.sh"
[ "$(id -u)" = 0 ] || skip "only root can be several users"
victim=$((100000 + $$)) # not shared with other runs: RLIMIT_NPROC counts all processes of a user
attacker=$((victim + 5000000))

# Every user may write a log.
mkdir "$tmp/logs"
chmod 777 "$tmp/logs"
log=$tmp/logs/log

# Programs that other users run lie where those users may run them.
chmod 755 "$tmp" "$place" "$state"
attack=$place/attack
mkdir "$attack"
find "$HEADSTART_TEST_BUILD/tests/attack" -maxdepth 1 -type f -perm -u+x -exec cp {} "$attack" ";"
cp "$preload" "$audit" "$launch" "$place"
cp "$attack/helper" "$place/root-helper"
chmod 4755 "$place/root-helper"
preload=$place/libheadstart-preload.so
audit=$place/libheadstart-audit.so
loaded=LD_PRELOAD=$preload
launch=$place/launch
as_victim="setpriv --reuid $victim --regid $victim --clear-groups"
as_attacker="setpriv --reuid $attacker --regid $attacker --clear-groups"
$as_victim test -x "$look" || skip "other users may not enter '$place'"

# Stand-ins. Each appends a line to $ran/NAME when it is run, through the link beside it. "evil" is the attacker's, "own" the
# victim's, and "installed" lies where headstart-prefetch is installed.
ran=$tmp/ran
mkdir "$ran" "$tmp/evil" "$tmp/own"
chmod 777 "$ran"
stand_in() { # FILE NAME
	mkdir -p "$(dirname "$1")"
	cp "$attack/stand-in" "$1"
	ln -s "$ran/$2" "$1.ran"
}
stand_in "$tmp/evil/prefetcher" evil
stand_in "$tmp/own/prefetcher" own
evil=$tmp/evil/prefetcher
own=$tmp/own/prefetcher
chown -R $attacker:$attacker "$tmp/evil"
was_run() { [ -e "$ran/$1" ] || fail "${what-}: the prefetcher '$1' was not run: $(said)"; }
was_not_run() { [ ! -e "$ran/$1" ] || fail "${what-}: the prefetcher '$1' was run: $(cat "$ran/$1")"; }
said() { cat "$log" "$tmp/err" "$tmp/seen" 2>/dev/null | grep -v '^environment: ' | cut -c -200 | head -20; }
log_says() { grep -qF -- "$1" "$log" 2>/dev/null || fail "${what-}: the log does not say '$1': $(said)"; }
log_lacks() { ! grep -F -- "$1" "$log" 2>/dev/null || fail "${what-}: the log says '$1'"; }
ends_with() { [ "$status" = "$1" ] || fail "${what-}: exit status $status, not $1: $(said)"; }

# A machine of its own for one command: /etc/ld.so.preload names the shim, the installed prefetcher is a stand-in, and root's
# plans are those in $system_state. Nothing of the real machine changes.
system=$tmp/system
system_state=$system$(defined HEADSTART_STATE_DIR)
mkdir -p "$system/etc/headstart" "$system_state"
echo "$preload" >"$system/etc/ld.so.preload"
stand_in "$system$(defined HEADSTART_PREFETCH_PATH)" installed
cat >"$tmp/with-system" <<'INSIDE'
for folder in /etc "$2" "$3"; do
	mount -t overlay overlay -o "lowerdir=$1$folder:$folder" "$folder" || exit 77
done
shift 3
exec "$@"
INSIDE

# Runs a command in that machine and waits for all that it leaves behind. The command's environment has what is given here, and
# nothing else.
in_system() {
	gathering timeout 100 $(own_mounts) ${wrapped-} env -i PATH="$PATH" HOME="$tmp" "$@"
}
own_mounts() {
	echo unshare --mount --propagation private sh "$tmp/with-system" "$system" "$(dirname "$(defined HEADSTART_STATE_DIR)")" \
		"$(dirname "$(dirname "$(defined HEADSTART_PREFETCH_PATH)")")"
}
has_system() { in_system true 2>/dev/null || skip "no overlay can be mounted on /etc"; }

# Each of these runs one command, cold, without signs of earlier runs, and keeps its status and output. forced: with the shim in
# LD_PRELOAD, the variables that shimmed() passes, and a plan in $state. systemwide: by /etc/ld.so.preload alone, and with a plan
# of root's.
forced() {
	in_front="gathering timeout 100 ${as-}"
	cold shimmed HEADSTART_PREFETCH="$own" "$@"
	in_front=
}
systemwide() { cold in_system "$@"; }
before_cold() { rm -f "$ran"/*; }
# The outcome must be the same whoever starts the command: on_every_way CHECK COMMAND… has it started by root, by the victim, and
# by a set-user-ID program that the attacker has started and that has become root. It runs CHECK after each.
on_every_way() {
	check=$1 stated=$what
	shift
	what="$stated, root"
	forced "$@"
	"$check"
	what="$stated, the victim"
	as=$as_victim
	forced "$@"
	"$check"
	as=
	if [ -n "${can_be_root-}" ]; then
		what="$stated, a set-user-ID program"
		wrapped=$as_attacker
		systemwide "$place/root-helper" --become-root "$@"
		"$check"
		wrapped=
	fi
	what=$stated
}
nothing_started() { was_not_run own; was_not_run installed; was_not_run evil; }
one_started() { [ -e "$ran/own" ] || [ -e "$ran/installed" ] || fail "$what: no prefetcher was run: $(said)"; }
target_ran_unplanned() { ends_with 7; nothing_started; }
target_ran_planned() { ends_with 7; one_started; }
may_be_root() {
	has_system
	wrapped=$as_attacker
	can_be_root=
	in_system "$place/root-helper" --become-root /bin/sh -c '[ "$(id -ru)" = 0 ]' && can_be_root=1 ||
		untried "set-user-ID programs, which have no effect in '$place'"
	wrapped=
}

plan_of_root() { "$built/plan-for" "$system_state" "${1-$target}" $libraries >"$tmp/out"; }

. "$HEADSTART_TEST_SOURCE/tests/lib/cgroup-lib.sh"
at_case_exit() { remove_cgroups; }
at_exit() {
	case $place in "$tmp"/*) ;; *) rm -rf "$place" ;; esac
}
