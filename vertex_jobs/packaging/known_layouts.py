"""Archives whose installed form is known without running anything, laid out as pip would.

Three kinds, told by their content and not by their names: source distributions that this project
writes, those that Google's SDK makes of a script, and pure wheels without programs. To install
anything else is to run its code, or to do what only an installer does.

Source: packaging.python.org, "Binary distribution format"; google-cloud-aiplatform,
``_TrainingScriptPythonPackager``.
"""

import re
from email import message_from_bytes
from importlib.metadata import PathDistribution
from pathlib import Path

from vertex_jobs.packaging.runtime_wheel import record_of
from vertex_jobs.packaging.sdist import is_own_sdist

_SDK_NAME = "aiplatform_custom_trainer_script"
_SDK_SETUP = re.compile(
    re.escape(
        """from setuptools import find_packages
from setuptools import setup

setup(
    name='aiplatform_custom_trainer_script',
    version='0.1',
    packages=find_packages(),
    install_requires=(REQUIREMENTS),
    include_package_data=True,
    description='My training application.'
)"""
    ).replace("REQUIREMENTS", r"(?P<requirements>(?:\"[^\"\\\n]*\"(?:,\"[^\"\\\n]*\")*)?)")
)
_SDK_METADATA = f"""\
Metadata-Version: 2.1
Name: {_SDK_NAME}
Version: 0.1
Summary: My training application.
"""
#: What setuptools writes into every source distribution.
_SDK_CONFIG = b"[egg_info]\ntag_build = \ntag_date = 0\n\n"
_WHEEL = "Wheel-Version: 1.0\nGenerator: vertex-jobs\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def lay_out(unpacked: Path, file_name: str, target: Path) -> bool:
    """Move what an archive installs into a new folder, as it would lie in ``site-packages``.

    ``unpacked`` is the archive's content, ``file_name`` the archive's own. Return False, with
    nothing moved, for an archive of no known kind.
    """
    if file_name.endswith(".whl"):
        known = _is_plain_wheel(unpacked, file_name)
        return known and bool(unpacked.rename(target))
    folders = list(unpacked.iterdir())
    if len(folders) != 1 or not folders[0].is_dir():
        return False
    folder = folders[0]
    if is_own_sdist(folder):
        name, _, version = folder.name.rpartition("-")
        metadata = (folder / "PKG-INFO").read_text(encoding="utf-8")
    elif (requirements := _sdk_requirements(folder)) is not None:
        name, version = _SDK_NAME, "0.1"
        metadata = _SDK_METADATA + "".join(f"Requires-Dist: {one}\n" for one in requirements)
    else:
        return False
    target.mkdir()
    (folder / name).rename(target / name)
    _describe(target, name, version, metadata)
    return True


def _is_plain_wheel(folder: Path, file_name: str) -> bool:
    """Return whether to unpack a wheel is to install it here: pure, for this Python, no programs.

    What is wrong in a wheel is for pip to say, so only a correct one is plain.
    """
    from packaging.tags import sys_tags
    from packaging.utils import (
        InvalidWheelFilename,
        canonicalize_name,
        canonicalize_version,
        parse_wheel_filename,
    )

    try:
        name, version, _, tags = parse_wheel_filename(file_name)
    except InvalidWheelFilename:
        return False
    infos = list(folder.glob("*.dist-info"))
    if len(infos) != 1 or tags.isdisjoint(sys_tags()) or any(folder.glob("*.data")):
        return False
    info = infos[0]
    if not all((info / file).is_file() for file in ("METADATA", "RECORD", "WHEEL")):
        return False
    wheel = message_from_bytes((info / "WHEEL").read_bytes())
    metadata = message_from_bytes((info / "METADATA").read_bytes())
    folder_name, _, folder_version = info.name.removesuffix(".dist-info").rpartition("-")
    names = {canonicalize_name(text) for text in (folder_name, str(metadata["Name"]))}
    versions = {canonicalize_version(text) for text in (folder_version, str(metadata["Version"]))}
    return (
        str(wheel["Wheel-Version"]).startswith("1.")
        and str(wheel["Root-Is-Purelib"]).lower() == "true"
        and (names, versions) == ({name}, {canonicalize_version(version)})
        and _takes_this_python(str(metadata.get("Requires-Python", "")))
        and not PathDistribution(info).entry_points.select(group="console_scripts")
        and not PathDistribution(info).entry_points.select(group="gui_scripts")
    )


def _takes_this_python(specifier: str) -> bool:
    import platform

    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        return SpecifierSet(specifier).contains(platform.python_version(), prereleases=True)
    except InvalidSpecifier:
        return False


def _sdk_requirements(folder: Path) -> list[str] | None:
    """Return the requirements of a distribution that the SDK made of a script; None for others.

    Its ``find_packages`` finds folders with ``__init__.py``, and of them setuptools takes modules.
    """
    if folder.name != f"{_SDK_NAME}-0.1":
        return None
    own = {"PKG-INFO", "setup.cfg", "setup.py", _SDK_NAME, f"{_SDK_NAME}.egg-info"}
    if {path.name for path in folder.iterdir()} != own:
        return None
    setup = _SDK_SETUP.fullmatch((folder / "setup.py").read_bytes().decode(errors="replace"))
    if setup is None or (folder / "setup.cfg").read_bytes() != _SDK_CONFIG:
        return None
    for path in [folder / _SDK_NAME, *(folder / _SDK_NAME).rglob("*")]:
        if not (path.suffix == ".py" if path.is_file() else (path / "__init__.py").is_file()):
            return None
    return re.findall(r'"([^"]*)"', setup["requirements"])


def _describe(site: Path, name: str, version: str, metadata: str) -> None:
    """Write what an installer writes beside a package."""
    info = site / f"{name}-{version}.dist-info"
    info.mkdir()
    files = {"METADATA": metadata, "WHEEL": _WHEEL, "top_level.txt": f"{name}\n"}
    for file, text in files.items():
        (info / file).write_text(text, encoding="utf-8")
    paths = sorted(path for path in site.rglob("*") if path.is_file())
    contents = {path.relative_to(site).as_posix(): path.read_bytes() for path in paths}
    record = f"{info.name}/RECORD"
    (site / record).write_text(record_of(contents, record), encoding="utf-8")
