"""The report of a run: who differs from its group, in what first, since when; and what is wrong, by cause.

Asked of the dataset alone, with DuckDB; nothing is resolved again. Nodes with one digest of facts are one class. In
each group the largest class is what the others are compared with. The first difference is the first of: environment,
glibc, driver and GPUs; a request that is found nowhere, or elsewhere; a loaded file with other content; a file that
came or went; anything else. `soresolve diff` of the two snapshots (soresolve-fleet diff) has the proof, attempt by
attempt.
"""
import re
import shlex
import textwrap

from soresolve_fleet import facts as fact_tables

_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")  # in a name: none of them makes a line of its own
_NAMES_SHOWN = 6
_CLASSES_SHOWN = 20
_CAUSES_SHOWN = 20
_DECIDING_VERSIONS = ("environment", "platform", "kernel-module", "driver", "gpus", "device-nodes", "library-path")


def plural(count, noun):
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def make(connection, store, run, since=None):
    """The report as data: JSON types alone. The runs of `connection` are those that "since" and "over time" look at.
    With `since`, a run, all but the counts is of nodes that are not as they were in it."""
    description = store.description(run)
    rows = connection.execute(
        "SELECT name, kind, \"group\", status, reason, facts, number, good, roots, fails, started, place FROM nodes "
        "WHERE run = ? ORDER BY name", [run]).fetchall()
    noun = "node" if description["task"] == "snapshot" else "place"
    report = {"schema": "soresolve-fleet-report/1", "run": run, "task": description["task"], "noun": noun,
              "finished": store.is_finished(run), "started": description["started"], "asked": description["asked"],
              "rows": len(rows)}
    answered = [row for row in rows if row[5] is not None]
    report["answered"] = len(answered)
    report["since"] = None if since is None else _changes(connection, run, since, rows)
    chosen = {row[0] for row in rows}
    if since is not None:
        chosen = set(report["since"].pop("chosen"))
    connection.execute("CREATE OR REPLACE TEMP TABLE chosen AS SELECT unnest(?::VARCHAR[]) AS name", [sorted(chosen)])
    report["unanswered"] = _by_reason([row for row in rows if row[0] in chosen and row[5] is None])
    report["unknown"] = _by_reason([row for row in answered if row[0] in chosen and row[3] != "ok"])
    report["problems"] = _problems(connection, run)
    report["gpu"] = _gpu(connection, run)
    report["failing"] = sorted(row[0] for row in answered
                               if row[0] in chosen and (row[9] or row[3] == "ok" and row[7] is False))
    report["groups"] = _groups(connection, run, answered, chosen) if noun == "node" else []
    report["over_time"] = _over_time(connection, description["task"])
    report["verdict"], report["try"] = _verdict(report)
    return report


def status_of(report):
    """Of the command. As scan's: 2 where something that was asked about has no answer, whatever else is wrong; 1 where
    something is wrong, or a node differs from its group; 0."""
    if not report["finished"] or report["unanswered"] or report["unknown"]:
        return 2
    is_wrong = (report["failing"] or report["gpu"] or any(problem["counts"] for problem in report["problems"])
                or any(_odd(report)))
    return 1 if is_wrong else 0


def _odd(report):
    for group in report["groups"]:
        for one in group["classes"]:
            if not one["is_reference"]:
                yield group, one


def _by_reason(rows):
    found = {}
    for row in rows:
        found.setdefault((row[3], row[4]), []).append((row[0], row[11]))
    return [{"status": status, "reason": reason, "count": len(names), "names": [name for name, _ in names[:_NAMES_SHOWN]],
             "place": names[0][1]} for (status, reason), names in sorted(found.items(), key=lambda item: (-len(item[1]), item[0]))]


def _problems(connection, run):
    rows = connection.execute(
        f"""SELECT p.cause, any_value(p.code), any_value(p.severity), bool_or(p.counts) AS counts,
                   any_value(p.headline), count(*) AS nodes, sum(p.roots), list_sort(list(n.name))[:{_NAMES_SHOWN}],
                   any_value(p.fix), any_value(p.fix_text)
            FROM problems p JOIN nodes n ON n.run = p.run AND n.number = p.number JOIN chosen c ON c.name = n.name
            WHERE p.run = ? AND (p.counts OR p.severity <> 'machine')
            GROUP BY p.cause ORDER BY counts DESC, nodes DESC, p.cause LIMIT ?""", [run, _CAUSES_SHOWN * 10]).fetchall()
    return [{"cause": row[0], "code": row[1], "severity": row[2], "counts": row[3], "headline": row[4], "nodes": row[5],
             "processes": int(row[6]), "names": row[7], "fix": row[8], "fix_text": row[9]} for row in rows]


def _gpu(connection, run):
    rows = connection.execute(
        f"""SELECT g.device, count(DISTINCT n.name), count(DISTINCT g.path),
                   list_sort(list(DISTINCT n.name))[:{_NAMES_SHOWN}],
                   arg_min(g.path, n.name), arg_min(n.place, n.name)
            FROM gpu g JOIN nodes n ON n.run = g.run AND n.number = g.number JOIN chosen c ON c.name = n.name
            WHERE g.run = ? AND g.runs = 'none' GROUP BY g.device ORDER BY g.device""", [run]).fetchall()
    return [{"device": row[0], "nodes": row[1], "files": row[2], "names": row[3], "first": row[4],
             "place": row[5]} for row in rows]


def _changes(connection, run, since, rows):
    """What is not as it was in the run `since`: changes by their facts before and now, and names that are new, gone, or
    without an answer. A node without an answer then is compared by nothing: it counts as new."""
    before = dict((row[0], row[1:]) for row in connection.execute(
        "SELECT name, facts, number FROM nodes WHERE run = ?", [since]).fetchall())
    known = {name: value for name, value in before.items() if value[0] is not None}
    kinds, new, silent = {}, [], []
    for name, _kind, _group, _status, _reason, facts, number, *_rest in rows:
        if facts is None:
            if name in known:
                silent.append(name)
        elif name not in known:
            new.append(name)
        elif known[name][0] != facts:
            kinds.setdefault((known[name][1], number), []).append(name)
    gone = sorted(set(before) - {row[0] for row in rows})
    changes = []
    for (old, number), names in sorted(kinds.items(), key=lambda item: (-len(item[1]), item[0])):
        change = {"count": len(names), "names": names[:_NAMES_SHOWN]}
        if len(changes) < _CLASSES_SHOWN:
            change["differences"] = differences(connection, run, old, number, since, "before")
        changes.append(change)
    return {"run": since, "changed": sum(len(names) for names in kinds.values()), "changes": changes,
            "new": _counted(new), "gone": _counted(gone), "silent": _counted(silent),
            "chosen": [name for names in kinds.values() for name in names] + new + silent}


def _counted(names):
    return {"count": len(names), "names": names[:_NAMES_SHOWN]}


def _groups(connection, run, answered, chosen):
    groups = {}
    for name, _kind, group, _status, _reason, _facts, number, _good, roots, fails, *_rest in answered:
        one = groups.setdefault(group, {}).setdefault(number, {"names": [], "roots": roots, "fails": fails})
        one["names"].append(name)
    since = _since(connection, run)
    result = []
    compared = 0
    for group, classes in sorted(groups.items()):
        order = sorted(classes.items(), key=lambda item: (-len(item[1]["names"]), item[0]))
        reference = order[0][0]
        entry = {"group": group, "nodes": sum(len(one["names"]) for one in classes.values()), "classes": []}
        for number, one in order:
            if number != reference:
                one["names"] = [name for name in one["names"] if name in chosen]
            if not one["names"]:
                continue
            kind = {"number": number, "is_reference": number == reference, "count": len(one["names"]),
                    "names": one["names"][:_NAMES_SHOWN], "roots": one["roots"], "fails": one["fails"]}
            if number != reference and compared < _CLASSES_SHOWN:
                compared += 1
                kind["differences"] = differences(connection, run, reference, number)
                kind["since"] = min(since.get(name, run) for name in one["names"])
                kind["fix"] = _own_fix(connection, run, reference, number)
            entry["classes"].append(kind)
        result.append(entry)
    return result


def _own_fix(connection, run, reference, number):
    """The command for the first problem that the class has and the reference has not."""
    row = connection.execute(
        """SELECT fix, headline FROM problems WHERE run = ? AND number = ? AND counts AND cause NOT IN
             (SELECT cause FROM problems WHERE run = ? AND number = ?) ORDER BY roots DESC, cause LIMIT 1""",
        [run, number, run, reference]).fetchone()
    return row[0] if row else None


def _since(connection, run):
    """For each node that differs from the largest class of its group: the first run since which it always has."""
    rows = connection.execute(
        """WITH classes AS (SELECT run, "group", facts, count(*) AS c, min(started) AS began FROM nodes
                            WHERE facts IS NOT NULL AND kind = 'node' GROUP BY ALL),
                largest AS (SELECT run, "group", arg_max(facts, c) AS facts FROM classes GROUP BY ALL),
                judged AS (SELECT n.name, n.run, n.started, n.facts <> l.facts AS differs
                           FROM nodes n JOIN largest l ON n.run = l.run AND n."group" = l."group"
                           WHERE n.facts IS NOT NULL),
                last_alike AS (SELECT name, max(started) FILTER (NOT differs) AS moment FROM judged GROUP BY name),
                here AS (SELECT name FROM judged WHERE run = ? AND differs)
           SELECT j.name, arg_min(j.run, j.started) FROM judged j JOIN last_alike a ON a.name = j.name
           WHERE j.name IN (SELECT name FROM here) AND j.differs AND (a.moment IS NULL OR j.started > a.moment)
           GROUP BY j.name""", [run]).fetchall()
    return dict(rows)


def _rows(connection, table, run, number):
    columns = ", ".join(name for name, _ in fact_tables.COLUMNS[table])
    return connection.execute(f"SELECT {columns} FROM {table} WHERE run = ? AND number = ?", [run, number]).fetchall()


def differences(connection, run, reference, number, reference_run=None, other="in the group"):
    """In what a class differs from the reference: sentences, the first deciding one first; without those that
    follow. The reference is of the same run, or of another one: `other` is its name in the sentences."""
    reference_run = reference_run or run
    verb = "is" if reference_run == run else "was"
    found = []
    old = {(s, i): v for s, i, v in _rows(connection, "versions", reference_run, reference)}
    new = {(s, i): v for s, i, v in _rows(connection, "versions", run, number)}
    changed = sorted(key for key in {**old, **new} if old.get(key) != new.get(key))

    def say_version(key):
        subject = " ".join(part for part in key if part)
        return {"kind": "version", "rank": 0, "weight": 0, "subject": subject,
                "text": f"{subject}: {_value(new.get(key))}; {other} {_value(old.get(key))}"}

    first = [say_version(key) for key in changed if key[0] in _DECIDING_VERSIONS]
    later = [say_version(key) for key in changed if key[0] not in _DECIDING_VERSIONS and key[0] != "cache"]
    old_files = {row[0]: row for row in _rows(connection, "files", reference_run, reference)}
    new_files = {row[0]: row for row in _rows(connection, "files", run, number)}
    uses = {row[0]: row[1] for row in _rows(connection, "objects", reference_run, reference)}
    uses_new = {row[0]: row[1] for row in _rows(connection, "objects", run, number)}
    old_requests = {row[:3]: row[3:] for row in _rows(connection, "requests", reference_run, reference) if row[2] != "unasked"}
    new_requests = {row[:3]: row[3:] for row in _rows(connection, "requests", run, number) if row[2] != "unasked"}
    leads = {}
    for key, (target, processes) in old_requests.items():
        if key not in new_requests or new_requests[key][0] == target:
            continue
        change = (key[1], target, new_requests[key][0])
        needer, count = leads.get(change, (key[0], 0))
        leads[change] = (min(needer, key[0]), count + processes)
    moved_to = {path for _, old_target, new_target in leads for path in (old_target, new_target)}
    for (name, target, now), (needer, count) in leads.items():
        if now is None:
            text = f"{name}, which {needer} needs, is found nowhere; {other} it {verb} {target}"
        elif target is None:
            text = f"{name}, which {needer} needs, is {now}; {other} it {verb} found nowhere"
        else:
            text = f"{name}, which {needer} needs, is {now}; {other} it {verb} {target}"
        found.append({"kind": "request", "rank": 0 if now is None else 1, "weight": count, "subject": name,
                      "text": text})
    for path, row in old_files.items():
        if path in new_files and row[3] and new_files[path][3] and row[3] != new_files[path][3]:
            is_cache = row[4] == "configuration"
            found.append({"kind": "content", "rank": 4 if is_cache else 2, "weight": uses.get(path, 0), "subject": path,
                          "text": f"{path} has other content ({_value(new_files[path][2])} bytes; {other} "
                                  f"{_value(row[2])})"})
    for path in sorted(set(old_files) - set(new_files) - moved_to):
        found.append({"kind": "file", "rank": 3, "weight": uses.get(path, 0), "subject": path,
                      "text": f"{path} is not there; {other} it {verb}"})
    for path in sorted(set(new_files) - set(old_files) - moved_to):
        found.append({"kind": "file", "rank": 3, "weight": uses_new.get(path, 0), "subject": path,
                      "text": f"{path} is there; {other} it {verb} not"})
    found.sort(key=lambda one: (one["rank"], -one["weight"], one["subject"]))
    if not first and not found and not later:
        causes = [{row[3]: row for row in _rows(connection, "problems", which_run, which)}
                  for which_run, which in ((reference_run, reference), (run, number))]
        for cause in sorted(set(causes[1]) ^ set(causes[0])):
            row = causes[1].get(cause) or causes[0][cause]
            where = "only here" if cause in causes[1] else f"only {other}"
            later.append({"kind": "problem", "rank": 5, "weight": 0, "subject": cause, "text": f"{where}: {row[5]}"})
    sure = first + found + later
    if not sure:
        sure = [{"kind": "other", "rank": 6, "weight": 0, "subject": "",
                 "text": "how files are judged differs, not the files: see soresolve-fleet diff"}]
    return {"count": len(sure), "shown": [{"kind": one["kind"], "subject": one["subject"], "text": one["text"],
                                           "processes": one["weight"]} for one in sure[:5]]}


def _value(value):
    return "none" if value is None or value == "" else str(value)


def _over_time(connection, task):
    """All runs of this task: how many were asked, answered, of how many kinds, with failing processes."""
    rows = connection.execute(
        """SELECT run, min(started), count(*), count(facts), count(DISTINCT facts),
                  count(*) FILTER (facts IS NOT NULL AND NOT good AND status = 'ok')
           FROM nodes WHERE (kind = 'node') = ? GROUP BY run ORDER BY min(started) DESC LIMIT 20""",
        [task == "snapshot"]).fetchall()
    return [{"run": row[0], "started": row[1].strftime("%Y-%m-%d %H:%M UTC"), "rows": row[2], "answered": row[3],
             "kinds": row[4], "failing": row[5]} for row in rows]


def _verdict(report):
    """What is so, and the command to type."""
    noun, answered = report["noun"], report["answered"]
    clauses, command = [], ""
    odd = list(_odd(report))
    no_answer = sum(one["count"] for one in report["unanswered"])
    failing = len(report["failing"])
    if not report["finished"]:
        clauses.append(f"unfinished: {report['rows']:,} of {plural(report['asked'], noun)} done")
        command = f"soresolve-fleet resume OUT {report['run']}"
    since = report["since"]
    if since:
        parts = [f"{since['changed']:,} of {plural(answered, noun)} " + ("has" if since["changed"] == 1 else "have")
                 + f" changed since run {since['run']}"]
        parts += [f"{since[what]['count']:,} {words}" for what, words in (
            ("new", "new"), ("gone", "gone")) if since[what]["count"]]
        clauses.append(", ".join(parts))
    if odd:
        count = sum(one["count"] for _, one in odd)
        has_groups = len(report["groups"]) > 1
        which = f"{count:,} of these" if since else f"{count:,} of {plural(answered, noun)}"
        clauses.append(which + (" differs" if count == 1 else " differ") + (
            " from the largest kind" if since and not has_groups else " from their group" if has_groups
            else f" from the other {answered - count:,}"))
        for _, one in odd:
            if not command and one.get("fix"):
                command = f"on {one['names'][0]}: " + one["fix"].splitlines()[0]
        if not command:
            command = f"soresolve-fleet diff OUT {odd[0][1]['names'][0]}"
    if failing and not odd:
        which = f"{failing:,} of these" if since else f"{failing:,} of {plural(answered, noun)}"
        clauses.append(which + (" has" if failing == 1 else " have") + " programs or modules that do not load")
    if failing and not command:
        first = next((problem for problem in report["problems"] if problem["counts"]), None)
        if first and first["fix"]:
            command = f"on {first['names'][0]}: " + first["fix"].splitlines()[0]
        elif first:
            command = f"soresolve help {first['code']}"
    unknown = sum(one["count"] for one in report["unknown"])
    if unknown:
        which = f"{unknown:,} of these" if since else f"{unknown:,} of {plural(answered, noun)}"
        clauses.append(f"not known for {which}")
        first = report["unknown"][0]
        command = command or (f"soresolve scan --root {shlex.quote(first['place'])}" if noun == "place"
                              else f"soresolve-fleet get OUT {shlex.quote(first['names'][0])} -o node.srs")
    if report["gpu"]:
        one = report["gpu"][0]
        clauses.append(f"{plural(one['nodes'], noun)} with GPU code that {one['device']} cannot run")
        command = command or " ".join(["soresolve gpu --device", shlex.quote(one["device"]), "--root",
                                       shlex.quote(one["place"]), shlex.quote(one["first"])])
    if no_answer:
        clauses.append(f"{no_answer:,} gave no answer")
        command = command or f"soresolve-fleet resume OUT {report['run']}"
    if not clauses:
        counted = any(problem["counts"] for problem in report["problems"])
        alike = ", all alike" if noun == "node" and answered > 1 else ""
        clauses.append(f"{plural(answered, noun)}{alike}: "
                       + ("the same problems on all" if counted else "no problem found"))
    return "; ".join(clauses), command


def text(report, folder):
    """For a terminal: the verdict, the command, then the proof."""
    lines = [report["verdict"]]
    if report["try"]:
        lines.append("try " + report["try"].replace("OUT", folder))
    noun = report["noun"]
    if report["since"]:
        lines += _since_lines(report["since"], noun)
    for group in report["groups"]:
        reference = group["classes"][0]
        title = f"group {group['group']}: " if group["group"] else ""
        lines += ["", f"{title}{plural(group['nodes'], noun)}, {plural(len(group['classes']), 'kind')}"]
        lines.append(f"  {plural(reference['count'], noun)}: {_list(reference)}")
        for one in group["classes"][1:]:
            lines.append(f"  {plural(one['count'], noun)}: {_list(one)}")
            if "differences" not in one:
                continue
            shown = one["differences"]["shown"]
            lines.append(f"    {shown[0]['text']}")
            for further in shown[1:3]:
                lines.append(f"    also {further['text']}")
            rest = one["differences"]["count"] - len(shown[:3])
            if rest > 0:
                lines.append(f"    and {plural(rest, 'further difference')}: "
                             f"soresolve-fleet diff {folder} {one['names'][0]}")
            if one["fails"] and one["fails"] != reference["fails"]:
                lines.append(f"    {one['fails']:,} of {one['roots']:,} processes fail")
            lines.append(f"    since run {one['since']}")
            if one.get("fix"):
                lines += ["    try " + line for line in one["fix"].splitlines()]
    for title, kind in (("no answer", "unanswered"), ("not known", "unknown")):
        if report[kind]:
            lines += ["", title]
        for one in report[kind]:
            lines.append(f"  {one['count']:,} {one['status']}: {_list(one)}")
            if one["reason"]:
                lines.append(f"    {one['reason']}")
    problems = [problem for problem in report["problems"] if problem["counts"]]
    if problems:
        lines += ["", f"problems ({noun}s, processes)"]
        for problem in problems[:_CAUSES_SHOWN]:
            lines.append(f"  {problem['nodes']:>5,} {problem['processes']:>6,}  {problem['headline']}")
            lines.append(f"                {_names(problem['names'], problem['nodes'])}")
            if problem["fix"]:
                lines.append("                try " + problem["fix"].splitlines()[0])
        if len(problems) > _CAUSES_SHOWN:
            lines.append(f"  and {plural(len(problems) - _CAUSES_SHOWN, 'further cause')}: --json has them")
    for one in report["gpu"]:
        lines += ["", f"GPU code that {one['device']} cannot run: {plural(one['files'], 'file')} in "
                  f"{plural(one['nodes'], noun)}: {_names(one['names'], one['nodes'])}; the first is {one['first']}"]
    if len(report["over_time"]) > 1:
        lines += ["", "runs                             started               asked answered kinds failing"]
        for one in report["over_time"]:
            lines.append(f"  {one['run']:<30} {one['started']:<21} {one['rows']:>5,} {one['answered']:>8,} "
                         f"{one['kinds']:>5,} {one['failing']:>7,}")
    lines = [_CONTROL.sub(lambda found: f"\\x{ord(found.group()):02x}", line) for line in lines]
    return "\n".join(lines[:1] + [_wrapped(line) for line in lines[1:]]) + "\n"


def _since_lines(since, noun):
    """What has changed, the most frequent change first."""
    lines = []
    if since["changes"]:
        lines += ["", f"changed since run {since['run']}"]
    for one in since["changes"]:
        lines.append(f"  {plural(one['count'], noun)}: {_list(one)}")
        if "differences" in one:
            shown = one["differences"]["shown"]
            lines.append(f"    {shown[0]['text']}")
            lines += [f"    also {further['text']}" for further in shown[1:3]]
            rest = one["differences"]["count"] - len(shown[:3])
            if rest > 0:
                lines.append(f"    and {plural(rest, 'further difference')}: --json has {len(shown)} of them")
    for what, words in (("new", "new, or without an answer then"), ("gone", "not asked any more")):
        if since[what]["count"]:
            lines += ["", f"{words}: {_list(since[what])}"]
    return lines


def _wrapped(line):
    """Lines of at most 100 columns, where words allow it; commands stay whole, to be copied."""
    indent = " " * (len(line) - len(line.lstrip()))
    if len(line) <= 100 or line.lstrip().startswith("try "):
        return line
    return textwrap.fill(line, 100, subsequent_indent=indent + "  ", break_long_words=False, break_on_hyphens=False,
                         drop_whitespace=True, initial_indent="")


def _names(names, count):
    shown = ", ".join(names[:_NAMES_SHOWN])
    return shown + (f" and {count - len(names[:_NAMES_SHOWN]):,} more" if count > len(names[:_NAMES_SHOWN]) else "")


def _list(one):
    return _names(one["names"], one["count"])
