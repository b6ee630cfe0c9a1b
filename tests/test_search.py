"""The enumeration of minimal sets against brute force."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from explainer.search import minimal_sets

families = st.lists(st.frozensets(st.integers(0, 7), min_size=1), max_size=6)


@given(families)
def test_all_minimal_sets_smallest_first(family: list[frozenset[int]]) -> None:
    found = list(minimal_sets(range(8), lambda s: any(member <= s for member in family)))
    minimal = {m for m in family if not any(other < m for other in family)}
    assert set(found) == minimal
    assert len(found) == len(minimal)
    assert [len(s) for s in found] == sorted(len(s) for s in found)


def test_the_empty_set_works_or_nothing_does() -> None:
    assert list(minimal_sets("abc", lambda s: True)) == [frozenset()]
    assert list(minimal_sets("abc", lambda s: False)) == []
    assert list(minimal_sets("", lambda s: False)) == []


def test_lazy() -> None:
    asked = 0

    def works(s: frozenset[int]) -> bool:
        nonlocal asked
        asked += 1
        return bool(s)

    next(minimal_sets(range(1000), works))
    assert asked < 1100
