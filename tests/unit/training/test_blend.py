"""The mean of trained readers."""

import numpy as np
from training.blend import Tensors, blend


def reader(seed: int) -> Tensors:
    drawn = np.random.default_rng(seed)
    shapes = {"layers.0.wide.up": (6, 2), "layers.0.wide.down": (2, 4), "answer.bias": (1,)}
    return {name: drawn.normal(size=shape).astype(np.float16) for name, shape in shapes.items()}


def added(tensors: Tensors) -> np.ndarray:
    up, down = (tensors[f"layers.0.wide.{part}"] for part in ("up", "down"))
    return up.astype(np.float64) @ down.astype(np.float64)


def test_a_reader_blended_with_itself_is_the_same() -> None:
    one = reader(1)

    blended = blend([(0.3, one), (0.7, one)])

    np.testing.assert_allclose(added(blended), added(one), atol=0.01)
    np.testing.assert_allclose(blended["answer.bias"], one["answer.bias"], atol=0.001)


def test_a_blend_keeps_the_rank_and_the_best_part_of_what_is_added() -> None:
    one, other = reader(1), reader(2)

    blended = blend([(0.5, one), (0.5, other)])

    mean = (added(one) + added(other)) / 2
    lost = np.linalg.svd(mean, compute_uv=False)[2:]
    assert {name: part.shape for name, part in blended.items()} == {
        name: part.shape for name, part in one.items()
    }
    np.testing.assert_allclose(
        np.linalg.norm(added(blended) - mean), np.linalg.norm(lost), rtol=0.05
    )
