#!/bin/sh
# Owners of files in a dpkg database of the test's own: shared files, a merged /usr, names that look like patterns, diversions.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
driver=$HEADSTART_TEST_BUILD/tests/package/owner-driver
command -v dpkg-query >/dev/null || skip "dpkg-query is not installed"
root=$tmp/root
dpkg=$root/var/lib/dpkg
mkdir -p "$dpkg/info" "$dpkg/updates" "$root/usr/lib"
ln -s usr/lib "$root/lib"
mkdir "$root/bin"    # not merged

add_package() {    # NAME ARCHITECTURE MULTI-ARCH; its files on standard input
	printf 'Package: %s\nStatus: install ok installed\nMaintainer: m\nVersion: 1\nArchitecture: %s\n%s\nDescription: d\n\n' \
		"$1" "$2" "Multi-Arch: $3" >>"$dpkg/status"
	list=$dpkg/info/$1.list
	[ "$3" = no ] || list=$dpkg/info/$1:$2.list
	cat >"$list"
}

dpkg --print-architecture >"$dpkg/arch"
echo alien >>"$dpkg/arch"
native=$(dpkg --print-architecture)
echo 1 >"$dpkg/info/format"
add_package one "$native" same <<-'END'
	/usr/lib/libone.so
	/usr/lib/a b.so
	/usr/lib/st*r[1].so
	/usr/lib/x: /y.so
	/lib/merged.so
	/bin/apart
	/usr/bin/diverted
	/usr/bin/local
	/usr/share/shared
	/usr/bin/both
END
printf '%s\n' /usr/share/shared /usr/bin/both | add_package one alien same
add_package two all no <<-'END'
	/usr/bin/diverted
END
cat >"$dpkg/diversions" <<-'END'
	/usr/bin/diverted
	/usr/bin/diverted.orig
	two
	/usr/bin/local
	/usr/bin/local.distrib
	:
	/usr/bin/both
	/usr/bin/both.orig
	two
END

owner_is() {    # PATH WANTED: "-" or the first three fields
	got=$("$driver" "$root" "$1" | cut -d'|' -f1-3)
	[ "$got" = "$2" ] || fail "owner of '$1' is '$got', not '$2'"
}

case_owners_are_found() {
	owner_is /usr/lib/libone.so "dpkg|one:$native|/usr/lib/libone.so"
	owner_is /usr/lib/nobody.so -
	owner_is "/usr/lib/a b.so" "dpkg|one:$native|/usr/lib/a b.so"
	owner_is "/usr/lib/st*r[1].so" "dpkg|one:$native|/usr/lib/st*r[1].so"
	owner_is "/usr/lib/l*one.so" -
	owner_is "/usr/lib/x: /y.so" "dpkg|one:$native|/usr/lib/x: /y.so"
	owner_is /lib/merged.so "dpkg|one:$native|/lib/merged.so"
	owner_is /usr/lib/merged.so "dpkg|one:$native|/lib/merged.so"
	owner_is /bin/apart "dpkg|one:$native|/bin/apart"
	owner_is /usr/bin/apart -
	owner_is /usr/bin/diverted "dpkg|two|/usr/bin/diverted"
	owner_is /usr/bin/diverted.orig "dpkg|one:$native|/usr/bin/diverted.orig"
	owner_is /usr/bin/local -
	owner_is /usr/bin/local.distrib "dpkg|one:$native|/usr/bin/local.distrib"
	owner_is /usr/bin/both -
	for shared in /usr/share/shared /usr/bin/both.orig; do
		case $("$driver" "$root" $shared) in
		dpkg\|one:alien,\ one:$native\|*|dpkg\|one:$native,\ one:alien\|*) ;;
		*) fail "owners of '$shared': $("$driver" "$root" $shared)" ;;
		esac
	done
}

# Prints answers in the order of the arguments, a repeated one twice, in a single run.
case_several_paths_in_one_go() {
	got=$("$driver" "$root" /usr/bin/diverted.orig /nobody /usr/bin/diverted /usr/lib/libone.so /usr/lib/libone.so |
		cut -d'|' -f2 | tr '\n' ' ')
	[ "$got" = "one:$native - two one:$native one:$native " ] || fail "several paths: '$got'"
}

# The advice is a command that hands the file to the administrator: then nobody owns it, and the diverted file is the package's.
case_advice_makes_the_file_the_administrator_s() {
	mkdir -p "$root/usr/lib"
	"$driver" "$root" "/usr/lib/a b.so" | grep -qF "dpkg-divert --local --no-rename --divert '/usr/lib/distrib.a b.so' --add '/usr/lib/a b.so'" ||
		fail "advice: $("$driver" "$root" "/usr/lib/a b.so")"
	if [ "$(id -u)" = 0 ]; then
		dpkg-divert --quiet --admindir "$dpkg" --local --no-rename --divert '/usr/lib/distrib.a b.so' --add '/usr/lib/a b.so'
		owner_is "/usr/lib/a b.so" -
		owner_is "/usr/lib/distrib.a b.so" "dpkg|one:$native|/usr/lib/distrib.a b.so"
		! "$driver" "$root" "/usr/lib/distrib.a b.so" | grep -q dpkg-divert || fail "advice to divert what is diverted"
	else
		untried "the advice: not root"
	fi
}

# If dpkg cannot read its database, that is an error. Without a database, or without dpkg, a file simply has no owner.
case_unreadable_database_is_an_error() {
	cp "$dpkg/status" "$tmp/status"
	echo garbage >>"$dpkg/status"
	refuses 1 EIO "$driver" "$root" /usr/lib/libone.so
	cp "$tmp/status" "$dpkg/status"
	refuses 1 EINVAL "$driver" "$root" usr/lib/libone.so
	refuses 1 EINVAL "$driver" "$root" "/usr/lib/
libone.so"
	mkdir "$tmp/empty"
	[ "$("$driver" "$tmp/empty" /usr/lib/libone.so)" = - ] || fail "no database"
	[ "$(PATH=$tmp/empty "$driver" "$root" /usr/lib/libone.so)" = - ] || fail "no dpkg-query"
}

run_cases
