#include "src/pipeline/current_error.h"

#include <new>
#include <system_error>

namespace voxcc {

ErrorMessage current_error(const std::string& subject) {
    const auto no_memory = [&] {
        return ErrorMessage{ExitCode::out_of_memory, subject, "out of memory", "use fewer threads (-t), or set --max-memory"};
    };
    try {
        throw;
    } catch (const Error& error) {
        return message_of(error);
    } catch (const std::bad_alloc&) {
        return no_memory();
    } catch (const std::length_error&) {
        return no_memory();
    } catch (const std::system_error& error) {
        if (error.code() == std::errc::not_enough_memory) return no_memory();
        if (error.code() == std::errc::resource_unavailable_try_again)
            return {ExitCode::out_of_memory, subject, "cannot start a thread: " + error.code().message(),
                    "raise the limit on processes (ulimit -u) or on memory (ulimit -v)"};
        return {ExitCode::internal, subject, error.what(), "this is a fault of voxcc: please report it"};
    } catch (const std::exception& error) {
        return {ExitCode::internal, subject, error.what(), "this is a fault of voxcc: please report it"};
    } catch (...) {
        return {ExitCode::internal, subject, "unknown exception", "this is a fault of voxcc: please report it"};
    }
}

}  // namespace voxcc
