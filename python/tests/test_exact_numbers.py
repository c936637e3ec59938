"""threshold, background and delta are compared exactly with integers; the model uses fractions."""

import os
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
import voxcc

X = {dtype: np.array(sorted({v for p in (0, 2**53, 2**63, 2**64, -(2**63), 255) for v in range(p - 2, p + 3)
                             if np.iinfo(dtype).min <= v <= np.iinfo(dtype).max}), dtype) for dtype in ("u8", "i8", "u1")}  # fmt: skip
NUMBERS = [
    2**53 + 1, np.uint64(2**63 + 1), np.array(2**53 + 1), -(2**63) - 1, 2**64 - 1, 10**400, -(10**400), Fraction(2**54 + 1, 2), Fraction(1, 3),
    Fraction(10**25 + 1, 10**25), Decimal("9007199254740993"), Decimal("18446744073709551614.5"), 0.5, 2.0**60, np.float32(1.5), -0.0,
]  # fmt: skip


def exact(number):
    if isinstance(number, Decimal):
        return Fraction(number)
    return Fraction(number.item() if isinstance(number, (np.generic, np.ndarray)) else number)


@pytest.mark.parametrize("number", NUMBERS, ids=str)
def test_numbers(number):
    for x in X.values():
        values = [Fraction(int(v)) for v in x]
        assert (voxcc.label(x, threshold=number).labels > 0).tolist() == [v >= exact(number) for v in values]
        assert (voxcc.label(x, threshold=(number, 2**64 - 2)).labels > 0).tolist() == [exact(number) <= v <= 2**64 - 2 for v in values] if (
            exact(number) <= 2**64 - 2) else True
        assert (voxcc.label(x, background=number).labels > 0).tolist() == [v != exact(number) for v in values]
        if number >= 0:
            ends = np.array([[1, x[-1]], [1, x[-2]], [1, x[-3]]], x.dtype)
            count = [1 if int(end) - 1 <= exact(number) else 2 for end in ends[:, 1]]
            assert [voxcc.label(row, delta=number).count for row in ends] == count


@pytest.mark.parametrize("text", ["9007199254740993", "9007199254740993.0", "9007199254740993e0", "9007199254740992.5", "1.00000000000000000000000001",
                                  "-9223372036854775808.5", "18446744073709551614.5", "0.1"])
def test_texts(text):
    for x in X.values():
        values = [Fraction(int(v)) for v in x]
        for rule, selects in ((">", lambda v: v > Fraction(text)), (">=", lambda v: v >= Fraction(text)), ("", lambda v: v >= Fraction(text))):
            assert (voxcc.label(x, threshold=rule + text).labels > 0).tolist() == [selects(v) for v in values]
        assert (voxcc.label(x, threshold=f"{text}:{text}").labels > 0).tolist() == [v == Fraction(text) for v in values]


def test_ranges_are_compared_exactly():
    with pytest.raises(ValueError, match="must not be greater"):
        voxcc.label(X["i8"], threshold=(2**53 + 1, 2**53))
    with pytest.raises(ValueError, match="must not be greater"):
        voxcc.label(X["i8"], threshold="9007199254740992.5:9007199254740992")


def test_floats_are_compared_with_the_nearest_float():
    x = np.array([2.0**53, 2.0**53 + 2])
    assert voxcc.label(x, threshold=2**53 + 1).labels.tolist() == [1, 1]  # rounds to 2^53, as in numpy
    assert voxcc.label(x, threshold=10**400).count == 0
    assert voxcc.label(np.array([0.1], "f4"), threshold=Fraction(1, 10)).count == 1


@pytest.mark.skipif(not os.environ.get("VOXCC"), reason="SKIPPED: label_file(): VOXCC does not name the program")
def test_files(tmp_path):
    """The text for the program has the same value."""
    for dtype, x in X.items():
        np.save(tmp_path / f"{dtype}.npy", x[None])
        for number in (2**53 + 1, Fraction(2**54 + 1, 2), 2.0**60, 12345678901234001920.0, (Fraction(1, 3), 2**63), ">9007199254740993.0"):
            count = voxcc.label_file(tmp_path / f"{dtype}.npy", threshold=number).count
            assert count == voxcc.label(x[None], threshold=number).count
            if not isinstance(number, (tuple, str)):
                assert voxcc.label_file(tmp_path / f"{dtype}.npy", delta=number).count == voxcc.label(x[None], delta=number).count
