"""A daily digest of a forge for code: lists of changes, quoted reviews, code in `pre`, and links that can be used."""

from newsletters.kit import Envelope, Newsletter, opaque, pixel, publish

HOST = "forge.example"
REPO = f"https://{HOST}/tools/raingauge"

CHANGES = (
    (812, "Read the tipping bucket by interrupt, not by polling", "ada", "merged", "+214 −388, 9 files"),
    (809, "Time zone of the log is the station's", "noor", "approved by you", "+41 −12, 3 files"),
    (807, "Drop Python 3.9", "renovate", "waits for CI", "+3 −57, 6 files"),
    (804, "A calibration table in the docs", "henk-j", "changes requested", "+190 −0, 2 files"),
    (801, "Retry the modem after a reset", "salma", "merged", "+66 −20, 4 files"),
    (798, "Plot: daily sums as bars", "pavel", "closed, superseded by !812", "+130 −4, 2 files"),
    (795, "Units in column names", "ada", "merged", "+88 −88, 21 files"),
    (791, "Do not lose the last minute at midnight", "noor", "merged", "+17 −3, 2 files"),
)
ISSUES = (
    (455, "Negative rain after a power cut", "bug, needs a log", "2 comments"),
    (452, "Support the Kumo receiver", "wish", "11 comments"),
    (449, "Battery reads 0 V below −20 °C", "bug, confirmed", "6 comments"),
    (441, "Document the wiring of version 2", "docs, good first issue", "no comments"),
    (438, "Export to the society's format", "wish", "4 comments"),
    (437, "Clock drifts by 3 s a day", "hardware", "9 comments"),
)
CODE = """def on_tip(now: float) -&gt; None:
    if now - last_tip &lt; 0.05:  # bounce
        return
    total_mm += 0.2"""


def make() -> Newsletter:
    """Make the digest."""
    changes = "".join(_change(*each) for each in CHANGES)
    issues = "".join(_issue(*each) for each in ISSUES)
    html = f"""<!DOCTYPE html><html><head><meta charset="utf-8"><style>{_css()}</style></head><body><div class="preheader-wrap" style="opacity:0;height:0;overflow:hidden">8 merge requests, 6 issues, one review for you</div>
<table border="0" cellpadding="0" cellspacing="0" id="body" width="100%"><tbody><tr class="line"><td style="height:4px;font-size:4px;line-height:4px" bgcolor="#6b4fbb"></td></tr><tr class="header"><td style="padding:25px 0;text-align:center"><img alt="Forge" src="https://{HOST}/assets/mailers/{opaque("logo", 64)}.gif" width="55" height="50"></td></tr>
<tr><td><table align="center" class="wrapper" cellpadding="0" cellspacing="0" style="width:640px"><tbody><tr><td class="wrapper-cell" style="background-color:#ffffff;text-align:left;padding:18px 25px"><h1>Your day in tools/raingauge</h1>
<p>Tuesday, 3 November 2026, since yesterday 08:00 UTC. The pipeline of <code>main</code> has <b>passed</b> in 6 minutes 12 seconds, with 1,482 tests and 97.3 % of lines covered.</p>
<h2>Waiting for you</h2>{_review()}<h2>Merge requests</h2><table class="list" width="100%"><thead><tr><th></th><th align="left">Title</th><th align="left">By</th><th align="left">State</th><th align="left">Size</th></tr></thead><tbody>{changes}</tbody></table>
<h2>Issues</h2><table class="list" width="100%"><tbody>{issues}</tbody></table>
<h2>Released</h2><dl><dt>v2.4.0, by ada</dt><dd>Interrupts instead of polling; the battery lasts 41 days instead of 9. Needs firmware 1.8 or newer.</dd><dt>v2.3.7, by noor</dt><dd>The last minute before midnight is kept. If you have data of 2025, run <code>raingauge repair --since 2025-01-01</code> once.</dd></dl>
</td></tr></tbody></table></td></tr><tr class="footer"><td style="padding:25px 0;font-size:13px;color:#5c5c5c;text-align:center"><div>You get this since you watch tools/raingauge. <a href="https://{HOST}/-/sent_notifications/{opaque("mute", 32)}/unsubscribe?force=true&amp;sig={opaque("sig", 60)}" class="mng-notif-link">Unsubscribe</a> · <a href="https://{HOST}/-/profile/notifications" class="mng-notif-link">Manage all notifications</a> · <a href="https://{HOST}/help" class="help-link">Help</a></div><div>Forge Cooperative, Kanalgata 3, 5003 Bergen</div></td></tr></tbody></table>{pixel(HOST, "forge")}
<script type="application/ld+json">{{"@context":"http://schema.org","@type":"EmailMessage","action":{{"@type":"ViewAction","name":"View Digest","url":"{REPO}"}}}}</script></body></html>"""
    facts = [
        "Forge",
        "Your day in tools/raingauge",
        "1,482 tests",
        "97.3 %",
        "Waiting for you",
        f"!804 A calibration table in the docs <{REPO}/-/merge_requests/804>",
        "henk-j wrote",
        "> Shall I round to 0.1 mm",
        "def on_tip(now: float) -> None:",
        "    if now - last_tip < 0.05:",
        "    total_mm += 0.2",
        "Reply",
    ]
    for number, title, who, state, size in CHANGES:
        facts += [f"!{number} | {title}", who, state, size]
    for number, title, labels, comments in ISSUES:
        facts += [f"#{number}", title, labels, comments]
    facts += [
        "v2.4.0",
        "firmware 1.8",
        "raingauge repair --since 2025-01-01",
        "Unsubscribe",
        f"https://{HOST}/-/profile/notifications",
        "Kanalgata 3",
    ]
    return publish(
        Envelope(
            name="forge digest", sender="Forge <noreply@forge.example>", subject="Your day in tools/raingauge"
        ),
        html,
        facts=facts,
        absent=["one review for you", "schema.org", "mng-notif", "ViewAction"],
    )


def _review() -> str:
    return f"""<p><a href="{REPO}/-/merge_requests/804?utm_source=digest&amp;utm_medium=email">!804 A calibration table in the docs</a>: henk-j wrote at 21:40</p><blockquote style="border-left:3px solid #dbdbdb;color:#5c5c5c;margin:0 0 10px;padding-left:10px"><p>Shall I round to 0.1 mm, or keep what the sensor says? And is the bounce of 50 ms in line 31 measured, or guessed?</p></blockquote>
<pre class="code highlight" style="background:#fafafa;border:1px solid #e5e5e5;font-family:Menlo,monospace"><code>{_highlight(CODE)}</code></pre><p><a href="https://{HOST}/-/sent_notifications/{opaque("reply", 200)}" class="btn">Reply</a></p>"""


def _highlight(code: str) -> str:
    return "\n".join(
        f'<span id="LC{number}" class="line" lang="python">{line}</span>'
        for number, line in enumerate(code.split("\n"), 1)
    )


_CELL = "border-bottom:1px solid #ececef;padding:8px 6px;font-family:-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,'Noto Sans',Ubuntu,Cantarell,'Helvetica Neue',sans-serif;font-size:14px;line-height:20px;color:#333238;"
_ICON = (
    '<svg class="s16 merge-icon" viewBox="0 0 16 16" aria-hidden="true"><path fill="#6b4fbb" fill-rule="evenodd" d="M5.5 3.5a1 1 0 11-2 0 1 1 0 012 0zm-.25 2.386a2.501 2.501 0 10-1.5 0v4.228a2.501 2.501 0 101.5 0V5.886z"/>'
    '<path d="' + "M4.5 13.5a1 1 0 100-2 1 1 0 000 2zM11.5 12.5a1 1 0 112 0 1 1 0 01-2 0z " * 18 + '"/></svg>'
)


def _change(number: int, title: str, who: str, state: str, size: str) -> str:
    avatar = f'<img class="avatar" src="https://{HOST}/uploads/-/system/user/avatar/{opaque(who, 140)}/avatar.png?width=48" width="24" height="24" alt="">'
    return f"""<tr class="merge-request"><td style="{_CELL}white-space:nowrap">{_ICON}!{number}</td><td style="{_CELL}"><a href="{REPO}/-/merge_requests/{number}?utm_source=digest&amp;utm_medium=email&amp;utm_content={opaque(title, 140)}" style="color:#1068bf;text-decoration:none">{title}</a></td>
<td style="{_CELL}">{avatar}{who}</td><td style="{_CELL}"><span class="badge badge-pill" style="border-radius:10px;background-color:#ececef;padding:2px 8px">{state}</span></td><td style="{_CELL}white-space:nowrap">{size}</td></tr>"""


def _issue(number: int, title: str, labels: str, comments: str) -> str:
    return f"""<tr class="issue"><td style="{_CELL}white-space:nowrap">#{number}</td><td style="{_CELL}"><a href="{REPO}/-/issues/{number}" style="color:#1068bf;text-decoration:none">{title}</a></td><td style="{_CELL}"><span class="gl-label" style="border-radius:12px;background-color:#e9f3fc;color:#1068bf;padding:2px 8px">{labels}</span></td><td style="{_CELL}color:#737278">{comments}</td></tr>"""


def _css() -> str:
    tokens = "".join(
        f".code .{name} {{ color: #{shade}; font-style: normal; font-weight: 400; }}\n"
        for name in [
            "hll",
            "c",
            "err",
            "k",
            "o",
            "ch",
            "cm",
            "cp",
            "cpf",
            "c1",
            "cs",
            "gd",
            "ge",
            "gr",
            "gh",
            "gi",
            "go",
            "gp",
            "gs",
            "gu",
            "gt",
            "kc",
            "kd",
            "kn",
            "kp",
            "kr",
            "kt",
            "m",
            "s",
            "na",
            "nb",
            "nc",
            "no",
            "nd",
            "ni",
            "ne",
            "nf",
            "nl",
            "nn",
            "nt",
            "nv",
            "ow",
            "w",
        ]
        for shade in ("333238",)
    )
    badges = "".join(
        f".badge-{name}-{tone} {{ color: #ffffff; background-color: #{shade}; }}\n"
        for name in ("success", "danger", "warning", "info", "neutral")
        for tone, shade in (
            (100, "c3e6cd"),
            (300, "52b87a"),
            (500, "108548"),
            (700, "24663b"),
            (900, "0a4020"),
        )
    )
    return f"body {{ margin: 0 !important; background-color: #fafafa; }} .btn {{ color: #ffffff; background: #6b4fbb; padding: 8px 14px; }} img {{ max-width: 100%; height: auto; }}\n{tokens}{badges}@media only screen and (max-width: 639px) {{ .wrapper-cell {{ padding: 10px !important; }} .avatar, .badge {{ display: none !important; }} }}"
