"""All newsletters: ten ways of making one, each by a maker of its own."""

from collections.abc import Sequence

from newsletters import bank, circular, digest, essay, forge, garden, order, product, sale, ticket
from newsletters.kit import Newsletter

_MAKERS = (garden, product, sale, essay, digest, circular, order, ticket, bank, forge)


def make_newsletters() -> Sequence[Newsletter]:
    """Make all of them, the same octets each time."""
    return tuple(maker.make() for maker in _MAKERS)
