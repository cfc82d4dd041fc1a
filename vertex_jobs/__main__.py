"""``python -m vertex_jobs``: the command line without its script on the path."""

import sys

from vertex_jobs.cli import main

__all__: list[str] = []

if __name__ == "__main__":
    sys.exit(main())
