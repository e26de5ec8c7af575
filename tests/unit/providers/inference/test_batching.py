from sourcebook.providers.inference.batching import batched, longest_first, put_back, regrouped
from sourcebook.providers.inference.windows import Window


def window(length: int) -> Window:
    return Window([1] * length, [0] * length, length)


def test_the_longest_windows_come_first() -> None:
    assert longest_first([window(2), window(9), window(5)]) == [1, 2, 0]


def test_putting_back_undoes_the_order() -> None:
    order = longest_first([window(2), window(9), window(5)])
    assert put_back(order, ["nine", "five", "two"]) == ["two", "nine", "five"]


def test_batches_hold_every_item_once() -> None:
    assert batched([1, 2, 3, 4, 5], 2) == [[1, 2], [3, 4], [5]]
    assert batched([], 2) == []


def test_regrouping_follows_the_sizes() -> None:
    assert list(regrouped("abcdef", [1, 0, 3, 2])) == ["a", "", "bcd", "ef"]
