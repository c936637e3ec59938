#include "python/src/boxes.h"

#include <vector>

namespace voxcc::python {
namespace {

/// Stops the garbage collector: it would look at all new tuples several times, and none of them is part of a cycle.
class WithoutCollector {
public:
    ~WithoutCollector() {
        if (was_enabled_ != 0) PyGC_Enable();
    }

private:
    const int was_enabled_ = PyGC_Disable();
};

/// Python integers. Indices repeat, so each integer below a limit is made once.
class Integers {
public:
    nb::object operator[](std::int64_t value) {
        if (value < 0 || value >= most) return make(value);
        if (std::size_t(value) >= known_.size()) known_.resize(std::size_t(value) + 1);
        nb::object& known = known_[std::size_t(value)];
        if (!known.is_valid()) known = make(value);
        return known;
    }

private:
    static constexpr std::int64_t most = 1 << 16;
    static nb::object make(std::int64_t value) {
        PyObject* const made = PyLong_FromLongLong(value);
        if (!made) throw nb::python_error();
        return nb::steal(made);
    }
    std::vector<nb::object> known_;
};

}  // namespace

nb::list box_slices(const Array& low, const Array& high, const Array& present) {
    const Py_ssize_t rows = low.shape()[0], axes = low.shape()[1];
    const auto* const first = reinterpret_cast<const std::int64_t*>(low.data());
    const auto* const end = reinterpret_cast<const std::int64_t*>(high.data());
    const auto* const is_present = reinterpret_cast<const bool*>(present.data());
    const WithoutCollector without_collector;
    Integers integers;
    nb::list boxes = nb::steal<nb::list>(PyList_New(rows));
    if (!boxes.is_valid()) throw nb::python_error();
    for (Py_ssize_t row = 0; row < rows; ++row) {
        nb::object box = nb::none();
        if (is_present[row]) {
            box = nb::steal(PyTuple_New(axes));
            if (!box.is_valid()) throw nb::python_error();
            for (Py_ssize_t axis = 0; axis < axes; ++axis) {
                const Py_ssize_t at = row * axes + axis;
                PyObject* const slice = PySlice_New(integers[first[at]].ptr(), integers[end[at]].ptr(), nullptr);
                if (!slice || PyTuple_SetItem(box.ptr(), axis, slice) != 0) throw nb::python_error();
            }
        }
        if (PyList_SetItem(boxes.ptr(), row, box.release().ptr()) != 0) throw nb::python_error();
    }
    return boxes;
}

}  // namespace voxcc::python
