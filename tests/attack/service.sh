#!/bin/sh
# systemd looks for the main process of a service among the processes of its cgroup, so no prefetcher is started there. Programs
# of a session and of a desktop have cgroups of another kind.
. "$HEADSTART_TEST_SOURCE/tests/attack/attack-lib.sh"
cgroup2 probe.service || skip "no cgroup can be made here"
at_case_exit
"$built/plan-for" "$state" "$look" $libraries >"$tmp/out"
plan_of_root

# Where systemd has a cgroup hierarchy of its own, the process is put into the cgroup there as well.
in_unit() { # PATH
	cgroup2 "$1" || skip "no cgroup can be made here"
	folders=$cgroup
	! cgroup1 name=systemd "$1" || folders="$folders $cgroup"
	as=$(in_cgroups $folders) wrapped=$as
}
nothing_started() {
	ends_with 7
	was_not_run own
	log_says plan=not-started
	log_lacks plan=started
}

case_service_starts_nothing() {
	in_unit x.service
	for way in execv vfork-execv posix_spawn; do
		what="x.service, $way"
		forced "$launch" "$way" "$target"
		nothing_started
	done
	what="x.service, its own plan"
	forced "$look" "$place/libthree.so"
	nothing_started
}

case_service_of_a_template_starts_nothing() {
	in_unit system-getty.slice/getty@tty1.service
	forced "$launch" posix_spawn "$target"
	nothing_started
}

# Only below a user's manager such names are those of a desktop.
case_service_with_the_name_of_an_application_starts_nothing() {
	for unit in system.slice/app-server.service system.slice/dbus-:1.2-x.service session.slice/x.service; do
		in_unit "$unit"
		what=$unit
		forced "$launch" posix_spawn "$target"
		nothing_started
	done
}

# Whoever has made it may make another one of that name as soon as no process is in it.
case_scope_of_the_system_starts_nothing() {
	for unit in system.slice/job.scope app-x.scope; do
		in_unit "$unit"
		what=$unit
		forced "$launch" posix_spawn "$target"
		nothing_started
	done
}

case_audit_shim_starts_nothing_in_a_service() {
	in_unit x.service
	loaded=LD_AUDIT=$audit
	forced "$look" "$place/libthree.so"
	nothing_started
}

case_service_starts_nothing_where_only_the_system_loads_the_shim() {
	has_system
	in_unit x.service
	systemwide "$launch" posix_spawn "$target"
	ends_with 7
	was_not_run installed
}

# The manager of a user's programs is a service itself, but its programs are not.
case_sessions_and_desktops_start_the_prefetcher() {
	for unit in init.scope user.slice/user-1000.slice/session-1.scope user@1000.service/app.slice/app-x.scope \
		user@1000.service/app.slice/app-x.service user@1000.service/session.slice/x.service; do
		in_unit "$unit"
		what=$unit
		forced "$launch" posix_spawn "$target"
		ends_with 7
		was_run own
		log_says plan=started
	done
}

run_cases
