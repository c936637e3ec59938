"""The results of functions that label: two values, and a table as an attribute."""

import operator

from ._table import Table


class LabelResult(tuple):
    """A tuple of labels and their count. The attribute table is a table or None.

    Two results are equal if their labels have the same shape and values, and their counts and tables are equal. A result is not equal to
    a tuple of another type.
    """

    table = None

    def __new__(cls, labels, count, table=None):
        self = tuple.__new__(cls, (labels, count))
        if table is not None:
            self.table = table
        return self

    labels = property(operator.itemgetter(0), doc="The labels.")
    count = property(operator.itemgetter(1), doc="The number of components.")

    def __getnewargs__(self):  # of copies and pickles
        return self.labels, self.count, self.table

    def __eq__(self, other):
        if not isinstance(other, LabelResult):
            return False
        return bool(_equal_labels(self.labels, other.labels) and self.count == other.count and self.table == other.table)

    def __ne__(self, other):
        return not self == other

    __hash__ = None

    def __repr__(self):
        table = f"<{self.table.size_text()}>" if isinstance(self.table, Table) else repr(self.table)
        return f"{type(self).__name__}(labels={self.labels!r}, count={self.count!r}, table={table})"


class Result(LabelResult):
    """The result of label(): an array of labels and the number of components, and as an attribute a Table or None.

    >>> labels, count = voxcc.label(np.array([1, 0, 1]))
    >>> result = voxcc.label(np.array([1, 0, 1]), table=True)
    >>> result.count, result.table["voxels"]
    (2, array([1, 1], dtype=uint64))
    """


class FileResult(LabelResult):
    """The result of label_file(): None, because the labels are in the output, and the number of components. table: a Table or None."""


def _equal_labels(a, b):
    if a is None or b is None or a is b:
        return a is b
    if hasattr(a, "equals"):  # a DataArray
        return a.equals(b)
    return a.shape == b.shape and bool((a == b).all())
