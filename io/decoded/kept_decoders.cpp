#include "io/decoded/kept_decoders.h"

#include <algorithm>
#include <limits>
#include <typeinfo>
#include <utility>

namespace voxcc::io {

namespace {

bool decode_the_same(const KeptDecoder& a, const KeptDecoder& b) {
    return typeid(a) == typeid(b) && a.version() == b.version() && a.decodes_as(b);
}

}  // namespace

// @return the kept decoder of the same content that is nearest to the offset and has not passed it; kept_.end() if there is none
KeptDecoders::Place KeptDecoders::nearest(const KeptDecoder& like, std::int64_t offset) {
    Place found = kept_.end();
    for (Place at = kept_.begin(); at != kept_.end(); ++at) {
        const KeptDecoder& kept = **at;
        if (!decode_the_same(kept, like) || kept.position() > offset) continue;
        if (found == kept_.end() || kept.position() > (*found)->position()) found = at;
    }
    return found;
}

std::unique_ptr<KeptDecoder> KeptDecoders::take_any(std::unique_ptr<KeptDecoder> fresh, std::int64_t offset) {
    const std::lock_guard lock(mutex_);
    most_readers_ = std::max(most_readers_, ++readers_);
    kept_.reserve(kept_.size() + readers_);  // so that keep() needs no memory
    const Place found = nearest(*fresh, offset);
    if (found == kept_.end() || (*found)->position() < fresh->position()) return fresh;
    fresh = std::move(*found);
    kept_.erase(found);
    return fresh;
}

std::unique_ptr<KeptDecoder> KeptDecoders::exchange_any(std::unique_ptr<KeptDecoder> passed, std::int64_t offset) {
    if (passed->position() <= offset) return passed;
    const std::lock_guard lock(mutex_);
    if (const Place found = nearest(*passed, offset); found != kept_.end()) {
        std::swap(*found, passed);
        return passed;
    }
    std::unique_ptr<KeptDecoder> opened = passed->open_again();
    if (!opened) return passed;
    kept_.reserve(kept_.size() + 1 + readers_);
    kept_.push_back(std::move(passed));
    limit_kept();
    return opened;
}

void KeptDecoders::keep(std::unique_ptr<KeptDecoder> decoder) noexcept {
    const std::lock_guard lock(mutex_);
    --readers_;
    if (!decoder) return;
    kept_.push_back(std::move(decoder));
    limit_kept();
}

// A reader leaves one decoder, and some more if it reads its volume several times. Others are never used again, for example if each reader
// reads the same volume.
void KeptDecoders::limit_kept() noexcept {
    constexpr std::size_t most_per_reader = 4;
    if (kept_.size() <= most_per_reader * most_readers_) return;
    const FileVersion version = kept_.back()->version();
    const auto position = [&](const std::unique_ptr<KeptDecoder>& kept) {
        return kept->version() == version ? kept->position() : std::numeric_limits<std::int64_t>::max();
    };
    kept_.erase(std::ranges::min_element(kept_, {}, position));
}

std::vector<KeptDecoders::Warning> KeptDecoders::verify_rest() {
    const std::lock_guard lock(mutex_);
    // For each file, the decoder that has the least left to decode is first.
    std::ranges::sort(kept_, std::ranges::greater(),
                      [](const std::unique_ptr<KeptDecoder>& kept) { return std::pair(kept->is_verified(), kept->position()); });
    std::vector<Warning> warnings;
    std::vector<const KeptDecoder*> done;
    for (const std::unique_ptr<KeptDecoder>& kept : kept_) {
        if (std::ranges::any_of(done, [&](const KeptDecoder* other) { return decode_the_same(*other, *kept); })) continue;
        done.push_back(kept.get());
        if (kept->is_verified()) continue;  // its reader has reported the warning
        if (auto text = kept->verify_end()) warnings.push_back({kept->path(), *std::move(text)});
    }
    kept_.clear();
    return warnings;
}

}  // namespace voxcc::io
