"""What the tests of releases share: the distributions, built once."""

import pytest
from scripts.release.distributions import Distributions, build_distributions
from scripts.release.registry import registry_name


@pytest.fixture(scope="session")
def distributions(tmp_path_factory: pytest.TempPathFactory) -> Distributions:
    """Both distributions, as `scripts/package --owner example` builds them."""
    return build_distributions(tmp_path_factory.mktemp("dist"), registry_name=registry_name("example"))
