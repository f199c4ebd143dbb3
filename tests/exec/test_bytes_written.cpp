// SPDX-License-Identifier: Apache-2.0
// Every step of the recogniser writes each byte of its output once: the CPU machine with stores that count.
// tkl-test: levels=base,avx2 libs=read_page
#include <doctest/doctest.h>

#include <cstdint>
#include <read_page/networks/recogniser.hpp>
#include <string>
#include <tkl/cpu.hpp>
#include <tkl/graph/footprint.hpp>
#include <vector>

#include "support/random_weights.hpp"

using namespace tkl;

namespace {

/// Bytes stored so far: into the output of the step that runs, and elsewhere (scratch, stack).
struct store_counts {
  const std::byte* begin = nullptr;
  const std::byte* end = nullptr;
  std::int64_t output = 0;
  std::int64_t elsewhere = 0;
};
store_counts counts;

void count_store(const void* p, std::int64_t bytes) {
  const auto* at = static_cast<const std::byte*>(p);
  (at >= counts.begin && at < counts.end ? counts.output : counts.elsewhere) += bytes;
}

template <class Arch>
struct counting_machine : cpu_machine<Arch> {
  using base = cpu_machine<Arch>;
  template <class T>
  static void store(T* p, typename base::value v) {
    count_store(p, base::width * static_cast<std::int64_t>(sizeof(T)));
    base::store(p, v);
  }
  template <class T>
  static void store(T* p, typename base::value v, int n) {
    count_store(p, n * static_cast<std::int64_t>(sizeof(T)));
    base::store(p, v, n);
  }
  template <class T>
  static void store_strided(T* p, std::int64_t stride, typename base::value v, int n) {
    count_store(p, n * static_cast<std::int64_t>(sizeof(T)));
    base::store_strided(p, stride, v, n);
  }
};

struct step_bytes {
  std::int64_t stored = 0;
  std::int64_t expected = 0;
};
std::vector<step_bytes> steps;

/// cpu<> on the counting machine.
struct counting_cpu {
  using arch_type = arch::native;
  using executor_type = serial;
  using machine = counting_machine<arch_type>;
  static constexpr target_facts facts() { return cpu<>::facts(); }
  static constexpr std::int64_t scratch_bytes(const step& s, const edge* edges) {
    return cpu<>::scratch_bytes(s, edges);
  }
  template <auto Key>
  static void run(const step& s, const run_context<serial>& c) {
    const edge& e = c.edges[s.out];
    const footprint f = footprint_of(e);
    counts.begin = c.address(s.out);
    counts.end = counts.begin + (f.end() - f.base);
    const std::int64_t before = counts.output;
    kernel<Key.algorithm>::template run<Key, arch_type, machine>(s, c);
    steps.push_back({counts.output - before, f.bytes()});
  }
};

}  // namespace

TEST_CASE("each byte of an output is written once") {
  using model = read_page::recogniser<320>;
  using network = compile<model, counting_cpu>;
  const std::string path = std::string(TKL_BUILD_DIR) + "/bytes_written." + arch::native::name.data() + ".safetensors";
  test::write_random_weights<model>(path);
  const auto net = network::load(path.c_str());
  REQUIRE_MESSAGE(net, net.error().message());
  const auto workspace = network::workspace::make();
  REQUIRE(workspace);
  const std::vector<std::uint8_t> picture(48 * 320 * 3, 100);
  const std::int32_t width[] = {300};
  std::vector<float> out(40 * 6625);
  const status run = (*net)(*workspace, picture, +width, out);
  REQUIRE_MESSAGE(run, run.message());

  REQUIRE(steps.size() == network::steps);
  for (std::size_t i = 0; i < steps.size(); ++i) {
    CAPTURE(i);
    CHECK(steps[i].stored == steps[i].expected);
  }
  CHECK(counts.output == network::bytes_written);
  // With what goes through scratch memory, still no more than a tenth beyond what the plan moves.
  CHECK(counts.output + counts.elsewhere <= network::bytes / 10 * 11);
  MESSAGE("stored " << counts.output << " to outputs, " << counts.elsewhere
                    << " to scratch; plan: " << network::bytes_written << " written, " << network::bytes << " moved");
}
