// SPDX-License-Identifier: Apache-2.0
// Weights that kernels read as they are, in every element type: as outputs, operands, biases, scales, rows.
// tkl-test: levels=base,avx2 libs=rapidjson
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <string>
#include <string_view>
#include <tkl/cpu.hpp>

namespace {

using namespace tkl;

constexpr std::array<half, 4> halves{to_half(1), to_half(2.5F), to_half(-3), to_half(65504)};
constexpr std::array<bfloat16, 4> bfloats{to_bfloat16(1), to_bfloat16(2.5F), to_bfloat16(-3), to_bfloat16(256)};
constexpr std::array<std::int32_t, 4> integers{1, 16777217, -3, 2147483647};
constexpr std::array<std::uint8_t, 4> bytes{1, 2, 3, 200};

/// A file of vectors of four elements, in the order of declaration.
class vectors_file {
 public:
  template <class T>
  vectors_file& add(std::string_view name, std::string_view type, const std::array<T, 4>& values) {
    const std::size_t begin = data_.size();
    data_.append(reinterpret_cast<const char*>(values.data()), sizeof values);
    header_ += header_.empty() ? "{" : ",";
    header_ += "\"" + std::string(name) + "\":{\"dtype\":\"" + std::string(type) +
               "\",\"shape\":[4],\"data_offsets\":[" + std::to_string(begin) + "," + std::to_string(data_.size()) +
               "]}";
    return *this;
  }
  void write(const std::string& path) const {
    const std::string header = header_ + "}";
    const std::uint64_t length = header.size();
    std::ofstream file(path, std::ios::binary);
    file.write(reinterpret_cast<const char*>(&length), sizeof length);
    file << header << data_;
  }

 private:
  std::string header_, data_;
};

template <class Net>
result<Net> loaded() {
  const std::string path = std::string(TKL_BUILD_DIR) + "/typed_weights.safetensors";
  vectors_file()
      .add("h", "F16", halves)
      .add("b", "BF16", bfloats)
      .add("i", "I32", integers)
      .add("u", "U8", bytes)
      .write(path);
  return Net::load(path.c_str());
}

struct outputs {
  static constexpr value build(graph& g) {
    g.output(g.weight("h", {4}, element::f16));
    g.output(g.weight("b", {4}, element::bf16));
    g.output(g.weight("i", {4}, element::i32));
    return g.weight("u", {4}, element::u8);
  }
};

struct readers {
  static constexpr value build(graph& g) {
    const value x = g.input("x", element::f32, {2, 4});
    const auto read = [&](std::string_view name, element type) {
      return cast(g.weight(name, {4}, type), element::f32);
    };
    g.output(x + read("h", element::f16));
    g.output(x * read("b", element::bf16));
    g.output(x - read("u", element::u8));
    return layer_norm(x, read("b", element::bf16), read("i", element::i32));
  }
};

TEST_CASE("weights that are outputs keep every bit") {
  auto net = loaded<compile<outputs, cpu<>>>();
  REQUIRE_MESSAGE(net, net.error().message());
  auto w = compile<outputs, cpu<>>::workspace::make();
  std::array<half, 4> h{};
  std::array<bfloat16, 4> b{};
  std::array<std::int32_t, 4> i{};
  std::array<std::uint8_t, 4> u{};
  const status s = (*net)(*w, h, b, i, u);
  REQUIRE_MESSAGE(s, s.message());
  CHECK(std::memcmp(h.data(), halves.data(), sizeof h) == 0);
  CHECK(std::memcmp(b.data(), bfloats.data(), sizeof b) == 0);
  CHECK(i == integers);
  CHECK(u == bytes);
}

TEST_CASE("weights that are operands have the values of their type") {
  auto net = loaded<compile<readers, cpu<>>>();
  REQUIRE_MESSAGE(net, net.error().message());
  auto w = compile<readers, cpu<>>::workspace::make();
  float x[2][4]{{1, 2, 3, 4}, {-1, 0.5F, 8, 0}};
  float sum[8], product[8], difference[8], normal[8];
  const status s = (*net)(*w, &x[0][0], sum, product, difference, normal);
  REQUIRE_MESSAGE(s, s.message());
  for (std::size_t r = 0; r < 2; ++r) {
    double mean = 0, variance = 0;
    for (float v : x[r]) mean += v / 4;
    for (float v : x[r]) variance += (v - mean) * (v - mean) / 4;
    for (std::size_t c = 0; c < 4; ++c) {
      CAPTURE(r);
      CAPTURE(c);
      const float v = x[r][c];
      CHECK(sum[4 * r + c] == v + to_float(halves[c]));
      CHECK(product[4 * r + c] == v * to_float(bfloats[c]));
      CHECK(difference[4 * r + c] == v - static_cast<float>(bytes[c]));
      const double expected = (v - mean) / std::sqrt(variance + 1e-5) * to_float(bfloats[c]) + integers[c];
      CHECK(normal[4 * r + c] == doctest::Approx(expected).epsilon(1e-5));
    }
  }
}

TEST_CASE("arrays bring their length") {
  auto net = loaded<compile<readers, cpu<>>>();
  REQUIRE_MESSAGE(net, net.error().message());
  auto w = compile<readers, cpu<>>::workspace::make();
  float x[8]{}, sum[8], product[8], difference[8], brief[4];
  CHECK(std::string((*net)(*w, brief, sum, product, difference, x).message()) ==
        "input 'x': 4 elements given, the model has 8");
  CHECK(!(*net)(*w, x, sum, product, difference, brief));
}

/// w ** 2 ** 40, by squares of squares: each is read twice.
struct squares {
  static constexpr value build(graph& g) {
    value w = g.weight("w", {4});
    for (int i = 0; i < 40; ++i) w = w * w;
    return g.input("x", element::f32, {4}) + w;
  }
};

TEST_CASE("expressions of weights are evaluated once") {
  const std::string path = std::string(TKL_BUILD_DIR) + "/squares.safetensors";
  vectors_file().add("w", "F32", std::array{1.0F, 0.0F, -1.0F, 0.5F}).write(path);
  auto net = compile<squares, cpu<>>::load(path.c_str());
  REQUIRE_MESSAGE(net, net.error().message());
  auto w = compile<squares, cpu<>>::workspace::make();
  const float x[4]{10, 20, 30, 40};
  float y[4];
  REQUIRE((*net)(*w, x, y));
  CHECK(y[0] == 11);
  CHECK(y[1] == 20);
  CHECK(y[2] == 31);
  CHECK(y[3] == 40);
}

TEST_CASE("no path") {
  CHECK(std::string(compile<outputs, cpu<>>::load(nullptr).error().message()).find("no path was given") !=
        std::string::npos);
  auto net = loaded<compile<outputs, cpu<>>>();
  REQUIRE(net);
  CHECK(std::string(net->save_packed(nullptr).message()) == "no path was given");
}

}  // namespace
