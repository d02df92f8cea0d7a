# SPDX-License-Identifier: MIT
"""Compares one boot with boots before the line was added: it must have the same active and failed units, and the same
daemons.

A unit whose state differs even among those (the service of a timer, for example) is left out, and named.
"""

FAULTS_LEFT = 0.25      # of the pages that a start waits for without a plan, at most this part with one


def _no_shim(boot):
    return not boot["shim"]


def _quiet(boot):
    return not boot["complaints"]


KINDS = {                   # of boots: what must be true
    "before": (("no shim is in a process", _no_shim), ("nobody complains", _quiet)),
    "with": (("the shim is in daemons", lambda boot: boot["shim"] > 1),
             ("plans are carried out", lambda boot: boot["prefetched"] > 0), ("nobody complains", _quiet)),
    "gone": (("no shim is in a process", _no_shim), ("programs complain", lambda boot: boot["complaints"] > 0)),
    "dies": (("init is killed", lambda boot: "Attempted to kill init" in boot["died"]),),
}
KINDS["init"] = (("no shim is in a process", _no_shim), ("/etc/ld.so.preload is gone", lambda boot: boot["preload"] is None))
KINDS["after"] = (*KINDS["before"], ("/etc/ld.so.preload is gone", lambda boot: boot["preload"] is None))
KINDS["mended"] = (*KINDS["before"], ("/etc/ld.so.preload is empty", lambda boot: (boot["preload"] or {}).get("bytes") == 0))


def judge(boots):
    """The report on boots, as steps.boots() returns them."""
    references = [boot for boot in boots if boot["kind"] == "before"]
    report = {"kernel": references[0]["kernel"], "varying": varying(references), "boots": [], "faults": []}
    for boot in boots:
        told = summary(boot)
        wrong = [f"not true: {what}" for what, holds in KINDS[boot["kind"]] if not holds(told)]
        if "units" in boot:
            wrong += differences(references, boot)
        report["faults"] += [f"{boot['title']}: {sentence}" for sentence in wrong]
        report["boots"].append(told)
    return report


def judge_use(report):
    """Sentences on what is wrong in a report of use.py."""
    starts, relayout = report["starts"], report["relayout"]
    wrong = [f"a start differs: {name}" for name, start in starts.items()
             if (start["said"], start["status"]) != (starts["nothing"]["said"], 0)]
    few = starts["nothing"]["major_faults"] * FAULTS_LEFT
    wrong += [f"the start '{name}' waits for {starts[name]['major_faults']} pages, more than {few:.0f}"
              for name in ("run", "relaid, run") if starts[name]["major_faults"] > few]
    if not relayout["relaid"] or relayout["failed"]:
        wrong.append(f"{relayout['relaid']} files were relaid, and {relayout['failed']} failed")
    if relayout["restored"] != relayout["relaid"]:
        wrong.append(f"{relayout['restored']} of {relayout['relaid']} files were restored")
    return wrong


def varying(reports):
    """Names of the units that differ among these boots."""
    units = [report["units"] for report in reports]
    return sorted(name for name in set().union(*units) if len({boot.get(name) for boot in units}) > 1)


def differences(references, report):
    """Sentences on how `report` differs from what all `references` have in common."""
    aside, reference = varying(references), references[0]
    found = []
    for name in sorted((reference["units"].keys() | report["units"].keys()) - set(aside)):
        was, is_ = (one["units"].get(name, "not there") for one in (reference, report))
        if was != is_:
            found.append(f"{name} is {is_}, was {was}")
    if report["state"] not in {one["state"] for one in references}:
        found.append(f"the system is {report['state']}, was {reference['state']}")
    daemons = set.intersection(*(set(one["processes"]) for one in references))
    found += [f"{name} does not run" for name in sorted(daemons - report["processes"].keys())]
    if report["crashes"] > max(one["crashes"] for one in references):
        found.append(f"{report['crashes']} programs crashed")
    return found


def summary(boot):
    """A boot in few words."""
    if "units" not in boot:
        return boot
    return {
        **{key: boot[key] for key in ("title", "kind", "state", "prefetched", "preload", "crashes")},
        "units": sum(state == "active" for state in boot["units"].values()),
        "failed": sorted(name for name, state in boot["units"].items() if state == "failed"),
        "processes": len(boot["processes"]), "shim": sum(boot["processes"].values()),
        "with_shim": sorted(name for name, shim in boot["processes"].items() if shim),
        "complaints": len(boot["complaints"]) + boot["console_complaints"], "first_complaints": boot["complaints"][:3],
        **({"script": boot["script"]["said"]} if boot["script"]["said"] else {}),
    }
