#!/bin/sh
# SPDX-License-Identifier: MIT
# headstart-keep, which headstartd asks as root, becomes a user and keeps what a start touched in that user's home. Whatever it is
# given, it does no more than the user could, and nothing if that user or root has said so.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/lib/disk-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/lib/cgroup-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/lib/systemd-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/daemon/users-lib.sh"
tool=$HEADSTART_TEST_BUILD/tools/headstart-tool
ask=$HEADSTART_TEST_SOURCE/tests/daemon/ask-keep.py
chmod 711 "$tmp"
make_disk
home=$disk/home
own=$(own_of "$home")
own_settings
make_users "$home" "$disk/other-home"
make_file() { head -c 40960 /dev/urandom >"$1"; }
mkdir "$disk/closed"
for file in program roots closed/roots; do make_file "$disk/$file"; done
chmod 755 "$disk/program"
chmod 700 "$disk/closed"

# A new home with a file, and what headstartd says of a start that touched it.
begin() {
	rm -rf "$home" "$disk/other-home"
	set_settings ""
	make_home "$home" "$user"
	make_home "$disk/other-home" "$other"
	make_file "$home/mine"
	make_file "$disk/other-home/theirs"
	chown "$user" "$home/mine"
	chown "$other" "$disk/other-home/theirs"
	public="$disk/program $disk/roots"
	make_start "$tmp/start" "$home/mine"
}

describe() { # PROGRAM FILE…
	printf 'program %s\nargument %s\n%s\n' "$1" "$1" "${recorded-learnt}"
	shift
	at=0
	for file; do
		printf 'file regular %s\nrange 0 10 %d 1\n' "$file" "$at"
		at=$((at + 10))
	done
}

# Two profiles: everybody's files, and the user's own.
make_start() { # OUT OWN-FILE…
	out=$1
	shift
	describe "${program-$disk/program}" $public | "$make_profile" "$out"
	describe "${program-$disk/program}" "$@" | "$make_profile" --add "$out"
}

keep() { # PROFILE [USER]
	"$ask" $keep "${2-$user}" "${2-$user}" 0 <"$1" >"$tmp/out" 2>"$tmp/err"
}

is_kept() { [ -n "$(ls "$own"/program-*.plan 2>/dev/null)" ]; }
nothing_is_kept() { [ -z "$(find "$home" "$disk/other-home" -name '*.profile*' -o -name '*.plan*')" ] || fail "it keeps $(find "$home" "$disk/other-home")"; }
profile_of_program() { echo "$own"/program-*.profile; }

case_start_is_kept_for_the_user_alone() {
	begin
	keep "$tmp/start" || fail "$(cat "$tmp/err")"
	is_kept || fail "there is no plan: $(ls -lR "$home"; cat "$tmp/err")"
	is_private "$home" "$user"
	for file in "$own"/program-*.plan "$own"/program-*.profile; do
		[ "$(named "$file")" = "home/mine program roots" ] || fail "$file names '$(named "$file")'"
	done
	"$tool" show "$(profile_of_program)" | grep -q learnt || fail "it is not called learnt"
	[ -z "$(cat "$tmp/out" "$tmp/err")" ] || fail "it says: $(cat "$tmp/out" "$tmp/err")"
}

# What came late joins; what is known stays.
case_next_start_makes_it_more_exact() {
	begin
	keep "$tmp/start" || fail "$(cat "$tmp/err")"
	make_file "$home/late"
	chown "$user" "$home/late"
	make_start "$tmp/later" "$home/mine" "$home/late"
	touch -d "10 days ago" "$(profile_of_program)"
	keep "$tmp/later" || fail "$(cat "$tmp/err")"
	[ "$(named "$(profile_of_program)")" = "home/late home/mine program roots" ] || fail "it names '$(named "$(profile_of_program)")'"
	[ "$(named "$(echo "$own"/program-*.plan)")" = "home/late home/mine program roots" ] || fail "its plan names '$(named "$(echo "$own"/program-*.plan)")'"
	# Everybody's files are those of the last time, the user's own stay until three starts have not touched them.
	public=$disk/program
	make_start "$tmp/less" "$home/late"
	for names in "home/late home/mine program" "home/late home/mine program" "home/late program"; do
		keep "$tmp/less" || fail "$(cat "$tmp/err")"
		[ "$(named "$(profile_of_program)")" = "$names" ] || fail "it names '$(named "$(profile_of_program)")', not '$names'"
	done
	# Another kind of start changes nothing of the user's own if it touched less.
	for file in little more; do make_file "$home/$file"; done
	chown "$user" "$home/little" "$home/more"
	make_start "$tmp/little" "$home/little"
	make_start "$tmp/later" "$home/mine" "$home/late" "$home/more"
	keep "$tmp/later" || fail "$(cat "$tmp/err")"
	keep "$tmp/little" || fail "$(cat "$tmp/err")"
	[ "$(named "$(profile_of_program)")" = "home/late home/mine home/more program" ] || fail "it names '$(named "$(profile_of_program)")'"
	# One that teaches nothing is a use all the same.
	touch -d "10 days ago" "$(profile_of_program)"
	keep "$tmp/later" || fail "$(cat "$tmp/err")"
	[ -n "$(find "$own" -name '*.profile' -newermt "1 day ago")" ] || fail "the profile looks unused"
	is_private "$home" "$user"
}

case_what_the_user_cannot_read_is_left_out() {
	begin
	for file in link fifo gone; do make_file "$home/$file"; done
	make_start "$tmp/start" "$home/mine" "$disk/other-home/theirs" "$disk/closed/roots" "$home/gone" "$home/link" "$home/fifo"
	rm "$home/link" "$home/fifo" "$home/gone"
	ln -s mine "$home/link"
	mkfifo "$home/fifo"
	timeout 60 "$ask" $keep "$user" "$user" 0 <"$tmp/start" >"$tmp/out" 2>&1 || fail "exit status $?: $(cat "$tmp/out")"
	[ "$(named "$(echo "$own"/program-*.plan)")" = "home/mine program roots" ] || fail "the plan names '$(named "$(echo "$own"/program-*.plan)")'"
	[ "$(named "$(profile_of_program)")" = "home/mine program roots" ] || fail "the profile names '$(named "$(profile_of_program)")'"
}

case_what_was_recorded_stays() {
	begin
	keep "$tmp/start" || fail "$(cat "$tmp/err")"
	profile=$(profile_of_program)
	recorded= describe "$disk/program" "$disk/program" "$home/mine" | "$make_profile" "$profile"
	chown -R "$user" "$home"
	chmod 600 "$profile"
	cp "$profile" "$tmp/before"
	keep "$tmp/start" || fail "$(cat "$tmp/err")"
	cmp "$tmp/before" "$profile" || fail "the user's recording was changed"
	echo unknown >"$profile" # it may be of a newer version
	cp "$profile" "$tmp/before"
	keep "$tmp/start" || :
	cmp "$tmp/before" "$profile" || fail "a profile that cannot be read was replaced"
}

case_bad_input_leaves_nothing() {
	begin
	: >"$tmp/empty"
	head -c 300 "$tmp/start" >"$tmp/cut"
	size=$(stat -c %s "$tmp/start")
	for bad in /dev/null "$tmp/empty" "$tmp/cut" "$disk/roots"; do
		refuses 1 "cannot use the profiles that were sent" "$ask" $keep "$user" "$user" 0 <"$bad"
	done
	for at in 8 16 40 60 100 150 $((size / 2)) $((size - 5)); do
		cp "$tmp/start" "$tmp/damaged"
		printf '\377\377\377\377' | dd of="$tmp/damaged" bs=1 seek=$at conv=notrunc status=none
		refuses 1 "cannot use the profiles that were sent" "$ask" $keep "$user" "$user" 0 <"$tmp/damaged"
	done
	recorded= make_start "$tmp/recorded" "$home/mine"
	refuses 1 "cannot use the profiles that were sent" "$ask" $keep "$user" "$user" 0 <"$tmp/recorded"
	describe "$disk/program" "$home/mine" | "$make_profile" "$tmp/single"
	refuses 1 "cannot use the profiles that were sent" "$ask" $keep "$user" "$user" 0 <"$tmp/single"
	nothing_is_kept
}

case_root_is_no_such_user() {
	begin
	for numbers in "0 0 0" "0 $user 0" "4294967295 1 0" "$user 4294967295 0"; do
		refuses 1 "cannot use what standard input asks for" "$ask" --answers "$tmp/answers" $keep $numbers <"$tmp/start"
		[ ! -s "$tmp/answers" ] || fail "'$numbers': it begins"
	done
	nothing_is_kept
}

case_only_root_may_ask() {
	begin
	refuses 1 "cannot use what standard input asks for: Operation not permitted" "$ask" --peer "$user" $keep "$user" "$user" 0 <"$tmp/start"
	refuses 1 "cannot use what standard input asks for: Operation not permitted" "$ask" --peer "$other" $keep "$user" "$user" 0 <"$tmp/start"
	nothing_is_kept
}

case_what_is_no_request_leaves_nothing() {
	begin
	for bad in --silent "--cut 15" "--cut 1" "--more 1" "--more 100000" "--descriptors 0" "--descriptors 2" "--descriptors 200" "--version 2" "--version 4"; do
		refuses 1 "cannot use what standard input asks for: Bad message" "$ask" --answers "$tmp/answers" $bad $keep "$user" "$user" 0 <"$tmp/start"
		[ ! -s "$tmp/answers" ] || fail "'$bad': it begins"
	done
	for kind in 0 3; do
		refuses 1 "cannot use what standard input asks for: Invalid argument" "$ask" --kind $kind $keep "$user" "$user" 0 <"$tmp/start"
	done
	for arguments in "" "$user $user 0"; do
		$keep $arguments <"$tmp/start" >"$tmp/out" 2>"$tmp/err" && status=0 || status=$?
		[ "$status" = 2 ] || fail "'$arguments': exit status $status"
		grep -q '^usage: headstart-keep' "$tmp/err" || fail "'$arguments' says $(cat "$tmp/err")"
	done
	nothing_is_kept
}

# headstartd tells by the answers whose processes do not end.
case_it_says_when_it_begins_and_ends() {
	begin
	"$ask" --answers "$tmp/answers" $keep "$user" "$user" 0 <"$tmp/start" >"$tmp/out" 2>&1 || fail "$(cat "$tmp/out")"
	[ "$(cat "$tmp/answers")" = bh ] || fail "it answers '$(cat "$tmp/answers")'"
	! "$ask" --answers "$tmp/answers" $keep "$user" "$user" 0 </dev/null >"$tmp/out" 2>&1 || fail "it keeps nothing, and exits 0"
	[ "$(cat "$tmp/answers")" = be ] || fail "it answers '$(cat "$tmp/answers")' when it fails"
	# A file that does not come.
	mkfifo "$tmp/never"
	"$ask" --answers "$tmp/answers" $keep "$user" "$user" 0 <>"$tmp/never" >"$tmp/out" 2>&1 &
	process=$!
	! wait "$process" || fail "it waits for ever"
	[ "$(cat "$tmp/answers")" = b ] || fail "it answers '$(cat "$tmp/answers")' when it takes too long"
}

case_systemd_can_start_it() {
	begin
	listen_for_keep "$tmp/socket"
	for start in 1 2; do
		"$ask" --socket "$tmp/socket" "$user" "$user" 0 <"$tmp/start" >"$tmp/out" 2>&1 || fail "it does not answer: $(cat "$tmp/out" "$tmp/listener-log")"
		is_kept || fail "nothing is kept: $(cat "$tmp/listener-log")"
		rm -r "$own"
	done
	stop_listening
}

# A process of the user's that has just executed the program, of which the user has a plan.
begin_to_carry() {
	begin
	cp /bin/sleep "$disk/sleeper"
	public=$disk/sleeper
	program=$disk/sleeper make_start "$tmp/start" "$home/mine"
	keep "$tmp/start" || fail "$(cat "$tmp/err")"
	printf '%s\0%s\0' "$disk/sleeper" "$disk/sleeper" >"$tmp/texts"
	sync -f "$disk"
	sleep_as "$as_user"
}

# $sleeper becomes a process that sleeps.
sleep_as() { # COMMAND that starts its arguments
	[ -z "${sleeper-}" ] || kill "$sleeper"
	$1 "$disk/sleeper" 600 7>&- &
	sleeper=$!
	until [ "$(readlink "/proc/$sleeper/exe")" = "$disk/sleeper" ]; do
		kill -0 "$sleeper" || fail "it does not start"
		sleep 0.02
	done
}

# carry ANSWERS [FILE]: asks for the user's own plan of $sleeper with these texts, and expects these answers.
carry() {
	sync -f "$disk"
	"$page" out "$home/mine" || fail "pages stay in the page cache"
	keep_answers "$@"
}

keep_answers() { # ANSWERS [FILE]
	"$ask" --answers "$tmp/answers" --kind 2 $keep "$user" "$user" "$sleeper" <"${2-$tmp/texts}" >"$tmp/out" 2>"$tmp/err" || :
	[ "$(cat "$tmp/answers")" = "$1" ] || fail "it answers '$(cat "$tmp/answers")', not '$1': $(cat "$tmp/out" "$tmp/err")"
}

was_read() { "$page" came "$home/mine" >"$tmp/came"; }
reads_ahead() {
	carry bh
	was_read || fail "it reads nothing ahead: $(cat "$tmp/came")"
}
was_not_read() { "$page" none "$home/mine" >"$tmp/came"; }

case_own_plan_is_carried_out() {
	begin_to_carry
	until_undisturbed reads_ahead
	# All of it is in memory.
	"$ask" --answers "$tmp/answers" --kind 2 $keep "$user" "$user" "$sleeper" <"$tmp/texts" || fail "exit status $?"
	[ "$(cat "$tmp/answers")" = bh ] || fail "it answers '$(cat "$tmp/answers")' when nothing is missing"
}

case_own_plan_that_the_user_denies_stays() {
	begin_to_carry
	mkdir -p "$home/.config/headstart"
	printf '[programs]\ndeny = %s\n' "$disk/sleeper" >"$home/.config/headstart/headstart.conf"
	chown -R "$user" "$home/.config"
	carry bh
	was_not_read || fail "it is carried out"
	printf '[daemon]\nlearn = no\n' >"$home/.config/headstart/headstart.conf"
	until_undisturbed reads_ahead
}

case_only_own_plans_of_own_processes_are_carried_out() {
	begin_to_carry
	printf '%s\0%s' "$disk/sleeper" "$disk/sleeper" >"$tmp/no-end"
	printf '%s\0%s\0x\0' "$disk/sleeper" "$disk/sleeper" >"$tmp/three"
	printf '%s\0%s\0' "$disk/program" "$disk/sleeper" >"$tmp/another"
	for bad in /dev/null "$tmp/no-end" "$tmp/three" "$disk/roots"; do
		carry be "$bad"
		was_not_read || fail "'$bad' is carried out"
	done
	carry bn "$tmp/another"
	was_not_read || fail "it is carried out for another program"
	sleep_as "$as_other"
	carry bh
	was_not_read || fail "it is carried out for another user's process"
	sleep_as ""
	carry bh
	was_not_read || fail "it is carried out for a process of root's"
	sleep_as "$as_user"
	sleeper=$((sleeper + 100000000)) carry bh
	was_not_read || fail "it is carried out for no process"
	# Without the home nobody knows whether the user has a plan.
	mv "$home" "$home.away"
	: >"$home"
	keep_answers be
	rm "$home"
	mv "$home.away" "$home"
	rm "$own"/sleeper-*.plan
	carry bn
}

# A real manager, for the units of a user, to whom this process of root's belongs. Another program stands for headstartd.
case_its_unit_comes_and_goes_with_the_daemons() {
	have_systemd || skip "no systemd"
	begin
	begin_units
	packaging=$HEADSTART_TEST_SOURCE/packaging
	sed "s,@private@,$HEADSTART_TEST_BUILD/tools," "$packaging/headstart-keep@.service.in" >"$units/headstart-keep@.service"
	sed 's,^ExecStart=.*,ExecStart=/bin/sleep 1000,; /^ExecStopPost=/d; /^ConditionVirtualization=/d; s/^Type=.*/Type=exec/' "$packaging/headstartd.service.in" >"$units/headstartd.service"
	cp "$packaging/headstart-keep.socket" "$units"
	cat >"$tmp/ask" <<'END'
for verb in start restart; do
	systemctl --user $verb headstartd.service
	"$1" --socket /run/headstart/keep "$2" "$2" 0 <"$3" || echo "after $verb: no answer"
	stat -c 'after start: %a %u' /run/headstart/keep
done
systemctl --user stop headstartd.service # which does not wait until its socket has stopped as well
for try in $(seq 600); do
	[ -e /run/headstart/keep ] || break
	sleep 0.05
done
ls /run/headstart
END
	manage "$tmp/ask" "$ask" "$user" "$tmp/start"
	[ "$status" = 0 ] || fail "exit status $status: $(cat "$tmp/seen" "$tmp/err" "$tmp/manager.log")"
	[ "$(cat "$tmp/seen")" = "after start: 600 0
after start: 600 0" ] || fail "it says: $(cat "$tmp/seen" "$tmp/err" "$tmp/manager.log")"
	is_kept || fail "nothing is kept: $(cat "$tmp/seen" "$tmp/err" "$tmp/manager.log")"
	is_private "$home" "$user"
}

case_without_an_own_home_nothing_is_kept() {
	begin
	for place in /nonexistent "$disk/other-home" "" relative "$home/mine" /; do
		make_users "$place" "$disk/other-home"
		refuses 1 "this user has no home" "$ask" $keep "$user" "$user" 0 <"$tmp/start"
	done
	refuses 1 "this user has no home" "$ask" $keep $((user + 7)) "$user" 0 <"$tmp/start"
	nothing_is_kept
	make_users "$home" "$disk/other-home"
}

# Where a folder of the user's leads is the user's business, as long as it is no other's.
case_links_lead_nowhere_else() {
	begin
	mkdir -m 700 "$tmp/roots-folder"
	mkdir "$home/.local"
	ln -s "$tmp/roots-folder" "$home/.local/state"
	chown -h "$user" "$home/.local" "$home/.local/state"
	keep "$tmp/start" || :
	[ -z "$(ls -A "$tmp/roots-folder")" ] || fail "it writes where only root may"
	rm "$home/.local/state"
	ln -s "$disk/other-home" "$home/.local/state"
	keep "$tmp/start" || :
	[ "$(ls -A "$disk/other-home")" = theirs ] || fail "it writes into another's home"
}

case_settings_of_the_user_and_of_root_count() {
	begin
	settings=$home/.config/headstart/headstart.conf
	for text in '[daemon]\nlearn = no\n' "[programs]\ndeny = $disk/program\n" '[programs]\nallow = else\n'; do
		for file in "$settings" "$tmp/settings/headstart.conf"; do
			mkdir -p "$(dirname "$file")"
			printf "$text" >"$file"
			chown -R "$user" "$home/.config"
			keep "$tmp/start" || fail "$(cat "$tmp/err")"
			nothing_is_kept
			rm "$file"
		done
	done
	keep "$tmp/start" || fail "$(cat "$tmp/err")"
	is_kept || fail "without these settings there is no plan either"
}

# All ids, and no capability; no group of root's; nothing in it that the user could trace.
case_process_has_only_what_is_the_users() {
	begin
	mkfifo "$tmp/pipe"
	SECRET=roots-secret "$ask" $keep "$user" "$user" 0 <"$tmp/pipe" 8</etc/shadow >"$tmp/out" 2>&1 &
	asker=$!
	exec 9>"$tmp/pipe"
	until process=$(children_named "$asker" headstart-keep) && [ -n "$process" ]; do
		kill -0 "$asker" || fail "it ends: $(cat "$tmp/out")"
		sleep 0.05
	done
	for try in $(seq 600); do
		grep -qx "Uid:	$user	$user	$user	$user" "/proc/$process/status" && grep -qx "NoNewPrivs:	1" "/proc/$process/status" && break || :
		sleep 0.05
	done
	for line in "Uid:	$user	$user	$user	$user" "Gid:	$user	$user	$user	$user" "Groups:	 " "CapEff:	0000000000000000" "CapPrm:	0000000000000000" "NoNewPrivs:	1"; do
		grep -qx "$line" "/proc/$process/status" || fail "not '$line': $(cat "/proc/$process/status")"
	done
	for file in environ maps mem auxv; do
		! $as_user cat "/proc/$process/$file" >"$tmp/seen" 2>&1 || fail "the user can read '$file' of it"
	done
	! $as_user ls -l "/proc/$process/fd/" >"$tmp/seen" 2>&1 || fail "the user can see its descriptors: $(cat "$tmp/seen")"
	[ "$(cd "/proc/$process/fd" && echo *)" = "0 1 2 3" ] || fail "it has descriptors of root's: $(ls -l "/proc/$process/fd/")"
	cat "$tmp/start" >&9
	exec 9>&-
	wait "$asker" || fail "exit status $?: $(cat "$tmp/out")"
	is_kept || fail "nothing is kept"
	! grep -ra roots-secret "$home" || fail "it has root's environment"
}

# A file system of its own is as good as a quota.
case_full_disk_leaves_nothing_half_written() {
	begin
	truncate -s 1M "$tmp/small"
	mkfs.ext4 -q -F -O ^has_journal "$tmp/small"
	mkdir "$disk/small"
	mount -o loop "$tmp/small" "$disk/small"
	make_home "$disk/small/home" "$user"
	make_users "$disk/small/home" "$disk/other-home"
	dd if=/dev/zero of="$disk/small/filler" bs=1k status=none 2>/dev/null || :
	keep "$tmp/start" || :
	[ -z "$(find "$disk/small/home" -type f)" ] || fail "it leaves $(find "$disk/small/home" -type f)"
	rm "$disk/small/filler"
	keep "$tmp/start" || fail "$(cat "$tmp/err")"
	[ -n "$(find "$disk/small/home" -name '*.plan')" ] || fail "with room there is no plan either"
	unmount "$disk/small"
	make_users "$home" "$disk/other-home"
}

# What was not used for the longest time goes first, and nothing that was recorded.
case_what_is_learnt_has_a_budget_and_an_age() {
	begin
	keep "$tmp/start" || fail "$(cat "$tmp/err")"
	for name in old older recorded; do
		make_file "$disk/$name"
		public=$disk/$name
		program=$disk/$name make_start "$tmp/$name" "$home/mine"
		keep "$tmp/$name" || fail "$(cat "$tmp/err")"
		[ -e "$(echo "$own/$name"-*.plan)" ] || fail "no plan of '$name': $(ls "$own")"
	done
	recorded= describe "$disk/recorded" "$disk/recorded" | "$make_profile" "$(echo "$own"/recorded-*.profile)"
	touch -d "61 days ago" "$own"/older-* "$own"/recorded-*
	touch -d "59 days ago" "$own"/old-*
	keep "$tmp/start" || fail "$(cat "$tmp/err")"
	[ -z "$(ls "$own"/older-* 2>/dev/null)" ] || fail "what is older than 60 days stays: $(ls -l "$own")"
	[ -e "$(echo "$own"/old-*.plan)" ] || fail "what is younger goes"
	[ -e "$(echo "$own"/recorded-*.plan)" ] || fail "what was recorded goes"
	truncate -s 63M "$(echo "$own"/old-*.plan)"
	touch -d "59 days ago" "$own"/old-*
	keep "$tmp/start" || fail "$(cat "$tmp/err")"
	[ -e "$(echo "$own"/old-*.plan)" ] || fail "it goes within the budget"
	truncate -s 65M "$(echo "$own"/old-*.plan)"
	touch -d "59 days ago" "$own"/old-*
	keep "$tmp/start" || fail "$(cat "$tmp/err")"
	[ -z "$(ls "$own"/old-* 2>/dev/null)" ] || fail "it stays beyond the budget: $(ls -l "$own")"
	is_kept || fail "what is in use goes"
	[ -e "$(echo "$own"/recorded-*.plan)" ] || fail "what was recorded goes for the budget"
}

case_user_can_forget_what_was_learnt() {
	begin
	cp "$tool" "$disk/tool"
	forget="$as_user env -i HOME=$home $disk/tool forget --learnt"
	refuses 1 "nothing was learnt for this user" $forget
	keep "$tmp/start" || fail "$(cat "$tmp/err")"
	recorded= describe "$disk/roots" "$disk/roots" | "$make_profile" "$own/recorded.profile"
	chown "$user" "$own/recorded.profile"
	$forget 2>"$tmp/err" || fail "$(cat "$tmp/err")"
	grep -qx "headstart: forgot what was learnt of 1 program" "$tmp/err" || fail "it says: $(cat "$tmp/err")"
	[ "$(ls "$own")" = recorded.profile ] || fail "it leaves $(ls "$own")"
	refuses 2 "--learnt takes no program" $forget "$disk/program"
	refuses 1 "nothing was learnt for everybody" "$tool" forget --learnt
}

at_case_exit() {
	[ -z "${sleeper-}" ] || kill "$sleeper" 2>/dev/null || :
	stop_listening
	remove_cgroups
}

run_cases
