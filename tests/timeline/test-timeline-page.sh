#!/bin/sh
# SPDX-License-Identifier: MIT
# headstart timeline: the page in a real browser, with hostile names; and what is refused.
. "$HEADSTART_TEST_SOURCE/tests/lib/sh-lib.sh"
. "$HEADSTART_TEST_SOURCE/tests/record/record-lib.sh"

can_record
make_disk
make_programs
hostile='x<script>document.title="harmed"<!--&amp;"'
cp "$disk/helper" "$disk/$hostile"
"$tool" trace -q --no-drop -o "$tmp/timeline" -- sh -c '"$0" --version; "$1"' "$disk/$hostile" "$disk/link" >/dev/null
"$tool" trace -q --no-drop -o "$tmp/other" -- "$disk/link" >/dev/null

find_browser() {
	for browser in chromium google-chrome none; do
		! command -v $browser >/dev/null || break
	done
	[ $browser != none ] || { untried "no chromium" && return 1; }
}

# Opens the page $tmp/page.html, and writes what it has become to $tmp/dom.
browse() { # [OPTION…]
	HOME=$tmp "$browser" --headless --no-sandbox --disable-gpu --user-data-dir="$tmp/browser" --virtual-time-budget=5000 \
		--dump-dom "$@" "file://$tmp/page.html" >"$tmp/dom" 2>"$tmp/err" || fail "the browser failed: $(tail -n 3 "$tmp/err")"
}

# Writes a page without a recording.
make_page() { "$HEADSTART_TEST_BUILD/tests/timeline/test-page" --page "$1" "$tmp/page.html" || fail "cannot make a page of $1"; }

# Opens the page with a script at its end, and expects this of the value of said().
page_says() { # PATTERN SCRIPT [OPTION…]
	expected=$1
	printf '<script>%s\ndocument.documentElement.dataset.said = said();</script>\n' "$2" >>"$tmp/page.html"
	shift 2
	browse "$@"
	said=$(sed -n 's/.*data-said="\([^"]*\)".*/\1/p' "$tmp/dom")
	echo "$said" | grep -qx -- "$expected" || fail "the page says '$said', not '$expected'"
}

case_browser_draws_the_page() {
	find_browser || return 0
	"$tool" timeline -o "$tmp/page.html" "$tmp/timeline"
	browse
	"$tool" report --json "$tmp/timeline" >"$tmp/report"
	/usr/bin/python3 - "$tmp/dom" "$tmp/report" "$hostile" <<'END' || fail "the page is not what was traced"
import html.parser, json, re, sys

class Page(html.parser.HTMLParser):
    """Texts of the elements with these names, and what is drawn."""
    def __init__(self):
        super().__init__()
        self.texts, self.open, self.drawn, self.scripts = {}, [], "", 0
    def handle_starttag(self, tag, attributes):
        self.open.append(tag)
        self.drawn = dict(attributes).get("data-drawn", self.drawn)
        self.scripts += tag == "script"
    def handle_endtag(self, tag):
        while self.open and self.open.pop() != tag:
            pass
    def handle_data(self, text):
        if self.open:
            self.texts.setdefault(self.open[-1], []).append(text)

page = Page()
page.feed(open(sys.argv[1], encoding="utf-8").read())
report = json.load(open(sys.argv[2], encoding="utf-8"))
rows, reads, files = map(int, re.findall(r"\d+", page.drawn))
assert reads == report["reads"], (reads, report["reads"])
assert rows >= len(report["processes"]), (rows, report["processes"])
assert files == len([file for file in report["files"] if file["reads"]]), (files, report["files"])
assert page.texts["title"] == ["Timeline of " + report["program"]], page.texts["title"]
assert report["summary"] in page.texts["p"], page.texts["p"]
assert page.scripts == 2, page.scripts
assert any(sys.argv[3] in text for text in page.texts["td"]), page.texts["td"]    # as text, whole
END
}

case_browser_draws_two_starts() {
	find_browser || return 0
	"$tool" timeline -o "$tmp/page.html" "$tmp/timeline" "$tmp/other"
	browse
	for file in timeline other; do
		"$tool" report --json "$tmp/$file" >"$tmp/report"
		json "$tmp/report" 'TOP["reads"]'
	done >"$tmp/reads"
	drawn=$(sed -n 's/.*data-drawn="\([^"]*\)".*/\1/p' "$tmp/dom")
	[ "$(echo "$drawn" | grep -o '[0-9]* reads' | grep -o '[0-9]*')" = "$(cat "$tmp/reads")" ] ||
		fail "drawn are '$drawn', but the starts have $(paste -s -d ' ' "$tmp/reads") reads"
	grep -q '>The second start took [0-9.]* s instead of [0-9.]* s, ' "$tmp/dom" || fail "no sentence about both"
	[ "$(grep -o '<canvas' "$tmp/dom" | wc -l)" -ge 4 ] || fail "not all is drawn twice"
}

# Paper is white, whatever the screen is.
case_dark_page_is_printed_in_light_colours() {
	find_browser || return 0
	make_page short
	page_says 'dark #1f2228, printed #f4f5f7, then #1f2228' 'function said() {
		const words = [matchMedia("(prefers-color-scheme: dark)").matches ? "dark " : "light ", colours.row];
		dispatchEvent(new Event("beforeprint"));
		words.push(", printed ", colours.row);
		dispatchEvent(new Event("afterprint"));
		return words.concat(", then ", colours.row).join("");
	}' --blink-settings=preferredColorScheme=0
}

# A scrollbar that goes while one chart is drawn would give the next one another width.
case_charts_have_their_height_before_they_are_drawn() {
	find_browser || return 0
	make_page short
	page_says 'the same height: \([0-9]*,[0-9]*\) and \1' 'function said() {
		const heights = start => ["threads", "reads"].map(name => start.in(name).clientHeight);
		return `the same height: ${heights(starts[0])} and ${heights(new Start(page.starts[0], ""))}`;
	}'
}

# Only the first button drags, and only until the browser takes the pointer away, as for a gesture on a touch screen.
case_dragging_ends_with_the_capture() {
	find_browser || return 0
	make_page short
	page_says 'pan-y pinch-zoom, 0, moved, 0' 'function said() {
		const canvas = starts[0].in("reads"), words = [getComputedStyle(canvas).touchAction];
		canvas.setPointerCapture = () => {};    // there is no pointer
		const send = (type, x, button) => canvas.dispatchEvent(new PointerEvent(type, {clientX: x, clientY: canvas.getBoundingClientRect().top + 30, button}));
		const drag = button => {
			show(1000, 1500);
			send("pointerdown", 700, button);
			send("pointermove", 600, -1);
		};
		drag(2);
		words.push(view.from - 1000);
		drag(0);
		words.push(view.from > 1000 ? "moved" : "stayed");
		send("lostpointercapture", 600, -1);
		show(1000, 1500);
		send("pointermove", 500, -1);
		return words.concat(view.from - 1000).join(", ");
	}'
}

# WCAG 2, "contrast ratio". What is below 3 can hardly be read; white letters have a shadow besides.
case_causes_can_be_read() {
	find_browser || return 0
	for scheme in 0 1; do # dark, light
		make_page all-causes
		page_says '12 causes, too pale:' 'function said() {
			const light = colour => colour.match(/\d+/g).slice(0, 3).map(c => c / 255).map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
				.reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0.05);
			const parts = [...starts[0].in("causes").children], ratio = part => {
				const style = getComputedStyle(part), both = [light(style.color), light(style.backgroundColor)];
				return Math.max(...both) / Math.min(...both);
			};
			return [`${parts.length} causes, too pale:`, ...parts.filter(part => ratio(part) < 3).map(part => part.title + ratio(part))].join(" ");
		}' --blink-settings=preferredColorScheme=$scheme
	done
}

case_hits_of_a_search_are_counted() {
	find_browser || return 0
	make_page short
	page_says '11 found, 1 found, 0 found, ' 'function said() {
		return ["file-1", "PROGRAM", "none", ""].map(text => {
			$("search").value = text;
			$("search").dispatchEvent(new Event("input"));
			return $("hits").textContent;
		}).join(", ");
	}'
}

# Chromium shows nothing of a canvas whose side is beyond 65,535 pixels, Firefox of one beyond 32,767.
case_reads_of_many_files_are_drawn() {
	find_browser || return 0
	make_page many-files
	page_says '[0-9]* and [0-9]* of 4000, the longest, then [0-9]*, with colours' 'function said() {
		const canvas = starts[0].in("reads"), lanes = starts[0].lanes, heights = [canvas.height];
		dispatchEvent(new Event("beforeprint"));
		heights.push(canvas.height);
		const shown = [...canvas.getContext("2d").getImageData(canvas.width / 2, 0, 1, canvas.height).data].some(byte => byte);
		const hidden = Number(starts[0].in("facts").textContent.match(/files that are not drawn: ([0-9]*)/)[1]);
		const longest = lanes.every((lane, i) => lane.file === hidden + i) ? "the longest" : "others";
		return Math.max(...heights) > 32767 ? `too high: ${heights}`
			: `${hidden} and ${lanes.length} of ${hidden + lanes.length}, ${longest}, then ${heights[1]}, ${shown ? "with colours" : "empty"}`;
	}' --force-device-scale-factor=2
}

case_files_beyond_what_the_table_bears_are_counted() {
	find_browser || return 0
	make_page many-files
	page_says '1001 rows, and 3000 more' 'function said() {
		const rows = starts[0].in("files").tBodies[0].rows;
		return `${rows.length} rows, ${rows[rows.length - 1].textContent}`;
	}'
}

case_threads_beyond_what_a_page_bears_are_counted() {
	find_browser || return 0
	make_page many-threads
	page_says '1000 of 200000' 'function said() {
		return `${starts[0].rows.length} of ${starts[0].rows.length + starts[0].hidden}`;
	}'
}

case_picture_is_well_formed() {
	"$tool" timeline -o "$tmp/one.svg" "$tmp/timeline"
	"$tool" timeline -o "$tmp/two.svg" "$tmp/timeline" "$tmp/other"
	"$tool" report --json "$tmp/timeline" >"$tmp/report"
	/usr/bin/python3 - "$tmp/one.svg" "$tmp/two.svg" "$tmp/report" "$hostile" <<'END' || fail "the picture is not what was traced"
import json, sys
import xml.etree.ElementTree as tree
one, two = (tree.parse(path).getroot() for path in sys.argv[1:3])
report = json.load(open(sys.argv[3], encoding="utf-8"))
texts = [element.text or "" for element in one.iter("{http://www.w3.org/2000/svg}text")]
assert " ".join(texts).replace(" ", "").count(report["summary"].replace(" ", "")) == 1, texts
assert any(sys.argv[4][-12:] in text for text in texts), texts     # as text
assert {element.tag.split("}")[1] for element in one.iter()} == {"svg", "style", "rect", "path", "line", "text"}
height = lambda picture: float(picture.get("height"))
assert height(two) > height(one), (height(one), height(two))
END
}

case_perfetto_gets_every_process() {
	"$tool" timeline -o "$tmp/trace.json" "$tmp/timeline"
	"$tool" report --json "$tmp/timeline" >"$tmp/report"
	json "$tmp/trace.json" - "$tmp/report" <<'END' || fail "the export is not what was traced"
report = json.load(open(ARGS[0]))
events = TOP["traceEvents"]
assert {p["pid"] for p in report["processes"]} <= {e["pid"] for e in events if e["ph"] == "X"}
assert len([e for e in events if e["ph"] == "b"]) == report["reads"]
assert all(e["dur"] >= 0 for e in events if e["ph"] == "X")
END
}

# Arguments and names of files are nobody else's business, unless the owner of the timeline says so.
case_only_the_owner_may_read() {
	mode() { stat -c %a "$1"; }
	[ "$(mode "$tmp/timeline")" = 600 ] || fail "the timeline has mode $(mode "$tmp/timeline")"
	cp "$tmp/timeline" "$tmp/shared"
	for expected in 600 640 644; do
		chmod "$expected" "$tmp/shared"
		for output in "$tmp/shared.html" "$tmp/shared.svg" "$tmp/shared.json"; do
			"$tool" timeline -o "$output" "$tmp/shared"
			[ "$(mode "$output")" = "$expected" ] || fail "'$output' has mode $(mode "$output"), not $expected"
		done
	done
	"$tool" timeline -o "$tmp/both.html" "$tmp/shared" "$tmp/timeline"
	[ "$(mode "$tmp/both.html")" = 600 ] || fail "others may read what only the owner may: $(mode "$tmp/both.html")"
	chmod 777 "$tmp/shared"
	"$tool" timeline -o "$tmp/shared.html" "$tmp/shared"
	[ "$(mode "$tmp/shared.html")" = 644 ] || fail "others may write to the page: $(mode "$tmp/shared.html")"
}

case_wrong_command_lines() {
	refuses 2 'no file given' "$tool" timeline -o "$tmp/x.html"
	refuses 2 'no file given to write to' "$tool" timeline "$tmp/timeline"
	refuses 2 "'$tmp/x' does not say which format" "$tool" timeline -o "$tmp/x" "$tmp/timeline"
	refuses 2 "unknown format 'png'" "$tool" timeline -f png -o "$tmp/x" "$tmp/timeline"
	refuses 2 'give one file, or two to compare' "$tool" timeline -o "$tmp/x.html" "$tmp/timeline" "$tmp/timeline" "$tmp/timeline"
	refuses 2 "'perfetto' shows one start" "$tool" timeline -o "$tmp/x.json" "$tmp/timeline" "$tmp/timeline"
	refuses 1 "cannot read '$tmp/none'" "$tool" timeline -o "$tmp/x.svg" "$tmp/timeline" "$tmp/none"
	refuses 1 'is not a headstart timeline' "$tool" timeline -o "$tmp/x.html" "$HEADSTART_TEST_SOURCE/README.md"
	refuses 1 'is not a regular file' "$tool" timeline -f html -o /dev/full "$tmp/timeline"
	[ ! -e "$tmp/x.html" ] && [ ! -e "$tmp/x.svg" ] || fail "left a page"
	"$tool" timeline -f html -o "$tmp/x" "$tmp/timeline"
	grep -q '^<!DOCTYPE html>' "$tmp/x" || fail "no page"
}

run_cases
