"""An index of the lines of one log file, so that no reader starts from its beginning.

Every 64th line's offset and time: a reader seeks to the chunk it needs. Built by one pass over the
file when it is first touched, then updated by each append.
"""

import bisect
import contextlib
import json
import os
from dataclasses import dataclass, field
from pathlib import Path

#: Lines in a chunk, of which a reader parses one at least.
CHUNK = 64


@dataclass
class LogIndex:
    """The chunks of one file.

    Attributes:
        offsets: Byte at which each chunk begins.
        times: Time of each chunk's first line; never falling.
        count: Number of whole lines.
        size: Bytes of the whole lines.
        last_time: Time of the last line.
    """

    offsets: list[int] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    count: int = 0
    size: int = 0
    last_time: float = 0.0

    @classmethod
    def build(cls, path: Path) -> "LogIndex":
        """Index a file; a line that a crash left unfinished is cut off."""
        index = cls()
        line = b""
        with contextlib.suppress(FileNotFoundError), path.open("rb") as file:
            for raw in file:
                if not raw.endswith(b"\n"):
                    break
                line = raw
                index._note(raw)
        if line:
            index.last_time = json.loads(line)["time"]
            if index.size < path.stat().st_size:
                os.truncate(path, index.size)
        return index

    def _note(self, raw: bytes) -> None:
        if self.count % CHUNK == 0:
            self.offsets.append(self.size)
            self.times.append(json.loads(raw)["time"])
        self.count += 1
        self.size += len(raw)

    def add(self, raw: bytes, time: float) -> None:
        """Note a line that was appended."""
        if self.count % CHUNK == 0:
            self.offsets.append(self.size)
            self.times.append(time)
        self.count += 1
        self.size += len(raw)
        self.last_time = time

    def chunk_at(self, time: float) -> int:
        """Return the first chunk that may hold a line of that time or later."""
        return max(bisect.bisect_left(self.times, time) - 1, 0)

    def span(self, chunk: int) -> tuple[int, int]:
        """Return the first byte of a chunk, and the byte after it."""
        last = chunk + 1 == len(self.offsets)
        return self.offsets[chunk], self.size if last else self.offsets[chunk + 1]
