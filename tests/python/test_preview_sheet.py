"""--preview for several volumes: one picture with a tile per volume, compared with pictures of single volumes and with numpy and Pillow.

Arrays are [x, y, z] here: x to the right of the patient, y to anterior, z to superior, as in the affine of NIfTI.
"""

import json
import math
import os
import signal
import subprocess
import time

import nibabel
import numpy as np
import pytest
from helpers import sha256, streaming_limit
from PIL import Image
from preview_pictures import BACKGROUND, TEXT, panels_of, read_picture, write_oriented
from test_preview_planes import boxes, check_panel, expected_panel, image_for, middle_voxel, planes_through, ring, window_of

WIDTH, HEIGHT, CAPTION = 640, 480, 60
FAILED = (255, 150, 90)


def tiles_of(path, count):
    """The tiles of a picture without their frames, in order. Checks the size of the picture, and that nothing follows the last tile."""
    columns = math.ceil(math.sqrt(count))
    rows = math.ceil(count / columns)
    with Image.open(path) as picture:
        assert picture.mode == "RGB" and picture.size == (columns * WIDTH, rows * HEIGHT)
        assert max(picture.size) <= 8192
        crops = [picture.crop((c * WIDTH, r * HEIGHT, (c + 1) * WIDTH, (r + 1) * HEIGHT)) for r in range(rows) for c in range(columns)]
    tiles = [np.asarray(crop) for crop in crops]
    assert all((tile == BACKGROUND).all() for tile in tiles[count:])
    for tile in tiles[:count]:
        frame = np.concatenate([tile[0], tile[-1], tile[:, 0], tile[:, -1]])
        assert len(np.unique(frame, axis=0)) == 1 and (frame[0] != BACKGROUND).any()
    return [tile[1:-1, 1:-1] for tile in tiles[:count]]


def views(tile):
    return tile[: HEIGHT - CAPTION - 1]


def caption(tile):
    """The lines of the text: the name, and the number of components."""
    text = (tile[HEIGHT - CAPTION - 1 :] == TEXT).all(2)
    return text[: CAPTION // 2 - 6], text[CAPTION // 2 - 6 :]


def has_failed(tile):
    return (tile == FAILED).all(2).any() and (views(tile) == BACKGROUND).all()


def mask(number):
    """A volume with `number` boxes; all volumes have different voxels."""
    labels = np.zeros((24, 20, 16), np.uint8)
    for k in range(number):
        labels[2 + 5 * (k % 4) : 5 + 5 * (k % 4), 2 + 6 * (k // 4 % 3) : 6 + 6 * (k // 4 % 3), 3 : 5 + number % 7] = 1
    return labels


def write_masks(folder, numbers):
    return [write_oriented(folder / f"sub-{n:03}.nii", mask(n), "RAS", (1, 1, 1)) for n in numbers]


@pytest.fixture(scope="module")
def five(tmp_path_factory):
    folder = tmp_path_factory.mktemp("five")
    return write_masks(folder, (3, 0, 12, 5, 1))


def corners():
    """Boxes that are far apart, so that their numbers are, too."""
    labels = boxes(1)
    labels[2:9, 40:48, 16:22], labels[50:55, 2:8, 17:22] = 2, 3
    return labels


@pytest.mark.parametrize("codes, spacing", (("RAS", (1, 1, 1)), ("LPI", (1, 2, 1.5))))
def test_tiles_over_an_image(voxcc, tmp_path, codes, spacing):
    """The tiles have the planes, outlines and numbers that numpy and scipy draw."""
    volumes = (corners(), boxes(1), ring())
    for number, labels in enumerate(volumes):
        folder = tmp_path / f"s{number}"
        write_oriented(folder / "mask.nii", labels, codes, spacing)
        write_oriented(folder / "image.nii", image_for(labels), codes, spacing)
    voxcc("label", *(f"s{number}/mask.nii" for number in range(3)), "--preview", "sheet.png", "--preview-image", "{dir}/image.nii",
          "--multilabel", "--sort", "size", "--device", "cpu", cwd=tmp_path)
    for labels, tile in zip(volumes, tiles_of(tmp_path / "sheet.png", 3)):
        voxel, image = middle_voxel(labels, spacing, codes), image_for(labels)
        cut, values = planes_through(labels, voxel), planes_through(image, voxel)
        panels = panels_of(tile)
        assert len(panels) == 3
        for panel, plane, grey in zip(panels, cut, values):
            check_panel(panel, expected_panel(plane, grey, window_of(values), panel.shape[:2]), plane)


def cells(panel, plane_shape):
    """The colours in the middle of the voxels of an enlarged panel."""
    scale = panel.shape[0] // plane_shape[0]
    assert scale >= 3 and panel.shape[:2] == (scale * plane_shape[0], scale * plane_shape[1])
    return panel[scale // 2 :: scale, scale // 2 :: scale]


def test_tiles_show_the_pictures_of_single_volumes(voxcc, tmp_path, five):
    """In the order of the inputs, also without components."""
    inputs = [*five[2:], *five[:2]]
    voxcc("label", *inputs, "--preview", tmp_path / "sheet.png", "--stats", tmp_path / "all.csv")
    voxcc("label", *inputs, "--preview", tmp_path / "{stem}.png")
    tiles = tiles_of(tmp_path / "sheet.png", 5)
    for path, tile in zip(inputs, tiles):
        single, small = panels_of(read_picture(tmp_path / f"{path.stem}.png")), panels_of(views(tile))
        assert len(single) == len(small) == 3
        for a, b, shape in zip(single, small, ((16, 24), (16, 20), (20, 24))):
            assert (cells(a, shape) == cells(b, shape)).all()
    assert len({views(tile).tobytes() for tile in tiles}) == 5


def test_a_tile_depends_on_its_volume_only(voxcc, tmp_path, five):
    """The picture of one line of a list has the tile of the picture of all."""
    voxcc("label", *five, "--preview", tmp_path / "sheet.png")
    for path, tile in zip(five, tiles_of(tmp_path / "sheet.png", 5)):
        (tmp_path / "one.txt").write_text(f"{path}\n")
        voxcc("label", "--list", tmp_path / "one.txt", "--preview", tmp_path / "one.png", "-f")
        assert (tiles_of(tmp_path / "one.png", 1)[0] == tile).all()


def test_names_and_counts(voxcc, tmp_path):
    """The name is the stem, with the folders that distinguish the inputs."""
    for folder, number in (("a", 3), ("b", 4), ("c", 3)):
        write_oriented(tmp_path / folder / "scan.nii", mask(number), "RAS", (1, 1, 1))
    write_oriented(tmp_path / "d" / "scan.nii", mask(3), "RAS", (1, 1, 1))
    label = lambda *inputs: (voxcc("label", *inputs, "--preview", "s.png", "-f", cwd=tmp_path), [caption(t) for t in tiles_of(tmp_path / "s.png", len(inputs))])[1]
    (tmp_path / "d" / "scan.nii").rename(tmp_path / "d" / "other.nii")
    short, other = label("a/scan.nii", "d/other.nii")
    long = label("a/scan.nii", "b/scan.nii", "c/scan.nii")
    (tmp_path / "x").mkdir()
    (tmp_path / "c").rename(tmp_path / "x" / "c")
    deep = label("a/scan.nii", "b/scan.nii", "x/c/scan.nii")
    width = lambda line: np.flatnonzero(line.any(0)).max()
    assert (short[1] == long[0][1]).all() and (long[0][1] == long[2][1]).all() and (long[0][1] != long[1][1]).any()  # 3, 3, 3, 4 components
    assert width(short[0]) < width(long[0][0]) and all((a[0] == b[0]).all() for a, b in zip(long, deep))
    assert len({line[0].tobytes() for line in long}) == 3 and (short[0] != other[0]).any()


def test_long_names_stay_in_their_tiles(voxcc, tmp_path):
    names = [f"{letter}{'x' * 200}.nii" for letter in "ab"]
    for name in names:
        write_oriented(tmp_path / name, mask(2), "RAS", (1, 1, 1))
    voxcc("label", *names, "--preview", "s.png", cwd=tmp_path)
    for tile in tiles_of(tmp_path / "s.png", 2):
        columns = np.flatnonzero(caption(tile)[0].any(0))
        assert columns.min() >= 10 and 590 < columns.max() < 630


def test_bytes_do_not_depend_on_resources(voxcc, tmp_path):
    inputs = [write_oriented(tmp_path / f"{n}.nii", np.kron(mask(n), np.ones((6, 6, 6), np.uint8)), "RAS", (1, 1, 1)) for n in (2, 9, 7, 4)]
    pictures = []
    option, limit = streaming_limit(voxcc, "label", inputs[0], "--preview", "s.png", "--device", "cpu", "-t", 1, cwd=tmp_path)
    slabs = [option, int(limit) + 5 * 320_000 + 5 * 3 * WIDTH * HEIGHT]  # 5 tiles; a row of 3 and 2 tiles are drawn
    plan = json.loads(voxcc("label", *inputs, "--preview", tmp_path / "s.png", "--device", "cpu", "-t", 1, *slabs, "--dry-run").stdout)
    assert all(volume["slabs"] > 1 for volume in plan["volumes"]) and plan["memory_bytes"] <= slabs[1]
    for options in (["-t", 1], ["-t", 2, "-j", 2], ["-j", 4], ["-t", 1, *slabs]):
        voxcc("label", *inputs, "--preview", tmp_path / "s.png", "-f", "--device", "cpu", *options)
        pictures.append((tmp_path / "s.png").read_bytes())
    assert len(set(pictures)) == 1


@pytest.mark.parametrize("jobs", (1, 3))
def test_a_failed_input_has_a_tile(voxcc, tmp_path, five, jobs):
    (tmp_path / "broken.nii").write_bytes(five[0].read_bytes()[:-100])
    voxcc("label", five[0], "broken.nii", "absent.nii", five[2], "--preview", "s.png", "-j", jobs, cwd=tmp_path, expect=1)
    tiles = tiles_of(tmp_path / "s.png", 4)
    assert [has_failed(tile) for tile in tiles] == [False, True, True, False]
    assert (caption(tiles[1])[0] != caption(tiles[2])[0]).any()
    voxcc("label", five[0], five[2], "--preview", "t.png", cwd=tmp_path)
    first, last = tiles_of(tmp_path / "t.png", 2)
    assert (tiles[0] == first).all() and (tiles[3] == last).all()


def test_without_a_complete_input_there_is_no_picture(voxcc, tmp_path):
    voxcc("label", "absent.nii", "gone.nii", "--preview", "s.png", cwd=tmp_path, expect=1)
    assert not (tmp_path / "s.png").exists()


def test_volumes_of_a_series(voxcc, tmp_path):
    """One tile per volume: of one input, of several inputs together, and in one picture per input."""
    arrays = [mask(n) for n in (3, 1, 8)]
    nibabel.save(nibabel.Nifti1Image(np.stack(arrays, 3), np.eye(4)), tmp_path / "series.nii")
    nibabel.save(nibabel.Nifti1Image(np.stack(arrays[:2], 3), np.eye(4)), tmp_path / "two.nii")
    for n, array in enumerate(arrays):
        nibabel.save(nibabel.Nifti1Image(array, np.eye(4)), tmp_path / f"v{n}.nii")
    voxcc("label", *(f"v{n}.nii" for n in range(3)), "--preview", "expected.png", cwd=tmp_path)
    expected = tiles_of(tmp_path / "expected.png", 3)

    def check(name, volumes):
        tiles = tiles_of(tmp_path / name, len(volumes))
        assert all((views(tile) == views(expected[v])).all() for tile, v in zip(tiles, volumes))
        assert all((caption(tile)[1] == caption(expected[v])[1]).all() for tile, v in zip(tiles, volumes))
        assert len({caption(tile)[0].tobytes() for tile in tiles}) == len(tiles)

    for options in ((), ("-o", "l.nii", "-j", "3"), ("-o", "l.nii", "--dtype", "uint8"), ("-j", "2", "--fill-holes")):
        voxcc("label", "series.nii", "--volume", "all", "--preview", "s.png", "-f", *options, cwd=tmp_path)
        check("s.png", (0, 1, 2))
    voxcc("label", "series.nii[1..2]", "--preview", "range.png", cwd=tmp_path)
    check("range.png", (1, 2))
    voxcc("label", "series.nii", "two.nii", "--volume", "all", "--preview", "both.png", cwd=tmp_path)
    check("both.png", (0, 1, 2, 0, 1))
    voxcc("label", "series.nii", "two.nii", "--volume", "all", "--preview", "of_{stem}.png", cwd=tmp_path)
    check("of_series.png", (0, 1, 2))
    check("of_two.png", (0, 1))
    voxcc("label", "series.nii", "--volume", "all", "--preview", "n{volume}.png", cwd=tmp_path)
    assert len(list(tmp_path.glob("n[012].png"))) == 3
    assert "--force" in voxcc.fails(73, "label", "series.nii", "--volume", "all", "--preview", "s.png", cwd=tmp_path)


def test_skip_existing_keeps_the_picture_of_one_input(voxcc, tmp_path):
    nibabel.save(nibabel.Nifti1Image(np.stack([mask(3), mask(1)], 3), np.eye(4)), tmp_path / "series.nii")
    command = ["label", "series.nii", "--volume", "all", "--preview", "s.png", "--json", "s.json", "--skip-existing"]
    voxcc(*command, cwd=tmp_path)
    before = (tmp_path / "s.png").stat().st_mtime_ns
    assert "is skipped" in voxcc(*command, cwd=tmp_path).stderr
    assert (tmp_path / "s.png").stat().st_mtime_ns == before
    (tmp_path / "s.png").unlink()
    assert "is skipped" not in voxcc(*command, cwd=tmp_path).stderr
    tiles_of(tmp_path / "s.png", 2)


def test_many_tiles_are_divided(voxcc, tmp_path):
    """At most 100 tiles per file. All names are checked before any work."""
    numbers = [n % 13 for n in range(103)]
    inputs = [write_oriented(tmp_path / "in" / f"{k:03}.nii", mask(n), "RAS", (1, 1, 1)).relative_to(tmp_path) for k, n in enumerate(numbers)]
    done = voxcc("label", *inputs, "--preview", "s.png", "-j", 2, cwd=tmp_path)
    assert "2 files, from s.png to s_2.png" in done.stderr
    tiles = tiles_of(tmp_path / "s.png", 100) + tiles_of(tmp_path / "s_2.png", 3)
    by_number = {}
    for tile, number in zip(tiles, numbers):
        assert (by_number.setdefault(number, views(tile)) == views(tile)).all()
    assert len({tile.tobytes() for tile in by_number.values()}) == 13 and len({tile.tobytes() for tile in tiles}) == 103
    (tmp_path / "s.png").unlink()
    message = voxcc.fails(73, "label", *inputs, "--preview", "s.png", "--stats", "t.csv", cwd=tmp_path)
    assert "s_2.png" in message and "--force" in message and not (tmp_path / "s.png").exists() and not (tmp_path / "t.csv").exists()
    voxcc("label", *inputs, "--preview", "s.png", "-f", cwd=tmp_path)
    (tmp_path / "s_2.png").rename(tmp_path / "in" / "s_2.png")
    assert "is an input" in voxcc.fails(73, "label", *inputs, "--preview", "in/s.png", "--mask", "in/s_2.png", "--shared", "-f", cwd=tmp_path)


def test_existing_picture(voxcc, tmp_path, five):
    (tmp_path / "s.png").write_text("mine")
    assert "--force" in voxcc.fails(73, "label", *five, "--preview", "s.png", "-o", "{stem}.nii", cwd=tmp_path)
    assert (tmp_path / "s.png").read_text() == "mine" and len(list(tmp_path.iterdir())) == 1
    voxcc("label", *five, "--preview", "s.png", "-f", cwd=tmp_path)
    tiles_of(tmp_path / "s.png", 5)
    voxcc("label", *five, "--preview", "new/s.png", "--mkdir", cwd=tmp_path)
    assert (tmp_path / "new" / "s.png").read_bytes() == (tmp_path / "s.png").read_bytes()


def test_the_summary_lists_the_picture(voxcc, tmp_path, five):
    voxcc("label", *five, "--preview", "s.png", "--json", "run.json", cwd=tmp_path)
    outputs = json.loads((tmp_path / "run.json").read_text())["outputs"]
    assert [(file["path"], file["sha256"]) for file in outputs] == [("s.png", sha256(tmp_path / "s.png"))]


def test_interruption(voxcc, tmp_path, five):
    """The picture has the tiles of the complete inputs. The third input is a pipe that does not end, so the run waits there."""
    os.mkfifo(tmp_path / "pipe.nii")
    writer = os.open(tmp_path / "pipe.nii", os.O_RDWR)
    os.write(writer, five[0].read_bytes()[:1000])
    run = subprocess.Popen([voxcc.program, "label", five[0], five[2], "pipe.nii", five[3], "--preview", "s.png", "-o", "{stem}.out.nii"],
                           cwd=tmp_path, stderr=subprocess.DEVNULL)
    end = time.monotonic() + 30
    while not (tmp_path / f"{five[2].stem}.out.nii").exists() and time.monotonic() < end:
        time.sleep(0.01)
    run.send_signal(signal.SIGINT)
    assert run.wait(timeout=30) == 130
    os.close(writer)
    voxcc("label", five[0], five[2], "--preview", "two.png", cwd=tmp_path)
    assert (tmp_path / "s.png").read_bytes() == (tmp_path / "two.png").read_bytes()
