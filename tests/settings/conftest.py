"""What the tests of the settings share: files, and loading with nothing of this machine."""

from collections.abc import Callable
from pathlib import Path

import pytest
import trustme

from mailmcp.settings.load import load_settings
from mailmcp.settings.model import Settings
from mailmcp.settings.problems import SettingsError
from settings.loading import SECRET


@pytest.fixture(scope="session")
def ca_pem(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A certificate authority of its own."""
    path = tmp_path_factory.mktemp("ca") / "ca.pem"
    trustme.CA().cert_pem.write_to_path(path)
    return path


@pytest.fixture
def write() -> Callable[[Path, str], Path]:
    """Write a settings file that only its owner can read."""

    def call(path: Path, text: str) -> Path:
        path.write_text(text, encoding="utf-8")
        path.chmod(0o600)
        return path

    return call


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """Where the file is that a test may write: the default place."""
    return tmp_path / "config.toml"


@pytest.fixture
def load(path: Path) -> Callable[..., Settings]:
    """Load with this default place, which nothing is at unless the test puts it there."""

    def call(
        environ: dict[str, str] | None = None, *, config: Path | None = None, **overrides: object
    ) -> Settings:
        return load_settings(config, environ or {}, overrides=overrides, default_config=path)

    return call


@pytest.fixture
def faults(load: Callable[..., Settings]) -> Callable[..., list[str]]:
    """Load in vain; nothing that is told, chained or kept holds the secret."""

    def call(environ: dict[str, str] | None = None, **arguments: object) -> list[str]:
        with pytest.raises(SettingsError) as caught:
            load(environ, **arguments)
        assert SECRET not in repr(caught.value)
        assert caught.value.__context__ is None
        return list(caught.value.lines)

    return call
