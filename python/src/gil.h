// The global interpreter lock (GIL) of Python around calls of the engine.
#pragma once
#include <nanobind/nanobind.h>

#include <cxxabi.h>
#include <unistd.h>

namespace voxcc::python {

/// Calls a function of Python that takes the GIL. If Python finalizes meanwhile, the thread waits until the process ends. Python 3.14 does
/// the same. Earlier versions unwind the stack of the thread, and std::terminate() would end the process at the first function that is
/// noexcept.
template <class Take>
auto wait_for_gil(const Take& take) {
    try {
        return take();
    } catch (const abi::__forced_unwind&) {
        for (;;) pause();
    }
}

/// Releases the GIL for its lifetime.
class WithoutGil {
public:
    WithoutGil() : state_(PyEval_SaveThread()) {}
    ~WithoutGil() {
        wait_for_gil([&] { PyEval_RestoreThread(state_); });
    }
    WithoutGil(const WithoutGil&) = delete;
    WithoutGil& operator=(const WithoutGil&) = delete;

private:
    PyThreadState* const state_;
};

/// Holds the GIL for its lifetime, on a thread that has released it.
class WithGil {
public:
    WithGil() : state_(wait_for_gil([] { return PyGILState_Ensure(); })) {}
    ~WithGil() { PyGILState_Release(state_); }
    WithGil(const WithGil&) = delete;
    WithGil& operator=(const WithGil&) = delete;

private:
    const PyGILState_STATE state_;
};

}  // namespace voxcc::python
