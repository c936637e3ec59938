#include "python/src/result_memory.h"

#include <nanobind/ndarray.h>

#include <sys/mman.h>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <utility>

namespace voxcc::python {
namespace {

constexpr std::size_t huge_page = std::size_t{2} << 20, most_kept_bytes = std::size_t{1} << 30;

/// Pages of the process, which begin at a multiple of huge_page.
class Piece {
public:
    /// @return null if the system has not enough memory
    static std::unique_ptr<Piece> of(std::size_t bytes) {
        if (bytes > SIZE_MAX - 2 * huge_page) return nullptr;
        const std::size_t padded = (bytes + huge_page - 1) / huge_page * huge_page + huge_page;
        void* const pages = mmap(nullptr, padded, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pages == MAP_FAILED) return nullptr;
        return std::unique_ptr<Piece>(new Piece(static_cast<std::byte*>(pages), padded));
    }
    ~Piece() { munmap(pages_, padded_); }
    Piece(const Piece&) = delete;
    Piece& operator=(const Piece&) = delete;

    std::byte* data() const { return pages_ + (huge_page - reinterpret_cast<std::uintptr_t>(pages_) % huge_page) % huge_page; }
    std::size_t bytes() const { return padded_ - huge_page; }
    /// Allows the system to take the pages. @return whether it supports this
    bool offer_pages() { return madvise(data(), bytes(), MADV_FREE) == 0; }

private:
    Piece(std::byte* pages, std::size_t padded) : pages_(pages), padded_(padded) {
        madvise(data(), bytes(), MADV_HUGEPAGE);  // fewer page faults; an error changes nothing else
    }
    std::byte* pages_;
    std::size_t padded_;
};

/// The pieces that no array uses. They are exchanged without a lock, so a fork() at any time leaves them valid in the child.
std::array<std::atomic<Piece*>, 2>& kept() {
    static std::array<std::atomic<Piece*>, 2> pieces{};
    return pieces;
}

void give_back(std::unique_ptr<Piece> piece) {
    if (piece->bytes() > most_kept_bytes || !piece->offer_pages()) return;
    for (std::atomic<Piece*>& place : kept()) {
        Piece* empty = nullptr;
        if (!place.compare_exchange_strong(empty, piece.get())) continue;
        piece.release();
        return;
    }
    const std::unique_ptr<Piece> replaced(kept().front().exchange(piece.release()));
}

/// A kept piece of at least `bytes` and less than twice as many; null if there is none.
std::unique_ptr<Piece> take_kept(std::size_t bytes) {
    for (std::atomic<Piece*>& place : kept()) {
        std::unique_ptr<Piece> piece(place.exchange(nullptr));
        if (!piece) continue;
        if (piece->bytes() >= bytes && piece->bytes() / 2 < bytes) return piece;
        Piece* empty = nullptr;
        if (place.compare_exchange_strong(empty, piece.get())) piece.release();
    }
    return nullptr;
}

}  // namespace

nanobind::object result_memory(std::size_t bytes) {
    std::unique_ptr<Piece> piece = take_kept(bytes);
    if (!piece) piece = Piece::of(bytes);
    if (!piece) return nanobind::none();
    std::byte* const data = piece->data();
    const nanobind::capsule owner(piece.get(), [](void* p) noexcept { give_back(std::unique_ptr<Piece>(static_cast<Piece*>(p))); });
    piece.release();
    return nanobind::cast(nanobind::ndarray<nanobind::numpy, std::uint8_t, nanobind::ndim<1>>(data, {bytes}, owner));
}

void release_result_memory() {
    for (std::atomic<Piece*>& place : kept()) const std::unique_ptr<Piece> released(place.exchange(nullptr));
}

}  // namespace voxcc::python
