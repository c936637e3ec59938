#include "src/errors/remedies.h"

#include "src/errors/program_error.h"

#include <doctest/doctest.h>

using namespace voxcc;

namespace {

std::string text_of(const Error& error) { return message_of(error).text(); }

}  // namespace

TEST_CASE("remedies: exactly the kinds about content have the exit code for bad data") {
    for (int i = 0; i <= int(last_error_kind); ++i) {
        CAPTURE(i);
        const ExitCode exit = exit_code_of(ErrorKind(i));
        CHECK((exit == ExitCode::bad_data) == is_about_content(ErrorKind(i)));
        CHECK(int(exit) >= 64);
        CHECK(int(exit) <= 78);
    }
}

TEST_CASE("remedies: exit codes") {
    CHECK(exit_code_of(ErrorKind::invalid_argument) == ExitCode::usage);
    CHECK(exit_code_of(ErrorKind::several_volumes) == ExitCode::usage);
    CHECK(exit_code_of(ErrorKind::unsupported_by_reader) == ExitCode::usage);
    CHECK(exit_code_of(ErrorKind::missing_file) == ExitCode::no_input);
    CHECK(exit_code_of(ErrorKind::no_device) == ExitCode::no_device);
    CHECK(exit_code_of(ErrorKind::internal) == ExitCode::internal);
    CHECK(exit_code_of(ErrorKind::device_memory) == ExitCode::out_of_memory);
    CHECK(exit_code_of(ErrorKind::exists) == ExitCode::cannot_create);
    CHECK(exit_code_of(ErrorKind::disk_full) == ExitCode::io_error);
    CHECK(exit_code_of(ErrorKind::no_permission) == ExitCode::no_permission);
    CHECK(exit_code_of(ErrorKind::bad_configuration) == ExitCode::bad_config);
}

TEST_CASE("remedies: they follow from the kind and the choices") {
    CHECK(text_of({ErrorKind::several_volumes, "a.nii", "holds 3 volumes", "0..2"}) ==
          "a.nii: holds 3 volumes; choose one with --volume 0..2");
    CHECK(text_of({ErrorKind::no_such_volume, "a.nii", "has no volume 1"}) == "a.nii: has no volume 1; leave --volume out");
    CHECK(text_of({ErrorKind::several_datasets, "a.h5", "holds two", "/a, /b"}) == "a.h5: holds two; choose one with --dataset: /a, /b");
    CHECK(text_of({ErrorKind::external_file, "a.h5", "/a leads to another file"}) ==
          "a.h5: /a leads to another file; read it with --allow-external if you trust the file");
    CHECK(text_of({ErrorKind::exists, "a.nii", "exists"}) == "a.nii: exists; overwrite it with --force, or name another output");
    CHECK(text_of({ErrorKind::unsupported_by_device, "block-runs", "cannot"}) == "block-runs: cannot; use --device cpu");
    CHECK(text_of({ErrorKind::unsupported_by_reader, "a.png", "only ITK reads this format", "itk"}) ==
          "a.png: only ITK reads this format; read it with --reader itk");
    CHECK(text_of({ErrorKind::internal, "a", "b"}) == "a: b; this is a fault of voxcc; please report it");
    CHECK(text_of({ErrorKind::missing_file, "a.nii", "cannot open"}) == "a.nii: cannot open; check the path");
    CHECK(text_of({ErrorKind::missing_file, "*.nii", "cannot open"}) ==
          "*.nii: cannot open; check the pattern, because no file matches it");
}

TEST_CASE("remedies: every kind has a remedy") {
    for (int i = 0; i <= int(last_error_kind); ++i) {
        CAPTURE(i);
        CHECK_FALSE(message_of(Error(ErrorKind(i), "a", "b")).remedy.empty());
        CHECK_FALSE(message_of(ProgramError(ErrorKind(i), "a", "b")).remedy.empty());
    }
}

TEST_CASE("remedies: usage errors without a remedy name the help") {
    CHECK(message_of({ErrorKind::unsupported, "a", "b"}).remedy == "see 'voxcc --help'");
    CHECK(message_of({ErrorKind::unsupported, "a", "b"}, "'voxcc label --help'").remedy == "see 'voxcc label --help'");
}

TEST_CASE("remedies: advice in the cause replaces the general remedy") {
    const ErrorMessage message = message_of({ErrorKind::invalid_file, "a.tif", "has two (x; y) parts; save it again"});
    CHECK(message.cause == "has two (x; y) parts");
    CHECK(message.remedy == "save it again");
    const ErrorMessage corrupt = message_of({ErrorKind::corrupt_file, "a.gz", "is bad; near byte 3"});
    CHECK(corrupt.cause == "is bad; near byte 3");
    CHECK(corrupt.remedy == "the file is corrupt; copy or download it again");
}

TEST_CASE("remedies: a field becomes an option, a file of the same name does not") {
    CHECK(text_of({ErrorKind::no_device, "isa avx512", "this processor does not support the instruction set", "portable, avx2"}) ==
          "--isa avx512: this processor does not support the instruction set; use one of portable, avx2");
    CHECK(text_of({ErrorKind::no_device, "device cuda:1", "is not there"}) == "--device cuda:1: is not there; use --device cpu or auto");
    CHECK(text_of({ErrorKind::unsupported_by_algorithm, "algorithm bke", "does not support connectivity 6"}) ==
          "--algorithm bke: does not support connectivity 6; use --algorithm block-runs");
    CHECK(text_of({ErrorKind::unsupported_by_algorithm, "algorithm bke", "cannot", "uf, buf"}) ==
          "--algorithm bke: cannot; use one of uf, buf");
    CHECK(text_of({ErrorKind::invalid_argument, "level", "is 0", "1 to 6"}) == "--level: is 0; use 1 to 6");
    CHECK(message_of({ErrorKind::missing_file, "level", "cannot open"}).subject == "level");
    CHECK(message_of({ErrorKind::unknown_format, "shape", "its extension names no format"}).subject == "shape");
    CHECK(message_of({ErrorKind::unsupported, "slices_per_slab", "is 4"}).subject == "slices_per_slab");
}

TEST_CASE("remedies: errors of the program keep their subject and their remedy") {
    const ErrorMessage message = message_of(ProgramError(ErrorKind::invalid_argument, "level", "is wrong", "do this"));
    CHECK(message.exit == ExitCode::usage);
    CHECK(message.text() == "level: is wrong; do this");
    CHECK(message_of(ProgramError(ErrorKind::cannot_create, "a", "b")).remedy == "name another output");
}
