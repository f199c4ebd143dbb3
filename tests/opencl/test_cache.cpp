// SPDX-License-Identifier: Apache-2.0
// The directory of program binaries: used where it is right, ignored and rebuilt where it is not, never a failure, and
// always counted.
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "support/opencl_compare.hpp"

namespace {

using bytes = std::vector<unsigned char>;
using counts = tkl::opencl_cache_counts;

std::string empty_folder(const char* name) {
  std::string folder = std::string(TKL_BUILD_DIR) + "/opencl_cache_" + name;
  std::filesystem::remove_all(folder);
  std::filesystem::create_directories(folder);
  return folder;
}
bytes contents(const std::string& path) {
  std::ifstream f(path, std::ios::binary);
  return bytes(std::istreambuf_iterator<char>(f), {});
}
void write(const std::string& path, const bytes& b) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(b.data()), static_cast<std::streamsize>(b.size()));
}
std::vector<std::string> files_of(const std::string& folder) {
  std::vector<std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) all.push_back(entry.path().string());
  return all;
}

const std::string source = "__kernel void k() {}", identity = "a device\nits driver";
const bytes binary = {1, 2, 3, 0, 255, 7};

TEST_CASE("what was stored is found, by whoever has the same device and source") {
  const std::string folder = empty_folder("plain");
  tkl::opencl_cache cache(folder, identity), other(folder, identity);
  CHECK(cache.find(source).empty());
  cache.store(source, binary);
  CHECK(other.find(source) == binary);
  other.taken(source, true);
  CHECK(cache.counts() == counts{.absent = 1, .written = 1});
  CHECK(other.counts() == counts{.found = 1});
  CHECK(cache.last().ok());
  CHECK(files_of(folder).size() == 1);
  tkl::opencl_cache none;
  none.store(source, binary);
  CHECK(none.find(source).empty());
  CHECK(none.counts() == counts{});
}

TEST_CASE("every damaged byte and every missing one is seen") {
  const std::string folder = empty_folder("damaged");
  tkl::opencl_cache(folder, identity).store(source, binary);
  const std::string path = tkl::opencl_cache(folder, identity).path(source);
  const bytes good = contents(path);
  REQUIRE(good.size() == 64 + identity.size() + source.size() + binary.size());
  for (std::size_t i = 0; i < good.size(); ++i)
    for (const int bit : {1, 128}) {
      bytes bad = good;
      bad[i] = static_cast<unsigned char>(bad[i] ^ bit);
      write(path, bad);
      tkl::opencl_cache cache(folder, identity);
      CHECK(cache.find(source).empty());
      CHECK(cache.counts() == counts{.damaged = 1});
    }
  for (std::size_t size = 0; size < good.size(); ++size) {
    write(path, bytes(good.begin(), good.begin() + static_cast<std::ptrdiff_t>(size)));
    tkl::opencl_cache cache(folder, identity);
    CHECK(cache.find(source).empty());
    CHECK(cache.counts() == counts{.damaged = 1});
  }
  bytes longer = good;
  longer.push_back(0);
  write(path, longer);
  tkl::opencl_cache cache(folder, identity);
  CHECK(cache.find(source).empty());
  const std::string message = cache.last().message();
  CHECK(message.find("/opencl_cache_damaged/") != std::string::npos);
  CHECK(message.find(".tklcl is damaged") != std::string::npos);
  cache.store(source, binary);
  CHECK(cache.find(source) == binary);
  CHECK(cache.counts() == counts{.damaged = 1, .written = 1});
}

TEST_CASE("a whole file under the name of another is not taken") {
  const std::string folder = empty_folder("foreign");
  tkl::opencl_cache cache(folder, identity), driver(folder, identity + " of today");
  driver.store(source, binary);
  CHECK(cache.find(source).empty());
  CHECK(cache.counts() == counts{.absent = 1});
  std::filesystem::rename(driver.path(source), cache.path(source));
  CHECK(cache.find(source).empty());
  cache.store("another", binary);
  std::filesystem::rename(cache.path("another"), cache.path(source));
  CHECK(cache.find(source).empty());
  CHECK(cache.counts() == counts{.absent = 1, .foreign = 2, .written = 1});
}

TEST_CASE("directories that cannot be written or do not exist") {
  const std::string folder = empty_folder("unwritable");
  tkl::opencl_cache absent(folder + "/absent", identity), file(folder + "/file", identity);
  write(folder + "/file", binary);
  for (tkl::opencl_cache* c : {&absent, &file}) {
    CHECK(c->find(source).empty());
    c->store(source, binary);
    CHECK(c->counts() == counts{.absent = 1, .unwritten = 1});
    CHECK(std::string(c->last().message()).find("cannot be written") != std::string::npos);
  }
  tkl::opencl_cache cache(folder, identity);
  cache.store(source, {});
  CHECK(cache.counts() == counts{.unwritten = 1});
  cache.store(source, binary);
  // A user without rights: this process may be root, for whom every directory can be written.
  REQUIRE(::chmod(folder.c_str(), 0555) == 0);
  REQUIRE(::chmod(cache.path(source).c_str(), 0444) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(2);
    tkl::opencl_cache own(folder, identity);
    const bool found = own.find(source) == binary;  // or no folder above can be read
    own.store("new", binary);
    ::_exit((found || own.counts().absent == 1) && own.counts().unwritten == 1 ? 0 : 1);
  }
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  CHECK(status == 0);
  REQUIRE(::chmod(folder.c_str(), 0755) == 0);
}

TEST_CASE("processes that write the same file never show each other half of one") {
  const std::string folder = empty_folder("processes");
  std::array<pid_t, 3> children{};
  for (std::size_t i = 0; i < children.size(); ++i) {
    children[i] = ::fork();
    if (children[i] != 0) continue;
    tkl::opencl_cache cache(folder, identity);
    int wrong = 0;
    for (std::size_t round = 0; round < 100; ++round) {
      cache.store(source, bytes(1000 + 7000 * i + 13 * round, static_cast<unsigned char>(i + 1)));
      const bytes found = cache.find(source);
      wrong += found.empty();
      for (unsigned char b : found) wrong += b != found[0];
    }
    ::_exit(wrong == 0 && cache.counts() == counts{.written = 100} ? 0 : 1);
  }
  for (const pid_t child : children) {
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    CHECK(status == 0);
  }
  CHECK(files_of(folder).size() == 1);
}

struct model {
  static constexpr void build(tkl::graph& g) {
    g.output(tkl::relu(tkl::linear(g.input("x", tkl::f32, {4, 6}), g.weight("w", {3, 6}))));
  }
};

/// The model's results in a context of its own.
std::array<float, 12> run(const tkl::opencl_context& context) {
  using net = tkl::compile<model, tkl::opencl<>>;
  tkl::graph g;
  tkl::build_model<model>(g);
  const std::vector<std::byte> file = tkl_test::random_weights_file(g);
  const auto tensors = tkl::safetensors::from_memory(file);
  REQUIRE(tensors.ok());
  const auto loaded = net::load(context, *tensors);
  REQUIRE_MESSAGE(loaded.ok(), loaded.error().message());
  const auto memory = net::workspace::make(*loaded);
  REQUIRE(memory.ok());
  std::array<float, 24> x{};
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i) - 11;
  std::array<float, 12> y{};
  const tkl::status s = (*loaded)(*memory, x, y);
  REQUIRE_MESSAGE(s.ok(), s.message());
  return y;
}

TEST_CASE("a model starts from its binaries, and from its sources where these are no good") {
  const std::string folder = empty_folder("device");
  const cl::Device& device = tkl_test::device().device();
  const auto context = [&](const char* directory) {
    auto c = tkl::opencl_context::make(device, {.cache = directory});
    REQUIRE(c.ok());
    return std::move(*c);
  };
  const tkl::opencl_context off = context(""), cold = context(folder.c_str());
  const std::array<float, 12> expected = run(off);
  CHECK(off.cache_counts() == counts{});
  CHECK(run(cold) == expected);
  CHECK(cold.cache_counts() == counts{.absent = 1, .written = 1});
  const tkl::opencl_context warm = context(folder.c_str());
  CHECK(run(warm) == expected);
  CHECK(warm.cache_counts() == counts{.found = 1});
  CHECK(warm.cache_status().ok());

  REQUIRE(files_of(folder).size() == 1);
  const std::string path = files_of(folder)[0];
  const bytes good = contents(path);
  tkl::opencl_cache_header h;
  std::memcpy(&h, good.data(), sizeof h);
  const std::size_t regions[] = {3, 40, 70, 64 + h.identity_bytes + 100, good.size() - 5};
  for (const std::size_t at : regions) {
    bytes bad = good;
    bad[at] ^= 16;
    write(path, bad);
    const tkl::opencl_context c = context(folder.c_str());
    CHECK(run(c) == expected);
    CHECK(c.cache_counts() == counts{.damaged = 1, .written = 1});
  }
  // A whole file with a binary that is none.
  const char* text = reinterpret_cast<const char*>(good.data()) + sizeof h;
  tkl::opencl_cache forger(folder, std::string(text, h.identity_bytes));
  forger.store(std::string(text + h.identity_bytes, h.source_bytes), bytes(500, 7));
  REQUIRE(files_of(folder).size() == 1);
  const tkl::opencl_context refusing = context(folder.c_str());
  CHECK(run(refusing) == expected);
  CHECK(refusing.cache_counts() == counts{.refused = 1, .written = 1});
  CHECK(std::string(refusing.cache_status().message()).find("does not take") != std::string::npos);
  CHECK(cold.keep_programs() == 0);
  const tkl::opencl_context nowhere = context((folder + "/absent").c_str());
  CHECK(run(nowhere) == expected);
  CHECK(nowhere.cache_counts() == counts{.absent = 1, .unwritten = 1});
}

TEST_CASE("binaries that are kept behind a first run") {
  const std::string folder = empty_folder("asked");
  const cl::Device& device = tkl_test::device().device();
  const auto first = tkl::opencl_context::make(device, {.cache = folder, .keeps_when_built = false});
  REQUIRE(first.ok());
  const std::array<float, 12> expected = run(*first);
  CHECK(first->cache_counts() == counts{.absent = 1});
  CHECK(first->keep_programs() == 1);
  CHECK(first->keep_programs() == 0);
  CHECK(first->cache_counts() == counts{.absent = 1, .written = 1});
  const auto next = tkl::opencl_context::make(device, {.cache = folder, .keeps_when_built = false});
  REQUIRE(next.ok());
  CHECK(run(*next) == expected);
  CHECK(next->keep_programs() == 0);
  CHECK(next->cache_counts() == counts{.found = 1});
}

}  // namespace
