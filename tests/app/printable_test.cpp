#include "src/messages/printable.h"

#include <doctest/doctest.h>

using namespace voxcc;

TEST_CASE("printable: codes of terminals are replaced") {
    CHECK(printable("a\33[31mb\7c\rd\x7f"
                    "e",
                    LineEnds::none) == "a?[31mb?c?d?e");
    CHECK(printable("a\nb\tc", LineEnds::none) == "a?b?c");
    CHECK(printable("a\nb\tc\33", LineEnds::kept) == "a\nb\tc?");
    CHECK(printable(std::string_view("a\0b", 3), LineEnds::kept) == "a?b");
}

TEST_CASE("printable: C1 codes, as characters and as single bytes") {
    CHECK(printable("a\u009bb\u0085c\u0080d\u009fe", LineEnds::kept) == "a?b?c?d?e");
    CHECK(printable("a\x9b"
                    "b\x80"
                    "c\x9f",
                    LineEnds::kept) == "a?b?c?");
    CHECK(printable("\xc2", LineEnds::kept) == "\xc2");            // the start of a character without its end
    CHECK(printable("\xc0\x9b", LineEnds::kept) == "\xc0?");       // two bytes for a character of one byte are not UTF-8
    CHECK(printable("\xe0\x82\x9b", LineEnds::kept) == "\xe0??");  // U+009B in three bytes
}

TEST_CASE("printable: marks of direction and separators of lines") {
    for (const std::string_view mark : {"\u061c", "\u200e", "\u200f", "\u2028", "\u2029", "\u202a", "\u202b", "\u202c", "\u202d", "\u202e",
                                        "\u2066", "\u2067", "\u2068", "\u2069"})
        CHECK(printable("gpj." + std::string(mark) + "exe", LineEnds::kept) == "gpj.?exe");
}

TEST_CASE("printable: other text stays") {
    const std::string_view text = "\u00e4 \u00b5m \u05d0 \u4e2d \U0001f9e0 \u00a0 \u2027 \u202f \u2065 \u206a \xe4 \xff";
    CHECK(printable(text, LineEnds::none) == text);
    CHECK(one_line(text) == text);
    CHECK(one_line("a\33b\nc\u009b") == "a?b?c\u009b");
}
