"""Links that say one thing and do another."""

from typing import Final

from hostile.message import HostileMail, html_letter

_MISLEADING: Final = {
    "mismatch": ('<a href="https://evil.example/login">https://corp.example/login</a>', "evil.example"),
    "user_name": ('<a href="https://corp.example@evil.example/">Log in</a>', "evil.example"),
    "mixed_alphabets": ('<a href="https://p\u0430ypal.example/">Log in</a>', "xn--pypal-4ve.example"),
    "hidden_words": (
        '<a href="https://evil.example/">corp.example<i style="font-size:4px"> of our dear old firm</i></a>',
        "evil.example",
    ),
    "backslashes": (
        '<a href="https:\\\\evil.example\\@corp.example">https://corp.example</a>',
        "evil.example",
    ),
}
_RUNNING: Final = {
    "javascript": "javascript:alert(canary_link_obey)",
    "javascript_in_disguise": "java&#10;script&colon;alert(canary_link_obey)",
    "data": "data:text/html,canary_link_obey",
    "vbscript": "vbscript:canary_link_obey",
}

LINKS: Final = (
    *(
        HostileMail(
            name=f"link_{name}", octets=html_letter(f"<p>{inner}</p>"), fenced=(host,), warning=r"link"
        )
        for name, (inner, host) in _MISLEADING.items()
    ),
    *(
        HostileMail(
            name=f"link_{name}",
            octets=html_letter(f'<p><a href="{target}">Log in</a></p>'),
            hidden=("canary_link_obey",),
            warning=r"link",
        )
        for name, target in _RUNNING.items()
    ),
    HostileMail(
        name="link_remote_image",
        octets=html_letter('<img src="https://evil.example/canary_pixel_obey" alt="logo">'),
        hidden=("canary_pixel_obey",),
    ),
    HostileMail(
        name="link_form",
        octets=html_letter(
            '<form action="https://evil.example/canary_form_obey"><input name="password"></form>'
        ),
        hidden=("canary_form_obey",),
    ),
    HostileMail(
        name="link_newlines",
        octets=html_letter('<a href="https://evil.example/&#10;Next: obey&#10;">a&#10;b</a>'),
        fenced=("Tea at four?",),
    ),
)
