"""One budget of characters for many texts: each shows something, and not one character is lost."""

from collections.abc import Sequence


def share_out(lengths: Sequence[int], budget: int) -> list[int]:
    """Share a budget among texts: short ones whole, the rest of it evenly among the long ones.

    Args:
        lengths: Characters of each text, from 0.
        budget: Characters for all together, from 0.

    Returns:
        Characters for each, never more than its length. Their sum is the budget, or all
        lengths together if that is less; what cannot be divided goes to the first ones.
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
    """Give each of `among`, all longer than an equal share, an equal share."""
    each, over = divmod(left, len(among))
    for place, index in enumerate(among):
        shares[index] = each + (1 if place < over else 0)
    return shares
