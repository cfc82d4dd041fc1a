"""The array type of the search: numbers as doubles."""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
