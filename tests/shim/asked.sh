#!/bin/sh
# A shim takes the plan of what the start asks for, told from the arguments in hand; otherwise the one for any start. Which one it
# took shows in the log: the plan for any start is warm, the others are cold.
. "$HEADSTART_TEST_SOURCE/tests/shim/shim-lib.sh"
export HEADSTART_STATE="$state" HEADSTART_HOSTS="$tmp/hosts.d"
mkdir "$HEADSTART_HOSTS"
place=$(realpath "$place")
host=$place/host
cp /bin/true "$host"
printf '[host]\noperand = file\n-c = text\n-W = skip\njoined = yes\n-C = in\n' >"$HEADSTART_HOSTS/test.conf"
touch "$place/one.script" "$place/two.script"

# recorded FILE ARGUMENT…: adds a recording that read the host and this file.
recorded() {
	touched=$1
	shift
	{
		printf 'program %s\nargument host\nfolder %s\n' "$host" "$place"
		for argument; do echo "argument $argument"; done
		printf 'file regular %s\nrange 0 1 0 1\nfile regular %s\nrange 0 4 1 1\n' "$host" "$touched"
	} >"$tmp/description"
	if [ -e "$tmp/profile" ]; then set -- --add; else set --; fi
	"$make_profile" "$@" "$tmp/profile" <"$tmp/description"
}
recorded "$place/libone.so" one.script
recorded "$place/libtwo.so" -c 'some code'
"$headstart" plan --device solid "$tmp/profile" >"$tmp/out" || fail "$(cat "$tmp/out")"
[ "$(ls "$state" | grep -c '^host-.*\.plan$')" = 3 ] || fail "$(ls "$state")"
unset HEADSTART_STATE HEADSTART_HOSTS

# The shim's decisions for the host, all the same: there is one if the program looks for itself, and two if another one that has
# the shim executed it.
decision() {
	sed -n "s|^$shim program=$host pid=[0-9]* plan=||p" "$log" 2>/dev/null | sort -u | paste -s -d ,
}
takes() { # own|any COMMAND…
	until_undisturbed takes_once "$@"
}
takes_once() {
	kind=$1
	shift
	rm -f "$log"
	"$unclaimed" $(find "$state" -name '*.plan' -type f)
	cat "$host" >/dev/null
	make_cold
	(cd "$place" && shimmed "$@") || fail "'$*' ended with $?"
	case $kind:$(decision) in
	own:started | own:running,started | own:started,warm | any:warm) ;; # the first look may bring the page that the second finds
	*) fail "'$*' is not served by the plan for $kind start: '$(decision)': $(cat "$log" 2>/dev/null)" ;;
	esac
}

case_start_gets_its_plan() {
	takes own $through "$host" one.script
	takes own $through "$host" -W two.script -v ./one.script and more
	takes own $through "$host" "$place/one.script"
	takes own $through "$host" -c 'some code' two.script
	takes own $through "$host" '-csome code'
	takes own $through "$host" -C / -C "$place" one.script
}

case_other_starts_get_what_is_certain() {
	takes any $through "$host"
	takes any $through "$host" two.script
	takes any $through "$host" missing.script
	takes any $through "$host" -c 'some cod'
	takes any $through "$host" -c "$(printf '%9000s' x)"
	takes any $through "$host" -C / one.script
	takes any $through "$host" -C "$place/none" one.script
	takes any $through "$host" "$(printf '%600s' x)"
	takes any $through "$host" "$host" one.script # what looks like a script with this interpreter
}

# The plan of the start is warm if its own file is resident, whatever the other's is.
case_warm_start_of_one_is_no_start_of_another() { until_undisturbed warm_start_of_one; }
warm_start_of_one() {
	rm -f "$log"
	make_cold
	cat "$place/libone.so" "$host" >/dev/null
	(cd "$place" && shimmed $through "$host" one.script)
	[ "$(decision)" = warm ] || fail "$(cat "$log")"
}

case_damaged_plan_of_the_start_is_passed_over() {
	for plan in "$state"/host-*@*.plan; do
		cp "$plan" "$plan.good"
		damage "$plan" 100
	done
	takes any $through "$host" one.script
	for plan in "$state"/host-*@*.plan; do mv "$plan.good" "$plan"; done
	takes own $through "$host" one.script
}

# One file under the name of another: the key in it tells.
case_plan_of_another_start_is_not_taken() {
	set -- "$state"/host-*@*.plan
	mv "$1" "$tmp/first"
	mv "$2" "$1"
	mv "$tmp/first" "$2"
	takes any $through "$host" one.script
	takes any $through "$host" -c 'some code'
	mv "$2" "$tmp/first"
	mv "$1" "$2"
	mv "$tmp/first" "$1"
	takes own $through "$host" one.script
}

case_every_plan_of_a_start_is_trusted_by_itself() {
	chmod 666 "$state"/host-*@*.plan
	takes any $through "$host" one.script
	chmod 644 "$state"/host-*@*.plan
	takes own $through "$host" one.script
}

run_cases
