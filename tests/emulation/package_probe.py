"""What a program sees of the packages that it came with, and the same after ``pip install``.

The reference is an empty environment. pip builds there in isolation, as on the service, from wheels
made of what is installed here, since a test has no network.
"""

import importlib.metadata
import json
import os
import subprocess
import sys
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

#: Prints one line of JSON: what lies beside its own package, by way of files and of metadata.
PROBE = """
import hashlib, importlib, importlib.metadata, json, os, shutil, subprocess, sys, sysconfig
OURS = ("INSTALLER", "RECORD", "REQUESTED", "WHEEL", "direct_url.json", "top_level.txt")

def digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:12]

def plain(name):
    return "__pycache__" not in name and os.path.basename(name) not in OURS

def origin(name, site):
    try:
        module = importlib.import_module(name)
    except Exception as error:
        return repr(error)
    found = getattr(module, "__file__", None) or list(module.__path__)[0]
    inside = found.startswith(site + os.sep)
    return os.path.relpath(found, site) if inside else "elsewhere"

def described(distribution, site):
    files = [str(one) for one in distribution.files or () if plain(str(one))]
    return {
        "version": distribution.version,
        "summary": distribution.metadata["Summary"],
        "requires": sorted(distribution.requires or ()),
        "entry points": sorted(map(str, distribution.entry_points)),
        # The programs name the interpreter that they are for.
        "files": sorted(one for one in files if "bin" not in one.split("/")[:-1]),
        "far files": {one: digest(distribution.locate_file(one)) for one in files
                      if one.startswith("..") and "bin" not in one.split("/")},
        "programs": sorted(one.split("/")[-1] for one in files if "bin" in one.split("/")[:-1]),
    }

def main():
    if "--brief" in sys.argv:  # a program of the package was called
        print("brief")
        return
    site = next(one for one in sys.path if __file__.startswith(one + os.sep))
    paths = [os.path.relpath(os.path.join(folder, name), site)
             for folder, _, names in os.walk(site) for name in names]
    paths = [path for path in paths if plain(path)]
    modules = sorted(path[:-3].replace(os.sep, ".").removesuffix(".__init__")
                     for path in paths if path.endswith(".py"))
    ours = {one.metadata["Name"]: one for one in importlib.metadata.distributions(path=[site])}
    seen = {
        "files": {path: digest(os.path.join(site, path)) for path in paths
                  if ".dist-info" not in path},
        "modules": {name: origin(name, site) for name in modules},
        "distributions": {name: described(one, site) for name, one in ours.items()},
        "programs": {},
    }
    for program in [p for one in seen["distributions"].values() for p in one["programs"]]:
        path = shutil.which(program)
        done = path and subprocess.run([path, "--brief"], capture_output=True, text=True)
        seen["programs"][program] = done and [done.returncode, done.stdout]
    print("PROBE " + json.dumps(seen, sort_keys=True))

if __name__ == "__main__":
    main()
"""
#: Distributions that builds need, and those that these need.
_BUILDERS = (
    *("setuptools", "wheel", "hatchling", "flit-core"),
    *("packaging", "pathspec", "pluggy", "tomlkit", "trove-classifiers"),
    *(("tomli",) if sys.version_info < (3, 11) else ()),
)


def wheelhouse(folder: Path) -> Path:
    """Make a wheel of each builder that is installed here."""
    folder.mkdir()
    for name in _BUILDERS:
        found = importlib.metadata.distribution(name)
        stem = f"{found.metadata['Name'].replace('-', '_')}-{found.version}-py3-none-any.whl"
        with zipfile.ZipFile(folder / stem, "w") as packed:
            for file in found.files or ():
                if ".." not in file.parts and "__pycache__" not in file.parts:
                    packed.write(str(found.locate_file(file)), str(file))
    return folder


def read_probe(lines: Sequence[str]) -> Any:
    (line,) = [line for line in lines if line.startswith("PROBE ")]
    return json.loads(line.removeprefix("PROBE "))


def seen_after_pip(folder: Path, archives: Sequence[Path], wheels: Path, module: str) -> Any:
    """Install archives in turn into an empty environment and return what its probe sees."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = str(folder / "bin" / "python")
    environ = {name: text for name, text in os.environ.items() if not name.startswith("PIP_")}
    environ |= {"PIP_CONFIG_FILE": os.devnull, "PATH": f"{folder / 'bin'}:{environ['PATH']}"}
    for archive in archives:
        flags = ("--no-index", "--find-links", str(wheels), "--no-deps", "--quiet")
        words = [sys.executable, "-m", "pip", "--python", python, "install", *flags, str(archive)]
        done = subprocess.run(words, env=environ, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
    (folder / "work").mkdir()
    words, work = [python, "-m", module], folder / "work"
    ran = subprocess.run(words, env=environ, cwd=work, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return read_probe(ran.stdout.splitlines())
