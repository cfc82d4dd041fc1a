"""Where notebooks are read from: a folder of repositories, checkouts or bare mirrors.

Nothing of their text is kept: cells live in memory and in the run's temporary folder.
"""

import io
import json
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

#: A notebook's own folder is laid beside it when it has no more files.
_MOST_FILES = 500


@dataclass(frozen=True)
class Repository:
    """One repository at its HEAD."""

    name: str
    git_directory: Path

    @cached_property
    def commit(self) -> str:
        """The commit that is read."""
        return self._git("rev-parse", "HEAD").decode().strip()

    def notebooks(self, naming: str) -> Iterator["Notebook"]:
        """Yield the notebooks in which a regular expression is found, ordered by path.

        What cannot be read as JSON is left out.
        """
        words = ("grep", "-l", "-z", "-E", naming, "HEAD", "--", "*.ipynb")
        command = ["git", "--git-dir", self.git_directory, *words]
        # A mirror may lack large files, which git then names in an error.
        found = subprocess.run(command, capture_output=True, check=False).stdout.decode()
        for path in sorted(name.removeprefix("HEAD:") for name in found.split("\0") if name):
            try:
                document = json.loads(self._git("show", f"HEAD:{path}"))
                cells = [
                    "".join(cell["source"])
                    for cell in document["cells"]
                    if cell["cell_type"] == "code"
                ]
            except (subprocess.CalledProcessError, ValueError, KeyError):
                continue  # very old notebooks have another form
            yield Notebook(self, path, tuple(cells))

    def lay_out(self, folder: str, into: Path) -> None:
        """Copy the files of a folder, but for those that a mirror lacks; not one of very many."""
        tree = self._git("ls-tree", "-r", "-z", "--name-only", f"HEAD:{folder}").decode()
        names = [name for name in tree.split("\0") if name and "\n" not in name]
        if len(names) > _MOST_FILES:
            return
        questions = "".join(f"HEAD:{folder}/{name}\n" for name in names).encode()
        command = ["git", "--git-dir", self.git_directory, "cat-file", "--batch"]
        process = subprocess.run(command, input=questions, capture_output=True, check=True)
        answers = io.BytesIO(process.stdout)
        for name in names:
            header = answers.readline().split()
            if header[-1] == b"missing":
                continue
            path = into / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(answers.read(int(header[-1])))
            answers.readline()

    def _git(self, *words: str) -> bytes:
        command = ["git", "--git-dir", str(self.git_directory), *words]
        return subprocess.run(command, capture_output=True, check=True).stdout


@dataclass(frozen=True)
class Notebook:
    """The code cells of one notebook, in order."""

    repository: Repository
    path: str
    cells: tuple[str, ...]

    def lay_out(self, into: Path) -> None:
        """Copy the files that stand beside the notebook."""
        parent = Path(self.path).parent.as_posix()
        if parent != ".":  # the root of a repository is no notebook's own folder
            self.repository.lay_out(parent, into)


def repositories(folder: Path) -> list[Repository]:
    """Return the repositories below a folder, ordered by name.

    A checkout has ``.git``; a mirror is bare, and may lie in a folder ``repo``. ``OWNER+NAME`` is
    read as ``OWNER/NAME``.
    """
    found = []
    for place in sorted(folder.iterdir()):
        for git_directory in (place / ".git", place, place / "repo" / ".git", place / "repo"):
            if (git_directory / "HEAD").is_file():
                found.append(Repository(place.name.replace("+", "/"), git_directory))
                break
    return found
