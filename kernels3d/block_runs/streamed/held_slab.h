// One slab at a time for many threads, which go through the slabs in nearly ascending order.
#pragma once
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <set>

namespace voxcc::block_runs::streamed {

/// Threads register as visitors, and go from slab to slab. A slab is loaded when no visitor is in the one held, by a visitor to it, and
/// only if no other visitor is on its way to an earlier one: whoever is ahead waits, so slabs are loaded in ascending order, and never
/// because two threads want two slabs in turn.
class HeldSlab {
public:
    /// @param load lets go of the slab held and loads the one of this index; by one thread at a time, with no visitor inside
    /// @param held the slab that is loaded already
    HeldSlab(std::function<void(std::size_t)> load, std::size_t held) : load_(std::move(load)), held_(held) {}

    /// A thread while it uses slabs. It must not wait for other visitors.
    class Visitor {
    public:
        explicit Visitor(HeldSlab& slabs) : slabs_(slabs) {}
        ~Visitor() {
            {
                const std::lock_guard lock(slabs_.mutex_);
                slabs_.forget(at_);
            }
            slabs_.changed_.notify_all();
        }
        Visitor(const Visitor&) = delete;
        Visitor& operator=(const Visitor&) = delete;
        /// Leaves the slab that it is in. @return once this one is held; it stays until the visitor moves on
        /// @throw what loading threw, to it or to another visitor before
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
        HeldSlab& slabs_;
        std::optional<std::multiset<std::size_t>::iterator> at_;  // in places_
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
    std::multiset<std::size_t> places_;  // of all visitors: where they are or want to be
    std::optional<std::size_t> held_;    // none while one is loaded
    bool loading_ = false;
    std::exception_ptr failure_;
};

}  // namespace voxcc::block_runs::streamed
