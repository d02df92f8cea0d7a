# SPDX-License-Identifier: MIT
"""The result as text: one line for each arm, at most 100 columns except for the longest names of arms."""

HEADINGS = (("arm", ""), ("n", ""), ("median", "s"), ("95 %", "s"), ("ratio", ""), ("95 %", ""),
            ("major", "faults"), ("read", "MB"), ("reads", ""), ("seeks", ""), ("prefetched", "MB"), ("used", "MB"))


def seconds(value):
    """Three significant digits: 12.3, 1.23, 0.123."""
    if value >= 10:
        return f"{value:.1f}"
    return f"{value:.2f}" if value >= 1 else f"{value:.3f}"


def megabytes(count):
    if count is None:
        return "?"
    return f"{count / 1e6:.1f}" if count < 99.95e6 else f"{count / 1e6:.0f}"


def size(count):
    """With its unit, for use in a text."""
    return f"{count / 1e6:.1f} MB" if count >= 1e5 else f"{count / 1e3:.1f} kB"


def row(name, arm):
    if arm["failures"]:
        return (name, str(arm["n"]), "failed")
    low, high = arm["ci95_s"]
    baseline = arm["compared_with"]
    ratio, interval = "1" if baseline else "–", ""
    if baseline not in (None, name):
        ratio = f"{arm[f'ratio_to_{baseline}']:.2f}"
        interval = "{:.2f}–{:.2f}".format(*arm[f"ratio_to_{baseline}_ci95"])
    return (name, str(arm["n"]), seconds(arm["median_s"]), f"{seconds(low)}–{seconds(high)}", ratio, interval,
            str(arm["major_faults"]), megabytes(arm["bytes_read"]), str(arm["reads"]), str(arm["seeks"]),
            megabytes(arm["bytes_prefetched"]), megabytes(arm["bytes_used"]))


def remarks(result):
    """What the numbers alone do not show, one sentence on each line."""
    for name, arm in result["arms"].items():
        for what in dict.fromkeys(failure["what"] for failure in arm["failures"]):
            rounds = [str(failure["round"]) for failure in arm["failures"] if failure["what"] == what]
            yield f"{name}: {what} (round {', '.join(rounds)})"
        if arm["refused"]:
            yield f"{name}: refused {arm['refused']} times, the page cache was not {arm['cache']}"
        baseline = arm.get("compared_with")
        if baseline not in (None, name) and not arm[f"different_from_{baseline}"]:
            yield f"{name}: no measurable difference from '{baseline}' (the intervals overlap)"
        if baseline == "warm" != name:
            ratio = arm["minor_faults"] / max(1, result["arms"]["warm"]["minor_faults"])
            yield f"{name}: {arm['minor_faults']} minor faults, {ratio:.2f} times those of 'warm'"
    if any(arm.get("compared_with") == "warm" and name != "warm" for name, arm in result["arms"].items()):
        yield "the ratios of warm arms are to 'warm', all others are to 'nothing'"
    reread = [count for arm in result["arms"].values() for count in arm.get("bytes_reread_of_runs", ())]
    if any(reread):
        yield (f"in {sum(map(bool, reread))} of {len(reread)} runs pages were taken out of the page cache and read again, "
               f"up to {size(max(reread))} in a run")
    if result["not_compared"]:
        yield f"not the same in every run of 'nothing', so not compared: {', '.join(result['not_compared'])}"


def render(result):
    rows = [[title for title, _ in HEADINGS], [unit for _, unit in HEADINGS]]
    rows += [row(name, arm) for name, arm in result["arms"].items()]
    widths = [max(len(cells[i]) for cells in rows if i < len(cells)) for i in range(len(HEADINGS))]
    lines = [f"{result['title']} on {result['device']}", ""]
    for cells in rows:
        text = [cells[0].ljust(widths[0])]
        text += [cell.rjust(width) for cell, width in zip(cells[1:], widths[1:])]
        lines.append("  ".join(text).rstrip())
    return "\n".join([*lines, "", *remarks(result)]).rstrip() + "\n"
