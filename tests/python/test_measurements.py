"""Tables of measurements in lab/results, as lab/measurements.py reads them."""

import csv
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "lab"))
import measurements  # noqa: E402


def write(path, rows):
    """A table with these rows."""
    with open(path, "w", newline="") as file:
        writer = csv.DictWriter(file, measurements.COLUMNS)
        writer.writeheader()
        writer.writerows({"version": "0.1.0", "device": "cpu", "driver": "n/a", "unit": "ms"} | row for row in rows)
    return path


def test_an_empty_cell_has_the_text_of_the_cell_above(tmp_path):
    rows = [{"machine": "host", "date": "2026-01-01", "value": 1.0}, {"value": 2.0}, {"date": "2026-01-02", "value": 3.0}]
    found = measurements.read([write(tmp_path / "table.csv", rows), write(tmp_path / "other.csv", [{"date": "2026-01-03", "value": 4.0}])])
    assert [(row["machine"], row["date"], row["value"]) for row in found] == [
        ("host", "2026-01-01", 1.0), ("host", "2026-01-01", 2.0), ("host", "2026-01-02", 3.0), ("", "2026-01-03", 4.0)]


def test_a_shorter_table_has_the_same_rows(tmp_path):
    rows = [{"machine": "host, one", "phase": phase, "value": value} for phase, value in [("scan", 1.5), ("scan", 1.5), ("merge", 1.5)]]
    path = write(tmp_path / "table.csv", rows)
    before = measurements.read([path])
    path.write_text(measurements.shortened(path))
    assert measurements.read([path]) == before
    assert path.read_text().splitlines()[2:] == [",,,,,,,,,,,,1.5,", ",,,,,,,,,,merge,,1.5,"]


def test_stored_tables_are_short():
    for path in (Path(measurements.__file__).parent / "results").rglob("*.csv*"):
        if measurements.is_table(path):
            with measurements.open_table(path) as file:
                assert file.read() == measurements.shortened(path), path
