"""What is uploaded to the package index, and the form that desktop hosts show."""

import os
import re
import shutil
import subprocess
import sysconfig
import tomllib
from email import message_from_bytes
from functools import partial
from pathlib import Path
from zipfile import ZipFile

import anyio
import pytest
from scripts import demo_session
from scripts.release import ROOT, build_distributions, install, make_manifest, registry_entry, write_bundle

import mailmcp
from mailmcp.settings.load import load_settings


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Of mcp-envelope and of mailmcp."""
    return build_distributions(tmp_path_factory.mktemp("dist"))


@pytest.mark.full
def test_a_wheel_holds_the_package_and_the_licence_and_nothing_else(wheels: tuple[Path, Path]) -> None:
    required: list[str] = []
    for wheel, source in zip(
        wheels, (ROOT / "src" / "mcp-envelope" / "mcp_envelope", ROOT / "src" / "mailmcp"), strict=True
    ):
        package = {
            path.relative_to(source.parent).as_posix()
            for path in source.rglob("*")
            if path.is_file() and "__pycache__" not in path.parts
        }
        with ZipFile(wheel) as archive:
            names = archive.namelist()
            (metadata,) = (name for name in names if name.endswith(".dist-info/METADATA"))
            required = message_from_bytes(archive.read(metadata)).get_all("Requires-Dist", [])
        assert {name for name in names if ".dist-info/" not in name} == package
        assert any(name.endswith("/licenses/LICENSE") for name in names)
        assert [each for each in required if "@" in each or "file:" in each] == [], "an index refuses URLs"
    assert any(each.startswith("mcp-envelope") for each in required)


@pytest.mark.full
def test_what_is_installed_serves_the_demo(wheels: tuple[Path, Path], tmp_path: Path) -> None:
    """In an environment of its own, with our wheels; their dependencies are those of the tests."""
    command = install(tmp_path / "installed", "--no-deps", "--no-index", *map(str, wheels))
    (site_packages,) = (tmp_path / "installed").glob("lib/python*/site-packages")
    (site_packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    said: list[str] = []
    anyio.run(partial(demo_session.run, said.append, command=command))
    assert "Eastwold" in "".join(said), "the text of the PDF, for which a process reads it"


@pytest.mark.full
def test_the_bundle_points_to_the_wheels_that_it_holds(wheels: tuple[Path, Path], tmp_path: Path) -> None:
    write_bundle(tmp_path / "bundle", wheels)
    project = tomllib.loads((tmp_path / "bundle" / "pyproject.toml").read_text(encoding="utf-8"))
    sources = {each["path"] for each in project["tool"]["uv"]["sources"].values()}
    assert sources == {f"wheels/{wheel.name}" for wheel in wheels}
    assert all((tmp_path / "bundle" / source).is_file() for source in sources)


def test_the_form_makes_an_account_and_a_blank_one_none() -> None:
    manifest = make_manifest()
    variables = manifest["server"]["mcp_config"]["env"]
    assert set(re.findall(r"\$\{user_config\.(\w+)\}", str(variables))) == set(manifest["user_config"])
    filled_in = dict.fromkeys(variables, "not-real")
    assert len(load_settings(Path(os.devnull), filled_in).accounts) == 1
    fields = manifest["user_config"]
    blank = dict(zip(variables, (each["default"] for each in fields.values()), strict=True))
    assert load_settings(Path(os.devnull), blank, needs_account=False).accounts == ()
    secrets = [name for name, field in manifest["user_config"].items() if field["sensitive"]]
    assert secrets == ["password"]


@pytest.mark.full
def test_the_image_serves() -> None:
    """Built where there is a builder; what it names exists in any case."""
    recipe = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    named = re.findall(r"/src/(src/\S+)", recipe)
    assert [each for each in named if not (ROOT / each / "pyproject.toml").is_file()] == []
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    assert re.findall(r'ENTRYPOINT \["(\S+)"\]', recipe) == list(scripts)
    builder = shutil.which("docker") or shutil.which("podman")
    if builder and subprocess.run([builder, "info"], capture_output=True, check=False).returncode == 0:
        subprocess.run([builder, "build", "-q", "-t", "mailmcp-test", ROOT], check=True)
        version = subprocess.check_output([builder, "run", "--rm", "mailmcp-test", "--version"], text=True)
        assert version.split()[-1] == mailmcp.__version__


def test_the_entry_of_the_registry_needs_its_name_in_the_readme(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with pytest.raises(ValueError, match=r"add the line <!-- mcp-name: io\.github\.example/mailmcp -->"):
        registry_entry("example")
    (tmp_path / "README.md").write_text("\n<!-- mcp-name: io.github.example/mailmcp -->\n")
    monkeypatch.setattr("scripts.release.ROOT", tmp_path)
    entry = registry_entry("example")
    assert 1 <= len(entry["description"]) <= 100
    (package,) = entry["packages"]
    assert package["version"] == entry["version"]
    secrets = [each["name"] for each in package["environmentVariables"] if each["isSecret"]]
    assert secrets == ["MAILMCP_PASSWORD"]
