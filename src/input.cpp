#include "src/input.h"

#include "src/numbers.h"

namespace voxcc {

io::OpenOptions open_options(const InputOptions& input) {
    return {.dataset = input.dataset,
            .volume = number_in<std::int64_t>(input.volume),  // nothing for "" and "all"
            .spacing = input.spacing,
            .external = input.external};
}

}  // namespace voxcc
