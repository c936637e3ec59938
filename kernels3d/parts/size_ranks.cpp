#include "kernels3d/parts/size_ranks.h"

#include <algorithm>
#include <queue>

namespace voxcc::parts {
namespace {

using Component = SizeRanks::Component;

constexpr std::uint64_t most_in_memory = 1 << 20;  // components of all runs, while they are merged
constexpr std::uint64_t least_of_run = 4, most_of_run = 4096;

/// The order of ranks. Numbers are different, so no two components are equal.
struct IsBefore {
    bool operator()(const Component& a, const Component& b) const {
        return a.voxels != b.voxels ? a.voxels > b.voxels : a.number < b.number;
    }
};

}  // namespace

/// Reads a run from its start, and replaces numbers by ranks.
class SizeRanks::Reader {
public:
    Reader(Scratch& scratch, const Run& run, std::uint64_t at_once) : scratch_(scratch), run_(run), at_once_(at_once) { load(); }
    const Component& front() const { return loaded_[at_]; }
    /// Gives the first component its rank, and goes to the next component. @return whether the run has a next component
    bool pass(std::uint64_t rank) {
        loaded_[at_++].number = rank;
        if (at_ < loaded_.size()) return true;
        scratch_.write(run_.place + (next_ - loaded_.size()) * sizeof(Component), std::as_bytes(std::span(loaded_)));
        return load();
    }

private:
    bool load() {
        loaded_.resize(static_cast<std::size_t>(std::min(at_once_, run_.count - next_)));
        scratch_.read(run_.place + next_ * sizeof(Component), std::as_writable_bytes(std::span(loaded_)));
        next_ += loaded_.size();
        at_ = 0;
        return !loaded_.empty();
    }
    Scratch& scratch_;
    Run run_;
    std::uint64_t at_once_, next_ = 0;  // next_: the first component that is not loaded
    std::vector<Component> loaded_;
    std::size_t at_ = 0;
};

void SizeRanks::add(std::int64_t part, std::vector<Component> components) {
    std::ranges::sort(components, IsBefore());
    runs_[std::size_t(part)] = {scratch_.append(std::as_bytes(std::span(components))), components.size()};
}

std::uint64_t SizeRanks::rank() {
    std::uint64_t runs = 0;
    for (const Run& run : runs_) runs += run.count > 0;
    const std::uint64_t at_once = std::clamp(most_in_memory / std::max<std::uint64_t>(runs, 1), least_of_run, most_of_run);
    std::vector<Reader> readers;
    readers.reserve(static_cast<std::size_t>(runs));
    for (const Run& run : runs_)
        if (run.count > 0) readers.emplace_back(scratch_, run, at_once);
    const auto is_later = [](const Reader* a, const Reader* b) { return IsBefore()(b->front(), a->front()); };
    std::priority_queue<Reader*, std::vector<Reader*>, decltype(is_later)> next(is_later);
    for (Reader& reader : readers) next.push(&reader);
    std::uint64_t rank = 0;
    while (!next.empty()) {
        Reader* const reader = next.top();
        next.pop();
        if (reader->pass(++rank)) next.push(reader);
    }
    return rank;
}

std::vector<SizeRanks::Ranked> SizeRanks::of(std::int64_t part) const {
    const Run& run = runs_[std::size_t(part)];
    std::vector<Component> components(static_cast<std::size_t>(run.count));
    scratch_.read(run.place, std::as_writable_bytes(std::span(components)));
    std::vector<Ranked> ranked;
    ranked.reserve(components.size());
    for (const Component& component : components) ranked.push_back({std::uint32_t(component.in_part), component.number});
    std::ranges::sort(ranked, {}, &Ranked::in_part);
    return ranked;
}

}  // namespace voxcc::parts
