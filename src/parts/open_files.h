// Files of parts, of which the last used ones are open.
#pragma once
#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

namespace voxcc::parts {

/// Opens the file of a part when it is used, and closes the file that was not used for the longest time. Thread-safe.
template <class File>
class OpenFiles {
public:
    /// The file of a part. @param open returns a std::shared_ptr<const File> to the newly opened file @throw errors of `open`
    template <class Open>
    std::shared_ptr<const File> file(std::int64_t part, const Open& open) {
        const std::lock_guard lock(mutex_);
        if (const auto known = open_.find(part); known != open_.end()) {
            known->second.used = ++time_;
            return known->second.file;
        }
        std::shared_ptr<const File> file = open();
        if (open_.size() >= most_open) open_.erase(std::ranges::min_element(open_, {}, [](const auto& held) { return held.second.used; }));
        open_[part] = {file, ++time_};
        return file;
    }

private:
    static constexpr std::size_t most_open = 64;
    struct Held {
        std::shared_ptr<const File> file;
        std::uint64_t used;
    };
    std::mutex mutex_;
    std::map<std::int64_t, Held> open_;  // by part
    std::uint64_t time_ = 0;
};

}  // namespace voxcc::parts
