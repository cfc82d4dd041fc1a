"""NumPy and SciPy as this program needs them: for matrices of some hundred rows, on one thread.

On so little, the threads of their linear algebra cost ten times what they save. The variables that
say so are there while the libraries load, and no longer: children must not inherit them.
"""

import os

__all__ = ["load_numerics"]

#: Each wheel brings an OpenBLAS of its own, which reads this when it is loaded.
_VARIABLE = "OPENBLAS_NUM_THREADS"


def load_numerics() -> None:
    """Load the linear algebra that judging a study takes; a person's own setting stays."""
    if _VARIABLE in os.environ:
        return
    os.environ[_VARIABLE] = "1"
    try:
        import scipy.linalg  # noqa: F401 - loaded for the libraries in them
    finally:
        del os.environ[_VARIABLE]
