"""A plan whose values were changed, with a new checksum: each value that a plan cannot have is refused."""

import hashlib
import json

import numpy as np
import pytest
from helpers import noise

SPLIT = ("split", "in.npy", "-o", "plan.json", "--part-size", "8", "--min-size", "3", "--keep-largest", "5", "--periodic", "x", "--spacing", "1,2,3")
WRONG = {
    ("input", "reader"): ["other", "", 1, None], ("input", "missing_chunks"): ["other", "", True], ("input", "allow_external"): [1, "true"],
    ("input", "geometry_tolerance"): ["x", {"amount": -1, "unit": ""}, {"amount": 0.01, "unit": "x"}, {"amount": True, "unit": ""}],
    ("input", "spacing", "steps"): [[1, 2, -3], [0, 1, 1], [1, 2]], ("input", "raw"): ["uint8,3x3x3,", "x"],
    ("rules", "min_voxels"): [-1, 0.5, 1e308, "3", True], ("rules", "max_voxels"): [-1, 0.5, 1e308, None],
    ("rules", "keep_largest"): [-1, 0, 0.5, 1e308, False], ("rules", "faces_of"): [[16, 16, 16], [1, 1, 1], [1, 16, 17], [1, 16, 15], [0, 0, 0], [-1, 16, 16]],
    ("rules", "extent"): [[16.5, 16, 16], [True, 16, 16]], ("rules", "part_size"): [[8.5, 8, 8]], ("rules", "connectivity"): [5, 26.0, "26"],
    ("rules", "periodic"): [[1, 0, 0], [True, False]], ("rules", "clear_border"): [0], ("rules", "by_size"): ["no"], ("rules", "equal_values"): [0],
    ("connectivity",): [0.5, 7, True], ("contacts",): [0, None], ("shape",): [1], ("invert",): [0], ("units",): ["ell", 3], ("max_hole",): [-1, 0.5],
    ("threshold",): ["otsu", ">0 ", "p99", "x"], ("parts",): [1, 8.0, "8"], ("image", "bytes"): [True, 1.5], ("image", "type"): ["uint7"], ("world",): [3], ("more",): [1],
}


@pytest.fixture(scope="module")
def folder(voxcc, tmp_path_factory):
    folder = tmp_path_factory.mktemp("plan")
    np.save(folder / "in.npy", noise((16, 16, 16), 0.3))
    voxcc(*SPLIT, cwd=folder)
    return folder


def with_identity(plan):
    del plan["identity"]
    text = json.dumps(plan, separators=(",", ":"), ensure_ascii=False)
    return {**plan, "identity": hashlib.sha256(text.encode()).hexdigest()}


def label(voxcc, folder, plan, code):
    (folder / "changed.json").write_text(json.dumps(plan, indent=2))
    return (voxcc.fails if code else lambda code, *a, **o: voxcc(*a, **o))(code, "label", "--plan", "changed.json", "--part", "0", "-o", "state", cwd=folder)


def test_an_equal_plan_is_accepted(voxcc, folder):
    label(voxcc, folder, with_identity(json.loads((folder / "plan.json").read_text())), 0)


@pytest.mark.parametrize("keys", WRONG, ids=".".join)
def test_changed_values(voxcc, folder, keys):
    for value in WRONG[keys]:
        plan = json.loads((folder / "plan.json").read_text())
        at = plan
        for key in keys[:-1]:
            at = at[key]
        at[keys[-1]] = value
        error = label(voxcc, folder, with_identity(plan), 65)
        assert "has a value that a plan cannot have; make it again with 'voxcc split'" in error
