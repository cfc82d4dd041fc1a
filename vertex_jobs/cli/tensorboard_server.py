"""``python -m vertex_jobs.cli.tensorboard_server DIRECTORY PORT``: TensorBoard over fsspec.

The child of the verb ``tensorboard``. It prints one line, the address, when it answers.
"""

import sys
import threading
from types import ModuleType


def main(directory: str, port: int) -> None:
    """Serve the logs of a ``gs://`` directory until interrupted, on the loopback address.

    The port 0 stands for any that is free.
    """
    # With a module of this name TensorBoard does without TensorFlow: it starts sooner, and reads
    # gs:// by fsspec, which asks the endpoint that the environment names.
    sys.modules["tensorboard.compat.notf"] = ModuleType("tensorboard.compat.notf")
    from tensorboard import default, program

    board = program.TensorBoard(default.get_plugins())
    # load_fast is a reader in another language, which knows Google's storage alone.
    board.configure(logdir=directory, port=port, load_fast="false")
    try:
        url = board.launch()
    except program.TensorBoardServerException as error:
        sys.exit(f"error: {error}")
    print(f"TensorBoard answers on {url}", flush=True)
    threading.Event().wait()


if __name__ == "__main__":
    try:
        main(sys.argv[1], int(sys.argv[2]))
    except KeyboardInterrupt:
        sys.exit(0)
