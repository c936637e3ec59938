// Tests the statistics and the power-law fit of the bench.
#include "lab/evaluations/numbers.h"

#include <doctest/doctest.h>

#include "lab/evaluations/records.h"

#include <array>
#include <cmath>
#include <string>
#include <vector>

using namespace voxcc::bench;

TEST_CASE("numbers: summaries") {
    const Summary odd = summary_of(std::array{5.0, 1.0, 3.0});
    CHECK(odd.median == 3);
    CHECK(odd.min == 1);
    CHECK(odd.max == 5);
    CHECK(odd.mean == 3);
    CHECK(odd.deviation == doctest::Approx(std::sqrt(8.0 / 3)));
    CHECK(summary_of(std::array{4.0, 1.0, 3.0, 100.0}).median == 3.5);
    const Summary one = summary_of(std::array{7.0});
    CHECK(one.median == 7);
    CHECK(one.deviation == 0);
}

TEST_CASE("numbers: the fit recovers a, b and c of exact data") {
    for (const auto& [a, b, c] : {std::array{75e-3, 1.22e-7, 1.05}, {0.0, 3e-6, 1.0}, {-2.0, 0.25, 0.5}, {10.0, 1e-12, 2.3}}) {
        std::vector<double> x, y;
        for (double edge = 128; edge <= 8192; edge *= 2) {
            x.push_back(edge * edge);
            y.push_back(a + b * std::pow(edge * edge, c));
        }
        const PowerLaw f = fit_power_law(x, y);
        CAPTURE(c);
        const double largest = std::abs(y.back());
        CHECK(std::abs(f.a - a) < 1e-5 * largest);
        CHECK(f.b == doctest::Approx(b).epsilon(1e-3));
        CHECK(f.c == doctest::Approx(c).epsilon(1e-5));
        CHECK(f.rms < 1e-6 * largest);
        CHECK(f(x[3]) == doctest::Approx(y[3]).epsilon(1e-4));
    }
}

TEST_CASE("numbers: the fit of scattered data has the minimum error") {
    const std::vector<double> x{1, 2, 4, 8, 16}, y{2.1, 2.8, 5.3, 8.7, 18.2};
    const PowerLaw f = fit_power_law(x, y);
    const auto rms = [&](const PowerLaw& g) {
        double squares = 0;
        for (std::size_t i = 0; i < x.size(); ++i) squares += (g(x[i]) - y[i]) * (g(x[i]) - y[i]);
        return std::sqrt(squares / double(x.size()));
    };
    CHECK(f.rms == doctest::Approx(rms(f)));
    CHECK(f.rms > 0);
    for (const double by : {0.98, 1.02}) {
        CHECK(rms({f.a * by, f.b, f.c}) > f.rms);
        CHECK(rms({f.a, f.b * by, f.c}) > f.rms);
        CHECK(rms({f.a, f.b, f.c * by}) > f.rms);
    }
}

TEST_CASE("records: CSV quoting") {
    std::string text;
    Recorder recorder([&](std::string_view part) { text += part; });
    recorder.begin({"m", "cpu, 2 threads", "n/a", "d", "v"});
    recorder.write({"average", "uf", 26, "a \"b\".nii", "shape=1x2x3", "labelling", "median", 0.25, "ms"});
    CHECK(text ==
          "machine,device,driver,date,version,test,algorithm,connectivity,volume,parameters,phase,statistic,value,unit\n"
          "m,\"cpu, 2 threads\",n/a,d,v,average,uf,26,\"a \"\"b\"\".nii\",shape=1x2x3,labelling,median,0.25,ms\n");
    text.clear();
    recorder.begin({"m", "cuda:0", "n/a", "d", "v"}, "experiment=ziegler/iterations relabel=scan");
    recorder.write({"average", "uf", 26, "a", "shape=1x2x3", "labelling", "median", 0.25, "ms"});
    CHECK(text == "m,cuda:0,n/a,d,v,average,uf,26,a,shape=1x2x3 experiment=ziegler/iterations relabel=scan,labelling,median,0.25,ms\n");
}
