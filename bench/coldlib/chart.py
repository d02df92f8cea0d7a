# SPDX-License-Identifier: MIT
"""The result as a picture: a panel for each result, a line for each arm with every run, the median and its interval."""

import matplotlib

matplotlib.use("Agg")
from matplotlib import pyplot    # noqa: E402 (the backend has to be chosen first)

from coldlib import table    # noqa: E402

# Okabe and Ito's palette, which colour-blind people can distinguish too. Variants of an arm have its colour.
COLOURS = {"nothing": "#000000", "whole": "#56B4E9", "files": "#CC79A7", "run": "#D55E00", "audit": "#009E73",
           "warm": "#999999", "warm-run": "#E69F00", "warm-audit": "#0072B2", "relaid": "#F0E442"}
COLOURS |= {"audit-nowait": COLOURS["audit"], "shell-run": COLOURS["run"], "cold-shell-run": COLOURS["run"],
            "sweep-run": COLOURS["run"]}
OTHER = "#0072B2"

STYLE = {
    "font.family": "DejaVu Sans",
    "font.size": 11,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.spines.left": False,
    "svg.hashsalt": "headstart",    # so that the same numbers make the same file
}


def _label(name, arm):
    if arm["failures"]:
        return f"no time: {arm['failures'][0]['what']}"
    text = f"{table.seconds(arm['median_s'])} s"
    baseline = arm["compared_with"]
    if baseline in (None, name):
        return text
    ratio = arm[f"ratio_to_{baseline}"]
    same = "" if arm[f"different_from_{baseline}"] else ", no measurable difference"
    return f"{text}   × {ratio:.2f}{' of warm' if baseline == 'warm' else ''}{same}"


def _panel(axes, result):
    names = list(result["arms"])
    widest = 0      # of the labels behind long bars, in characters
    longest = max((max(arm["seconds"]) for arm in result["arms"].values() if not arm["failures"]), default=1)
    for line, name in enumerate(names):
        arm = result["arms"][name]
        colour = COLOURS.get(name, OTHER)
        end = 0
        if not arm["failures"]:
            low, high = arm["ci95_s"]
            end = max(arm["seconds"])
            spread = [0.16 * ((i % 3) - 1) for i in range(len(arm["seconds"]))]
            axes.barh(line, arm["median_s"], height=0.62, color=colour, alpha=0.22, linewidth=0)
            axes.plot([low, high], [line, line], color=colour, linewidth=3, solid_capstyle="butt")
            axes.plot([arm["median_s"]] * 2, [line - 0.31, line + 0.31], color=colour, linewidth=2)
            axes.plot(arm["seconds"], [line + dy for dy in spread], "o", markersize=4.5, markerfacecolor="white",
                      markeredgecolor=colour, markeredgewidth=1.1)
        label = _label(name, arm)
        if end > longest / 2:
            widest = max(widest, len(label))
        axes.text(end + longest * 0.015, line, label, va="center")
    axes.set_yticks(range(len(names)), names)
    axes.tick_params(axis="y", length=0)
    axes.invert_yaxis()
    axes.set_xlim(0, longest * (1.3 if widest < 20 else 1.65))
    axes.grid(axis="x", color="#dddddd", linewidth=0.8)
    axes.set_axisbelow(True)
    axes.set_title(f"{result['title']} on {result['device']}", loc="left", fontweight="bold")


def draw(results, path):
    """Draws a list of results to path, as SVG or PNG by its suffix."""
    with matplotlib.rc_context(STYLE):
        heights = [len(result["arms"]) for result in results]
        figure, panels = pyplot.subplots(len(results), squeeze=False,
                                         figsize=(9.5, 0.9 + sum(0.46 * n + 0.95 for n in heights)),
                                         gridspec_kw={"height_ratios": heights})
        for axes, result in zip(panels[:, 0], results):
            _panel(axes, result)
        panels[-1, 0].set_xlabel("seconds from start to exit; circles: runs, line: median, thick: its 95 % interval")
        figure.tight_layout(h_pad=1.6)
        figure.savefig(path, metadata={"Date": None} if str(path).endswith(".svg") else None)
        pyplot.close(figure)
