#include "io/codecs/inflate/parallel_inflate.h"

#include <isa-l/crc.h>
#include <zlib.h>
#include <algorithm>
#include <system_error>

namespace voxcc::io::inflating {
namespace {

constexpr std::int64_t least_chunk_bytes = 32 << 10;
constexpr int most_useless = 4;  // after this many useless chunks in succession, no more chunks are decoded

}  // namespace

ParallelInflate::ParallelInflate(const InputFile& file, std::int64_t first, Options options)
    : file_(file), options_(std::move(options)), first_(first), next_begin_(first), serial_(file) {
    chain_.bit = first * 8;
    std::erase_if(options_.restart_points, [&](std::int64_t point) { return point <= first || point >= file.size(); });
    try {
        for (int i = 0; i < options_.threads; ++i) threads_.emplace_back([this] { work(); });
    } catch (const std::system_error&) {
        if (threads_.empty()) throw;
    }
}

ParallelInflate::~ParallelInflate() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    changed_.notify_all();
}

std::optional<ChunkRange> ParallelInflate::next_range() {
    if (next_begin_ >= file_.size() || useless_ >= most_useless || stream_ended_) return std::nullopt;
    ChunkRange range{.begin = next_begin_, .end = next_begin_ + options_.chunk_bytes};
    if (!options_.restart_points.empty()) {
        range.start = ChunkRange::Start::known;
        range.stop = ChunkRange::End::at_restart_point;
        range.end = next_point_ < options_.restart_points.size() ? options_.restart_points[next_point_++] : file_.size();
        const bool fits = range.end - range.begin <= Chunk::most_compressed;
        next_begin_ = fits ? range.end : file_.size();  // larger parts are hardly compressed: one thread continues
        return fits ? std::optional(range) : std::nullopt;
    }
    if (range.begin == first_) range.start = ChunkRange::Start::known;
    next_begin_ = range.end = std::min(range.end, file_.size());
    return range;
}

void ParallelInflate::skip_ranges_before(std::int64_t bit) {
    if (options_.restart_points.empty()) next_begin_ = std::max(next_begin_, bit / 8);
}

void ParallelInflate::schedule() {
    while (std::int64_t(items_.size()) < chunks_for(options_.threads)) {
        const auto range = next_range();
        if (!range) return;
        auto item = std::make_unique<Item>();
        item->range = *range;
        if (free_.empty()) free_.push_back(std::make_unique<Chunk>());
        item->chunk = std::move(free_.back());
        free_.pop_back();
        items_.push_back(std::move(item));
    }
}

// Accepted chunks come first, because the reader waits for them.
ParallelInflate::Item* ParallelInflate::next_item() {
    schedule();
    for (const Stage stage : {Stage::accepted, Stage::waiting}) {
        if (stage == Stage::waiting && stream_ended_) break;
        for (const auto& item : items_)
            if (item->stage == stage) return item.get();
    }
    return nullptr;
}

void ParallelInflate::work() {
    std::unique_lock lock(mutex_);
    try {
        while (!stop_) {
            Item* const item = next_item();
            if (item) run(*item, lock);
            else changed_.wait(lock);
        }
    } catch (...) {
        if (!lock.owns_lock()) lock.lock();
        if (!error_) error_ = std::current_exception();
        stop_ = true;
        changed_.notify_all();
    }
}

void ParallelInflate::run(Item& item, std::unique_lock<std::mutex>& lock) {
    if (item.stage == Stage::waiting) {
        item.stage = Stage::decoding;
        lock.unlock();
        item.chunk->decode(file_, item.range);
        lock.lock();
        item.stage = Stage::decoded;
        accept_chunks();
    } else {
        item.stage = Stage::resolving;
        lock.unlock();
        item.chunk->resolve(item.window);
        lock.lock();
        item.stage = Stage::resolved;
    }
    changed_.notify_all();
}

void ParallelInflate::drop(std::size_t index) {
    free_.push_back(std::move(items_[index]->chunk));
    items_.erase(items_.begin() + std::ptrdiff_t(index));
    ++useless_;
}

void ParallelInflate::accept_chunks() {
    while (gap_ == Gap::none && !stream_ended_ && accepted_ < items_.size() && items_[accepted_]->stage == Stage::decoded) {
        Item& item = *items_[accepted_];
        Chunk& chunk = *item.chunk;
        // Smaller chunks keep more threads busy if the data expand more than the memory allows.
        if (chunk.is_full()) options_.chunk_bytes = std::max(options_.chunk_bytes / 2, least_chunk_bytes);
        if (!chunk.found() || chunk.start_bit() < chain_.bit || chunk.refers_before(chain_.window)) {
            drop(accepted_);
            continue;
        }
        if (chunk.start_bit() > chain_.bit) {
            gap_ = Gap::open;
            return;
        }
        useless_ = chunk.is_full() && options_.chunk_bytes == least_chunk_bytes ? useless_ + 1 : 0;
        item.window = chain_.window;
        chunk.advance(chain_.window);
        chain_.bit = chunk.end_bit();
        stream_ended_ = chunk.is_last();
        item.stage = Stage::accepted;
        ++accepted_;
    }
}

void ParallelInflate::release_delivered() {
    if (!delivering_) return;
    delivering_ = false;
    free_.push_back(std::move(items_.front()->chunk));
    items_.pop_front();
    --accepted_;
    changed_.notify_all();
}

// @return the next bytes; empty at the end
std::span<const std::uint8_t> ParallelInflate::wait_for_bytes() {
    std::unique_lock lock(mutex_);
    release_delivered();
    for (;;) {
        if (error_) std::rethrow_exception(error_);
        if (invalid_) return {};
        if (accepted_ > 0) {
            if (items_.front()->stage != Stage::resolved) {
                changed_.wait(lock);
                continue;
            }
            const Chunk& chunk = *items_.front()->chunk;
            delivering_ = true;
            delivered_.crc = std::uint32_t(crc32_combine(delivered_.crc, chunk.crc(), chunk.size()));
            delivered_.raw_bytes += chunk.size();
            ready_next_ = chunk.second();
            if (!chunk.first().empty()) return chunk.first();
            if (!chunk.second().empty()) return std::exchange(ready_next_, {});
            release_delivered();
            continue;
        }
        if (stream_ended_) return {};
        if (gap_ == Gap::none) {
            schedule();
            if (items_.empty()) return {};  // rest() states where
            changed_.notify_all();
            changed_.wait(lock);
            continue;
        }
        const auto bytes = decode_gap(lock);
        if (!bytes.empty()) return bytes;
    }
}

std::span<const std::uint8_t> ParallelInflate::decode_gap(std::unique_lock<std::mutex>& lock) {
    lock.unlock();
    if (gap_ == Gap::open) serial_.start_at(chain_);
    const SerialDecoder::Stop stop = serial_.decode();
    const bool valid = stop != SerialDecoder::Stop::error;
    const auto bytes = valid ? serial_.bytes() : std::span<const std::uint8_t>{};
    // isa-l does not write to its input.
    delivered_.crc = crc32_gzip_refl(delivered_.crc, const_cast<std::uint8_t*>(bytes.data()), bytes.size());
    delivered_.raw_bytes += std::int64_t(bytes.size());
    lock.lock();
    gap_ = Gap::running;
    invalid_ = !valid;
    if (stop == SerialDecoder::Stop::block_end) join_after_gap(lock);
    if (stop == SerialDecoder::Stop::last_block_end) {
        chain_ = serial_.place();
        stream_ended_ = true;
    }
    return bytes;
}

// At the end of a block inside a gap: continues with a chunk that starts here.
void ParallelInflate::join_after_gap(std::unique_lock<std::mutex>& lock) {
    const std::int64_t bit = serial_.bit();
    while (!items_.empty() && items_.front()->range.begin * 8 <= bit) {
        const Item& item = *items_.front();
        changed_.wait(lock, [&] { return item.stage == Stage::decoded || error_; });
        if (error_ || (item.chunk->found() && item.chunk->start_bit() > bit)) return;
        if (item.chunk->found() && item.chunk->start_bit() == bit) {
            chain_ = serial_.place();
            gap_ = Gap::none;
            accept_chunks();
            break;
        }
        drop(0);
        if (items_.empty()) skip_ranges_before(bit);
        schedule();
    }
    if (items_.empty()) {
        chain_ = serial_.place();
        gap_ = Gap::none;
    }
    changed_.notify_all();
}

std::size_t ParallelInflate::read_some(std::span<std::byte> to) {
    std::size_t got = 0;
    while (got < to.size()) {
        if (ready_.empty()) ready_ = std::exchange(ready_next_, {});
        if (ready_.empty()) ready_ = wait_for_bytes();
        if (ready_.empty()) break;
        const std::size_t step = std::min(ready_.size(), to.size() - got);
        std::memcpy(to.data() + got, ready_.data(), step);
        ready_ = ready_.subspan(step);
        got += step;
    }
    return got;
}

std::optional<StreamEnd> ParallelInflate::end() const {
    const std::lock_guard lock(mutex_);
    if (!stream_ended_ || invalid_ || accepted_ > 0) return std::nullopt;
    return StreamEnd{(chain_.bit + 7) / 8, delivered_};
}

std::optional<Place> ParallelInflate::rest() const {
    const std::lock_guard lock(mutex_);
    if (stream_ended_ || invalid_ || accepted_ > 0 || gap_ != Gap::none || !items_.empty()) return std::nullopt;
    return chain_;
}

}  // namespace voxcc::io::inflating
