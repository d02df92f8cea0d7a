# Shared by tests that relayout files: profiles of random pages, a program with a library, and checks of both.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
subject=$HEADSTART_TEST_SOURCE/tests/relayout/subject

# random_profile OUT SEED PERCENT FILE…: that percentage of the pages, in random order. The FILEs are absolute paths.
random_profile() {
	out=$1 seed=$2 percent=$3
	shift 3
	for file; do
		echo "$(realpath "$file") $(stat -Lc %s "$file")"
	done | awk -v seed="$seed" -v percent="$percent" '
		BEGIN { srand(seed) }
		NR == 1 { print "program " $1 }
		{
			print "file regular " $1
			n = 0
			for (page = 0; page * 4096 < $2; page++)
				if (rand() * 100 < percent)
					hot[n++] = page
			for (i = 0; i < n; i++)
				place[i] = i
			for (i = n - 1; i > 0; i--) {
				j = int(rand() * (i + 1)); swap = place[i]; place[i] = place[j]; place[j] = swap
			}
			for (i = 0; i < n; i++)
				print "range " hot[i] " 1 " order + place[i] " 1"
			order += n
		}' >"$out.text"
	"$make_profile" "$out" <"$out.text"
}

# The generated part of the library: 400 functions of some hundred bytes each, with data of their own between them.
write_bulk() {
	awk 'BEGIN {
		print "#define BULK 400"
		for (i = 0; i < 400; i++) {
			printf "static const int data%d[200] = {%d, %d};\n", i, i * 7, i * 11
			printf "static int state%d[40] = {%d};\n", i, i
			printf "__attribute__((noinline, aligned(256))) static uint64_t f%d(int x)\n{\n", i
			printf "\tstate%d[x %% 40] += x;\n\treturn data%d[x %% 200] + state%d[0] + x * %dull;\n}\n", i, i, i, i * 13 + 1
		}
		print "static uint64_t (*const bulk_table[])(int) = {"
		for (i = 0; i < 400; i++)
			printf "\tf%d,\n", i
		print "};"
	}' >"$tmp/bulk.inc"
}

# Compiles the objects of a program and a library once: pic/ and nopic/.
compile_subject() {
	command -v g++ >/dev/null || skip 'needs g++'
	write_bulk
	mkdir "$tmp/pic" "$tmp/nopic"
	g++ -O1 -g -fPIC -I"$tmp" -c "$subject/library.cc" -o "$tmp/pic/library.o" &
	g++ -O1 -g -fno-pie -DNO_IFUNC -I"$tmp" -c "$subject/library.cc" -o "$tmp/nopic/library.o" &
	g++ -O1 -g -fPIE -DDLOPEN -c "$subject/program.cc" -o "$tmp/pic/program.o"
	g++ -O1 -g -fPIE -c "$subject/program.cc" -o "$tmp/pic/program-static.o"
	g++ -O1 -g -fno-pie -c "$subject/program.cc" -o "$tmp/nopic/program.o"
	wait
}

relayout_args= # more of them

# relayout_files FILE…: makes new/FILE from FILE by the profile `profile`, verifies it, and checks that undo restores it exactly.
relayout_files() {
	mkdir -p new
	for file; do
		"$headstart" relayout --profile profile --all -o "new/$file" $relayout_args "$file" >"$tmp/out" || fail "relayout of $PWD/$file"
		"$headstart" verify "new/$file" >"$tmp/out" || fail "verify of $PWD/$file"
		"$headstart" undo -o "$tmp/undone" "new/$file" >"$tmp/out" || fail "undo of $PWD/$file"
		cmp "$tmp/undone" "$file" || fail "undo of $PWD/$file gives another file"
	done
}
