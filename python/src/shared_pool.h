// The threads of the process, which all calls share.
#pragma once
#include <voxcc/threads.h>

namespace voxcc::python {

/// The pool of one call. Its tasks run on the threads of the process if no other call uses them at the moment, else on the calling thread
/// alone. So concurrent calls never start more threads. Works after fork(), too: the child starts its own threads.
class CallPool : public ThreadPool {
public:
    /// @param threads number of tasks that may run at the same time, at least 1
    explicit CallPool(int threads) : threads_(threads) {}
    int size() const override { return threads_; }
    void for_each(std::int64_t count, const std::function<void(std::int64_t)>& task) override;

private:
    const int threads_;
};

/// Registers the handler of fork() and finds out the number of CPUs. Must be called when the module is loaded, so that a fork during the
/// first call does not interrupt this.
void prepare_threads();
/// The number of threads of calls that do not state one.
int default_threads();
/// @param threads at least 1; 0: available_threads()
void set_default_threads(int threads);

/// The number of threads of a call. Small arrays get few threads, because waking a thread takes longer than labelling 2 MiB.
/// @param wanted 0: default_threads(), limited by the size of the array
int threads_of_call(int wanted, std::int64_t bytes);

}  // namespace voxcc::python
