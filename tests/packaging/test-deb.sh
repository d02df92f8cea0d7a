#!/bin/sh
# The Debian packages: built twice, they are the same bytes; lintian finds nothing; and in a system of its own they are installed, used,
# upgraded, removed and purged, and leave nothing behind.
. "$HEADSTART_TEST_SOURCE/tests/packaging/packages-lib.sh"
for needed in dh lintian; do
	command -v "$needed" >/dev/null || skip "no $needed"
done
line=$root/etc/ld.so.preload
library=$root/usr/lib/$(dpkg-architecture -q DEB_HOST_MULTIARCH)/headstart/libheadstart-preload.so

build() {
	"$HEADSTART_TEST_SOURCE/packaging/build-deb" -o "$1" >"$tmp/out" 2>&1 || fail "build-deb: $(cat "$tmp/out")"
}
apt_get() {
	in_root apt-get -q -y -o Dpkg::Use-Pty=0 "$@" >"$tmp/out" 2>&1 || fail "apt-get $*: $(cat "$tmp/out")"
	! grep -i 'cannot be preloaded\|warning' "$tmp/out" || fail "apt-get $* complains"
}
# The packages that need nothing but a package of the version before: with another version.
make_newer() { # VERSION
	for package in headstart libheadstart; do
		rm -rf "$tmp/unpacked"
		dpkg-deb -R "$(echo "$tmp"/first/"${package}"_*.deb)" "$tmp/unpacked"
		sed -i "s/^Version: .*/Version: $1/; s/(= [^)]*)/(= $1)/" "$tmp/unpacked/DEBIAN/control"
		dpkg-deb --root-owner-group -Zgzip -z1 -b "$tmp/unpacked" "$root/packages/${package}_$1.deb" >/dev/null
	done
}
# A package with a program.
make_sample() { # VERSION
	rm -rf "$tmp/unpacked"
	mkdir -p "$tmp/unpacked/DEBIAN" "$tmp/unpacked/usr/bin"
	printf 'Package: sample\nVersion: %s\nArchitecture: all\nMaintainer: nobody <nobody@localhost>\nDescription: sample\n' "$1" \
		>"$tmp/unpacked/DEBIAN/control"
	cp "$root/bin/bash" "$tmp/unpacked/usr/bin/sample-program"
	echo "$1" >>"$tmp/unpacked/usr/bin/sample-program"
	dpkg-deb --root-owner-group -Zgzip -z1 -b "$tmp/unpacked" "$root/packages/sample_$1.deb" >/dev/null
}
installed() { in_root dpkg-query -W -f '${db:Status-Status}\n' "$1" 2>/dev/null; }

case_two_builds_are_the_same_bytes() {
	build "$tmp/first"
	(
		umask 077
		export TZ=Pacific/Kiritimati LC_ALL=C HOME="$tmp" TMPDIR="$tmp"
		build "$tmp/second"
	)
	(cd "$tmp/first" && sha256sum ./*.deb) >"$tmp/sums"
	[ "$(wc -l <"$tmp/sums")" -ge 3 ] || fail "too few packages: $(cat "$tmp/sums")"
	(cd "$tmp/second" && sha256sum --quiet -c "$tmp/sums") >"$tmp/out" 2>&1 || fail "$(cat "$tmp/out")"
}

case_lintian_finds_nothing() {
	TMPDIR=$tmp lintian --no-cfg --fail-on error,warning --tag-display-limit 0 "$tmp"/first/*.changes >"$tmp/out" 2>&1 || fail "lintian: $(cat "$tmp/out")"
}

case_shims_are_built_as_ever() {
	dpkg-deb -x "$tmp"/first/libheadstart_*.deb "$tmp/shims"
	for shim in $(find "$tmp/shims" -name 'libheadstart-audit.so' -o -name libheadstart-preload.so ! -path '*/i386/*'); do
		readelf -lW "$shim" >"$tmp/out"
		[ "$(grep -c '^ *LOAD' "$tmp/out")" = 2 ] || fail "$shim: not two segments: $(cat "$tmp/out")"
		! grep -q GNU_RELRO "$tmp/out" || fail "$shim has RELRO"
	done
}

case_benchmark_starts() {
	dpkg-deb -x "$tmp"/first/headstart-bench_*.deb "$tmp/bench"
	PYTHONDONTWRITEBYTECODE=1 "$tmp"/bench/usr/lib/*/headstart-bench/bench/coldstart --help >"$tmp/out" || fail "coldstart"
	grep -q '^usage: coldstart ' "$tmp/out" || fail "coldstart --help: $(cat "$tmp/out")"
	"$tmp/bench/usr/bin/headstart-bench" --help >"$tmp/out" || fail "headstart-bench --help"
	refuses 2 "give coldstart or chart" "$tmp/bench/usr/bin/headstart-bench" nonsense
	[ -x "$(echo "$tmp"/bench/usr/lib/*/headstart-bench/build/bench/slowdisk/slowdisk)" ] || fail "no device model"
}

# What the packages depend on is in the system before, so that nothing else is installed with them.
case_packages_are_installed() {
	needs=$(dpkg-deb -f "$(echo "$tmp"/first/headstart_*.deb)" Depends | sed 's/([^)]*)//g; s/,//g')
	make_root $needs
	mkdir "$root/packages"
	everything >"$tmp/before"
	cp "$tmp"/first/headstart_*.deb "$tmp"/first/libheadstart_*.deb "$root/packages"
	apt_get install $(cd "$root" && ls -d ./packages/*.deb | sed 's,^\.,,')
	[ -z "$(ls -A "$root/var/lib/headstart")" ] && [ ! -e "$line" ] || fail "the installation does more than put files there"
}

case_installed_packages_work() {
	cp "$HEADSTART_TEST_SOURCE/packaging/debian/tests/use" "$root/packages/use"
	take_turn
	in_root /packages/use >"$tmp/out" 2>&1 || case $? in
	77) skip "$(tail -n 1 "$tmp/out")" ;;
	*) fail "use: $(cat "$tmp/out")" ;;
	esac
}

# Runs scripts of the package as dpkg does where systemd runs, and expects that they ask systemd for no more and no less than this.
asks_systemd() { # WHAT STATE-OF-THE-DAEMON "SCRIPT ARGUMENT…"…
	what=$1
	shift
	in_root sh -euc '
		mkdir -p /run/systemd/system
		export STATE=$1 PATH=/packages/stubs:$PATH DPKG_MAINTSCRIPT_PACKAGE=headstart
		shift
		for call; do
			script=/packages/scripts/${call%% *}
			[ ! -e "$script" ] || "$script" ${call#* }
		done' sh "$@" >"$tmp/out" 2>&1 || fail "$*: $(cat "$tmp/out")"
	[ "$(sed -n 's/^systemctl: //p' "$tmp/out")" = "$what" ] || fail "$*: $(cat "$tmp/out")"
}

# The units of a boot are never started: the boot is over. What records it may still be at work when the package goes.
case_upgrades_restart_a_daemon_that_is_enabled() {
	mkdir "$root/packages/stubs"
	dpkg-deb -e "$(echo "$tmp"/first/headstart_*.deb)" "$root/packages/scripts"
	cat >"$root/packages/stubs/systemctl" <<'END'
#!/bin/sh
while :; do case $1 in -*) shift ;; *) break ;; esac done
case $1 in
is-enabled) echo "$STATE" ;;
is-active) [ "$STATE" = enabled ] ;;
daemon-reload) ;;
*) echo "systemctl: $*" >&2 ;; # the scripts hide what it prints
esac
END
	chmod 755 "$root/packages/stubs/systemctl"
	asks_systemd "" disabled "preinst install" "postinst configure"
	asks_systemd "" disabled "prerm upgrade 9.9" "preinst upgrade 0.1" "postinst configure 0.1"
	asks_systemd "restart headstartd.service" enabled "prerm upgrade 9.9" "preinst upgrade 0.1" "postinst configure 0.1"
	asks_systemd "stop headstart-boot-record.service
stop headstartd.service" enabled "prerm remove"
}

# As systemd does it when an image boots for the first time.
case_presets_enable_nothing() {
	command -v systemctl >/dev/null || skip "no systemctl"
	dpkg-deb -x "$(echo "$tmp"/first/headstart_*.deb)" "$tmp/image"
	[ ! -d "$tmp/image/lib" ] || cp -r "$tmp/image/lib/." "$tmp/image/usr/lib" # where /lib is a link to it
	systemctl --root="$tmp/image" preset-all >"$tmp/out" 2>&1 || fail "preset-all: $(cat "$tmp/out")"
	[ -z "$(find "$tmp/image" -path '*.wants/*')" ] || fail "enabled: $(cat "$tmp/out")"
	systemctl --root="$tmp/image" enable headstartd.service >"$tmp/out" 2>&1 || fail "enable: $(cat "$tmp/out")"
	[ -n "$(find "$tmp/image" -path '*.wants/*')" ] || fail "the test looks at the wrong place"
}

case_upgraded_programs_are_marked() {
	make_sample 1
	make_sample 22
	apt_get install /packages/sample_1.deb
	cp "$make_profile" "$root/packages/make-profile"
	in_root sh -euc '
		printf "program /usr/bin/sample-program\nfile regular /usr/bin/sample-program\nrange 0 4 1 1\n" |
			/packages/make-profile /packages/sample.profile
		headstart plan /packages/sample.profile' >"$tmp/out" 2>&1 || fail "plan: $(cat "$tmp/out")"
	[ -n "$(find "$root/var/lib/headstart" -name 'sample-program-*.plan')" ] || fail "no plan"
	apt_get install /packages/sample_22.deb
	[ -n "$(find "$root/var/lib/headstart" -name 'sample-program-*.stale')" ] || fail "the plan is not marked: $(ls "$root/var/lib/headstart")"
	[ -z "$(find "$root/var/lib/headstart" -name '*.stale' ! -name 'sample-program-*')" ] || fail "another plan is marked"
	apt_get purge sample
}

case_upgrade_keeps_line_and_state() {
	in_root headstart install --system >"$tmp/out" 2>&1 || fail "install --system: $(cat "$tmp/out")"
	mkdir -p "$root/etc/headstart"
	echo '# kept' >"$root/etc/headstart/headstart.conf"
	cp "$line" "$tmp/line"
	in_root sh -euc '
		printf "program /usr/bin/bash\nfile regular /usr/bin/bash\nrange 0 4 1 1\n" | /packages/make-profile /packages/bash.profile
		headstart plan /packages/bash.profile' >"$tmp/out" 2>&1 || fail "plan: $(cat "$tmp/out")"
	older=$(find "$root/var/lib/headstart" -name 'bash-*.plan' -type f) # the sign of /bin/bash is a link
	cp "$root/packages/bash.profile" "${older%.plan}.profile"
	poke "$older" 8 '\001'
	ls "$root/var/lib/headstart" | grep -v '\.stale$' >"$tmp/state"
	make_newer 9.9
	apt_get install /packages/headstart_9.9.deb /packages/libheadstart_9.9.deb
	cmp "$line" "$tmp/line" || fail "the upgrade changed /etc/ld.so.preload"
	ls "$root/var/lib/headstart" | grep -v '\.stale$' | cmp -s - "$tmp/state" || fail "the upgrade changed the recordings: $(ls "$root/var/lib/headstart")"
	[ -e "$root/etc/headstart/headstart.conf" ] || fail "the upgrade removed settings"
	in_root headstart show "${older#"$root"}" >"$tmp/out" 2>&1 || fail "the plan of an older version stays: $(cat "$tmp/out")"
}

# Somebody wrote a line by hand: without the library every program would complain, so the package stays.
case_removal_stops_at_a_line_written_by_hand() {
	echo "${library#"$root"}" >>"$line"
	! in_root dpkg -r libheadstart >"$tmp/out" 2>&1 || fail "the package is gone"
	grep -q "headstart-prerm: /etc/ld.so.preload still names" "$tmp/out" || fail "dpkg did not say why: $(cat "$tmp/out")"
	[ -e "$library" ] || fail "the library is gone"
	rm "$line"
	apt_get install -f
}

case_removal_takes_the_line_out_first() {
	in_root headstart install --system >"$tmp/out" 2>&1 || fail "install --system: $(cat "$tmp/out")"
	apt_get remove headstart
	[ ! -e "$line" ] || fail "the line is left: $(cat "$line")"
	[ ! -e "$library" ] || fail "the library is left"
	[ -e "$root/etc/headstart/headstart.conf" ] && [ -n "$(ls "$root"/var/lib/headstart/*.plan)" ] || fail "removal took state or settings"
}

# Without headstart-init such a machine might not boot. The shims need not be installed.
case_removal_stops_while_a_boot_loader_names_headstart_init() {
	apt_get install /packages/headstart_9.9.deb
	[ ! -e "$library" ] || fail "the shims are installed"
	mkdir -p "$root/boot/extlinux"
	echo "append root=/dev/vda1 init=/usr/sbin/headstart-init" >"$root/boot/extlinux/extlinux.conf"
	! in_root dpkg -r headstart >"$tmp/out" 2>&1 || fail "the package is gone"
	grep -q "headstart-prerm: '/boot/extlinux/extlinux.conf' boots this machine" "$tmp/out" || fail "dpkg did not say why: $(cat "$tmp/out")"
	[ -x "$root/usr/sbin/headstart-init" ] || fail "headstart-init is gone"
	rm -r "$root/boot/extlinux"
	apt_get install -f
}

case_launcher_alone_can_be_removed_by_force() {
	apt_get install /packages/headstart_9.9.deb /packages/libheadstart_9.9.deb
	in_root headstart install --system >"$tmp/out" 2>&1 || fail "install --system: $(cat "$tmp/out")"
	in_root dpkg --force-depends -r headstart >"$tmp/out" 2>&1 || fail "dpkg: $(cat "$tmp/out")"
	[ ! -e "$line" ] && [ -e "$library" ] || fail "the line, or not the library, is left"
	in_root dpkg -r libheadstart >"$tmp/out" 2>&1 || fail "the shims cannot be removed without the launcher: $(cat "$tmp/out")"
}

case_purge_leaves_nothing() {
	apt_get purge headstart libheadstart
	[ -z "$(installed headstart)$(installed libheadstart)" ] || fail "dpkg still has the packages"
	rm -r "$root"/packages/*
	everything >"$tmp/after"
	diff "$tmp/before" "$tmp/after" >"$tmp/out" || fail "left behind: $(cat "$tmp/out")"
}

run_cases
