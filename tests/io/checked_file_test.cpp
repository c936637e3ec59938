#include "io/checked_file.h"
#include "tests/io/files.h"

#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>
#include <csignal>

using namespace voxcc;
using namespace voxcc::io;
using namespace voxcc::test;

namespace {

void write_file(OutputFiles& outputs, const std::string& target, std::string_view text) {
    OutputFile& file = outputs.create(target);
    file.write(text);
    file.close();
}

// Limits the size of written files to `bytes` until destroyed. write() then fails as on a full disk.
class FileSizeLimit {
public:
    explicit FileSizeLimit(rlim_t bytes) : handler_(std::signal(SIGXFSZ, SIG_IGN)) {
        REQUIRE(::getrlimit(RLIMIT_FSIZE, &old_) == 0);
        const rlimit limit{bytes, old_.rlim_max};
        REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
    }
    ~FileSizeLimit() {
        ::setrlimit(RLIMIT_FSIZE, &old_);
        std::signal(SIGXFSZ, handler_);
    }
    FileSizeLimit(const FileSizeLimit&) = delete;
    FileSizeLimit& operator=(const FileSizeLimit&) = delete;

private:
    rlimit old_{};
    void (*handler_)(int);
};

}  // namespace

TEST_CASE("input: missing, folder, device, FIFO, dangling link") {
    const TemporaryFolder folder;
    CHECK(code_of([&] { InputFile(folder / "missing"); }) == ExitCode::no_input);
    CHECK(code_of([&] { InputFile(folder / "missing" + "/below"); }) == ExitCode::no_input);
    CHECK(code_of([&] { InputFile(folder.path.string()); }) == ExitCode::bad_data);
    CHECK(code_of([&] { InputFile("/dev/null"); }) == ExitCode::no_input);
    REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
    CHECK(code_of([&] { InputFile(folder / "fifo"); }) == ExitCode::no_input);  // must not wait for a writer
    std::filesystem::create_symlink("nowhere", folder / "link");
    CHECK(code_of([&] { InputFile(folder / "link"); }) == ExitCode::no_input);
}

TEST_CASE("input: reads return all bytes, or an error that states how many are missing") {
    const TemporaryFolder folder;
    put_file(folder / "x", "0123456789");
    const InputFile file(folder / "x");
    CHECK(file.size() == 10);
    std::string piece(4, '\0');
    const auto bytes = std::as_writable_bytes(std::span(piece));
    file.read(6, bytes);
    CHECK(piece == "6789");
    CHECK(file.read_some(8, bytes) == 2);
    CHECK(file.read_some(20, bytes) == 0);
    CHECK(code_of([&] { file.read(8, bytes); }) == ExitCode::bad_data);
    CHECK(message_of([&] { file.read(8, bytes); }).find("expected 12 bytes, got 10") != std::string::npos);
}

TEST_CASE("output: appears only when published; otherwise leaves no files") {
    const TemporaryFolder folder;
    {
        OutputFiles outputs(Overwrite::refuse, {});
        write_file(outputs, folder / "x", "text");
        CHECK_FALSE(std::filesystem::exists(folder / "x"));
        CHECK(folder.entries() == 1);
    }
    CHECK(folder.entries() == 0);
    OutputFiles outputs(Overwrite::refuse, {});
    OutputFile& file = outputs.create(folder / "x");
    file.write("0123456789");
    file.write_at(2, std::as_bytes(std::span("AB", 2)));
    file.write("+");
    CHECK(file.position() == 11);
    CHECK(code_of([&] { outputs.publish(); }) == ExitCode::internal);  // not closed yet
    file.close();
    write_file(outputs, folder / "y", "second");
    outputs.publish();
    CHECK(content_of(folder / "x") == "01AB456789+");
    CHECK(content_of(folder / "y") == "second");
    CHECK(folder.entries() == 2);
}

TEST_CASE("output: an existing file is refused, or replaced with its mode kept") {
    const TemporaryFolder folder;
    put_file(folder / "x", "old");
    REQUIRE(::chmod((folder / "x").c_str(), 0640) == 0);
    {
        OutputFiles outputs(Overwrite::refuse, {});
        CHECK(code_of([&] { outputs.check(folder / "x"); }) == ExitCode::cannot_create);
        CHECK(code_of([&] { outputs.create(folder / "x"); }) == ExitCode::cannot_create);
    }
    {
        OutputFiles outputs(Overwrite::allow, {});
        write_file(outputs, folder / "x", "new");
        CHECK(content_of(folder / "x") == "old");
    }
    CHECK(content_of(folder / "x") == "old");
    OutputFiles outputs(Overwrite::allow, {});
    write_file(outputs, folder / "x", "new");
    outputs.publish();
    CHECK(content_of(folder / "x") == "new");
    struct stat st {};
    REQUIRE(::stat((folder / "x").c_str(), &st) == 0);
    CHECK((st.st_mode & 0777) == 0640);
    CHECK(folder.entries() == 1);
}

TEST_CASE("output: a file that another process creates meanwhile is not overwritten") {
    const TemporaryFolder folder;
    {
        OutputFiles outputs(Overwrite::refuse, {});
        write_file(outputs, folder / "x", "ours");
        put_file(folder / "x", "theirs");
        CHECK(code_of([&] { outputs.publish(); }) == ExitCode::cannot_create);
    }
    CHECK(content_of(folder / "x") == "theirs");
    CHECK(folder.entries() == 1);
}

TEST_CASE("output: an input is never overwritten, under any of its names") {
    const TemporaryFolder folder;
    put_file(folder / "in", "input");
    std::filesystem::create_hard_link(folder / "in", folder / "hard");
    std::filesystem::create_symlink(folder / "in", folder / "soft");
    std::filesystem::create_directory_symlink(folder.path, folder / "elsewhere");
    const auto inputs = std::make_shared<FileSet>();
    for (const char* name : {"missing", "in"}) inputs->add(folder / name);
    OutputFiles outputs(Overwrite::allow, inputs);
    for (const char* name : {"in", "hard", "soft", "./in", "missing", "elsewhere/in", "elsewhere/missing"}) {
        const std::string target = folder / name;
        CHECK(message_of([&] { outputs.create(target); }).find("is an input") != std::string::npos);
        CHECK(code_of([&] { outputs.check(target); }) == ExitCode::cannot_create);
    }
    CHECK(content_of(folder / "in") == "input");
}

TEST_CASE("output: targets that cannot be created or replaced") {
    const TemporaryFolder folder;
    OutputFiles outputs(Overwrite::allow, {});
    CHECK(code_of([&] { outputs.create(folder / "missing" + "/x"); }) == ExitCode::cannot_create);
    CHECK(code_of([&] { outputs.create(folder.path.string()); }) == ExitCode::cannot_create);
    CHECK(code_of([&] { outputs.create("/dev/null"); }) == ExitCode::cannot_create);
    put_file(folder / "file", "");
    CHECK(code_of([&] { outputs.create(folder / "file" + "/x"); }) == ExitCode::cannot_create);
    REQUIRE(::mkfifo((folder / "fifo").c_str(), 0600) == 0);
    CHECK(code_of([&] { outputs.create(folder / "fifo"); }) == ExitCode::cannot_create);
    std::filesystem::create_symlink("nowhere", folder / "link");
    CHECK(code_of([&] { outputs.create(folder / "link"); }) == ExitCode::cannot_create);
    CHECK(code_of([&] { outputs.create(folder / std::string(300, 'n')); }) == ExitCode::cannot_create);
    if (::geteuid() == 0) {
        MESSAGE("SKIPPED: root may write in any folder");
    } else {
        REQUIRE(::mkdir((folder / "closed").c_str(), 0500) == 0);
        CHECK(code_of([&] { outputs.check(folder / "closed/x"); }) == ExitCode::no_permission);
    }
}

TEST_CASE("output: names of up to 255 bytes") {
    const TemporaryFolder folder;
    OutputFiles outputs(Overwrite::refuse, {});
    const std::string umlaut = "\xc3\xa4";
    std::string two_bytes;
    while (two_bytes.size() < 250) two_bytes += umlaut;
    for (const std::string& name : {std::string(242, 'n'), std::string(251, 'n') + ".nii", two_bytes + "x.nii", two_bytes + ".nii"}) {
        CAPTURE(name);
        const OutputFile& file = outputs.create(folder / name);
        CHECK(file.temporary().size() - folder.path.string().size() - 1 <= 255);
        CHECK(file.temporary().ends_with(name.substr(name.size() - 4)));
        const std::string hidden = std::filesystem::path(file.temporary()).filename().string();
        CHECK((hidden.find(umlaut[1]) == std::string::npos || hidden.find(umlaut[1]) > hidden.find(umlaut[0])));
    }
    CHECK(folder.entries() == 4);
    CHECK(code_of([&] { outputs.check(folder / std::string(256, 'n')); }) == ExitCode::cannot_create);
}

TEST_CASE("output: a disk that becomes full at any byte leaves no files") {
    const TemporaryFolder folder;
    put_file(folder / "x", "old");
    const std::string text(100, 'x');
    for (const rlim_t limit : {0, 1, 50, 99}) {
        CAPTURE(limit);
        {
            OutputFiles outputs(Overwrite::allow, {});
            const FileSizeLimit full(limit);
            CHECK(code_of([&] { write_file(outputs, folder / "x", text); }) == ExitCode::io_error);
        }
        CHECK(content_of(folder / "x") == "old");
        CHECK(folder.entries() == 1);
    }
    OutputFiles outputs(Overwrite::allow, {});
    const FileSizeLimit enough(100);
    write_file(outputs, folder / "x", text);
    outputs.publish();
    CHECK(content_of(folder / "x") == text);
}

TEST_CASE("output: new folders are removed if nothing is published") {
    const TemporaryFolder folder;
    {
        OutputFiles outputs(Overwrite::refuse, {});
        outputs.create_folder(folder / "slices");
        write_file(outputs, folder / "slices" + "/s0", "0");
    }
    CHECK(folder.entries() == 0);
    {
        OutputFiles outputs(Overwrite::refuse, {});
        outputs.create_folder(folder / "slices");
        write_file(outputs, folder / "slices" + "/s0", "0");
        outputs.publish();
    }
    CHECK(content_of(folder / "slices" + "/s0") == "0");
    {
        OutputFiles outputs(Overwrite::refuse, {});
        outputs.create_folder(folder / "slices");  // exists already, so it must not be removed
    }
    CHECK(std::filesystem::is_directory(folder / "slices"));
    put_file(folder / "file", "");
    OutputFiles outputs(Overwrite::refuse, {});
    CHECK(code_of([&] { outputs.create_folder(folder / "file"); }) == ExitCode::cannot_create);
    CHECK(code_of([&] { outputs.create_folder(folder / "missing" + "/below"); }) == ExitCode::cannot_create);
}

TEST_CASE("output: a signal handler removes exactly the unpublished files") {
    const TemporaryFolder folder;
    OutputFiles outputs(Overwrite::refuse, {});
    write_file(outputs, folder / "published", "p");
    outputs.publish();
    OutputFiles unfinished(Overwrite::refuse, {});
    unfinished.create_folder(folder / "slices");
    for (int i = 0; i < 300; ++i) unfinished.create(folder / "slices" + "/s" + std::to_string(i));
    unfinished.create(folder / "x");
    remove_temporaries();
    CHECK(content_of(folder / "published") == "p");
    CHECK(folder.entries() == 1);
}

TEST_CASE("output: a signal handler removes folders after their files") {
    const TemporaryFolder folder;
    OutputFiles outputs(Overwrite::refuse, {});
    outputs.create_folder(folder / "slices");
    outputs.create(folder / "slices" + "/s0").write("text");
    outputs.create(folder / "x");
    CHECK(folder.entries() == 2);
    remove_temporaries();
    CHECK(folder.entries() == 0);
}

TEST_CASE("new folders: empty folders are removed, inner folders first") {
    const TemporaryFolder folder;
    {
        NewFolders made;
        made.make_with_parents(folder / "a/b/c");
        made.make_with_parents(folder / "a/b/d/");
        made.make_with_parents(folder / "new/../e");
        CHECK(std::filesystem::is_directory(folder / "a/b/c"));
        CHECK(std::filesystem::is_directory(folder / "a/b/d"));
        CHECK(std::filesystem::is_directory(folder / "e"));
        put_file(folder / "a/b/c/file", "kept");
    }
    CHECK(folder.entries() == 1);
    CHECK(content_of(folder / "a/b/c/file") == "kept");
    CHECK_FALSE(std::filesystem::exists(folder / "a/b/d"));
    {
        NewFolders made;
        made.make_with_parents(folder / "a/b/c");  // exists already, so it must not be removed
        CHECK(code_of([&] { made.make_with_parents(folder / "a/b/c/file/x"); }) == ExitCode::cannot_create);
        CHECK(code_of([&] { made.make(folder / "missing" + "/x"); }) == ExitCode::cannot_create);
    }
    CHECK(std::filesystem::is_directory(folder / "a/b/c"));
}

TEST_CASE("new folders: a signal handler removes nested folders") {
    const TemporaryFolder folder;
    NewFolders made;
    made.make_with_parents(folder / "a/b/c");
    remove_temporaries();
    CHECK(folder.entries() == 0);
}

TEST_CASE("system errors have the exit code of their cause") {
    const auto code = [](int number, Access access) { return system_error("path", "do it", number, access).code(); };
    CHECK(code(ENOENT, Access::read) == ExitCode::no_input);
    CHECK(code(ENOENT, Access::write) == ExitCode::cannot_create);
    CHECK(code(EACCES, Access::read) == ExitCode::no_permission);
    CHECK(code(EROFS, Access::write) == ExitCode::no_permission);
    CHECK(code(ENOSPC, Access::write) == ExitCode::io_error);
    CHECK(code(EIO, Access::read) == ExitCode::io_error);
    CHECK(code(ENOMEM, Access::read) == ExitCode::out_of_memory);
    CHECK(std::string(system_error("path", "do it", EIO, Access::read).what()).starts_with("path: cannot do it: "));
}
