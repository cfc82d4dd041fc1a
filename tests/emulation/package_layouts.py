"""Layouts of packages as people send them: each is a way to write archives into a folder.

Every layout brings ``trainer.task``, whose source is the probe's. Some are as public notebooks make
them. Source: vertex-ai-samples, notebooks/community/gapic/custom, "Examine the training package";
asl-ml-immersion, asl_core/notebooks/building_production_ml_systems, "taxifare/setup.py".
"""

import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Mapping
from pathlib import Path

from package_probe import PROBE

#: Files of a project by path.
Files = Mapping[str, str]
MODULES = {"trainer/__init__.py": "WORD = 'trainer'\n", "trainer/task.py": PROBE}
NAMED = (
    "from setuptools import find_packages, setup\nsetup(name='trainer', version='0.1', {more})\n"
)
FOUND = NAMED.format(more="packages=find_packages()")


def write(folder: Path, files: Files) -> Path:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder


def tar(path: Path, folder: Path, inside: str, mode: str = "w:gz") -> Path:
    """``tar czf`` of a folder, under that name in the archive."""
    with tarfile.open(path, mode) as archive:  # type: ignore[call-overload]
        archive.add(folder, inside)
    return path


def zipped(path: Path, folder: Path, inside: str) -> Path:
    with zipfile.ZipFile(path, "w") as archive:
        for one in sorted(folder.rglob("*")):
            archive.write(one, Path(inside, one.relative_to(folder)))
    return path


def run(folder: Path, *words: str) -> None:
    subprocess.run([sys.executable, *words], cwd=folder, check=True, capture_output=True)


def plain(files: Files) -> "Layout":
    """``tar czf trainer.tar.gz trainer/``."""

    def make(folder: Path) -> list[Path]:
        return [tar(folder / "trainer.tar.gz", write(folder / "trainer", files), "trainer")]

    return make


def sdist(files: Files, *words: str) -> "Layout":
    """``python setup.py sdist --formats=gztar``."""

    def make(folder: Path) -> list[Path]:
        run(write(folder / "project", files), "setup.py", "sdist", *words)
        return sorted((folder / "project" / "dist").iterdir())

    return make


def built_wheel(files: Files) -> "Layout":
    """``pip wheel``."""

    def make(folder: Path) -> list[Path]:
        flags = ("--no-build-isolation", "--no-deps", "--no-index", "--use-pep517")
        project = str(write(folder / "project", files))
        run(folder, "-m", "pip", "wheel", *flags, "--wheel-dir", str(folder / "wheels"), project)
        return sorted((folder / "wheels").iterdir())

    return make


def several(*layouts: "Layout") -> "Layout":
    def make(folder: Path) -> list[Path]:
        found = []
        for number, layout in enumerate(layouts):
            (folder / str(number)).mkdir()
            found += layout(folder / str(number))
        return found

    return make


def of_the_sdk(folder: Path) -> list[Path]:
    """What ``CustomTrainingJob`` of google-cloud-aiplatform uploads."""
    from google.cloud.aiplatform.utils.source_utils import _TrainingScriptPythonPackager

    (folder / "script.py").write_text(PROBE)
    packager = _TrainingScriptPythonPackager(str(folder / "script.py"), requirements=["numpy>=1.0"])
    return [Path(packager.make_package(str(folder)))]


def of_this_project(folder: Path) -> list[Path]:
    from vertex_jobs.packaging.sdist import write_sdist

    path = folder / "trainer-0.1.tar.gz"
    contents = {name.removeprefix("trainer/"): text.encode() for name, text in MODULES.items()}
    contents |= {"words/a [b].txt": b"data", "words/deep/no_package.py": b"", ".hidden": b"x"}
    write_sdist(path, name="trainer", version="0.1", contents=contents, requirements=["numpy>=1.0"])
    return [path]


def at_the_top(folder: Path) -> list[Path]:
    """``cd trainer && tar czf ../trainer.tar.gz .``."""
    files = write(folder / "trainer", {"setup.py": FOUND, **MODULES})
    return [tar(folder / "trainer.tar.gz", files, ".")]


def as_zip(folder: Path) -> list[Path]:
    files = write(folder / "trainer", {"setup.py": FOUND, **MODULES})
    return [zipped(folder / "trainer.zip", files, "trainer")]


def as_bz2(folder: Path) -> list[Path]:
    files = write(folder / "trainer", {"setup.py": FOUND, **MODULES})
    return [tar(folder / "my trainer (final)+1.tar.bz2", files, "some folder", "w:bz2")]


def of_the_sdk_from_a_folder(folder: Path) -> list[Path]:
    from google.cloud.aiplatform.utils.source_utils import _TrainingScriptPythonPackager

    files = {"__init__.py": "", "task.py": PROBE, "words.txt": "a", "sub/__init__.py": ""}
    source = write(folder / "source", {**files, "sub/b.py": "B = 1\n", "loose/c.py": ""})
    return [Path(_TrainingScriptPythonPackager(str(source)).make_package(str(folder)))]


Layout = Callable[[Path], list[Path]]

_SCRIPTS = NAMED.format(
    more="packages=find_packages(), entry_points={'console_scripts': ['train = trainer.task:main'],"
    " 'our.plugins': ['first = trainer:WORD']}"
)
_DATA = {
    "setup.py": NAMED.format(
        more="packages=find_packages(), include_package_data=True, "
        "package_data={'trainer': ['words/*.txt']}"
    ),
    "MANIFEST.in": "include trainer/listed.json\n",
    "trainer/listed.json": "{}",
    "trainer/words/a.txt": "a",
    "trainer/words/left_out.csv": "b",
}
_BACKEND = '[build-system]\nrequires = ["{0}"]\nbuild-backend = "{1}"\n'
_PROJECT = '[project]\nname = "trainer"\nversion = "0.1"\ndescription = "x"\n'

#: Those that ``make test`` looks at.
FIRST: dict[str, Layout] = {
    "a notebook's: setup.py without a name, and PKG-INFO by hand": plain(
        {
            "setup.py": "import setuptools\n\nsetuptools.setup(\n\n    install_requires=[\n\n"
            "        'numpy>=1.0',\n\n    ],\n\n    packages=setuptools.find_packages())\n",
            "setup.cfg": "[egg_info]\n\ntag_build =\n\ntag_date = 0\n",
            "PKG-INFO": "Metadata-Version: 1.0\n\nName: CIFAR10 image classification\n\n"
            "Version: 0.0.0\n\nSummary: Demonstration training script\n\nLicense: Public\n",
            "README.md": "",
            **MODULES,
        }
    ),
    "the SDK's of a script": of_the_sdk,
    "this project's": of_this_project,
}
LAYOUTS: dict[str, Layout] = {
    **FIRST,
    "a pure wheel": built_wheel({"setup.py": FOUND, **MODULES}),
    "a folder without metadata": plain({"setup.py": FOUND, **MODULES}),
    "setup.py at the top of the archive": at_the_top,
    "setup.py sdist": sdist(
        {
            "setup.py": '"""Using `setuptools` to create a source distribution."""\n'
            + NAMED.format(more="packages=find_packages(), include_package_data=True"),
            **MODULES,
        },
        "--formats=gztar",
    ),
    "a zip": as_zip,
    "package data": sdist({**_DATA, **MODULES}),
    "package data in a plain folder": plain({**_DATA, **MODULES}),
    "data files": plain(
        {
            "setup.py": NAMED.format(
                more="packages=find_packages(), data_files=[('share/words', ['words.txt'])]"
            ),
            "words.txt": "far",
            **MODULES,
        }
    ),
    "programs and plugins": plain({"setup.py": _SCRIPTS, **MODULES}),
    "a wheel with programs": built_wheel({"setup.py": _SCRIPTS, **MODULES}),
    "src": plain(
        {
            "pyproject.toml": _BACKEND.format("setuptools", "setuptools.build_meta") + _PROJECT,
            **{f"src/{name}": text for name, text in MODULES.items()},
        }
    ),
    "hatchling": plain(
        {
            "pyproject.toml": _BACKEND.format("hatchling", "hatchling.build") + _PROJECT,
            "trainer/words.txt": "hatched",
            **MODULES,
        }
    ),
    "flit": plain(
        {"pyproject.toml": _BACKEND.format("flit_core", "flit_core.buildapi") + _PROJECT, **MODULES}
    ),
    # Written after the code that they try.
    "package_dir": plain(
        {
            "setup.py": NAMED.format(
                more="packages=['trainer', 'trainer.deep'], "
                "package_dir={'trainer': 'code', 'trainer.deep': 'elsewhere/deep'}"
            ),
            "code/__init__.py": "WORD = 'trainer'\n",
            "code/task.py": PROBE,
            "elsewhere/deep/__init__.py": "",
            "code/left_out/__init__.py": "",
        }
    ),
    "modules without a package": plain(
        {
            "setup.py": NAMED.format(more="py_modules=['lone'], packages=find_packages()"),
            "lone.py": "LONE = 1\n",
            "forgotten.py": "",
            **MODULES,
        }
    ),
    "namespace packages": several(
        built_wheel(
            {
                "setup.py": "from setuptools import find_namespace_packages, setup\n"
                "setup(name='first', version='1', packages=find_namespace_packages())\n",
                "acme/first/__init__.py": "A = 1\n",
            }
        ),
        plain(
            {
                "setup.py": "from setuptools import find_namespace_packages, setup\n"
                "setup(name='trainer', version='0.1', packages=find_namespace_packages())\n",
                "acme/second/__init__.py": "import acme.first\n",
                **MODULES,
            }
        ),
    ),
    "tests, docs and the standard library's names": plain(
        {
            "setup.py": NAMED.format(more="packages=find_packages(), py_modules=['statistics']"),
            "tests/__init__.py": "",
            "tests/test_task.py": "",
            "code/__init__.py": "ours = True\n",
            "statistics.py": "ours = True\n",
            **MODULES,
        }
    ),
    "a setup.py that reads its files and has commands": plain(
        {
            "setup.py": "import os, subprocess\n"
            "from distutils.command.build import build as _build\n"
            "from setuptools import Command, find_packages, setup\n\n"
            "class build(_build):\n"
            "    sub_commands = _build.sub_commands + [('CustomCommands', None)]\n\n"
            "class CustomCommands(Command):\n"
            "    user_options = []\n"
            "    def initialize_options(self): pass\n"
            "    def finalize_options(self): pass\n"
            "    def run(self): subprocess.run(['true'], check=True)\n\n"
            "here = os.path.abspath(os.path.dirname(__file__))\n"
            "about = {}\n"
            "exec(open(os.path.join(here, 'trainer', 'version.py')).read(), about)\n"
            "setup(name='trainer', version=about['__version__'],\n"
            "      install_requires=open('requirements.txt').read().splitlines(),\n"
            "      packages=find_packages(), scripts=['bin/start.sh'],\n"
            "      cmdclass={'build': build, 'CustomCommands': CustomCommands})\n",
            "requirements.txt": "numpy>=1.0\n\npackaging\n",
            "trainer/version.py": "__version__ = '3.2.1'\n",
            "bin/start.sh": "#!/bin/sh\necho brief\n",
            **MODULES,
        }
    ),
    "setup.cfg alone": plain(
        {
            "setup.cfg": "[metadata]\nname = trainer\nversion = attr: trainer.VERSION\n"
            "summary = Said in a file\n[options]\npackages = find:\ninstall_requires =\n"
            "    numpy>=1.0\n[options.package_data]\n* = *.txt\n[options.entry_points]\n"
            "console_scripts =\n    train = trainer.task:main\n",
            "pyproject.toml": "",
            "trainer/a.txt": "a",
            "trainer/__init__.py": "VERSION = '2.0'\n",
            "trainer/task.py": PROBE,
        }
    ),
    "pyproject with extras, a dynamic version and data": plain(
        {
            "pyproject.toml": _BACKEND.format('setuptools>=61", "wheel', "setuptools.build_meta")
            + '[project]\nname = "trainer"\ndynamic = ["version"]\n'
            "dependencies = [\"numpy; python_version > '3'\"]\n[project.optional-dependencies]\n"
            'gpu = ["no-such-one"]\n[project.scripts]\ntrain = "trainer.task:main"\n'
            '[tool.setuptools]\npackages = ["trainer"]\n[tool.setuptools.dynamic]\n'
            'version = {attr = "trainer.VERSION"}\n[tool.setuptools.package-data]\n'
            'trainer = ["*.json"]\n',
            "trainer/__init__.py": "VERSION = '1.5rc1'\n",
            "trainer/a.json": "{}",
            "trainer/task.py": PROBE,
        }
    ),
    "a backend in its own tree": plain(
        {
            "pyproject.toml": '[build-system]\nrequires = ["setuptools"]\n'
            'build-backend = "own"\nbackend-path = ["tools"]\n',
            "tools/own.py": "from setuptools.build_meta import *\n",
            "setup.py": FOUND,
            **MODULES,
        }
    ),
    "names beyond ASCII": plain(
        {
            "setup.py": NAMED.format(
                more="packages=find_packages(), author='Jürgen', description='Größe, 大小', "
                "package_data={'trainer': ['*.txt']}"
            ),
            "trainer/größe.py": "WORT = 'ä'\n",
            "trainer/größe 大.txt": "ß",
            **MODULES,
        }
    ),
    "a later version over an earlier one": several(
        plain(
            {
                "setup.py": FOUND.replace("0.1", "0.0.9"),
                "trainer/gone.py": "",
                "trainer/old/__init__.py": "",
                "shared/__init__.py": "OWNER = 'trainer'\n",
                **MODULES,
            }
        ),
        built_wheel(
            {
                "setup.py": NAMED.replace("trainer", "second").format(more="packages=['shared']"),
                "shared/__init__.py": "OWNER = 'second'\n",
            }
        ),
        plain({"setup.py": FOUND, **MODULES}),
    ),
    "a namespace of pkgutil, and files that nobody includes": plain(
        {
            "setup.py": NAMED.format(more="packages=find_packages(), data_files=[]"),
            "MANIFEST.in": "recursive-include trainer *.md\nglobal-exclude *.pyc\n",
            "trainer/readme.md": "not package data, since nobody includes it",
            "trainer/sub/__init__.py": "__import__('pkgutil').extend_path(__path__, __name__)\n",
            **MODULES,
        }
    ),
    "compressed by bzip2, with a strange name": as_bz2,
    "the SDK's of a folder with data": of_the_sdk_from_a_folder,
}
