"""A number of components that a CUDA device may still have to compute."""

import numbers
import operator

import numpy as np


class Count:
    """An integer that waits for the device when its value is first used.

    It can be used as an int: int(count), count + 1, count == 3, range(count), f"{count}". It is not a subclass of int.
    """

    __slots__ = ("_pending", "_value")

    def __init__(self, pending):
        self._pending = pending
        self._value = None

    def __index__(self):
        if self._pending is not None:
            self._value = self._pending.value()
            self._pending = None
        return self._value

    __int__ = __index__

    def __float__(self):
        return float(self.__index__())

    def __bool__(self):
        return self.__index__() != 0

    def __hash__(self):
        return hash(self.__index__())

    def __repr__(self):
        return repr(self.__index__())

    def __format__(self, spec):
        return format(self.__index__(), spec)

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.__index__(), dtype)

    def __reduce__(self):
        return int, (self.__index__(),)


def _of_one(operation):
    return lambda self: operation(self.__index__())


def _of_two(operation):
    def call(self, other):
        return operation(self.__index__(), other.__index__() if isinstance(other, Count) else other)

    return call


def _reversed_operation(operation):
    return lambda self, other: operation(other, self.__index__())


for _operation in (operator.neg, operator.pos, operator.abs, operator.invert):
    setattr(Count, f"__{_operation.__name__.strip('_')}__", _of_one(_operation))
for _operation in (operator.eq, operator.ne, operator.lt, operator.le, operator.gt, operator.ge):
    setattr(Count, f"__{_operation.__name__}__", _of_two(_operation))
for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "lshift", "rshift", "and_", "or_", "xor"):
    _operation, _stem = getattr(operator, _name), _name.strip("_")
    setattr(Count, f"__{_stem}__", _of_two(_operation))
    setattr(Count, f"__r{_stem}__", _reversed_operation(_operation))
numbers.Integral.register(Count)
