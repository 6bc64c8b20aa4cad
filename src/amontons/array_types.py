"""Names of the array types that annotations use; shapes are said where a name is used."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int32]  # numbers of bodies, parts, vertices
Longs = NDArray[np.int64]  # places in arrays that may be long
Flags = NDArray[np.bool_]
