// SPDX-License-Identifier: Apache-2.0
// After the first run, which starts the threads, the recogniser under OpenMP allocates nothing, whatever their number.
// tkl-test: levels=avx2 libs=read_page,openmp,dl emulated=no
#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <read_page/networks/recogniser.hpp>
#include <string>
#include <tkl/cpu.hpp>
#include <vector>

#include "support/count_calls.hpp"
#include "support/random_weights.hpp"

using namespace tkl;

TEST_CASE("runs of the recogniser under OpenMP") {
  using model = read_page::recogniser<320>;
  using network = compile<model, cpu<arch::native, openmp>>;
  const std::string path = std::string(TKL_BUILD_DIR) + "/no_allocation." + arch::native::name.data() + ".safetensors";
  test::write_random_weights<model>(path);
  const auto net = network::load(path.c_str());
  REQUIRE_MESSAGE(net, net.error().message());
  const std::vector<std::uint8_t> picture(48 * 320 * 3, 100);
  const std::int32_t width[] = {300};
  std::vector<float> expected(40 * 6625), out(expected.size());
  const void* in[] = {picture.data(), width};
  for (const int workers : {1, 2, 3, 4}) {
    CAPTURE(workers);
    const openmp executor(workers);
    const auto workspace = network::workspace::make(workers);
    REQUIRE(workspace);
    std::vector<float>& result = workers == 1 ? expected : out;
    void* to[] = {result.data()};
    REQUIRE(net->run(*workspace, in, to, executor));
    const long before = test::allocations;
    bool good = true;
    for (int i = 0; i < 2; ++i) good = net->run(*workspace, in, to, executor).ok() && good;
    const long after = test::allocations;
    CHECK(good);
    CHECK(after - before == 0);
    CHECK(std::memcmp(result.data(), expected.data(), 4 * result.size()) == 0);
  }
}
