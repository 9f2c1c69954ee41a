"""Made-up vectors that lie as those of texts do: near a few dozen directions, with a little of everything else."""

import numpy as np
import numpy.typing as npt

DIRECTIONS = 64


def like_texts(count: int, dimension: int, seed: int) -> npt.NDArray[np.float32]:
    """Unit vectors of shape (count, dimension); those of any two seeds share their directions."""
    directions = np.random.default_rng(0).standard_normal((DIRECTIONS, dimension), dtype=np.float32) / 8
    randomly = np.random.default_rng(seed + 1)
    rows = randomly.standard_normal((count, DIRECTIONS), dtype=np.float32) @ directions
    rows += 0.3 * randomly.standard_normal((count, dimension), dtype=np.float32)
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)
