// Labels on their way to the host: the device paints and sends windows of rows while threads take the rows of earlier windows.
//
// One call paints a complete window, not the piece of one thread: the driver needs 20 microseconds per call, whatever the call paints,
// and handles one call at a time. Labels cross the bus in the narrowest type that holds them. The thread that takes labels widens them.
#pragma once
#include "kernels3d/engine/tiles/bus_labels.h"
#include "kernels3d/engine/tiles/tile_engine.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>

namespace voxcc::block_runs::tiles {

/// Memory for labels on the device and on the host. It grows when needed.
struct PaintBuffers {
    exec::Array<std::byte> labels, staging;
    template <class Executor>
    void require(Executor& executor, int64_t bytes) {
        if (labels.size() >= bytes) return;
        labels = {}, staging = {};
        labels = exec::Array<std::byte>(executor.memory(), bytes), staging = exec::Array<std::byte>(executor.staging(), bytes);
    }
};

/// Paints windows of rows in ascending order from row 0 on, each window once. Rows far ahead, and rows of windows whose memory is reused,
/// must be painted by other means. take() is thread-safe.
template <class Executor, class Engine>
class PaintAhead {
public:
    /// @param engine must have labelled a volume of this extent before start_again()
    /// @param window_bytes bytes of labels per window
    PaintAhead(const Engine& engine, const Extent& extent, int64_t window_bytes = int64_t{8} << 20)
        : engine_(engine), extent_(extent), window_bytes_(window_bytes) {}
    ~PaintAhead() {
        for (Window& window : windows_) try {
                window.await();
            } catch (...) {  // a destructor must not throw; the device no longer uses the memory
            }
    }

    /// Waits until the device has painted all windows in progress. No thread may be in take().
    void wait() {
        for (Window& window : windows_) window.await();
    }

    /// Starts again at row 0. Must follow wait().
    /// @param width bytes per label on the bus: 1 to 4
    /// @param final_numbers see Engine::paint(); must stay valid while windows are painted
    void start_again(int width, const uint32_t* final_numbers) {
        width_ = width, final_numbers_ = final_numbers;
        const int64_t layer = Engine::Shape::size_z * extent_.ny, rows = std::max<int64_t>(1, window_bytes_ / (extent_.nx * width));
        window_rows_ = rows >= layer ? rows / layer * layer : rows;
        next_ = 0;
        for (Window& window : windows_) window.number = -1;
    }

    /// Calls use(labels, at, n) for parts of `rows`: n labels of `width` bytes in host memory; `at` labels of `rows` come before them.
    /// Thread-safe.
    /// @param first an executor of the device
    /// @return number of rows, from the first on, for which use() was called; the caller must paint the remaining rows by other means
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
        int64_t number = -1;          // -1: not painted
        int64_t rows = 0, taken = 0;  // rows of the window, and how many of them were taken
        int users = 0;                // number of threads that use the window
        std::mutex arriving;          // held by the thread that waits for the device
        std::atomic<bool> arrived = true;

        /// Waits until the labels are on the host. Waiting threads do not sleep: a window takes 0.15 ms, and waking up takes a third of
        /// this time.
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

    /// The window of this number, with one more user; null if it will not be painted.
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
    /// The window with the lowest number of all windows without users; null if all have users.
    Window* idle_window() {
        Window* idle = nullptr;
        for (Window& window : windows_)
            if (window.users == 0 && (!idle || window.number < idle->number)) idle = &window;
        return idle;
    }
    /// Starts to paint the next rows into a window without users.
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
    int64_t next_ = 0;  // number of the next window to be painted
};

}  // namespace voxcc::block_runs::tiles
