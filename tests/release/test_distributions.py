"""What is uploaded to the package index: everything that users need, and nothing of the checkout."""

import shutil
import subprocess
import sysconfig
import tarfile
import tomllib
from collections.abc import Callable
from email import message_from_bytes
from email.message import Message
from pathlib import Path
from zipfile import ZipFile

import anyio
import pytest
from packaging.requirements import Requirement
from scripts.release.bundle import write_bundle
from scripts.release.distributions import ROOT, Distribution, Distributions
from scripts.release.trial import check_version, install, use_demo

import mcp_envelope

pytestmark = pytest.mark.full

Choose = Callable[[Distributions], Distribution]
ENVELOPE_SOURCE = ROOT / "src" / "mcp-envelope"
PACKAGES = [
    pytest.param(lambda built: built.mailmcp, ROOT / "src" / "mailmcp", id="mailmcp"),
    pytest.param(lambda built: built.envelope, ENVELOPE_SOURCE / "mcp_envelope", id="mcp-envelope"),
]


@pytest.mark.parametrize(("choose", "source"), PACKAGES)
def test_a_wheel_holds_the_package_and_the_licence_and_nothing_else(
    distributions: Distributions, choose: Choose, source: Path
) -> None:
    package = {
        path.relative_to(source.parent).as_posix()
        for path in source.rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    with ZipFile(choose(distributions).wheel) as wheel:
        names = {name for name in wheel.namelist() if ".dist-info/" not in name}
        (licence,) = (name for name in wheel.namelist() if name.endswith(".dist-info/licenses/LICENSE"))
        assert wheel.read(licence) == (ROOT / "LICENSE").read_bytes()
    assert names == package
    assert f"{source.name}/py.typed" in names


def test_the_wheel_brings_the_mail_of_the_demo(distributions: Distributions) -> None:
    with ZipFile(distributions.mailmcp.wheel) as wheel:
        assert len([name for name in wheel.namelist() if name.endswith(".eml")]) > 100


@pytest.mark.parametrize(("choose", "source"), PACKAGES)
def test_dependencies_have_no_url(distributions: Distributions, choose: Choose, source: Path) -> None:
    """A package index refuses one that has."""
    distribution = choose(distributions)
    for metadata in (
        _wheel_metadata(distribution),
        message_from_bytes(_from_sdist(distribution, "PKG-INFO")),
    ):
        required = metadata.get_all("Requires-Dist", [])
        assert any(each.startswith("pydantic") for each in required), source
        assert [each for each in required if "@" in each or "file:" in each] == []


def test_mailmcp_requires_the_library_of_the_same_release(distributions: Distributions) -> None:
    (required,) = (
        Requirement(each)
        for each in _wheel_metadata(distributions.mailmcp).get_all("Requires-Dist", [])
        if each.startswith("mcp-envelope")
    )
    assert required.url is None
    assert mcp_envelope.__version__ in required.specifier


def test_the_registry_finds_its_name_in_the_readme(distributions: Distributions) -> None:
    assert (
        "\n<!-- mcp-name: io.github.example/mailmcp -->"
        in _wheel_metadata(distributions.mailmcp).get_payload()
    )


@pytest.fixture(scope="module")
def installed(distributions: Distributions, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """`mailmcp` in an environment of its own, with our wheels; their dependencies are those of the tests."""
    folder = tmp_path_factory.mktemp("installed")
    command = install(folder, "--no-deps", "--no-index", *map(str, distributions.wheels))
    (site_packages,) = folder.glob("lib/python*/site-packages")
    (site_packages / "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    return command


def test_the_installed_packages_are_those_of_the_wheels(installed: Path) -> None:
    script = "import mailmcp, mcp_envelope; print(mailmcp.__file__); print(mcp_envelope.__file__)"
    printed = subprocess.check_output([installed.with_name("python"), "-c", script], text=True)
    assert all(Path(line).is_relative_to(installed.parents[1]) for line in printed.splitlines())


def test_what_is_installed_runs_and_serves(installed: Path, tmp_path: Path) -> None:
    check_version(installed)
    anyio.run(use_demo, installed, tmp_path)


def test_the_bundle_points_to_the_wheels_that_it_holds(distributions: Distributions, tmp_path: Path) -> None:
    write_bundle(tmp_path / "bundle", distributions)
    project = tomllib.loads((tmp_path / "bundle" / "pyproject.toml").read_text(encoding="utf-8"))
    sources = {each["path"] for each in project["tool"]["uv"]["sources"].values()}
    assert sources == {f"wheels/{wheel.name}" for wheel in distributions.wheels}
    assert all((tmp_path / "bundle" / source).is_file() for source in sources)
    assert set(project["project"]["dependencies"]) == project["tool"]["uv"]["sources"].keys()


def test_the_entry_point_of_the_bundle_serves(
    distributions: Distributions, installed: Path, tmp_path: Path
) -> None:
    """Without an account, with all fields blank."""
    write_bundle(tmp_path / "bundle", distributions)
    shutil.rmtree(tmp_path / "bundle" / "wheels")
    done = subprocess.run(
        [installed.with_name("python"), "server.py"],
        cwd=tmp_path / "bundle",
        env={"HOME": str(tmp_path), "MAILMCP_HOST": "", "MAILMCP_USER": "", "MAILMCP_PASSWORD": ""},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0
    assert "serves no account" in done.stderr


def _wheel_metadata(distribution: Distribution) -> Message:
    with ZipFile(distribution.wheel) as wheel:
        (name,) = (each for each in wheel.namelist() if each.endswith(".dist-info/METADATA"))
        return message_from_bytes(wheel.read(name))


def _from_sdist(distribution: Distribution, name: str) -> bytes:
    with tarfile.open(distribution.sdist) as sdist:
        file = sdist.extractfile(f"{distribution.sdist.name.removesuffix('.tar.gz')}/{name}")
        assert file is not None
        return file.read()
