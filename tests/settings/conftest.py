"""What the tests of the settings share: files, and loading with nothing of this machine."""

from pathlib import Path

import pytest

from mailmcp.settings.load import Settings, load_settings
from mailmcp.settings.sources import SettingsError
from settings.loading import SECRET, Faults, Load, Write


@pytest.fixture(autouse=True)
def _own_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The home folder and the default place of the settings are the test's own."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path))


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Write the settings file, in its default place, so that only its owner can read it."""

    def call(text: str) -> Path:
        path = tmp_path / "mailmcp" / "config.toml"
        path.parent.mkdir(exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(text, encoding="utf-8")
        return path

    return call


@pytest.fixture
def load() -> Load:
    """Load with these variables."""

    def call(environ: dict[str, str] | None = None, *, config: Path | None = None) -> Settings:
        return load_settings(config, environ or {})

    return call


@pytest.fixture
def faults(load: Load) -> Faults:
    """Load in vain; nothing that is told or chained holds the secret."""

    def call(environ: dict[str, str] | None = None, **arguments: object) -> list[str]:
        with pytest.raises(SettingsError) as caught:
            load(environ, **arguments)
        assert SECRET not in repr(caught.value)
        assert caught.value.__context__ is None
        return list(caught.value.lines)

    return call
