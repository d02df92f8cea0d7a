#!/bin/sh
# A plan belongs to a start: a host that was recorded with several arguments has a plan for each, and one for all others.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
on_disk
export HEADSTART_STATE="$tmp/state" HEADSTART_HOSTS="$tmp/hosts.d" HEADSTART_CONFIG="$tmp/headstart.conf"
real=$(realpath "$tmp")
cd "$real"
mkdir hosts.d state repository repository/.git repository/below other other/.git
cat >hosts.d/test.conf <<-END
	[host]
	operand = file
	-m = word
	-c = text
	-W = skip
	joined = yes
	[tool]
	operand = word
	near = .git
	-C = in
	[vehicle]
	--disown = skip
	own = ../lib
	operand = file
END
mkdir bin lib
cp /bin/true bin/vehicle
cp /bin/true host
cp /bin/true tool
cp /bin/true viewer
for name in common before a.py b.py c.py of-a of-b of-b2 after lib/machine repository/.git/pack other/.git/pack writer calc letter.odt; do
	dd if=/dev/urandom of="$name" bs=4096 count=16 status=none
done
sync bin/vehicle host tool viewer *.py common before of-* after lib/machine */.git/pack writer calc letter.odt # what is not written yet cannot be evicted
ln -s a.py link.py
touch headstart.conf

# profile NAME ARGUMENT… -- FILE…: adds a recording of a start that touched the program's first page and then these files.
profile() {
	name=$1
	{
		echo "program $real/$name"
		while [ "$1" != -- ]; do
			echo "argument $1"
			shift
		done
		shift
		echo "folder $PWD"
		printf 'file regular %s\nrange 0 1 0 1\n' "$real/$name"
		order=1
		for file; do
			printf 'file regular %s\nrange 0 8 %d 1\n' "$real/$file" "$order"
			order=$((order + 8))
		done
	} >"$tmp/description"
	if [ -e "$tmp/$name.profile" ]; then
		"$make_profile" --add "$tmp/$name.profile" <"$tmp/description"
	else
		"$make_profile" "$tmp/$name.profile" <"$tmp/description"
	fi
}
plans() { find "$HEADSTART_STATE" -name "$1-*.plan" | wc -l; }
plan() { "$headstart" plan --device solid "$real/$1.profile" >out 2>err || fail "plan $1: $(cat out)"; }

# serves FILES KIND ARGUMENT…: the start is served by a plan of that many files, "own" or for "any" arguments.
serves() {
	until_undisturbed serves_once "$@"
}
serves_once() {
	files=$1 kind=$2
	shift 2
	evict "$real"/host "$real"/bin/vehicle "$real"/lib/machine "$real"/tool "$real"/viewer "$real"/common "$real"/before "$real"/?.py "$real"/of-* "$real"/after "$real"/*/.git/pack "$real"/writer "$real"/calc
	"$headstart" run --wait done --verbose "$@" 2>"$tmp/said" || fail "'$*' ended with $?"
	case $kind in
	own) words=", as recorded for these arguments" ;;
	any) words=", which it reads whatever its arguments are" ;;
	all) words= ;;
	esac
	grep -qF "prefetching $files files for '$1'$words" "$tmp/said" && { [ -n "$words" ] || ! grep -q "', " "$tmp/said"; } ||
		fail "'$*' was not served by a plan of $files files, $kind: $(cat "$tmp/said")"
}

case_one_recording_of_a_host_serves_others_with_what_came_before() {
	profile host a.py -- common before a.py of-a after
	plan host
	[ "$(plans host)" = 2 ] || fail "$(ls state)"
	serves 6 own "$real/host" a.py
	serves 3 any "$real/host" b.py
	serves 3 any "$real/host"
	serves 3 any "$real/host" missing.py
}

case_folder_that_is_its_own_is_as_certain_as_its_libraries() {
	profile bin/vehicle a.py -- before a.py lib/machine after
	"$headstart" plan --device solid "$real/bin/vehicle.profile" >out || fail "plan: $(cat out)"
	serves 5 own "$real/bin/vehicle" a.py
	serves 3 any "$real/bin/vehicle" b.py
}

# On a cold disk each folder on the way to it would be a read that waits for the one before it.
case_plan_is_found_without_a_look_at_what_was_asked_for() {
	profile tool -C repository look -- common
	plan tool
	mv a.py elsewhere.py
	mv repository moved
	serves 6 own "$real/host" a.py
	serves 3 any "$real/host" link.py # and what leads to it only by a link was looked for
	serves 2 own "$real/tool" -C ./repository look
	mv elsewhere.py a.py
	mv moved repository
	serves 6 own "$real/host" link.py
	rm "$real/tool.profile" "$HEADSTART_STATE"/tool*
}

case_each_recorded_start_has_a_plan() {
	profile host b.py -- common b.py of-b of-b2
	profile host -c 'print(1)' -- common after
	profile host -m pack.age -- common of-a of-b after
	plan host
	[ "$(plans host)" = 5 ] || fail "$(ls state)"
	serves 6 own "$real/host" a.py
	serves 5 own "$real/host" b.py
	serves 3 own "$real/host" -c 'print(1)'
	serves 5 own "$real/host" -m pack.age
	serves 2 any "$real/host" c.py
	serves 2 any "$real/host" -c 'print(2)'
	serves 2 any "$real/host" -m package
}

case_same_start_is_known_in_other_words() {
	serves 6 own "$real/host" ./a.py
	serves 6 own "$real/host" link.py
	serves 6 own "$real/host" -W error -v a.py argument --of-a
	serves 6 own "$real/host" -- a.py
	(cd repository && serves 6 own "$real/host" ../a.py) || exit 1
	serves 3 own "$real/host" -Wx -vc 'print(1)' b.py
	serves 2 any "$real/host" -vcprint b.py
}

case_subcommand_counts_with_its_repository() {
	cd "$real/repository"
	profile tool log -- common repository/.git/pack of-a
	profile tool status -- common repository/.git/pack of-b of-b2
	plan tool
	serves 4 own "$real/tool" log
	serves 5 own "$real/tool" status -v
	(cd below && serves 4 own "$real/tool" log) || exit 1
	# what both recordings touched in the repository is no part of the plan for another one
	(cd ../other && serves 2 any "$real/tool" log) || exit 1
	serves 2 any "$real/tool" -C "$real/other" log
	serves 4 own "$real/tool" -C "$real/other" -C ../repository log
	serves 2 any "$real/tool" push
	(cd / && serves 2 any "$real/tool" log) || exit 1
}

case_other_program_has_one_plan_without_documents() {
	profile viewer letter.odt -- common writer letter.odt
	plan viewer
	[ "$(plans viewer)" = 1 ] || fail "$(ls state)"
	serves 3 all "$real/viewer" letter.odt
	serves 3 all "$real/viewer" another.ods
}

case_other_program_splits_when_recorded_with_other_arguments() {
	profile viewer --sheet -- common calc
	plan viewer
	[ "$(plans viewer)" = 3 ] || fail "$(ls state)"
	serves 3 own "$real/viewer" letter.odt
	serves 3 own "$real/viewer" /elsewhere/another.odt
	serves 3 own "$real/viewer" --sheet
	serves 2 any "$real/viewer" sheet.ods
	serves 2 any "$real/viewer"
}

case_root_has_no_plan_for_what_another_user_was_asked_for() {
	[ "$(id -u)" = 0 ] || skip "not root"
	profile host c.py -- common of-a
	chown 65534 c.py
	plan host
	[ "$(plans host)" = 5 ] || fail "a plan shows that a user's file exists: $(ls state)"
	serves 2 any "$real/host" c.py
	chown 0 c.py
	plan host
	[ "$(plans host)" = 6 ] || fail "$(ls state)"
	serves 3 own "$real/host" c.py
}

# A script that does nothing but execute a recorded program leads to its plan; any other script is a program of its own.
case_alias_leads_to_the_plan() {
	printf '#!/bin/sh\n# an alias\n\nexec %s --sheet "$@"\n' "$real/viewer" >alias
	chmod +x alias
	serves 3 own "$real/alias"
	serves 2 any "$real/alias" another.ods
	ln -s alias link-to-alias
	serves 3 own ./link-to-alias
	for command in '%s --sheet "$@"; true' '%s $OPTIONS "$@"' '%s "$@" --sheet' '%s --sheet' 'viewer "$@"' 'cd /\n%s "$@"' 'A=b %s "$@"'; do
		printf "#!/bin/sh\n$command\n" "$real/viewer" >alias
		"$headstart" run --verbose "$real/alias" >out 2>&1 || true
		grep -qF "no plan for it" out || fail "'$command' is taken for an alias: $(cat out)"
	done
	printf '#!/usr/bin/python3\n%s "$@"\n' "$real/viewer" >alias
	"$headstart" run --verbose "$real/alias" >out 2>&1 || true
	grep -qF "no plan for it" out || fail "a script of python is taken for an alias: $(cat out)"
}

case_plans_of_starts_go_with_their_recordings() {
	rm "$tmp/host.profile"
	profile host b.py -- common b.py of-b
	plan host
	[ "$(plans host)" = 2 ] || fail "$(ls state)"
	serves 4 own "$real/host" b.py
	rm hosts.d/test.conf
	plan host
	[ "$(plans host)" = 1 ] || fail "not a host any more: $(ls state)"
	serves 3 all "$real/host" c.py # b.py is a document now
}

# A budget that leaves nothing to read is a mistake: what served before serves on.
case_plans_stay_if_none_can_be_made() {
	for name in host viewer; do
		before=$(cksum state/$name-*.plan)
		refuses 1 "there is nothing to read ahead for '$real/$name' here within the limits that were given" "$headstart" plan --budget 1 "$name.profile"
		[ "$(cksum state/$name-*.plan)" = "$before" ] || fail "plans of $name are gone or others: $(ls state)"
	done
}

# Of root's plans, too, where a file that somebody else owns is left out of them. If nothing else is left, the limits are not to blame.
case_budget_is_a_mistake_beside_files_of_others_too() {
	[ "$(id -u)" = 0 ] || skip "only root makes plans for everybody"
	cp /bin/true alone
	profile alone -- common of-b
	chown 65534 of-b
	plan alone
	before=$(cksum state/alone-*.plan)
	! "$headstart" plan --budget 1 alone.profile 2>err || fail "it is no failure"
	grep -q "here within the limits that were given; files left out: 1 not root's alone$" err || fail "it says: $(cat err)"
	[ "$(cksum state/alone-*.plan)" = "$before" ] || fail "the plan is gone or another: $(ls state)"
	chown 65534 alone common
	! "$headstart" plan --budget 64M alone.profile 2>err || fail "it is no failure"
	grep -q "there is nothing to read ahead for '$real/alone' here; files left out: 3 not root's alone$" err || fail "it says: $(cat err)"
	[ "$(plans alone)" = 0 ] || fail "a plan that names what others own has stayed: $(ls state)"
	chown 0 common of-b
}

case_denied_program_has_no_plan_at_all() {
	cp viewer.profile "$(find state -name 'viewer-*.plan' ! -name '*@*' | sed 's/plan$/profile/')"
	printf '[programs]\ndeny = %s\n' "$real/viewer" >headstart.conf
	"$headstart" config apply >out || fail "config apply: $(cat out)"
	[ "$(plans viewer)" = 0 ] || fail "$(ls state)"
}

run_cases
