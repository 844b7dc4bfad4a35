"""Share one budget of characters among many texts."""

from collections.abc import Sequence


def share_out(lengths: Sequence[int], budget: int) -> list[int]:
    """Share a budget among texts: short ones are whole, and long ones share the rest evenly.

    Args:
        lengths: Characters of each text, from 0.
        budget: Characters for all together, from 0.

    Returns:
        Characters for each, at most its length. Together they use up the budget, or all lengths if that is
        less; the first texts get the remainder.
    """
    shares = [0] * len(lengths)
    left = budget
    waiting = sorted(range(len(lengths)), key=lambda index: lengths[index])
    for place, index in enumerate(waiting):
        fair = left // (len(waiting) - place)
        if lengths[index] > fair:
            return _divide(shares, sorted(waiting[place:]), left)
        shares[index] = lengths[index]
        left -= lengths[index]
    return shares


def _divide(shares: list[int], among: Sequence[int], left: int) -> list[int]:
    """Divide what is left evenly among texts that are all longer than their share."""
    each, over = divmod(left, len(among))
    for place, index in enumerate(among):
        shares[index] = each + (1 if place < over else 0)
    return shares
