// Arguments of the module as arguments of the engine.
#pragma once
#include <voxcc/foreground.h>

#include <nanobind/nanobind.h>

/// Converts numbers to bounds: floats, integers of any size, and tuples (whole, real) for numbers between `whole` and `whole` + 1.
template <>
struct nanobind::detail::type_caster<voxcc::Bound> {
    NB_TYPE_CASTER(voxcc::Bound, const_name("float | int | tuple[int, float]"))

    bool from_python(handle from, std::uint8_t, cleanup_list*) noexcept {
        if (PyFloat_Check(from.ptr())) {
            value = PyFloat_AsDouble(from.ptr());
            return true;
        }
        if (PyLong_Check(from.ptr())) {
            value = {whole_of(from), false, real_of(from)};
            return true;
        }
        if (!PyTuple_Check(from.ptr()) || PyTuple_Size(from.ptr()) != 2) return false;
        const handle whole = PyTuple_GetItem(from.ptr(), 0), real = PyTuple_GetItem(from.ptr(), 1);
        if (!PyLong_Check(whole.ptr()) || !PyFloat_Check(real.ptr())) return false;
        value = {whole_of(whole), true, PyFloat_AsDouble(real.ptr())};
        return true;
    }

    /// An integer, or a float.
    static handle from_cpp(const voxcc::Bound& bound, rv_policy, cleanup_list*) noexcept {
        const bool fits =
            bound.whole >= std::numeric_limits<std::int64_t>::min() && bound.whole <= std::numeric_limits<std::uint64_t>::max();
        if (bound.has_fraction || !fits) return PyFloat_FromDouble(bound.real);
        if (bound.whole < 0) return PyLong_FromLongLong(static_cast<long long>(bound.whole));
        return PyLong_FromUnsignedLongLong(static_cast<unsigned long long>(bound.whole));
    }

private:
    /// A Python integer, or Bound::most for larger ones.
    static voxcc::int128 whole_of(handle number) {
        int sign = 0;
        const long long small = PyLong_AsLongLongAndOverflow(number.ptr(), &sign);
        if (sign == 0) return small;
        const unsigned long long large = sign > 0 ? PyLong_AsUnsignedLongLong(number.ptr()) : ~0ull;
        if (sign > 0 && !PyErr_Occurred()) return large;
        PyErr_Clear();
        return sign * voxcc::Bound::most;
    }
    /// The nearest double; infinity for integers that no double holds.
    static double real_of(handle number) {
        const double real = PyLong_AsDouble(number.ptr());
        if (!PyErr_Occurred()) return real;
        PyErr_Clear();
        return whole_of(number) < 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::infinity();
    }
};

namespace voxcc::python {

/// @param kind number of a ForegroundRule::Kind
inline ForegroundRule foreground_of(int kind, const Bound& low, const Bound& high, bool complement, bool nan) {
    ForegroundRule rule;
    rule.kind = ForegroundRule::Kind(kind);
    rule.low = low, rule.high = high;
    if (complement) rule.take = ForegroundRule::Take::complement;
    if (nan) rule.nan = ForegroundRule::Nan::foreground;
    return rule;
}

}  // namespace voxcc::python
