#include "io/kept_decoders.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace voxcc::io {

// @return the kept decoder that is nearest to the offset and has not passed it; kept_.end() if there is none
KeptDecoders::Place KeptDecoders::nearest(const FileVersion& version, std::int64_t offset) {
    Place found = kept_.end();
    for (Place at = kept_.begin(); at != kept_.end(); ++at) {
        if (at->file->version() != version || at->file->position() > offset) continue;
        if (found == kept_.end() || at->file->position() > found->file->position()) found = at;
    }
    return found;
}

std::unique_ptr<DecodedFile> KeptDecoders::take(std::unique_ptr<DecodedFile> fresh, std::int64_t offset) {
    const std::lock_guard lock(mutex_);
    most_readers_ = std::max(most_readers_, ++readers_);
    kept_.reserve(kept_.size() + readers_);  // so that keep() needs no memory
    const Place found = nearest(fresh->version(), offset);
    if (found == kept_.end() || found->file->position() < fresh->position()) return fresh;
    fresh = std::move(found->file);
    kept_.erase(found);
    return fresh;
}

std::unique_ptr<DecodedFile> KeptDecoders::exchange(std::unique_ptr<DecodedFile> passed, const ContiguousVoxels& voxels,
                                                    std::int64_t offset) {
    if (passed->position() <= offset) return passed;
    const std::lock_guard lock(mutex_);
    if (const Place found = nearest(passed->version(), offset); found != kept_.end()) {
        std::swap(found->file, passed);
        return passed;
    }
    std::unique_ptr<DecodedFile> opened = passed->open_again();
    if (!opened) return passed;
    kept_.reserve(kept_.size() + 1 + readers_);
    kept_.push_back({std::move(passed), voxels});
    limit_kept();
    return opened;
}

void KeptDecoders::keep(std::unique_ptr<DecodedFile> file, ContiguousVoxels voxels) noexcept {
    const std::lock_guard lock(mutex_);
    --readers_;
    if (!file) return;
    kept_.push_back({std::move(file), std::move(voxels)});
    limit_kept();
}

// A reader leaves one decoder, and some more if it reads its volume several times. Others are never used again, for example if each reader
// reads the same volume.
void KeptDecoders::limit_kept() noexcept {
    constexpr std::size_t most_per_reader = 4;
    if (kept_.size() <= most_per_reader * most_readers_) return;
    const FileVersion version = kept_.back().file->version();
    const auto position = [&](const Kept& kept) {
        return kept.file->version() == version ? kept.file->position() : std::numeric_limits<std::int64_t>::max();
    };
    kept_.erase(std::ranges::min_element(kept_, {}, position));
}

std::vector<KeptDecoders::Warning> KeptDecoders::verify_rest() {
    const std::lock_guard lock(mutex_);
    // For each file, the decoder that has the least left to decode is first.
    std::ranges::sort(kept_, std::ranges::greater(),
                      [](const Kept& kept) { return std::pair(kept.file->is_verified(), kept.file->position()); });
    std::vector<Warning> warnings;
    std::vector<FileVersion> done;
    for (const Kept& kept : kept_) {
        if (std::ranges::find(done, kept.file->version()) != done.end()) continue;
        done.push_back(kept.file->version());
        if (kept.file->is_verified()) continue;  // its reader has reported the warning
        if (auto text = check_end(kept.voxels, *kept.file)) warnings.push_back({kept.file->path(), *std::move(text)});
    }
    kept_.clear();
    return warnings;
}

}  // namespace voxcc::io
