"""Every argument of every public function with values of wrong kinds: the types and the messages of the exceptions."""

import inspect
import warnings

import pytest
import voxcc
from odd_values import CALLS, call, odd_values

LOW_LEVEL = ("incompatible function arguments", "voxcc._core", "nanobind", "argument after *")
pytestmark = pytest.mark.filterwarnings("ignore")
MOST_CHARACTERS = 400  # of a message


@pytest.fixture(autouse=True)
def number_of_threads():
    before = voxcc.get_threads()
    yield
    voxcc.set_threads(before)


def exception_of(function, given):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            call(function, given)
        except Exception as error:
            return error


def names_of(function):
    return [name for name in inspect.signature(function).parameters if name not in ("out_file", "max_labels", "cache")]


@pytest.mark.parametrize("function", CALLS, ids=lambda function: f"{function.__module__}.{function.__name__}")
def test_exceptions(function):
    """A wrong argument raises TypeError or ValueError, or what the function of the other package raises. No message is of the binding."""
    valid, model = CALLS[function]
    assert exception_of(function, valid) is None
    faults = []
    for name in names_of(function):
        for i, value in enumerate(odd_values()):
            if function is voxcc.scipy.find_objects and isinstance(value, int) and value > 2**20:
                continue  # both packages would make a list of this length
            error = exception_of(function, {**valid, name: value})
            if error is None:
                continue
            kinds = (TypeError, ValueError, NotImplementedError, voxcc.DeviceError)
            if model is not None:
                expected = exception_of(model, {**valid, name: odd_values()[i]})
                kinds += (type(expected),) if expected is not None else ()
            text = str(error)
            if not isinstance(error, kinds) or any(part in text for part in LOW_LEVEL) or len(text) > MOST_CHARACTERS or not text:
                faults.append(f"{name}, value {i}: {type(error).__name__}: {text[:200]}")
    assert not faults, "\n".join(faults)
