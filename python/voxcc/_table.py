"""Tables: one array per column."""

import numpy as np

SHOWN_ROWS, SHOWN_COLUMNS = 10, 8


class Table(dict):
    """A dict with one array per column. All columns have one element per row.

    pandas.DataFrame(table) and polars.DataFrame(table) make data frames. Two tables are equal if they have the same columns with equal
    values; NaN is equal to NaN.

    >>> table = voxcc.measure(np.array([[7, 7, 0], [0, 7, 9]]))
    >>> table["voxels"]
    array([3, 1], dtype=uint64)
    >>> table
    Table of 2 rows x 11 columns
    label  voxels  centroid_0  centroid_1  bbox_0_min  bbox_0_max  bbox_1_min  bbox_1_max  ...
        7       3    0.333333    0.666667           0           2           0           2  ...
        9       1           1           2           1           2           2           3  ...
    """

    __slots__ = ()
    __hash__ = None

    def copy(self):
        """A table with the same arrays."""
        return Table(self)

    def to_arrow(self):
        """The table as a pyarrow.Table. Raises ImportError if pyarrow is not installed.

        >>> voxcc.measure(np.array([7, 7, 9])).to_arrow()["voxels"].to_pylist()  # doctest: +SKIP
        [2, 1]
        """
        try:
            import pyarrow
        except ImportError as error:
            raise ImportError("Table.to_arrow() needs the package pyarrow; install it, for example with pip install pyarrow") from error
        return pyarrow.table(dict(self))

    def __eq__(self, other):
        if not isinstance(other, dict):
            return NotImplemented
        return self.keys() == other.keys() and all(_equal_columns(column, other[name]) for name, column in self.items())

    def __ne__(self, other):
        equal = self.__eq__(other)
        return equal if equal is NotImplemented else not equal

    def size_text(self):
        """The numbers of rows and columns as text."""
        rows = max(map(np.size, self.values()), default=0)
        return f"{rows} {'row' if rows == 1 else 'rows'} x {len(self)} {'column' if len(self) == 1 else 'columns'}"

    def __repr__(self):
        columns = []
        for name in list(self)[:SHOWN_COLUMNS]:
            texts = [f"{value:g}" if isinstance(value, float) else str(value) for value in np.ravel(self[name])[:SHOWN_ROWS].tolist()]
            width = max(map(len, (name, *texts)))
            columns.append([text.rjust(width) for text in (name, *texts)])
        if len(self) > SHOWN_COLUMNS:
            columns.append(["..."] * len(columns[0]))
        lines = ["  ".join(texts) for texts in zip(*columns)]
        if any(np.size(column) > SHOWN_ROWS for column in self.values()):
            lines.append("...")
        return "\n".join([f"Table of {self.size_text()}", *lines])


def _equal_columns(a, b):
    a, b = np.asarray(a), np.asarray(b)
    if a.shape != b.shape:
        return False
    return bool(((a == b) | ((a != a) & (b != b))).all())
