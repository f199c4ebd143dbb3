// SPDX-License-Identifier: Apache-2.0
// The profile of a network of bench/models/networks, for ./dev bench profile:
//
//   profile WEIGHTS PAGE.html [ROUNDS]     writes the page, prints the table
//
// The limits are measured in the same rounds as the steps: multiply-adds on registers; reading one half and writing the
// other of a buffer as large as the model's arena and packed weights.
#include BENCH_NETWORK_HEADER

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <tkl/cpu.hpp>
#include <tkl/graph/profile.hpp>
#include <tkl/graph/profile_page.hpp>
#include <tkl/graph/profile_text.hpp>
#include <tkl/runtime/c_model.hpp>
#include <vector>

#include "support/limits.hpp"

namespace {

using network = tkl::compile<BENCH_NETWORK, tkl::cpu<>>;
using tensors = tkl::c_tensors<BENCH_NETWORK>;

std::int64_t now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

class limits {
 public:
  limits()
      : half_(static_cast<std::int64_t>((network::arena_bytes + network::weights_bytes) / 8 + 4096)),
        buffer_(static_cast<std::size_t>(2 * half_), 1.0f) {}

  tkl::machine_limits operator()() {
    constexpr int calls = 20;
    const std::int64_t start = now();
    for (int i = 0; i < calls; ++i) bench::multiply_add_peak();
    const std::int64_t middle = now();
    bench::stream(buffer_.data(), half_, buffer_.data() + half_, half_);
    const std::int64_t end = now();
    return {1e9 * calls * bench::peak_flops / static_cast<double>(middle - start),
            1e9 * static_cast<double>(8 * half_) / static_cast<double>(end - middle)};
  }

 private:
  std::int64_t half_;  // floats
  std::vector<float> buffer_;
};

/// Numbers of -1 .. 1 where the model takes f32; any bytes where it takes u8; zeros elsewhere.
std::vector<std::byte> input_of(const tkl::c_tensor& t, std::mt19937& random) {
  std::vector<std::byte> bytes(static_cast<std::size_t>(t.bytes), std::byte{0});
  if (t.type == TKL_F32) {
    std::uniform_real_distribution<float> uniform(-1, 1);
    auto* numbers = reinterpret_cast<float*>(bytes.data());
    for (std::size_t i = 0; i < bytes.size() / 4; ++i) numbers[i] = uniform(random);
  } else if (t.type == TKL_U8) {
    for (std::byte& b : bytes) b = static_cast<std::byte>(random());
  }
  return bytes;
}

int failed(const std::string& message) {
  std::fprintf(stderr, "profile: %s\n", message.c_str());
  return 1;
}

}  // namespace

int main(int count, char** arguments) {
  if (count < 3) return failed("WEIGHTS PAGE.html [ROUNDS] are needed");
  const auto model = network::load(arguments[1]);
  if (!model) return failed(model.error().message());
  const auto memory = network::workspace::make();
  if (!memory) return failed(memory.error().message());
  std::mt19937 random(1);
  std::vector<std::vector<std::byte>> inputs, outputs;
  std::array<const void*, tensors::most> in{};
  std::array<void*, tensors::most> out{};
  for (std::size_t i = 0; i < static_cast<std::size_t>(tensors::list.inputs); ++i)
    in[i] = inputs.emplace_back(input_of(tensors::list.input[i], random)).data();
  for (std::size_t i = 0; i < static_cast<std::size_t>(tensors::list.outputs); ++i)
    out[i] = outputs.emplace_back(static_cast<std::size_t>(tensors::list.output[i].bytes)).data();

  tkl::profile_options options{.title = BENCH_NETWORK_NAME ", level " TKL_LEVEL_NAME ", one thread"};
  if (count > 3) options.rounds = std::atoi(arguments[3]);
  const auto profile = tkl::profile_model(*model, *memory, in.data(), out.data(), now, options, limits());
  if (!profile) return failed(profile.error().message());
  std::ofstream page(arguments[2]);
  page << tkl::profile_page(*profile);
  page.close();
  if (!page) return failed(std::string(arguments[2]) + " cannot be written");
  std::fputs(tkl::profile_table(*profile).c_str(), stdout);
}
