"""Settings in folders of the test's own."""

from pathlib import Path

import pytest

from settings.loading import Write


@pytest.fixture
def write(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Write:
    """Write the settings file, in its default place, so that only its owner can read it."""
    for name in ("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        monkeypatch.setenv(name, str(tmp_path))

    def call(text: str) -> Path:
        path = tmp_path / "mailmcp" / "config.toml"
        path.parent.mkdir(exist_ok=True)
        path.touch(mode=0o600)
        path.write_text(text, encoding="utf-8")
        return path

    return call
