// Shares one loaded slab between many threads that go through the slabs in nearly ascending order.
#pragma once
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <set>

namespace voxcc::block_runs::streamed {

/// Holds one slab at a time. A thread that uses slabs creates a Visitor, which goes from slab to slab. A visitor loads its slab once no
/// visitor is in the loaded slab and no visitor waits for an earlier one. So slabs are loaded in ascending order, and a visitor that is
/// ahead waits. Two threads cannot force two slabs to be reloaded in turn. Thread-safe.
class HeldStreamSlab {
public:
    /// @param load called as load(slab); must release the loaded slab and load this one. Called by one thread at a time, with no visitor
    ///     in a slab
    /// @param held the slab that is already loaded
    HeldStreamSlab(std::function<void(std::size_t)> load, std::size_t held) : load_(std::move(load)), held_(held) {}

    /// A thread while it uses slabs. It must not wait for other visitors except in go_to().
    class Visitor {
    public:
        explicit Visitor(HeldStreamSlab& slabs) : slabs_(slabs) {}
        ~Visitor() {
            {
                const std::lock_guard lock(slabs_.mutex_);
                slabs_.forget(at_);
            }
            slabs_.changed_.notify_all();
        }
        Visitor(const Visitor&) = delete;
        Visitor& operator=(const Visitor&) = delete;
        /// Leaves the current slab and waits until `slab` is loaded. The slab stays loaded until this visitor leaves it.
        /// @throw the exception of load(), whether this visitor or another one has called it
        void go_to(std::size_t slab) {
            std::unique_lock lock(slabs_.mutex_);
            slabs_.forget(at_);
            at_ = slabs_.places_.insert(slab);
            slabs_.changed_.notify_all();
            slabs_.changed_.wait(lock, [&] { return slabs_.failure_ || slabs_.held_ == slab || slabs_.may_load(slab); });
            if (slabs_.failure_) std::rethrow_exception(slabs_.failure_);
            if (slabs_.held_ != slab) slabs_.load(slab, lock);
        }

    private:
        HeldStreamSlab& slabs_;
        std::optional<std::multiset<std::size_t>::iterator> at_;  // element of places_
    };

private:
    void forget(std::optional<std::multiset<std::size_t>::iterator>& at) {
        if (at) places_.erase(*at);
        at.reset();
    }
    bool may_load(std::size_t slab) const { return !loading_ && *places_.begin() == slab && (!held_ || places_.count(*held_) == 0); }
    void load(std::size_t slab, std::unique_lock<std::mutex>& lock) {
        held_.reset();
        loading_ = true;
        lock.unlock();
        std::exception_ptr failure;
        try {
            load_(slab);
        } catch (...) {
            failure = std::current_exception();
        }
        lock.lock();
        loading_ = false;
        if (failure) failure_ = failure;
        else held_ = slab;
        changed_.notify_all();
        if (failure) std::rethrow_exception(failure);
    }

    std::function<void(std::size_t)> load_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::multiset<std::size_t> places_;  // per visitor: the slab that it is in or waits for
    std::optional<std::size_t> held_;    // empty while a slab is loaded
    bool loading_ = false;
    std::exception_ptr failure_;
};

}  // namespace voxcc::block_runs::streamed
