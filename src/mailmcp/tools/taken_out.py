"""What was taken out of a text before anybody reads it, and what misleads in it: said in warnings."""


def say_taken_out(hidden: int, invisible: int, misleading: int, *, where: str) -> list[str]:
    """Say what was taken out of a text and what misleads in it; warnings name `where`, in our words."""
    warnings: list[str] = []
    if hidden:
        warnings.append(f"{counted(hidden, 'hidden passage')} taken out of {where}.")
    if invisible:
        warnings.append(f"{counted(invisible, 'invisible character')} taken out of {where}.")
    if misleading:
        one = misleading == 1
        links = "1 link misleads: where it goes" if one else f"{misleading} links mislead: where they go"
        warnings.append(f"In {where} {links} is shown, unless {'it runs' if one else 'they run'} code.")
    return warnings


def counted(count: int, noun: str) -> str:
    """Write `1 hidden passage was` or `3 hidden passages were`."""
    return f"1 {noun} was" if count == 1 else f"{count} {noun}s were"
