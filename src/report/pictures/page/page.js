/* SPDX-License-Identifier: MIT */
/* Draws one start, or two beside each other with one time axis. Times are microseconds since a start began. */
"use strict";
const page = JSON.parse(document.getElementById("data").textContent);
const STATES = page.states, KINDS = page.kinds;    // of each the name of its colour, and what it means
const ROW = 16, ROWS_MAX = 1000, LANE_MIN = 3, LANE_MAX = 90, TOP = 20;
const SIDE_MAX = 32767, AREA_MAX = 16384 * 16384;    // pixels of a canvas: browsers show nothing of a larger one
const $ = id => document.getElementById(id);
const longest = Math.max(...page.starts.map(start => start.duration));
const view = {from: 0, to: longest, find: ""};
const seconds = us => us >= 1e6 ? (us / 1e6).toFixed(2) + " s" : us >= 1000 ? (us / 1000).toFixed(1) + " ms" : us + " µs";
const bytes = n => n >= 1e6 ? (n / 1e6).toFixed(1) + " MB" : n >= 1000 ? (n / 1000).toFixed(1) + " kB" : n + " B";
const colour = name => getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
const matches = text => !view.find || text.toLowerCase().includes(view.find);
let colours = {};

/* Names are to the left of what is drawn, and take no more than a third of it. */
const label = canvas => Math.min(230, Math.floor(canvas.clientWidth / 3));

function prepare(canvas) {
	const width = canvas.clientWidth, height = canvas.clientHeight, wanted = Math.max(window.devicePixelRatio || 1, view.printing ? 3 : 1);
	const scale = Math.min(wanted, SIDE_MAX / height, Math.sqrt(AREA_MAX / width / height));
	canvas.width = width * scale;
	canvas.height = height * scale;
	const context = canvas.getContext("2d");
	context.scale(scale, scale);
	context.font = "11px system-ui, sans-serif";
	context.textBaseline = "middle";
	return context;
}

const x = (canvas, time) => label(canvas) + (time - view.from) / (view.to - view.from) * (canvas.clientWidth - label(canvas));
const timeAt = (canvas, at) => view.from + (at - label(canvas)) / (canvas.clientWidth - label(canvas)) * (view.to - view.from);

function drawAxis(context, canvas, height) {
	const rough = (view.to - view.from) / Math.max(2, (canvas.clientWidth - label(canvas)) / 110);
	const power = 10 ** Math.floor(Math.log10(rough)), step = [1, 2, 5, 10].map(n => n * power).find(n => n >= rough);
	context.lineWidth = 1;
	for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
		const at = x(canvas, time);
		context.strokeStyle = colours.line;
		context.beginPath();
		context.moveTo(at, TOP - 4);
		context.lineTo(at, height);
		context.stroke();
		context.fillStyle = colours.faint;
		context.textAlign = at > canvas.clientWidth - 30 ? "right" : at < label(canvas) + 20 ? "left" : "center";
		context.fillText(step >= 1e5 ? (time / 1e6).toFixed(step >= 1e6 ? 0 : 1) + " s" : seconds(Math.round(time)), at, 8);
	}
}

function drawMarks(context, canvas, height, marks) {
	context.strokeStyle = colours.mark;
	for (const mark of marks) {
		const at = x(canvas, mark.time);
		if (mark.time < view.from || mark.time > view.to)
			continue;
		context.setLineDash(mark.exec ? [2, 3] : []);
		context.globalAlpha = mark.exec ? 0.45 : 1;
		context.beginPath();
		context.moveTo(at, TOP - 4);
		context.lineTo(at, height);
		context.stroke();
	}
	context.setLineDash([]);
	context.globalAlpha = 1;
}

/* The end of a name says more than its beginning. */
function write(context, text, left, y, width) {
	let shown = text;
	while (shown.length > 4 && context.measureText(shown === text ? text : "…" + shown).width > width)
		shown = shown.slice(Math.ceil(shown.length / 20));
	context.textAlign = "left";
	context.fillText(shown === text ? text : "…" + shown, left, y);
}

function cell(row, text, name) {
	const td = document.createElement("td");
	td.textContent = text;
	if (name)
		td.className = name;
	row.append(td);
}

/* Says how many of all rows a table has no room for. */
function more(table, all) {
	if (all <= ROWS_MAX)
		return;
	const row = table.tBodies[0].insertRow();
	cell(row, `and ${all - ROWS_MAX} more`, "text");
	row.cells[0].colSpan = table.tHead.rows[0].cells.length;
}

function legend(list, entries) {
	for (const [name, words] of entries) {
		const item = document.createElement("li"), swatch = document.createElement("span");
		swatch.className = "swatch";
		swatch.style.background = `var(--${name})`;
		item.append(swatch, words);
		list.append(item);
	}
}

/* One start: its part of the page, and what is drawn there. */
class Start {
	constructor(data, name) {
		this.data = data;
		this.part = $("start").content.cloneNode(true).firstElementChild;
		document.querySelector("main").append(this.part);
		this.makeLanes();
		this.makeRows();
		this.fill(name);
		/* All heights are set before anything is drawn: a scrollbar that goes meanwhile would change the width. */
		this.in("threads").parentElement.style.height = `${TOP + this.rows.length * ROW + 4}px`;
		this.in("reads").parentElement.style.height = `${Math.ceil(this.bottom) + 6}px`;
		addHover(this.in("threads"), this.tellThread.bind(this));
		addHover(this.in("reads"), this.tellRead.bind(this));
	}

	in(name) {
		return this.part.querySelector("." + name);
	}

	/* Files in the order of their first reads, each with a lane as high as its size asks for. If there are too many, those that
	   were waited for longest are drawn. */
	makeLanes() {
		const laneOf = new Map();
		this.lanes = [];
		for (const read of this.data.reads) {
			let lane = laneOf.get(read[3]);
			if (!lane) {
				lane = {file: read[3], reads: [], last: 0};
				laneOf.set(read[3], lane);
				this.lanes.push(lane);
			}
			lane.reads.push(read);
			lane.last = Math.max(lane.last, read[4] + read[5]);
		}
		for (const lane of this.lanes) {
			const file = this.data.files[lane.file];
			/* The file system's own data lies all over the disk: what was not read of it is left out. */
			if (!file || file.kind !== "regular") {
				const places = [...new Set(lane.reads.map(read => read[4]))].sort((a, b) => a - b);
				lane.place = new Map(places.map((place, i) => [place, i]));
				lane.pages = places.length;
			} else {
				lane.pages = Math.max(lane.last, file.pages, 1);
			}
			lane.height = Math.min(LANE_MAX, Math.max(LANE_MIN, Math.sqrt(lane.pages) * 1.1));
		}
		const place = new Map(this.data.sums.map((sum, i) => [sum[0], i])), all = this.lanes.length;
		let room = SIDE_MAX - TOP - 10, y = TOP;
		const drawn = new Set([...this.lanes].sort((a, b) => place.get(a.file) - place.get(b.file))
			.filter(lane => (room -= lane.height + 2) >= 0));
		this.lanes = this.lanes.filter(lane => drawn.has(lane));
		this.hiddenFiles = all - this.lanes.length;
		for (const lane of this.lanes) {
			lane.top = y;
			y += lane.height + 2;
		}
		this.bottom = y;
	}

	/* Of a boot, the units that waited longest for reads, in the order of their begin. */
	makeUnitRows() {
		const units = this.data.units.slice(0, ROWS_MAX).sort((a, b) => a[0] - b[0]);
		this.rows = units.map(unit => ({thread: this.data.threads[unit[0]], i: unit[0], depth: 0, unit}));
		this.hidden = this.data.units.length - this.rows.length;
	}

	/* Processes in the order of their begin, below each its other threads. */
	makeThreadRows() {
		const others = new Map(), add = row => this.rows.length < ROWS_MAX ? this.rows.push(row) : this.hidden++;
		this.rows = [];
		this.hidden = 0;    // a canvas has no more room
		this.data.threads.forEach((thread, i) => {
			if (thread.tid === thread.pid)
				return;
			if (!others.has(thread.pid))
				others.set(thread.pid, []);
			others.get(thread.pid).push({thread, i, depth: 1});
		});
		this.data.threads.forEach((thread, i) => {
			if (thread.tid !== thread.pid)
				return;
			add({thread, i, depth: 0});
			(others.get(thread.pid) || []).forEach(add);
			others.delete(thread.pid);
		});
	}

	makeRows() {
		if (this.data.units)
			this.makeUnitRows();
		else
			this.makeThreadRows();
		this.spans = this.data.threads.map(() => []);
		for (const span of this.data.spans)
			this.spans[span[0]].push(span);
	}

	fileName(i) {
		const file = this.data.files[i];
		return !file ? "inodes, folders and the like" : file.kind === "metadata" ? `${file.path} (inodes and folders)`
			: file.path || "a file without a name";
	}

	rowName(row) {
		return row.unit ? row.thread.name : row.depth ? `${row.thread.name} ${row.thread.tid}` : `${row.thread.program.replace(/^.*\//, "")} (${row.thread.pid})`;
	}

	drawThreads() {
		const canvas = this.in("threads"), height = canvas.clientHeight, context = prepare(canvas);
		const left = label(canvas);
		drawAxis(context, canvas, height);
		this.rows.forEach((row, n) => {
			const y = TOP + n * ROW, name = this.rowName(row);
			context.globalAlpha = matches(name) ? 1 : 0.2;
			context.fillStyle = row.depth ? colours.faint : colours.text;
			write(context, name, 2 + 12 * row.depth, y + ROW / 2, left - 14 - 12 * row.depth);
			for (const span of this.spans[row.i]) {
				const from = Math.max(left, x(canvas, span[1])), to = x(canvas, span[1] + span[2]);
				if (to < left || from > canvas.clientWidth)
					continue;
				const thin = span[3] > 2;
				context.fillStyle = colours[STATES[span[3]][0]];
				context.fillRect(from, y + (thin ? 6 : 2), Math.max(0.6, to - from), thin ? ROW - 12 : ROW - 4);
			}
			if (row.unit)
				this.drawActivation(context, canvas, row.unit, y);
		});
		context.globalAlpha = 1;
		drawMarks(context, canvas, height, this.data.marks);
	}

	/* A frame from the moment when a unit was started until it was active. */
	drawActivation(context, canvas, unit, y) {
		const left = label(canvas), from = Math.max(left, x(canvas, unit[8])), to = x(canvas, unit[9]);
		if (unit[8] < 0 || unit[9] < 0 || to < left || from > canvas.clientWidth)
			return;
		context.strokeStyle = colours.faint;
		context.lineWidth = 1;
		context.strokeRect(from, y + 0.5, Math.max(1, to - from), ROW - 1);
	}

	place(lane, read) {
		const first = lane.place ? lane.place.get(read[4]) : read[4];
		return [lane.top + first / lane.pages * lane.height, Math.max(1, (lane.place ? 1 : read[5]) / lane.pages * lane.height)];
	}

	drawReads() {
		const canvas = this.in("reads"), height = canvas.clientHeight, context = prepare(canvas), left = label(canvas);
		let free = 0;
		this.lanes.forEach((lane, n) => {
			if (n % 2 === 0) {
				context.fillStyle = colours.row;
				context.fillRect(left, lane.top, canvas.clientWidth - left, lane.height + 1);
			}
		});
		drawAxis(context, canvas, height);
		for (const lane of this.lanes) {
			const name = this.fileName(lane.file), bright = matches(name);
			const middle = Math.max(lane.top + lane.height / 2, view.find && bright ? 0 : free);
			context.globalAlpha = bright ? 1 : 0.15;
			/* Names of small files would lie one on the other: as many as there is room for are shown. */
			if (middle <= lane.top + lane.height + 3 && (lane.height >= 11 || lane.top + lane.height / 2 >= free)) {
				context.fillStyle = colours.text;
				write(context, name, 2, middle, left - 10);
				free = middle + 12;
			}
			for (const read of lane.reads) {
				const from = Math.max(left, x(canvas, read[0])), to = x(canvas, read[0] + read[1]);
				if (to < left || from > canvas.clientWidth)
					continue;
				const [top, tall] = this.place(lane, read);
				context.fillStyle = colours[KINDS[read[6]][0]];
				context.fillRect(from, top, Math.max(1.5, to - from), Math.max(1.5, tall));
			}
		}
		context.globalAlpha = 1;
		drawMarks(context, canvas, height, this.data.marks);
	}

	tellThread(canvas, event, y) {
		const row = this.rows[Math.floor((y - TOP) / ROW)];
		if (!row || y < TOP)
			return "";
		const time = timeAt(canvas, event.offsetX);
		const name = row.unit ? this.tellUnit(row) : `${row.thread.program}\n${row.thread.name}, thread ${row.thread.tid} of process ${row.thread.pid}`;
		const span = event.offsetX > label(canvas) && this.spans[row.i].find(s => s[1] <= time && time < s[1] + s[2]);
		if (!span)
			return name;
		let text = `${name}\n${STATES[span[3]][1]} for ${seconds(span[2])}, from ${seconds(span[1])}`;
		if (span[4] >= 0)
			text += `\n${this.fileName(span[4])}`;
		if (span[5] >= 0)
			text += `\n${this.data.notes[span[5]]}`;
		return span[6] ? text + "\nnobody answered until its time was up" : text;
	}

	tellUnit(row) {
		const [, waited, read, files, , , , , started, active] = row.unit;
		return `${row.thread.name}\nwaited ${seconds(waited)} for reads, read ${bytes(read)} of ${files} ${files === 1 ? "file" : "files"}` +
			(started < 0 ? "" : `\nstarted at ${seconds(started)}`) + (active < 0 ? "" : `, active at ${seconds(active)}`);
	}

	tellRead(canvas, event, y) {
		const lane = this.lanes.find(l => y >= l.top - 1 && y < l.top + l.height + 1);
		if (!lane)
			return "";
		const time = timeAt(canvas, event.offsetX), slack = (view.to - view.from) / (canvas.clientWidth - label(canvas)) * 3;
		const near = event.offsetX > label(canvas) ? lane.reads.filter(r => r[0] - slack <= time && time <= r[0] + r[1] + slack) : [];
		near.sort((a, b) => Math.abs(this.place(lane, a)[0] - y) - Math.abs(this.place(lane, b)[0] - y));
		const read = near[0];
		if (!read)
			return this.fileName(lane.file);
		const thread = this.data.threads[read[2]];
		return `${this.fileName(lane.file)}\npages ${read[4]} to ${read[4] + read[5] - 1}, ${bytes(read[5] * this.data.page_size)}\n` +
			`asked for at ${seconds(read[0])}, arrived after ${seconds(read[1])}\n${KINDS[read[6]][1]}\n` +
			(this.data.units ? `by ${thread.name}` : `by ${thread.name} (${thread.tid})`);
	}

	fill(name) {
		const data = this.data;
		this.in("name").hidden = !name;
		this.in("name").textContent = name;
		this.in("mostly").textContent = `Mostly ${data.mostly}.`;
		this.in("facts").textContent = `${data.command} · traced ${new Date(data.recorded * 1000).toISOString().slice(0, 16).replace("T", " ")} UTC` +
			` on kernel ${data.kernel} · ended by: ${data.ended_by}` + (data.lost ? " · the kernel dropped events: some times are wrong" : "") +
			(data.left_out ? ` · ${data.left_out} of the shortest reads are not drawn` : "") +
			(this.hiddenFiles > 0 ? ` · files that are not drawn: ${this.hiddenFiles}` : "") +
			(this.hidden > 0 ? ` · rows that are not drawn: ${this.hidden}` : "");
		const states = new Set(data.spans.map(span => span[3])), kinds = new Set(data.reads.map(read => read[6]));
		legend(this.in("states"), STATES.filter((_, i) => states.has(i)));
		legend(this.in("kinds"), KINDS.filter((_, i) => kinds.has(i)));
		if (data.units)
			this.fillUnits();
		this.in("causes").style.width = `${100 * data.duration / longest}%`;
		STATES.forEach(([state, words], i) => {
			if (data.causes[i] < data.duration / 500)
				return;
			const part = document.createElement("div");
			part.className = state;
			part.style.flex = `${data.causes[i]} 0 0`;
			part.style.background = `var(--${state})`;
			part.textContent = part.title = `${words} ${seconds(data.causes[i])}`;
			this.in("causes").append(part);
		});
		for (const file of data.sums.slice(0, ROWS_MAX)) {
			const row = this.in("files").tBodies[0].insertRow();
			cell(row, seconds(file[1]));
			cell(row, bytes(file[2]));
			cell(row, file[3]);
			cell(row, file[4]);
			cell(row, this.fileName(file[0]), "text");
		}
		more(this.in("files"), data.sums.length);
		for (const mark of data.marks) {
			const row = this.in("marks").tBodies[0].insertRow();
			cell(row, seconds(mark.time));
			cell(row, mark.exec ? `${mark.name} executed` : data.units && mark.name.endsWith(".target") ? `${mark.name} reached`
				: data.units ? `the recording ended: ${mark.name}` : `the start is over: ${mark.name}`, "text");
		}
	}

	/* What only the page of a boot has. */
	fillUnits() {
		this.in("boot").hidden = false;
		this.in("reads").closest("section").before(this.in("threads").closest("section"), this.in("boot"));    // a boot reads many files
		this.in("who").textContent = "Units";
		this.in("whose").textContent = "Files by the time that the boot waited for them";
		legend(this.in("states"), [["frame", "being started, until it is active"]]);
		this.in("states").lastChild.firstChild.classList.add("frame");
		for (const unit of this.data.units.slice(0, ROWS_MAX)) {
			const row = this.in("units").tBodies[0].insertRow();
			cell(row, seconds(unit[1]));
			cell(row, bytes(unit[2]));
			for (const count of unit.slice(3, 6))
				cell(row, count);
			cell(row, unit[8] < 0 ? "" : seconds(unit[8]));
			cell(row, unit[9] < 0 ? "" : seconds(unit[9]));
			cell(row, this.data.threads[unit[0]].name, "unit");
			cell(row, unit[6] >= 0 && unit[7] * 2 > unit[1] ? this.fileName(unit[6]) : "", "text");
		}
		more(this.in("units"), this.data.units.length);
	}
}

function draw() {
	for (const name of [...STATES.map(state => state[0]), ...KINDS.map(kind => kind[0]), "line", "faint", "text", "row", "mark"])
		colours[name] = colour(name);
	for (const start of starts) {
		start.drawThreads();
		start.drawReads();
	}
	$("range").textContent = `${seconds(Math.round(view.from))} to ${seconds(Math.round(view.to))}`;
}

let drawn = 0;
function redraw() {
	cancelAnimationFrame(drawn);
	drawn = requestAnimationFrame(draw);
}

function show(from, to) {
	const width = Math.min(longest, Math.max(20, to - from));
	view.from = Math.min(Math.max(0, from), longest - width);
	view.to = view.from + width;
	redraw();
}

function zoom(by, around = (view.from + view.to) / 2) {
	show(around - (around - view.from) * by, around + (view.to - around) * by);
}

const move = by => show(view.from + by * (view.to - view.from), view.to + by * (view.to - view.from));

function addHover(canvas, tell) {
	let dragged = null;
	canvas.addEventListener("pointerdown", event => {
		if (event.button)
			return;
		dragged = {at: event.offsetX, from: view.from, to: view.to};
		canvas.setPointerCapture(event.pointerId);
	});
	canvas.addEventListener("lostpointercapture", () => { dragged = null; });    // released, or the browser took the pointer
	canvas.addEventListener("pointermove", event => {
		const tip = $("tip");
		if (dragged) {
			const by = (dragged.at - event.offsetX) / (canvas.clientWidth - label(canvas)) * (dragged.to - dragged.from);
			show(dragged.from + by, dragged.to + by);
			tip.hidden = true;
			return;
		}
		const text = tell(canvas, event, event.offsetY);
		tip.hidden = !text;
		tip.textContent = text;
		tip.style.left = Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 8) + "px";
		tip.style.top = Math.min(event.clientY + 16, innerHeight - tip.offsetHeight - 8) + "px";
	});
	canvas.addEventListener("pointerleave", () => { $("tip").hidden = true; });
	canvas.addEventListener("wheel", event => {
		if (event.offsetX < label(canvas) || event.shiftKey)
			return;
		event.preventDefault();
		if (Math.abs(event.deltaX) > Math.abs(event.deltaY))
			move(event.deltaX / 1000);
		else
			zoom(event.deltaY > 0 ? 1.25 : 0.8, timeAt(canvas, event.offsetX));
	}, {passive: false});
}

/* Says how many rows and files are found: they may lie where the page is not scrolled to. */
function find(text) {
	view.find = text.toLowerCase();
	const names = starts.flatMap(start => [...start.rows.map(row => start.rowName(row)), ...start.lanes.map(lane => start.fileName(lane.file))]);
	$("hits").textContent = view.find ? `${names.filter(matches).length} found` : "";
	redraw();
}

const KEYS = {"+": () => zoom(0.6), "=": () => zoom(0.6), "-": () => zoom(1 / 0.6), "0": () => show(0, longest),
	ArrowLeft: () => move(-0.2), ArrowRight: () => move(0.2), "/": () => $("search").focus()};
addEventListener("keydown", event => {
	if (event.target === $("search")) {
		if (event.key === "Escape") {
			$("search").value = "";
			$("search").blur();
			find("");
		}
	} else if (KEYS[event.key] && !event.ctrlKey && !event.metaKey && !event.altKey) {
		event.preventDefault();
		KEYS[event.key]();
	}
});
$("search").addEventListener("input", event => find(event.target.value));
$("in").addEventListener("click", KEYS["+"]);
$("out").addEventListener("click", KEYS["-"]);
$("all").addEventListener("click", KEYS["0"]);
addEventListener("resize", redraw);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
/* The browser has not yet changed to the colours of print. */
function print(begins) {
	view.printing = begins;
	document.documentElement.classList.toggle("printing", begins);
	draw();
}
addEventListener("beforeprint", () => print(true));
addEventListener("afterprint", () => print(false));

const two = page.starts.length === 2;
document.body.classList.toggle("two", two);
const boot = Boolean(page.starts[0].units), word = boot ? "boot" : "start";
document.title = `Timeline of ${boot ? "the boot of " : ""}${page.starts[0].program}`;
$("title").textContent = `${boot ? "Boot of " : ""}${page.starts[0].program}`;
$("summary").textContent = page.summary;
const starts = page.starts.map((data, i) => new Start(data, two ? `${["First", "Second"][i]} ${word}${data.prefetches ? ", with headstart" : ""}: ${seconds(data.duration)}` : ""));
draw();
document.documentElement.dataset.drawn = starts.map(start =>
	`${start.rows.length} rows, ${start.data.reads.length} reads, ${start.lanes.length} files`).join("; ");
