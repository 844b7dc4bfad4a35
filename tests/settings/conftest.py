"""What the tests of the settings share: files, and loading with nothing of this machine."""

from collections.abc import Callable
from pathlib import Path

import pytest
import trustme

from mailmcp.settings.load import load_settings
from mailmcp.settings.model import Settings
from mailmcp.settings.problems import SettingsError
from settings.loading import SECRET


@pytest.fixture(autouse=True)
def _own_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The home folder and the default place of the settings are the test's own."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))


@pytest.fixture
def ca_pem(tmp_path: Path) -> Path:
    """A certificate authority of its own, beside the settings."""
    path = tmp_path / "mailmcp" / "ca.pem"
    path.parent.mkdir(exist_ok=True)
    trustme.CA().cert_pem.write_to_path(path)
    return path


@pytest.fixture
def write(tmp_path: Path) -> Callable[[str], Path]:
    """Write the settings file, in its default place, so that only its owner can read it."""

    def call(text: str) -> Path:
        path = tmp_path / "mailmcp" / "config.toml"
        path.parent.mkdir(exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(text, encoding="utf-8")
        return path

    return call


@pytest.fixture
def load() -> Callable[..., Settings]:
    """Load with these variables."""

    def call(
        environ: dict[str, str] | None = None, *, config: Path | None = None, **overrides: object
    ) -> Settings:
        return load_settings(config, environ or {}, overrides=overrides)

    return call


@pytest.fixture
def faults(load: Callable[..., Settings]) -> Callable[..., list[str]]:
    """Load in vain; nothing that is told or chained holds the secret."""

    def call(environ: dict[str, str] | None = None, **arguments: object) -> list[str]:
        with pytest.raises(SettingsError) as caught:
            load(environ, **arguments)
        assert SECRET not in repr(caught.value)
        assert caught.value.__context__ is None
        return list(caught.value.lines)

    return call
