"""Thresholds and --delta are compared exactly with integers, however their decimal text is written. The model uses fractions."""

import json
import re
from fractions import Fraction

import numpy as np
import parts_steps
import pytest
from helpers import read_nifti, write_nifti

TYPES = ("u1", "i1", "u2", "i2", "u4", "i4", "u8", "i8", "f4", "f8")
NEAR = (2**53, 2**63, 2**64, -(2**63), 2**31, 255, -128, 0)


def values_of(dtype):
    """Values around the limits of the type, and around integers that no double holds."""
    wanted = [place + step for place in NEAR for step in (-2, -1, 0, 1, 2)] + [int(float(2**64 - 2048)), 12345678901234567890]
    if dtype[0] == "f":
        return np.unique(np.array(wanted + [0.1, 0.5, -0.5, 1.5, np.inf, -np.inf], dtype))
    limits = np.iinfo(dtype)
    return np.array(sorted({v for v in [*wanted, limits.min, limits.max] if limits.min <= v <= limits.max}), dtype)


def texts_of(number):
    """Decimal texts of an integer, and of numbers beside it."""
    sign, digits = "-" * (number < 0), str(abs(number))
    shifted = digits[0] + "." + (digits[1:] or "0") + f"e{len(digits) - 1}"
    same = [digits, digits + ".0", digits + "e0", digits + "0e-1", shifted, "0" + digits + ".00E+0"]
    return [sign + text for text in [*same, digits + ".5", digits + ".00000000000000000000001", digits + ".99999999999999999999999"]]


def compared(text, dtype):
    """The number of a rule in the precision of the comparison."""
    if dtype == "f4":
        with np.errstate(over="ignore"):
            return np.float32(float(text))
    return float(text) if dtype == "f8" else Fraction(text)


def model(rule, dtype):
    """Which values of the type a rule selects."""
    values = [Fraction(int(v)) for v in values_of(dtype)] if dtype[0] != "f" else list(values_of(dtype))
    number = lambda text: compared(text, dtype)  # noqa: E731
    if match := re.fullmatch(r"(==|!=)(.*)", rule):
        listed = [number(text) for text in match[2].split(",")]
        return [(v in listed) == (match[1] == "==") for v in values]
    if match := re.fullmatch(r"(abs)?(>=|>|<=|<)(.*)", rule):
        bound, of = number(match[3]), abs if match[1] else lambda v: v
        return [{">": of(v) > bound, ">=": of(v) >= bound, "<": of(v) < bound, "<=": of(v) <= bound}[match[2]] for v in values]
    low, high = rule.split(":")
    return [number(low) <= v <= number(high) for v in values]


def rules():
    rng = np.random.default_rng(3)
    texts = [text for place in NEAR for step in (-1, 0, 1) for text in texts_of(place + step)]
    pick = lambda: texts[rng.integers(len(texts))]  # noqa: E731
    for text in texts:
        yield [">", ">=", "<", "<=", "=="][rng.integers(5)] + text
    for _ in range(30):
        yield "==" + ",".join(pick() for _ in range(3))
        yield "!=" + ",".join(pick() for _ in range(3))
        yield ":".join(sorted((pick(), pick()), key=Fraction))
        yield ["abs>", "abs>="][rng.integers(2)] + pick().lstrip("-")


RULES = list(rules())


@pytest.mark.parametrize("part", range(4))
def test_thresholds_of_all_types(voxcc, tmp_path, part):
    """Each run labels one file per type."""
    for dtype in TYPES:
        np.save(tmp_path / f"{dtype}.npy", values_of(dtype)[None])
    inputs = [tmp_path / f"{dtype}.npy" for dtype in TYPES]
    for rule in RULES[part::4]:
        voxcc("label", *inputs, f"--threshold={rule}", "-o", str(tmp_path / "{stem}_out.npy"), "-f", "-q")
        for dtype in TYPES:
            got = np.load(tmp_path / f"{dtype}_out.npy")[0] > 0
            np.testing.assert_array_equal(got, model(rule, dtype), err_msg=f"{dtype} {rule} {values_of(dtype)}")


def test_delta_of_all_integers(voxcc, tmp_path):
    """Pairs of voxels, of which neither is 0, between voxels of background."""
    integers = [dtype for dtype in TYPES if dtype[0] != "f"]
    pairs = {}
    for dtype in integers:
        values = [int(v) for v in values_of(dtype) if v != 0]
        pairs[dtype] = [(a, b) for a in values for b in values if a < b]
        rows = np.zeros((len(pairs[dtype]), 2, 2), dtype)
        rows[:, 0] = pairs[dtype]
        np.save(tmp_path / f"{dtype}.npy", rows.reshape(1, -1, 2))
    texts = [text for place in (2**53, 2**63, 2**64, 255, 2**31) for step in (-2, -1, 0, 1) for text in texts_of(place + step)[::2]]
    for text in ["0.99999999999999999999999", *texts]:
        inputs = [tmp_path / f"{dtype}.npy" for dtype in integers]
        voxcc("label", *inputs, "-c", 4, "--delta", text, "-o", str(tmp_path / "{stem}_out.npy"), "-f", "-q", "--device", "cpu")
        for dtype in integers:
            labels = np.load(tmp_path / f"{dtype}_out.npy")[0, ::2]
            want = [b - a <= Fraction(text) for a, b in pairs[dtype]]
            np.testing.assert_array_equal(labels[:, 0] == labels[:, 1], want, err_msg=f"{dtype} {text}")


@pytest.mark.parametrize("algorithm", ["block-runs", "ziegler-gather"])
def test_delta_of_algorithms(voxcc, tmp_path, algorithm):
    np.save(tmp_path / "in.npy", np.array([[[1, 2**53 + 2, 0, 1, 2**63 + 1]]], "u8"))
    for text, count in (("9007199254740993", 3), ("9007199254740992.9", 4), ("9223372036854775806", 3), ("9223372036854775808e0", 2)):
        done = voxcc("label", tmp_path / "in.npy", "--delta", text, "--device", "cpu", "--algorithm", algorithm, "--json", "-")
        assert json.loads(done.stdout)["count"] == count, text


def test_configuration_plans_and_summaries(voxcc, tmp_path):
    """The same text gives the same foreground in a configuration file, in parts, and when it is taken from a summary."""
    x = np.array([2**53, 0, 2**53 + 1, 0, 2**53 + 2] * 4, "i8").reshape(2, 2, 5)
    write_nifti(tmp_path / "in.nii", x)
    rule = ">=9007199254740992.5"
    (tmp_path / "voxcc.toml").write_text(f"threshold = '{rule}'\n")
    voxcc("label", "in.nii", "--config", "voxcc.toml", "-o", "a.nii", "--json", "a.json", cwd=tmp_path)
    summary = json.loads((tmp_path / "a.json").read_text())
    assert summary["options"]["threshold"] == rule
    assert summary["volumes"][0]["foreground"]["low"] == "9007199254740992.5"
    np.testing.assert_array_equal(read_nifti(tmp_path / "a.nii") > 0, x > 2**53)
    parts_steps.split(voxcc, tmp_path, tmp_path / "in.nii", f"--threshold={rule}", "--part-size", 2)
    parts_steps.label(voxcc, tmp_path, "0..2")
    parts_steps.merge(voxcc, tmp_path)
    parts_steps.relabel(voxcc, tmp_path, "0..2")
    parts_steps.finish(voxcc, tmp_path, "-o", tmp_path / "parts.nii")
    assert (tmp_path / "parts.nii").read_bytes() == (tmp_path / "a.nii").read_bytes()
