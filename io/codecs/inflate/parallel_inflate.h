// Inflates one deflate stream on several threads, and delivers the bytes in order.
//
//   threads   decode chunks ahead, from guessed or stated block starts   chunk.h
//   chain     accepts a chunk only if it starts at the bit where the last accepted chunk ends; then its window is known
//   threads   replace the markers of accepted chunks, and compute the CRC
//   reader    copies resolved chunks; decodes the gaps between chunks itself   serial_decoder.h
//
// If chunks do not pay (stored blocks, very long blocks, very high compression), rest() states where one thread must continue.
//
// The result therefore equals decoding from the start, whatever the guesses and the index state.
#pragma once
#include "io/codecs/inflate/serial_decoder.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

namespace voxcc::io::inflating {

/// A restart point: the byte offset in the file of a block that needs no window. Not trusted.
using RestartPoints = std::vector<std::int64_t>;

/// The decompressed bytes that were returned.
struct Delivered {
    std::uint32_t crc = 0;
    std::int64_t raw_bytes = 0;
    bool operator==(const Delivered&) const = default;
};

/// The end of the stream that was reached.
struct StreamEnd {
    std::int64_t byte = 0;  // in the file, after the last block
    Delivered content;
};

/// The functions must be called by one thread.
class ParallelInflate {
public:
    struct Options {
        int threads = 2;                 // threads that decode chunks
        std::int64_t chunk_bytes = 0;    // compressed bytes per chunk, at most Chunk::most_compressed
        RestartPoints restart_points{};  // ascending; empty: block starts are guessed
    };
    /// Starts threads. @param file must outlive this object. @param first byte offset of the first block
    /// @throw std::system_error if no thread can be started
    ParallelInflate(const InputFile& file, std::int64_t first, Options options);
    ~ParallelInflate();
    ParallelInflate(const ParallelInflate&) = delete;
    ParallelInflate& operator=(const ParallelInflate&) = delete;
    /// @return bytes; fewer than to.size() only at end(), at rest(), or if the stream is not valid. @throw Error io_error
    std::size_t read_some(std::span<std::byte> to);
    /// @return empty if the end was not reached
    std::optional<StreamEnd> end() const;
    /// @return where one thread must continue, because more chunks do not pay; empty if the stream has ended or is not valid.
    /// To be called after read_some() has returned fewer bytes than its room.
    std::optional<Place> rest() const;
    /// The bytes that read_some() has returned. To be called after read_some() has returned fewer bytes than its room.
    const Delivered& delivered() const { return delivered_; }
    /// The memory of an object, in bytes.
    static std::int64_t memory_bytes(int threads) { return chunks_for(threads) * Chunk::most_bytes + (std::int64_t{2} << 20); }

private:
    enum class Stage : std::uint8_t { waiting, decoding, decoded, accepted, resolving, resolved };
    struct Item {
        ChunkRange range;
        Stage stage = Stage::waiting;
        std::unique_ptr<Chunk> chunk;
        Window window;  // before the chunk, once accepted
    };
    /// Chunks in memory: one per thread, and up to 9 decoded chunks that wait for an earlier chunk. More would need more memory than 64 MiB
    /// and 8 MiB per thread.
    static std::int64_t chunks_for(int threads) { return threads + std::min(threads / 2 + 1, 9); }
    void work();
    void run(Item& item, std::unique_lock<std::mutex>& lock);
    Item* next_item();
    void schedule();
    std::optional<ChunkRange> next_range();
    void skip_ranges_before(std::int64_t bit);
    void accept_chunks();
    void drop(std::size_t index);
    std::span<const std::uint8_t> wait_for_bytes();
    std::span<const std::uint8_t> decode_gap(std::unique_lock<std::mutex>& lock);
    void join_after_gap(std::unique_lock<std::mutex>& lock);
    void release_delivered();

    const InputFile& file_;
    Options options_;
    std::int64_t first_ = 0, next_begin_ = 0;  // byte offsets of the first block and of the next range
    std::size_t next_point_ = 0;               // in restart_points
    int useless_ = 0;                          // consecutive chunks that could not be accepted, or that ended early
    mutable std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::unique_ptr<Item>> items_;  // in the order of the file; the first accepted_ of them are accepted
    std::size_t accepted_ = 0;
    std::vector<std::unique_ptr<Chunk>> free_;
    Place chain_;  // the end of the last accepted chunk
    SerialDecoder serial_;
    enum class Gap : std::uint8_t { none, open, running } gap_ = Gap::none;
    bool stream_ended_ = false, invalid_ = false, stop_ = false, delivering_ = false;
    std::exception_ptr error_;
    std::span<const std::uint8_t> ready_, ready_next_;  // the rest of the chunk or gap that is delivered, in two parts
    Delivered delivered_;                               // with the bytes of ready_ and ready_next_
    std::vector<std::jthread> threads_;
};

}  // namespace voxcc::io::inflating
