// SPDX-License-Identifier: Apache-2.0
// Fixed texts, numbers in them, status and result.
#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <string_view>
#include <tkl/core/number_text.hpp>
#include <tkl/core/status.hpp>
#include <tkl/core/text.hpp>
#include <utility>

using tkl::message_text;
using tkl::result;
using tkl::status;
using tkl::text;

namespace {

/// Counts its living instances; can be moved, not copied.
struct counted {
  static inline int alive = 0;
  int value = 0;
  explicit counted(int v) : value(v) { ++alive; }
  counted(counted&& other) noexcept : value(std::exchange(other.value, -1)) { ++alive; }
  counted(const counted&) = delete;
  counted& operator=(const counted&) = delete;
  counted& operator=(counted&&) = delete;
  ~counted() { --alive; }
};

status failing() {
  return status::failure(message_text("extent 3 is not 4"));
}

}  // namespace

static_assert(text<8>("abc").view() == "abc");
static_assert((text<24>() << "x" << 12 << ',' << -7).view() == "x12,-7");
static_assert(tkl::fixed_text("hello").view() == "hello");
static_assert([] {
  text<24> t;
  t << "eps is " << -2.5e-6;
  return t.view() == "eps is -2.5e-06";
}());

TEST_CASE("integers are written whole, both ends of the range") {
  text<64> t;
  t << std::numeric_limits<std::int64_t>::min() << ' ' << std::numeric_limits<std::int64_t>::max() << ' ' << 0;
  CHECK(t.view() == "-9223372036854775808 9223372036854775807 0");
}

TEST_CASE("real numbers: the shortest text of up to ten digits") {
  const auto written = [](double v) {
    text<40> t;
    t << v;
    return std::string(t.view());
  };
  constexpr double infinity = std::numeric_limits<double>::infinity();
  CHECK(written(0.0) == "0");
  CHECK(written(-1.0) == "-1");
  CHECK(written(256.5) == "256.5");
  CHECK(written(1e-5) == "1e-05");
  CHECK(written(-0.00012345) == "-0.00012345");
  CHECK(written(0.1) == "0.1");
  CHECK(written(1.0 / 3) == "0.3333333333");
  CHECK(written(100) == "100");
  CHECK(written(2147483648.0) == "2147483648");
  CHECK(written(9999999999.75) == "1e+10");
  CHECK(written(12345678901.0) == "1.23456789e+10");
  CHECK(written(1e300) == "1e+300");
  CHECK(written(5e-324) == "4.940656458e-324");
  CHECK(written((std::numeric_limits<double>::max)()) == "1.797693135e+308");
  CHECK(written(infinity) == "inf");
  CHECK(written(-infinity) == "-inf");
  CHECK(written(std::numeric_limits<double>::quiet_NaN()) == "nan");
  std::uint64_t bits = 1;
  for (int i = 0; i < 20000; ++i) {
    bits = bits * 6364136223846793005u + 1442695040888963407u;
    const auto v = std::bit_cast<double>(bits);
    if (!std::isfinite(v)) continue;
    const std::string t = written(v);
    CAPTURE(t);
    CHECK(std::fabs(std::strtod(t.c_str(), nullptr) - v) <= 0.5001e-9 * std::fabs(v));
  }
}

TEST_CASE("a text that is too long is cut visibly and stays terminated") {
  for (std::size_t length = 0; length < 24; ++length) {
    const std::string source(length, 'x');
    const text<10> t{std::string_view(source)};
    if (length <= 10) {
      CHECK(t.view() == source);
    } else {
      CHECK(t.view() == "xxxxxxx...");
    }
    CHECK(t.chars[t.size] == '\0');
  }
  text<2> tiny;
  tiny << "abc";
  CHECK(tiny.view() == "ab");
  text<0> none;
  none << "abc" << 5;
  CHECK(none.empty());
}

TEST_CASE("a status is good, or says what is wrong") {
  CHECK(status());
  CHECK(std::string_view(status().message()).empty());
  const status s = failing();
  CHECK_FALSE(s);
  CHECK_FALSE(s.ok());
  CHECK(std::string_view(s.message()) == "extent 3 is not 4");
}

TEST_CASE("a result holds a value or the status") {
  counted::alive = 0;
  {
    result<counted> good = counted(5);
    REQUIRE(good);
    CHECK(good->value == 5);
    CHECK((*good).value == 5);
    CHECK(counted::alive == 1);

    result<counted> moved = std::move(good);
    REQUIRE(moved);
    CHECK(moved->value == 5);

    result<counted> bad = failing();
    CHECK_FALSE(bad);
    CHECK(std::string_view(bad.error().message()) == "extent 3 is not 4");

    bad = std::move(moved);  // failure replaced by a value
    REQUIRE(bad);
    CHECK(bad->value == 5);

    result<counted> worse = failing();
    bad = std::move(worse);  // value replaced by a failure, the value destroyed
    CHECK_FALSE(bad);
  }
  CHECK(counted::alive == 0);
}

TEST_CASE("the value of a temporary result is moved out") {
  const counted taken = *result<counted>(counted(9));
  CHECK(taken.value == 9);
}
