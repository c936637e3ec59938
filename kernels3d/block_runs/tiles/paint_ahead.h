// Labels on their way to the host: the device paints and sends windows of rows while threads take the rows of earlier ones.
//
// One call a window, not one a thread's piece: a call costs the driver 20 microseconds whatever it paints, one after the other. Labels
// cross the bus in the narrowest type that holds them, and are widened by whoever takes them.
#pragma once
#include "kernels3d/block_runs/tiles/bus_labels.h"
#include "kernels3d/block_runs/tiles/tile_engine.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace voxcc::block_runs::tiles {

/// Labels on the device and on the host: memory on both sides, as much as was needed so far.
struct PaintBuffers {
    exec::Array<std::byte> labels, staging;
    template <class Executor>
    void require(Executor& executor, int64_t bytes) {
        if (labels.size() >= bytes) return;
        labels = {}, staging = {};
        labels = exec::Array<std::byte>(executor.memory(), bytes), staging = exec::Array<std::byte>(executor.staging(), bytes);
    }
};

/// Windows follow each other from row 0 on, and each is painted once: what is asked for far ahead, or after its window has made room, must
/// be painted by other means.
template <class Executor, class Engine>
class PaintAhead {
public:
    /// @param engine of a volume of that extent, labelled before start_again(); @param window_bytes of labels
    PaintAhead(const Engine& engine, const Extent& extent, int64_t window_bytes = int64_t{8} << 20)
        : engine_(engine), extent_(extent), window_bytes_(window_bytes) {}
    ~PaintAhead() {
        for (Window& window : windows_) try {
                window.await();
            } catch (...) {  // what is given back is not used any more, which is all that matters here
            }
    }

    /// Returns when the device paints nothing any more. No thread is in take().
    void wait() {
        for (Window& window : windows_) window.await();
    }

    /// Starts again at row 0, after wait().
    /// @param width bytes of a label on the bus; @param final_numbers as Engine::paint() takes them; they outlive the painting
    void start_again(int width, const uint32_t* final_numbers) {
        width_ = width, final_numbers_ = final_numbers;
        const int64_t layer = Engine::Shape::size_z * extent_.ny, rows = std::max<int64_t>(1, window_bytes_ / (extent_.nx * width));
        window_rows_ = rows >= layer ? rows / layer * layer : rows;
        next_ = 0;
        for (Window& window : windows_) window.number = -1;
    }

    /// Calls use(labels of `width` bytes in host memory, how many came before, how many these are) for rows, in pieces; any thread.
    /// @param first an executor of the device
    /// @return rows that were handed over, from the first on: fewer where other means are needed
    template <class Use>
    int64_t take(Executor& first, RowRange rows, const Use& use) {
        for (int64_t at = rows.first; at < rows.end();) {
            const int64_t number = at / window_rows_, end = std::min(rows.end(), (number + 1) * window_rows_);
            Window* const window = claim(first, number);
            if (!window) return at - rows.first;
            try {
                window->await();
            } catch (...) {
                release(*window, 0);
                throw;
            }
            use(window->buffers.staging.data() + (at - number * window_rows_) * extent_.nx * width_, (at - rows.first) * extent_.nx,
                (end - at) * extent_.nx);
            release(*window, end - at);
            at = end;
        }
        return rows.count;
    }

private:
    struct Window {
        std::unique_ptr<Executor> executor;
        PaintBuffers buffers;
        int64_t number = -1;          // -1: none
        int64_t rows = 0, taken = 0;  // of them
        int users = 0;                // threads
        std::mutex arriving;          // held by the thread that waits for the device
        std::atomic<bool> arrived = true;

        /// Returns when the labels are on the host. Threads stay awake for it: a window takes 0.15 ms, waking up a third of that.
        void await() {
            while (!arrived.load(std::memory_order_acquire)) {
                const std::unique_lock lock(arriving, std::try_to_lock);
                if (!lock.owns_lock()) {
                    std::this_thread::yield();
                } else if (!arrived) {
                    executor->enter();
                    executor->wait();
                    arrived = true;
                }
            }
        }
    };

    /// The window with a user more; null if it will not be painted.
    Window* claim(Executor& first, int64_t number) {
        std::unique_lock lock(mutex_);
        if (number >= next_ + int64_t(windows_.size())) return nullptr;
        while (next_ <= number) {
            Window* const idle = idle_window();
            if (idle) start_next(first, *idle);
            else released_.wait(lock);
        }
        for (Window& window : windows_) {
            if (window.number != number) continue;
            ++window.users;
            while (next_ * window_rows_ < extent_.rows()) {
                Window* const idle = idle_window();
                if (!idle || idle->taken < idle->rows) break;
                start_next(first, *idle);
            }
            return &window;
        }
        return nullptr;
    }
    /// The one whose rows came first, of those that nobody uses.
    Window* idle_window() {
        Window* idle = nullptr;
        for (Window& window : windows_)
            if (window.users == 0 && (!idle || window.number < idle->number)) idle = &window;
        return idle;
    }
    void start_next(Executor& first, Window& window) {
        const RowRange rows{next_ * window_rows_, std::min(window_rows_, extent_.rows() - next_ * window_rows_)};
        if (!window.executor) window.executor = first.another();
        window.number = -1;
        window.executor->enter();
        window.executor->reset_phases();
        window.arrived = false;
        window.buffers.require(*window.executor, window_rows_ * extent_.nx * width_);
        visit_bus_label(width_, [&]<class Label> { paint<Label>(window, rows); });
        window.number = next_++, window.rows = rows.count, window.taken = 0;
    }
    template <class Label>
    void paint(Window& window, RowRange rows) {
        engine_.paint_by(*window.executor, rows, final_numbers_, reinterpret_cast<Label*>(window.buffers.labels.data()));
        window.executor->receive("download", window.buffers.labels, rows.count * extent_.nx * width_, window.buffers.staging.data());
    }
    void release(Window& window, int64_t rows) {
        const std::lock_guard lock(mutex_);
        window.taken += rows;
        --window.users;
        released_.notify_all();
    }

    const Engine& engine_;
    Extent extent_;
    int64_t window_bytes_;
    int width_ = 4;
    const uint32_t* final_numbers_ = nullptr;
    int64_t window_rows_ = 1;
    std::mutex mutex_;
    std::condition_variable released_;
    std::array<Window, 6> windows_;
    int64_t next_ = 0;  // to be painted
};

}  // namespace voxcc::block_runs::tiles
