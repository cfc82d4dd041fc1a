"""The project ids behind the numbers in resource names.

Names in answers carry a number, which nobody can compute back. A project becomes known when a
request names its id; a number that was used by itself stands for a project of that number.
"""

from vertex_jobs.emulator.resources.identity import project_number
from vertex_jobs.emulator.store.database import Database


class ProjectTable:
    """The projects that were named so far; none is ever forgotten."""

    def __init__(self, database: Database) -> None:
        self._sql = database.sql

    def note(self, project: str) -> str:
        """Remember a project id that a request named; return its number."""
        number = project_number(project)
        if project != number:
            self._sql.execute(
                "INSERT INTO projects VALUES (?, ?) ON CONFLICT DO NOTHING", (number, project)
            )
        return number

    def id_of(self, project: str) -> str:
        """Return a project's id, given its id or number; ``project-NUMBER`` if it is unknown."""
        row = self._sql.execute("SELECT id FROM projects WHERE number = ?", (project,)).fetchone()
        if row is not None:
            return str(row[0])
        return f"project-{project}" if project.isdigit() else project
