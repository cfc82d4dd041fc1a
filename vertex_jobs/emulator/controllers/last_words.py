"""The end of what a replica wrote to its error stream, as far as its job's error repeats it.

Source: errors of real jobs in GoogleCloudPlatform/vertex-ai-samples pull request 1504 and
tensorflow/models issue 4578: of a long traceback the last frames are kept, below ``[...]``. How
many is not published: as much as Kubernetes keeps of a container's output, 2,048 bytes.
"""

#: How the launcher's words begin where a program could not be started.
CANNOT_START = "cannot start "
_BEGINS = "Traceback (most recent call last):"
_FRAME = '  File "'
_LEFT_OUT = "  [...]"
_MOST_BYTES = 2048
#: A traceback that the program has gone on after is not why it ended.
_MOST_LINES_AFTER = 10


class LastWords:
    """Reads the lines of one replica's error stream."""

    def __init__(self) -> None:
        self.last_line = ""
        self._traceback: list[str] = []
        self._is_open = False
        self._after = 0

    def note(self, line: str) -> None:
        """Take the next line."""
        self.last_line = line
        if line.rstrip() == _BEGINS:
            self._traceback, self._is_open, self._after = [], True, 0
        elif self._is_open:
            self._traceback.append(line)
            self._is_open = not line or line[0].isspace()
        else:
            self._after += 1

    @property
    def traceback(self) -> str:
        """The traceback that the replica ended with; empty without one."""
        if not self._traceback or self._is_open or self._after > _MOST_LINES_AFTER:
            return ""
        frames, error = _frames(self._traceback[:-1]), self._traceback[-1]
        left, kept = _MOST_BYTES - len(error.encode()), 0
        for frame in reversed(frames):
            left -= len(frame.encode())
            if left < 0:
                break
            kept += 1
        shown = frames[len(frames) - kept :]
        left_out = [_LEFT_OUT] if kept < len(frames) else []
        return "\n".join([_BEGINS, *left_out, *shown, error])


def _frames(lines: list[str]) -> list[str]:
    """Return the lines joined by frame."""
    frames: list[str] = []
    for line in lines:
        if line.startswith(_FRAME) or not frames:
            frames.append(line)
        else:
            frames[-1] += f"\n{line}"
    return frames
