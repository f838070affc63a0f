"""The report as a page: one file, no network, no script."""
import html

from soresolve_fleet.report import plural

_STYLE = """
body{font:15px/1.45 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem;color:#1d2129;background:#fff}
h1{font-size:1.4rem;margin:0 0 .4rem} h2{font-size:1.1rem;margin:1.8rem 0 .4rem}
code,pre{font:13px/1.4 ui-monospace,monospace;background:#f2f4f7;padding:.1rem .3rem;border-radius:3px;
overflow-wrap:anywhere}
pre{padding:.5rem .7rem;white-space:pre-wrap} table{border-collapse:collapse;width:100%} td,th{text-align:left;
vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid #dde1e7} td.n,th.n{text-align:right;white-space:nowrap}
.quiet{color:#5b6472} .bar{display:inline-block;height:.7rem;background:#b3261e;border-radius:2px}
@media(prefers-color-scheme:dark){body{background:#15181d;color:#e4e7ec}code,pre{background:#232830}
td,th{border-color:#333a45}.quiet{color:#9aa4b2}}
"""


def _escaped(text):
    return html.escape("" if text is None else str(text))


def _names(one, count):
    more = count - len(one["names"])
    return _escaped(", ".join(one["names"])) + (f" and {more:,} more" if more > 0 else "")


def page(report, folder):
    noun = report["noun"]
    out = ["<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'>",
           f"<title>{_escaped(report['verdict'])}</title><style>{_STYLE}</style>",
           f"<h1>{_escaped(report['verdict'])}</h1>"]
    if report["try"]:
        out.append(f"<pre>{_escaped(report['try'].replace('OUT', folder))}</pre>")
    out.append(f"<p class=quiet>run {_escaped(report['run'])}, started {_escaped(report['started'])}: "
               f"{report['answered']:,} of {plural(report['asked'], noun)} answered</p>")
    if report["since"]:
        since = report["since"]
        out.append(f"<h2>changed since run {_escaped(since['run'])}</h2><table><tr><th class=n>{noun}s<th>which<th>first difference")
        for one in since["changes"]:
            shown = one["differences"]["shown"] if "differences" in one else []
            out.append(f"<tr><td class=n>{one['count']:,}<td>{_names(one, one['count'])}<td>"
                       + "<br>".join(_escaped(item["text"]) for item in shown))
        for what in ("new", "gone"):
            if since[what]["count"]:
                out.append(f"<tr><td class=n>{since[what]['count']:,}<td>{_names(since[what], since[what]['count'])}<td>{what}")
        out.append("</table>")
    for group in report["groups"]:
        title = f"group {group['group']}" if group["group"] else "kinds"
        out.append(f"<h2>{_escaped(title)}</h2><table><tr><th class=n>{noun}s<th>which<th>first difference<th>since run"
                   "<th class=n>failing")
        for one in group["classes"]:
            if one["is_reference"]:
                text = "<span class=quiet>the others are compared with these</span>"
            elif "differences" in one:
                shown = one["differences"]["shown"]
                text = _escaped(shown[0]["text"])
                if len(shown) > 1:
                    rest = "".join(f"<li>{_escaped(item['text'])}" for item in shown[1:])
                    text += (f"<details><summary>{plural(one['differences']['count'] - 1, 'further difference')}"
                             f"</summary><ul>{rest}</ul></details>")
                if one.get("fix"):
                    text += f"<pre>{_escaped(one['fix'])}</pre>"
            else:
                text = f"<code>soresolve-fleet diff {_escaped(folder)} {_escaped(one['names'][0])}</code>"
            out.append(f"<tr><td class=n>{one['count']:,}<td>{_names(one, one['count'])}<td>{text}"
                       f"<td>{_escaped(one.get('since'))}<td class=n>{one['fails'] or 0:,}")
        out.append("</table>")
    for title, kind in (("no answer", "unanswered"), ("not known", "unknown")):
        if not report[kind]:
            continue
        out.append(f"<h2>{title}</h2><table><tr><th class=n>{noun}s<th>status<th>which<th>reason")
        for one in report[kind]:
            out.append(f"<tr><td class=n>{one['count']:,}<td>{_escaped(one['status'])}<td>{_names(one, one['count'])}"
                       f"<td>{_escaped(one['reason'])}")
        out.append("</table>")
    if report["problems"]:
        most = max(problem["nodes"] for problem in report["problems"])
        out.append(f"<h2>problems</h2><table><tr><th class=n>{noun}s<th><th class=n>processes<th>problem<th>which")
        for problem in report["problems"]:
            fix = f"<pre>{_escaped(problem['fix'])}</pre>" if problem["fix"] else ""
            quiet = "" if problem["counts"] else " class=quiet"
            out.append(f"<tr{quiet}><td class=n>{problem['nodes']:,}<td><span class=bar style='width:"
                       f"{max(2, 100 * problem['nodes'] // most)}px'></span><td class=n>{problem['processes']:,}"
                       f"<td>{_escaped(problem['headline'])}{fix}<td>{_names(problem, problem['nodes'])}")
        out.append("</table>")
    for one in report["gpu"]:
        out.append(f"<h2>GPU code that {_escaped(one['device'])} cannot run</h2><p>{plural(one['files'], 'file')} in "
                   f"{plural(one['nodes'], noun)}: {_names(one, one['nodes'])}; the first is "
                   f"<code>{_escaped(one['first'])}</code></p>")
    out.append("<h2>runs</h2><table><tr><th>run<th>started<th class=n>rows<th class=n>answered<th class=n>kinds"
               "<th class=n>failing")
    for one in report["over_time"]:
        out.append(f"<tr><td>{_escaped(one['run'])}<td>{_escaped(one['started'])}<td class=n>{one['rows']:,}"
                   f"<td class=n>{one['answered']:,}<td class=n>{one['kinds']:,}<td class=n>{one['failing']:,}")
    out.append("</table></html>\n")
    return "\n".join(out)
