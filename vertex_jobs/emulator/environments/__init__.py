"""Places where a pool's program runs instead of its container image.

For the controllers. ``current`` is the environment of the server itself; ``isolated`` one is built
from the job's packages by ``uv`` or ``pip``; ``docker`` and ``podman`` run the image where an
engine answers. The controllers decide what runs there.
"""
