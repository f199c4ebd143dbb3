// SPDX-License-Identifier: Apache-2.0
// The C interface of a compiled model: what callers are told, results, and every way to use it wrongly.
// tkl-test: levels=base,avx2
#include <doctest/doctest.h>
#include <tkl/c_api.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>
#include <tkl/cpu.hpp>
#include <tkl/runtime/c_model.hpp>
#include <vector>

namespace {

/// y = max(picture * scale, 0) in two orders of memory, and bytes as numbers.
struct example {
  static constexpr void build(tkl::graph& g) {
    const tkl::value picture = g.input("picture", tkl::f32, {1, 3, 4, 2}, tkl::memory_layout::nchw);
    const tkl::value bytes = g.input("bytes", tkl::element::u8, {5});
    const tkl::value y = tkl::relu(picture * g.weight("scale", {2}));
    g.output(y, "planes", tkl::memory_layout::nchw);
    g.output(tkl::cast(bytes, tkl::f32) + 0.5, "");
    g.output(y + 1.0, "pixels");
  }
};

/// A safetensors file with one f32 tensor of two elements.
std::string weights_file(const char* name, std::string_view tensor) {
  std::string header = "{\"" + std::string(tensor) + "\":{\"dtype\":\"F32\",\"shape\":[2],\"data_offsets\":[0,8]}}";
  while (header.size() % 8 != 0) header += ' ';
  std::string path = std::string(TKL_BUILD_DIR) + "/c_api_" + name + ".safetensors";
  std::FILE* f = std::fopen(path.c_str(), "wb");
  REQUIRE(f != nullptr);
  const std::uint64_t length = header.size();
  const float scale[2] = {2, -3};
  bool written = std::fwrite(&length, 8, 1, f) == 1 && std::fwrite(header.data(), header.size(), 1, f) == 1;
  written = std::fwrite(scale, sizeof scale, 1, f) == 1 && written;
  written = std::fclose(f) == 0 && written;
  REQUIRE(written);
  return path;
}

struct opened {
  char error[200] = "untouched";
  tkl_model* model = nullptr;
  explicit opened(const char* file_name)
      : model(tkl_model_open("example", weights_file(file_name, "scale").c_str(), error, sizeof error)) {
    REQUIRE_MESSAGE(model != nullptr, error);
  }
  opened(const opened&) = delete;
  opened& operator=(const opened&) = delete;
  ~opened() { tkl_model_close(model); }
  bool says(std::string_view part) const { return std::string_view(error).find(part) != std::string_view::npos; }
};

std::vector<std::int64_t> extents(const tkl_tensor_info& t) {
  return {t.extents, t.extents + t.rank};
}

}  // namespace

TKL_C_MODEL("example", tkl::compile<example, tkl::cpu<>>)

TEST_CASE("what a model tells about itself") {
  const opened o("info");
  CHECK(std::string_view(tkl_version()).ends_with(tkl::arch::native::name));
  CHECK(tkl_model_input_count(o.model) == 2);
  CHECK(tkl_model_output_count(o.model) == 3);
  tkl_tensor_info t{};
  REQUIRE(tkl_model_input_info(o.model, 0, &t) == 0);
  CHECK(std::string_view(t.name) == "picture");
  CHECK(t.type == TKL_F32);
  CHECK(extents(t) == std::vector<std::int64_t>{1, 2, 3, 4});
  CHECK(t.bytes == 96);
  REQUIRE(tkl_model_input_info(o.model, 1, &t) == 0);
  CHECK(t.type == TKL_U8);
  CHECK(extents(t) == std::vector<std::int64_t>{5});
  CHECK(t.bytes == 5);
  REQUIRE(tkl_model_output_info(o.model, 0, &t) == 0);
  CHECK(std::string_view(t.name) == "planes");
  CHECK(extents(t) == std::vector<std::int64_t>{1, 2, 3, 4});
  REQUIRE(tkl_model_output_info(o.model, 1, &t) == 0);
  CHECK(std::string_view(t.name) == "output1");
  REQUIRE(tkl_model_output_info(o.model, 2, &t) == 0);
  CHECK(extents(t) == std::vector<std::int64_t>{1, 3, 4, 2});

  CHECK(tkl_model_input_info(o.model, 2, &t) == -1);
  CHECK(tkl_model_input_info(o.model, -1, &t) == -1);
  CHECK(tkl_model_output_info(o.model, 3, &t) == -1);
  CHECK(tkl_model_output_info(o.model, 0, nullptr) == -1);
  CHECK(tkl_model_output_info(nullptr, 0, &t) == -1);
  CHECK(tkl_model_input_count(nullptr) == 0);
  CHECK(std::string_view(o.error) == "untouched");
}

TEST_CASE("an object of one level") {
  char error[240] = "untouched";
  const std::string own(tkl::arch::native::name);
  CHECK(tkl_select_level(own.c_str(), error, sizeof error) == 0);
  CHECK(tkl_select_level("", error, sizeof error) == 0);
  CHECK(tkl_select_level(nullptr, error, sizeof error) == 0);
  CHECK(std::string_view(error) == "untouched");
  CHECK(tkl_select_level("avx512", error, sizeof error) == 1);
  CHECK(std::string_view(error).starts_with("tkl_select_level: level 'avx512' is not built in: this processor"));
  CHECK(std::string_view(error).ends_with("built in: " + own));
}

TEST_CASE("a run") {
  opened o("run");
  tkl_workspace* w = tkl_workspace_create(o.model, 1, o.error, sizeof o.error);
  REQUIRE_MESSAGE(w != nullptr, o.error);
  std::vector<float> picture(24), planes(24), numbers(5), pixels(24);
  for (std::size_t i = 0; i < 24; ++i) picture[i] = static_cast<float>(i) - 11.5F;
  const std::vector<std::uint8_t> bytes{0, 1, 2, 254, 255};
  const void* in[] = {picture.data(), bytes.data()};
  void* out[] = {planes.data(), numbers.data(), pixels.data()};
  REQUIRE_MESSAGE(tkl_model_run(o.model, w, in, out, o.error, sizeof o.error) == 0, o.error);
  for (std::size_t c = 0; c < 2; ++c)
    for (std::size_t i = 0; i < 12; ++i) {
      const float product = picture[c * 12 + i] * (c == 0 ? 2.0F : -3.0F), expected = product > 0 ? product : 0;
      CHECK(planes[c * 12 + i] == expected);
      CHECK(pixels[i * 2 + c] == expected + 1);
    }
  for (std::size_t i = 0; i < 5; ++i) CHECK(numbers[i] == static_cast<float>(bytes[i]) + 0.5F);

  SUBCASE("wrong buffers") {
    std::vector<float> untouched(24, 7.0F);
    out[0] = untouched.data();
    in[0] = nullptr;
    CHECK(tkl_model_run(o.model, w, in, out, o.error, sizeof o.error) != 0);
    CHECK(o.says("'picture'"));
    CHECK(o.says("null"));
    in[0] = picture.data();
    out[2] = nullptr;
    CHECK(tkl_model_run(o.model, w, in, out, o.error, sizeof o.error) != 0);
    CHECK(o.says("'pixels'"));
    out[2] = picture.data() + 3;
    CHECK(tkl_model_run(o.model, w, in, out, o.error, sizeof o.error) != 0);
    CHECK(o.says("overlaps"));
    out[2] = reinterpret_cast<char*>(pixels.data()) + 1;
    CHECK(tkl_model_run(o.model, w, in, out, o.error, sizeof o.error) != 0);
    CHECK(o.says("multiple of 4"));
    CHECK(untouched == std::vector<float>(24, 7.0F));
  }
  SUBCASE("null arguments") {
    CHECK(tkl_model_run(nullptr, w, in, out, o.error, sizeof o.error) != 0);
    CHECK(o.says("model is null"));
    CHECK(tkl_model_run(o.model, nullptr, in, out, o.error, sizeof o.error) != 0);
    CHECK(o.says("workspace is null"));
    CHECK(tkl_model_run(o.model, w, nullptr, out, o.error, sizeof o.error) != 0);
    CHECK(o.says("inputs"));
    CHECK(tkl_model_run(o.model, w, in, nullptr, o.error, sizeof o.error) != 0);
    CHECK(o.says("outputs"));
  }
  tkl_workspace_destroy(w);
}

TEST_CASE("what cannot be opened") {
  char error[200] = "";
  const auto says = [&](std::string_view part) { return std::string_view(error).find(part) != std::string_view::npos; };
  const std::string good = weights_file("good", "scale"), other = weights_file("other", "offset");
  CHECK(tkl_model_open("another", good.c_str(), error, sizeof error) == nullptr);
  CHECK(says("'another'"));
  CHECK(says("'example'"));
  CHECK(tkl_model_open("example", "no/such/file", error, sizeof error) == nullptr);
  CHECK(says("no/such/file"));
  CHECK(tkl_model_open("example", other.c_str(), error, sizeof error) == nullptr);
  CHECK(says("'scale'"));
  CHECK(tkl_model_open(nullptr, good.c_str(), error, sizeof error) == nullptr);
  CHECK(says("null"));
  CHECK(tkl_model_open("example", nullptr, error, sizeof error) == nullptr);
  CHECK(says("null"));

  SUBCASE("small buffers for the message") {
    char small[8];
    std::memset(small, 'x', sizeof small);
    CHECK(tkl_model_open("another", good.c_str(), small, 5) == nullptr);
    CHECK(std::string_view(small, 8) == std::string_view("mode\0xxx", 8));
    CHECK(tkl_model_open("another", good.c_str(), small, 1) == nullptr);
    CHECK(small[0] == '\0');
    small[0] = 'y';
    CHECK(tkl_model_open("another", good.c_str(), small, 0) == nullptr);
    CHECK(small[0] == 'y');
    CHECK(tkl_model_open("another", good.c_str(), nullptr, 100) == nullptr);
  }
}

TEST_CASE("workspaces") {
  opened o("workspaces");
  for (const int threads : {0, -1, 2}) {
    CHECK(tkl_workspace_create(o.model, threads, o.error, sizeof o.error) == nullptr);
    CHECK(o.says("threads"));
  }
  CHECK(tkl_workspace_create(nullptr, 1, o.error, sizeof o.error) == nullptr);
  CHECK(o.says("model is null"));
  tkl_workspace_destroy(nullptr);
  tkl_model_close(nullptr);
}
