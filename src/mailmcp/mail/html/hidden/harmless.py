"""Names of properties that hide no text, whatever their value.

Every other property that `values` doesn't judge may hide text: browsers learn new ones every year.
"""

import re
from functools import lru_cache
from typing import Final

_HARMLESS: Final = re.compile(
    r"""
    _.* | --.* | mso-.* | -(?!webkit-|moz-|internal-|epub-)[a-z]+-.*  # no browser of today looks at these
    | (?:-webkit-|-moz-)? (?:
      (?:osx-)?font-(?:smoothing|synthesis|kerning|optical-sizing|(?:feature|variation)-settings)
    | font-(?:family|weight|style|stretch|variant(?:-[a-z-]+)?|color)
    | text-(?:align|align-last|justify|transform|overflow|rendering|size-adjust|stroke-color|wrap-style)
    | text-(?:decoration-(?:color|line|style|skip|skip-ink)|effect)
    | text-underline(?:-(?:position|color|style))?
    | word-(?:break|wrap) | overflow-wrap | line-break | hyphens | nbsp-mode | locale | speak
    | border-(?:(?:top-|right-|bottom-|left-)?(?:color|style)|collapse) | outline-(?:color|style)
    | background-(?:attachment|repeat) | empty-cells | table-layout | clear
    | box-(?:sizing|decoration-break|flex|orient) | caption-side
    | list-style-(?:image|position)
    | counter-(?:increment|reset)
    | flex-(?:grow|shrink|wrap) | order | grid-auto-flow
    | appearance | backface-visibility | will-change | isolation | resize | user-select | overflow-scrolling
    | cursor | caret-color | pointer-events | touch-action | tap-highlight-color | scroll-behavior
    | transition-(?:property|timing-function)
    | (?:print-)?color-adjust | image-rendering | object-(?:fit|position)
    | (?:page-)?break-(?:after|before|inside) | orphans | widows | page
    | behavior | layout-grid(?:-mode)? | punctuation-wrap | tab-(?:interval|stops) | supported-color-schemes
    )""",
    re.VERBOSE,
)


@lru_cache(maxsize=1024)
def is_harmless(name: str) -> bool:
    """Return whether a property, its name in lower case, can't hide text."""
    return _HARMLESS.fullmatch(name) is not None
