// Tests shapes and contacts that are counted in parts against a count of every voxel, pair and cell of the volume in one piece: random
// volumes, parts of random sizes, every connectivity, rule and criterion.
#include <voxcc/parts.h>

#include "kernels/contacts_oracle.h"
#include "kernels/part_cases.h"
#include "kernels/shape_oracle.h"

#include <doctest/doctest.h>

using namespace voxcc;
using namespace part_cases;

namespace {

/// The volume without the voxels of dropped components: a flood fill finds the others, and how they are unwrapped.
oracle::Labels unwrapped_labels(const std::vector<std::uint64_t>& labels, const parts::Rules& rules) {
    const Extent& e = rules.grid.volume();
    return oracle::flood_fill(labels, {long(e.nx), long(e.ny), long(e.nz)}, number_of(rules.connectivity), rules.periodic.axes);
}

bool is_shifted(const oracle::Labels& unwrapped, std::uint64_t label) {
    for (std::size_t i = 0; i < unwrapped.of.size(); ++i)
        if (unwrapped.of[i] == label && unwrapped.shift[i] != std::array<long, 3>{}) return true;
    return false;
}

struct Measures {
    std::map<std::uint64_t, ShapeCounts> counts;
    std::map<std::uint64_t, double> feret_mm;
    std::map<std::pair<std::uint64_t, std::uint64_t>, LabelContact> contacts;
};

/// A volume in parts, with the final numbers of all parts.
struct Divided {
    std::vector<parts::LabelledPart> labelled;
    HeldStates states;
    std::vector<parts::PartNumbers> numbers;
    std::uint64_t components = 0;
};

Divided divided(const std::vector<std::uint8_t>& volume, const parts::Rules& rules) {
    Divided all;
    for (std::int64_t part = 0; part < rules.grid.parts(); ++part) {
        all.labelled.push_back(labelled(volume, rules, part));
        all.states.states.push_back(all.labelled.back().take_state());
        all.numbers.emplace_back();
    }
    const auto put = [&](std::int64_t part, const parts::PartNumbers& numbers) { all.numbers[std::size_t(part)] = numbers; };
    HeldScratch scratch;
    all.components = parts::merge_parts(rules, all.states, scratch, put).components;
    return all;
}

std::vector<std::uint64_t> labels_of(Divided& all, const parts::Rules& rules) {
    const Extent& e = rules.grid.volume();
    std::vector<std::uint64_t> labels(std::size_t(e.voxels()));
    for (std::int64_t part = 0; part < rules.grid.parts(); ++part) {
        const auto i = std::size_t(part);
        const parts::Box box = rules.grid.box(part);
        std::vector<std::uint64_t> painted(std::size_t(box.extent().voxels()));
        all.labelled[i].prepare_paint(ScalarType::u64, parts::numbers_of_part(all.numbers[i], all.states.states[i].row_counts));
        all.labelled[i].paint({0, box.extent().rows()}, reinterpret_cast<std::byte*>(painted.data()));
        auto from = painted.begin();
        for (std::int64_t z = 0; z < box.count[2]; ++z)
            for (std::int64_t y = 0; y < box.count[1]; ++y, from += box.count[0])
                std::copy_n(from, box.count[0], labels.begin() + box.first[0] + e.nx * (box.first[1] + y + e.ny * (box.first[2] + z)));
    }
    return labels;
}

void add_part(Divided& all, const parts::Rules& rules, std::int64_t part, const World& world, Connectivity contacts,
              parts::PartFeret& feret, Measures& to) {
    const auto face = [&](std::int64_t of, int side) {
        const auto& state = all.states.states[std::size_t(of)];
        const std::vector<std::uint64_t> known = parts::numbers_of_part(all.numbers[std::size_t(of)], state.row_counts);
        std::vector<std::uint64_t> finals;
        for (const std::uint32_t number : state.faces[std::size_t(side)]) finals.push_back(number == 0 ? 0 : known[number - 1]);
        return finals;
    };
    const auto i = std::size_t(part);
    parts::HaloedPart haloed(rules, part, all.labelled[i], all.states.states[i], all.numbers[i], face);
    const parts::PartShapes shapes = haloed.shapes(world, pool());
    for (const parts::CompleteShape& shape : shapes.complete) {
        REQUIRE(to.feret_mm.emplace(shape.number, shape.feret_mm).second);
        to.counts[shape.number].add(shape.counts);
    }
    for (const parts::OpenShape& shape : shapes.open) {
        to.counts[shape.number].add(shape.counts);
        if (!shape.corners.empty()) feret.add(shape.number, shape.corners);
    }
    for (const LabelContact& c : haloed.contacts(contacts, pool())) {
        LabelContact& sum = to.contacts[{c.a, c.b}];
        sum.a = c.a, sum.b = c.b;
        for (std::size_t axis = 0; axis < 3; ++axis) sum.faces[axis] += c.faces[axis];
        sum.edges += c.edges, sum.corners += c.corners;
    }
}

Measures in_parts(Divided& all, const parts::Rules& rules, const World& world, Connectivity contacts) {
    Measures measures;
    parts::PartFeret feret(space_of(rules.connectivity), world);
    for (std::int64_t part = rules.grid.parts() - 1; part >= 0; --part) {
        add_part(all, rules, part, world, contacts, feret, measures);
        if (part % 3 == 0) REQUIRE(feret.complete([](std::uint64_t) { return false; }, pool()).empty());
    }
    for (const auto& [number, mm] : feret.complete([](std::uint64_t) { return true; }, pool()))
        REQUIRE(measures.feret_mm.emplace(number, mm).second);
    return measures;
}

Connectivity connectivity_of_contacts(const parts::Rules& rules) {
    if (rules.rule == Rule::equal_values) return rules.connectivity;
    return space_of(rules.connectivity) == Space::plane ? Connectivity::c8 : Connectivity::c26;
}

}  // namespace

TEST_CASE("parts: shapes and contacts equal the counts of the volume in one piece") {
    std::mt19937_64 rng(26);
    int several_parts = 0, with_contacts = 0, with_joined = 0, with_shift = 0;
    const World world{{{{0.9, 0.2, -0.1, 5}, {-0.3, 1.5, 0.4, 0}, {0.1, -0.2, 2.5, -7}}}};
    for (int i = 0; i < 1200; ++i) {
        Extent extent{drawn(rng, 1, 9), drawn(rng, 1, 8), drawn(rng, 1, 7)};
        if (i % 40 == 0) extent.nx = drawn(rng, 60, 70);
        const auto volume =
            volumes::random({extent.nx, extent.ny, extent.nz}, int(drawn(rng, 2, 95)), int(drawn(rng, 1, 3)), int(drawn(rng, 1, 3)), rng);
        parts::Rules rules = drawn_rules(rng, extent);
        rules.connectivity = reduced(rules.connectivity, extent);
        if (i % 2 == 0) rules.periodic = {}, rules.border = extent;  // contacts need this
        if (extent.nz == 1) rules.periodic.axes[2] = false;
        const Connectivity of_contacts = connectivity_of_contacts(rules);
        Divided all = divided(volume, rules);
        const std::vector<std::uint64_t> labels = labels_of(all, rules);
        const Measures got = in_parts(all, rules, world, of_contacts);
        CAPTURE(i);
        CAPTURE(number_of(rules.connectivity));
        const shape_oracle::Labels of_volume{labels, extent, rules.periodic.axes, space_of(rules.connectivity) == Space::plane};
        const oracle::Labels unwrapped = unwrapped_labels(labels, rules);
        REQUIRE(got.feret_mm.size() == all.components);
        REQUIRE(got.counts.size() == all.components);
        for (std::uint64_t label = 1; label <= all.components; ++label) {
            REQUIRE(got.counts.at(label) == shape_oracle::counts(of_volume, label, cells_of(rules.connectivity)));
        }
        // The flood fill numbers by first voxels, and the labels may be numbered by size.
        std::uint64_t last_found = 0;
        for (std::size_t at = 0; at < labels.size(); ++at) {
            const std::uint64_t label = labels[at], found = unwrapped.of[at];
            if (label == 0 || found <= last_found) continue;
            last_found = found;
            const shape_oracle::Labels of_found{unwrapped.of, extent, rules.periodic.axes, of_volume.flat};
            const double want = shape_oracle::feret(of_found, found, world, &unwrapped);
            if (want >= 0) REQUIRE(got.feret_mm.at(label) == doctest::Approx(want).epsilon(1e-12));
            with_shift += want >= 0 && is_shifted(unwrapped, found);
        }
        several_parts += rules.grid.parts() > 8;
        with_joined += all.components > 0 && std::ranges::any_of(all.numbers, [](const auto& numbers) { return !numbers.joined.empty(); });
        if (rules.periodic.any()) continue;
        std::vector<LabelContact> contacts;
        for (const auto& [pair, contact] : got.contacts) contacts.push_back(contact);
        REQUIRE(contacts == contacts_oracle::expected(labels, extent, number_of(of_contacts)));
        with_contacts += !contacts.empty();
    }
    CHECK(several_parts > 100);
    CHECK(with_joined > 100);
    CHECK(with_shift > 20);
    CHECK(with_contacts > 50);
}
