// SPDX-License-Identifier: Apache-2.0
// tkl-test: levels=base libs=rapidjson
// The safetensors reader: what a sound file gives, and the message for every fault, each in a file made by hand.
#include <doctest/doctest.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <span>
#include <string>
#include <string_view>
#include <tkl/exec/safetensors.hpp>
#include <vector>

using tkl::safetensors;

namespace {

/// A file: length, header, `data` bytes 0, 1, 2, ...
std::string file_of(std::string_view header, std::size_t data) {
  std::string f(8, '\0');
  const std::uint64_t n = header.size();
  std::memcpy(f.data(), &n, sizeof n);
  f += header;
  for (std::size_t i = 0; i < data; ++i) f += static_cast<char>(i);
  return f;
}

std::span<const std::byte> bytes_of(const std::string& s) {
  return {reinterpret_cast<const std::byte*>(s.data()), s.size()};
}

std::string fault_of_bytes(const std::string& file) {
  // Exactly as many bytes as the file has, so that a sanitizer sees a read behind them.
  const std::vector<std::byte> exact(bytes_of(file).begin(), bytes_of(file).end());
  const auto s = safetensors::from_memory(exact);
  return s ? "" : s.error().message();
}
std::string fault(std::string_view header, std::size_t data = 0) {
  return fault_of_bytes(file_of(header, data));
}

/// One tensor "x" with these texts as values.
std::string one(std::string_view type, std::string_view shape, std::string_view offsets) {
  return "{\"x\":{\"dtype\":\"" + std::string(type) + "\",\"shape\":" + std::string(shape) +
         ",\"data_offsets\":" + std::string(offsets) + "}}";
}

/// A file on disk that is gone at the end.
struct file_on_disk {
  std::string path;
  file_on_disk(const char* name, const std::string& content) : path(std::string(TKL_BUILD_DIR) + '/' + name) {
    std::ofstream(path, std::ios::binary) << content;
  }
  file_on_disk(const file_on_disk&) = delete;
  file_on_disk& operator=(const file_on_disk&) = delete;
  ~file_on_disk() { std::remove(path.c_str()); }
};

constexpr const char* two =
    R"({"__metadata__":{"format":"pt"},"b.weight":{"dtype":"F32","shape":[2,3],"data_offsets":[4,28]},)"
    R"("a":{"shape":[4],"data_offsets":[0,4],"dtype":"U8"}}   )";

}  // namespace

TEST_CASE("a sound file: tensors by name, with type, shape and bytes") {
  const std::string file = file_of(two, 28);
  const auto s = safetensors::from_memory(bytes_of(file));
  REQUIRE(s);
  REQUIRE(s->tensors().size() == 2);
  CHECK(s->tensors()[0].name == "a");
  CHECK(s->tensors()[1].name == "b.weight");
  const safetensors::tensor* b = s->find("b.weight");
  REQUIRE(b != nullptr);
  CHECK(b->supported());
  CHECK(b->type == tkl::f32);
  CHECK(b->type_name() == "F32");
  CHECK(b->shape == tkl::shape(2, 3));
  CHECK(b->bytes == 24);
  for (std::size_t i = 0; i < 24; ++i) CHECK(b->data[i] == static_cast<std::byte>(4 + i));
  CHECK(s->find("a")->data == b->data - 4);
  CHECK(s->find("b") == nullptr);
  CHECK(s->find("") == nullptr);
  CHECK(s->get("a"));
  CHECK(std::string(s->get("c").error().message()) == "tensor 'c': missing in the file");
}

TEST_CASE("a mapped file gives the same, also after the object is moved") {
  const file_on_disk f("sound.safetensors", file_of(two, 28));
  auto opened = safetensors::open(f.path.c_str());
  REQUIRE(opened);
  const safetensors moved = std::move(*opened);
  const safetensors::tensor* b = moved.find("b.weight");
  REQUIRE(b != nullptr);
  CHECK(b->data[23] == std::byte{27});
}

TEST_CASE(
    "every element type of the format is known by size; those that tkl lacks are an error when they are asked for") {
  struct row {
    const char* name;
    std::size_t bytes;  // of 8 elements
    bool supported;
  };
  for (const row& r :
       {row{"F32", 32, true},     row{"F16", 16, true},     row{"BF16", 16, true},    row{"I8", 8, true},
        row{"U8", 8, true},       row{"I32", 32, true},     row{"BOOL", 8, false},    row{"I16", 16, false},
        row{"U16", 16, false},    row{"U32", 32, false},    row{"I64", 64, false},    row{"U64", 64, false},
        row{"F64", 64, false},    row{"C64", 64, false},    row{"F8_E5M2", 8, false}, row{"F8_E4M3", 8, false},
        row{"F8_E8M0", 8, false}, row{"F6_E2M3", 6, false}, row{"F6_E3M2", 6, false}, row{"F4", 4, false}}) {
    const std::string file = file_of(one(r.name, "[8]", "[0," + std::to_string(r.bytes) + "]"), r.bytes);
    const auto s = safetensors::from_memory(bytes_of(file));
    REQUIRE(s);
    CHECK(s->find("x")->supported() == r.supported);
    CHECK(s->find("x")->type_name() == r.name);
    CHECK(s->get("x").ok() == r.supported);
    if (!r.supported)
      CHECK(std::string(s->get("x").error().message()) ==
            std::string("tensor 'x': type ") + r.name + " is not supported, only F32 F16 BF16 I8 U8 I32 are");
  }
}

TEST_CASE("scalars, empty tensors and empty files are sound") {
  CHECK(fault(one("F32", "[]", "[0,4]"), 4) == "");
  CHECK(fault(one("F32", "[3,0,5]", "[0,0]")) == "");
  CHECK(fault("{}") == "");
  CHECK(fault("{\"__metadata__\":{}}") == "");
  const std::string two_empty =
      R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"b":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})";
  CHECK(fault(two_empty, 2) == "");
}

TEST_CASE("names are UTF-8 and may be escaped") {
  const std::string file =
      file_of("{\"\xe5\xb1\x82\\u002eb\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1);
  const auto s = safetensors::from_memory(bytes_of(file));
  REQUIRE(s);
  CHECK(s->find("\xe5\xb1\x82.b") != nullptr);
}

TEST_CASE("truncated files: cut at every byte, none is accepted") {
  const std::string whole = file_of(two, 28);
  for (std::size_t n = 0; n < whole.size(); ++n) CHECK(fault_of_bytes(whole.substr(0, n)) != "");
  CHECK(fault_of_bytes("") == "safetensors file of 0 bytes, the header's length alone takes 8");
  CHECK(fault_of_bytes("1234567") == "safetensors file of 7 bytes, the header's length alone takes 8");
  const std::string header = two;
  CHECK(fault_of_bytes(whole.substr(0, 20)) ==
        "truncated: a header of " + std::to_string(header.size()) + " bytes is announced, 12 follow");
  CHECK(fault_of_bytes(whole.substr(0, whole.size() - 1)) ==
        "tensor 'b.weight': bytes [4, 28) leave the 27 bytes of data");
}

TEST_CASE("headers that are too large, or announced with absurd lengths") {
  std::string file = file_of("{}", 0);
  for (const std::uint64_t n : {std::uint64_t{100'000'001}, ~std::uint64_t{0}, std::uint64_t{1} << 63}) {
    std::memcpy(file.data(), &n, sizeof n);
    CHECK(fault_of_bytes(file) == "safetensors header of " + std::to_string(n) + " bytes, at most 100000000 are read");
  }
  const std::uint64_t limit = 100'000'000;
  std::memcpy(file.data(), &limit, sizeof limit);
  CHECK(fault_of_bytes(file) == "truncated: a header of 100000000 bytes is announced, 2 follow");
}

TEST_CASE("what is not JSON is refused with the byte of the file") {
  CHECK(fault("") == "safetensors header, byte 8: '{' expected");
  CHECK(fault(" {}") == "safetensors header, byte 8: '{' expected");
  CHECK(fault("[]") == "safetensors header, byte 8: '{' expected");
  CHECK(fault("{\"x\"") == "safetensors header, byte 12: Missing a colon after a name of object member.");
  CHECK(fault("{} x") == "safetensors header, byte 11: The document root must not be followed by other values.");
  CHECK(fault(std::string("{}\0 ", 4)) == "safetensors header, byte 10: a zero byte");
  CHECK(fault("{\"x\":{,}}").find("safetensors header, byte 14: ") == 0);
  CHECK(fault("{\"a\":{} /* c */}") != "");
}

TEST_CASE("bad UTF-8 and bad escapes in names") {
  for (const char* name : {"\xff", "\xc0\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\xc3", "\x80",
                           "\\ud800", "\\udc00x", "\\q"}) {
    const std::string header =
        "{\"" + std::string(name) + "\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}";
    INFO(header);
    CHECK(fault(header, 1).find("safetensors header, byte ") == 0);
  }
  CHECK(fault("{\"a\\u0000b\":{\"dtype\":\"U8\",\"shape\":[1],\"data_offsets\":[0,1]}}", 1)
            .find("a name holds a zero character") != std::string::npos);
}

TEST_CASE("messages show no character that a terminal obeys") {
  const auto shown = [](const char* name) { return std::string(tkl::impl::name_text(name).c_str()); };
  CHECK(shown("a\x1b[2Jb") == "a?[2Jb");
  CHECK(shown("a\xc2\x9b"
              "b") == "a?b");               // C1: another way to write escape [
  CHECK(shown("x\xe2\x80\xaey") == "x?y");  // right-to-left override
  CHECK(shown("x\xe2\x81\xa6y\xe2\x81\xa9") == "x?y?");
  CHECK(shown("\xe2\x80\xa8\xd8\x9c\xe2\x80\x8f") == "???");
  CHECK(shown("\xc2\xa0\xe2\x82\xac\xd8\xa7") == "\xc2\xa0\xe2\x82\xac\xd8\xa7");
}

TEST_CASE("a name that occurs twice is reported as that, not as an overlap") {
  const std::string entry = R"("x":{"dtype":"U8","shape":[2],"data_offsets":[0,2]})";
  CHECK(fault("{" + entry + "," + entry + "}", 2) == "tensor 'x' occurs twice");
}

TEST_CASE("duplicate names and keys") {
  CHECK(
      fault(
          R"({"x":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"x":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
          2) == "tensor 'x' occurs twice");
  CHECK(fault(R"({"x":{"dtype":"U8","shape":[1],"shape":[1],"data_offsets":[0,1]}})", 1)
            .find("tensor 'x': shape occurs twice") != std::string::npos);
  CHECK(fault(R"({"__metadata__":{},"__metadata__":{}})").find("__metadata__ occurs twice") != std::string::npos);
}

TEST_CASE("offsets that overlap, leave holes, leave the data or fall") {
  const auto pair = [](std::string_view first, std::string_view second) {
    return R"({"p":{"dtype":"U8","shape":[4],"data_offsets":)" + std::string(first) +
           R"(},"q":{"dtype":"U8","shape":[4],"data_offsets":)" + std::string(second) + "}}";
  };
  CHECK(fault(pair("[0,4]", "[4,8]"), 8) == "");
  CHECK(fault(pair("[4,8]", "[0,4]"), 8) == "");
  CHECK(fault(pair("[0,4]", "[3,7]"), 8) == "tensor 'q': bytes [3, 7) overlap those of 'p', [0, 4)");
  CHECK(fault(pair("[0,4]", "[0,4]"), 8).find("overlap those of") != std::string::npos);
  CHECK(fault(pair("[0,4]", "[5,9]"), 9) == "tensor 'q': bytes [5, 9) leave a hole behind byte 4 of the data");
  CHECK(fault(pair("[1,5]", "[5,9]"), 9) == "tensor 'p': bytes [1, 5) leave a hole behind byte 0 of the data");
  CHECK(fault(pair("[0,4]", "[4,8]"), 10) == "the last 2 of 10 bytes of data belong to no tensor");
  CHECK(fault(pair("[0,4]", "[4,8]"), 7) == "tensor 'q': bytes [4, 8) leave the 7 bytes of data");
  CHECK(fault("{}", 3) == "the last 3 of 3 bytes of data belong to no tensor");
  CHECK(fault(one("U8", "[4]", "[4,0]"), 4).find("tensor 'x': data_offsets [4, 0] fall") != std::string::npos);
  CHECK(fault(one("U8", "[0]", "[9,9]"), 4) == "tensor 'x': bytes [9, 9) leave the 4 bytes of data");
}

TEST_CASE("type, shape and bytes that do not belong together") {
  CHECK(fault(one("F32", "[2,3]", "[0,20]"), 20)
            .find("tensor 'x': shape 2x3 of F32 takes 24 bytes, data_offsets give 20") != std::string::npos);
  CHECK(
      fault(one("F16", "[]", "[0,4]"), 4).find("tensor 'x': shape scalar of F16 takes 2 bytes, data_offsets give 4") !=
      std::string::npos);
  CHECK(fault(one("F4", "[3]", "[0,1]"), 1).find("of F4 takes 12 bits, no whole bytes") != std::string::npos);
  CHECK(fault(one("F99", "[1]", "[0,1]"), 1).find("tensor 'x': unknown type 'F99'") != std::string::npos);
  CHECK(fault(one("f32", "[1]", "[0,4]"), 4).find("tensor 'x': unknown type 'f32'") != std::string::npos);
}

TEST_CASE("numbers that are negative, fractions, or leave 64 bits") {
  CHECK(fault(one("U8", "[-1]", "[0,1]"), 1).find("tensor 'x': extent -1 is negative") != std::string::npos);
  CHECK(fault(one("U8", "[1]", "[-1,0]"), 1).find("tensor 'x': offset -1 is negative") != std::string::npos);
  CHECK(fault(one("U8", "[-0]", "[0,0]"), 0).find("tensor 'x': extent -0 is negative") != std::string::npos);
  CHECK(fault(one("U8", "[1]", "[-0,1]"), 1).find("tensor 'x': offset -0 is negative") != std::string::npos);
  CHECK(fault(one("U8", "[-9223372036854775808]", "[0,1]"), 1).find("extent -9223372036854775808 is negative") !=
        std::string::npos);
  for (const char* number : {"1.5", "1e1", "9223372036854775808", "18446744073709551615", "18446744073709551616",
                             "1e400", "99999999999999999999999999999999"}) {
    INFO(number);
    CHECK(fault(one("U8", '[' + std::string(number) + ']', "[0,1]"), 1) != "");
    CHECK(fault(one("U8", "[1]", "[0," + std::string(number) + "]"), 1) != "");
  }
  CHECK(fault(one("U8", "[9223372036854775808]", "[0,1]"), 1)
            .find("tensor 'x': an extent is not an integer below 2^63") != std::string::npos);
  CHECK(fault(one("F32", "[4294967296,4294967296]", "[0,0]"))
            .find("the size of shape 4294967296x4294967296 leaves 64 bits") != std::string::npos);
  // The product of the extents fits, its bytes do not; wrapped to 64 bits they would be 0.
  CHECK(fault(one("F32", "[4611686018427387904]", "[0,0]")).find("leaves 64 bits") != std::string::npos);
}

TEST_CASE("keys that are missing, unknown, or of the wrong kind") {
  CHECK(fault(R"({"x":{"shape":[1],"data_offsets":[0,1]}})", 1).find("tensor 'x': dtype is missing") !=
        std::string::npos);
  CHECK(fault(R"({"x":{"dtype":"U8","data_offsets":[0,1]}})", 1).find("tensor 'x': shape is missing") !=
        std::string::npos);
  CHECK(fault(R"({"x":{"dtype":"U8","shape":[1]}})", 1).find("tensor 'x': data_offsets is missing") !=
        std::string::npos);
  CHECK(fault(R"({"x":{}})").find("tensor 'x': dtype is missing") != std::string::npos);
  CHECK(fault(R"({"x":{"dtype":"U8","size":1}})").find("tensor 'x': unknown key 'size'") != std::string::npos);
  CHECK(fault(R"({"x":3})").find("tensor 'x': a number where none is expected") != std::string::npos);
  CHECK(fault(R"({"x":null})").find("tensor 'x': null where none is expected") != std::string::npos);
  CHECK(fault(R"({"x":[]})").find("tensor 'x': an array where none is expected") != std::string::npos);
  CHECK(fault(R"({"x":{"dtype":1}})").find("tensor 'x': a number where none is expected") != std::string::npos);
  CHECK(fault(R"({"x":{"dtype":["U8"]}})").find("tensor 'x': an array where none is expected") != std::string::npos);
  CHECK(fault(R"({"x":{"shape":["1"]}})").find("tensor 'x': a text where none is expected") != std::string::npos);
  CHECK(fault(R"({"x":{"shape":[true]}})").find("tensor 'x': true where none is expected") != std::string::npos);
  CHECK(fault(R"({"x":{"shape":[[1]]}})").find("tensor 'x': an array where none is expected") != std::string::npos);
  CHECK(fault(R"({"x":{"data_offsets":[0]}})").find("tensor 'x': data_offsets has 1 numbers, 2 expected") !=
        std::string::npos);
  CHECK(fault(R"({"x":{"data_offsets":[0,1,2]}})").find("tensor 'x': data_offsets has more than 2 numbers") !=
        std::string::npos);
  CHECK(fault(R"({"x":{"shape":[1,1,1,1,1,1,1]}})").find("tensor 'x': more than 6 axes") != std::string::npos);
  CHECK(fault(R"({"__metadata__":{"k":{}}})").find("__metadata__: an object where none is expected") !=
        std::string::npos);
  CHECK(fault(R"({"__metadata__":{"k":1}})").find("__metadata__: a number where none is expected") !=
        std::string::npos);
  CHECK(fault(R"({"__metadata__":"k"})").find("__metadata__: a text where none is expected") != std::string::npos);
  CHECK(fault(R"({"__metadata__":{"k":"\udc00"}})").find("__metadata__: a text is not UTF-8") != std::string::npos);
  CHECK(fault(R"({"__metadata__":{"\udc00":"v"}})").find("__metadata__: a text is not UTF-8") != std::string::npos);
}

TEST_CASE("deep nesting ends at the first level that has no place, without recursion") {
  std::string header = "{\"x\":{\"shape\":";
  header += std::string(1'000'000, '[');
  CHECK(fault(header).find("tensor 'x': an array where none is expected") != std::string::npos);
  std::string objects;
  for (int i = 0; i < 100'000; ++i) objects += "{\"a\":";
  CHECK(fault(objects).find("unknown key 'a'") != std::string::npos);
}

TEST_CASE("a long name is cut in the message, control characters are not printed") {
  const std::string message = fault("{\"" + std::string(5000, 'n') + "\":{}}");
  CHECK(message.size() < 240);
  CHECK(message.find("nnn...': dtype is missing") != std::string::npos);
  CHECK(fault("{\"a\\u001b[31m\":{}}").find("tensor 'a?[31m': dtype") != std::string::npos);
}

TEST_CASE("files that cannot be mapped") {
  CHECK(std::string(safetensors::open("/nonexistent/x.safetensors").error().message()) ==
        "/nonexistent/x.safetensors: cannot be opened (No such file or directory)");
  CHECK(std::string(safetensors::open("/tmp").error().message()) == "/tmp: is not a regular file");
  const file_on_disk empty("empty.safetensors", "");
  const std::string said = safetensors::open(empty.path.c_str()).error().message();
  CHECK(said.find("empty.safetensors: safetensors file of 0 bytes") != std::string::npos);
  const std::string deep = "/nonexistent/" + std::string(300, 'd') + "/x.safetensors";
  const std::string cut = safetensors::open(deep.c_str()).error().message();
  CHECK(cut.find("...") == 0);
  CHECK(cut.find("/x.safetensors: cannot be opened") != std::string::npos);
}
