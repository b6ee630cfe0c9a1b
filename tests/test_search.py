"""The enumeration of minimal sets against brute force."""

from __future__ import annotations

from collections.abc import Iterable

from hypothesis import given
from hypothesis import strategies as st

from explainer.search import minimal_sets

families = st.lists(st.frozensets(st.integers(0, 7), min_size=1), max_size=6)


@given(families)
def test_all_minimal_sets_smallest_first(family: list[frozenset[int]]) -> None:
    found = list(minimal_sets(8, lambda s: any(member <= set(s) for member in family)))
    minimal = {m for m in family if not any(other < m for other in family)}
    assert set(found) == minimal
    assert len(found) == len(minimal)
    assert [len(s) for s in found] == sorted(len(s) for s in found)


def test_the_empty_set_works_or_nothing_does() -> None:
    assert list(minimal_sets(3, lambda s: True)) == [frozenset()]
    assert list(minimal_sets(3, lambda s: False)) == []
    assert list(minimal_sets(0, lambda s: False)) == []


@given(families, st.lists(st.integers(1, 5), min_size=8, max_size=8))
def test_the_cheapest_first(family: list[frozenset[int]], weights: list[int]) -> None:
    found = list(minimal_sets(8, lambda s: any(member <= set(s) for member in family), weights))
    assert set(found) == {m for m in family if not any(other < m for other in family)}
    costs = [sum(weights[i] for i in s) for s in found]
    assert costs == sorted(costs)


def test_lazy() -> None:
    asked = 0

    def works(s: Iterable[int]) -> bool:
        nonlocal asked
        asked += 1
        return 7 in s

    assert next(minimal_sets(1000, works)) == {7}
    assert asked < 30
