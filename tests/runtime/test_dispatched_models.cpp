// SPDX-License-Identifier: Apache-2.0
// The C interface over models at several levels: choice of level and model, mixed-up objects, what is handed through.
#include <doctest/doctest.h>
#include <tkl/c_api.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <tkl/runtime/c_functions.hpp>
#include <tkl/runtime/cpu_level.hpp>
#include <tkl/runtime/dispatched_models.hpp>
#include <tkl/runtime/host_cpu.hpp>
#include <vector>

namespace {

using tkl::cpu_level;

/// What the functions of the levels were called with.
std::vector<std::string> calls;

/// A stand-in for a compiled model: each handle is the address of a byte of its own.
template <tkl::fixed_text Name, tkl::fixed_text Level>
struct paper_model {
  static constexpr const char* name = Name.chars;
  static inline char handle = 0, memory = 0;
  static void call(const char* what) { calls.push_back(std::string(Name.view()) + ' ' + Level.chars + ' ' + what); }
  static const char* version() { return Level.chars; }
  static tkl_model* open(const char*, const char* file, char*, std::size_t) {
    call(file);
    return std::string_view(file) == "missing" ? nullptr : reinterpret_cast<tkl_model*>(&handle);
  }
  static int input_count(const tkl_model* m) { return m == reinterpret_cast<tkl_model*>(&handle) ? 3 : -1; }
  static int output_count(const tkl_model*) { return 2; }
  static int input_info(const tkl_model*, int index, tkl_tensor_info*) { return index; }
  static int output_info(const tkl_model*, int index, tkl_tensor_info*) { return -index; }
  static tkl_workspace* create(const tkl_model*, int threads, char*, std::size_t) {
    return threads == 1 ? reinterpret_cast<tkl_workspace*>(&memory) : nullptr;
  }
  static int run(const tkl_model* m, tkl_workspace* w, const void* const*, void* const*, char*, std::size_t) {
    call("run");
    return m == reinterpret_cast<tkl_model*>(&handle) && w == reinterpret_cast<tkl_workspace*>(&memory) ? 0 : 1;
  }
  static void destroy(tkl_workspace*) { call("destroy"); }
  static void close(tkl_model*) { call("close"); }
};

// A level that every host of the test runs, and one that none does.
#if defined(__aarch64__)
constexpr cpu_level here = cpu_level::neon, nowhere = cpu_level::avx512;
#else
constexpr cpu_level here = cpu_level::base, nowhere = cpu_level::neon;
#endif

template <tkl::fixed_text Name, tkl::fixed_text Level>
inline constexpr const tkl::c_functions* functions = &tkl::c_functions_of<paper_model<Name, Level>>;

constexpr tkl::model_at_level two_models[] = {{here, functions<"letters", "low">},
                                              {here, functions<"digits", "low">},
                                              {nowhere, functions<"letters", "high">},
                                              {nowhere, functions<"digits", "high">}};
using models = tkl::dispatched_models<two_models>;

// Programs of their own: a choice is made once.
constexpr tkl::model_at_level wished[] = {{here, functions<"letters", "low">}, {nowhere, functions<"letters", "high">}};
constexpr tkl::model_at_level foreign[] = {{nowhere, functions<"letters", "high">}};

struct environment {
  explicit environment(const char* wish) { REQUIRE(setenv("TKL_ARCH", wish, 1) == 0); }
  ~environment() { unsetenv("TKL_ARCH"); }
  environment(const environment&) = delete;
  environment& operator=(const environment&) = delete;
};

const std::string host(name_of(tkl::host_level())), low(name_of(here)), high(name_of(nowhere));

}  // namespace

TEST_CASE("a model by name, its functions by level") {
  char error[240] = "untouched";
  calls.clear();
  tkl_model* const digits = models::open("digits", "d.safetensors", error, sizeof error);
  REQUIRE(digits != nullptr);
  tkl_model* const letters = models::open("letters", "l.safetensors", error, sizeof error);
  REQUIRE(letters != nullptr);
  CHECK(std::string_view(models::version()) == "low");
  CHECK(models::input_count(digits) == 3);
  CHECK(models::output_count(digits) == 2);
  CHECK(models::input_info(digits, 5, nullptr) == 5);
  CHECK(models::output_info(digits, 5, nullptr) == -5);

  tkl_workspace* const memory = models::create(digits, 1, error, sizeof error);
  REQUIRE(memory != nullptr);
  CHECK(models::create(digits, 2, error, sizeof error) == nullptr);
  CHECK(models::run(digits, memory, nullptr, nullptr, error, sizeof error) == 0);
  CHECK(std::string_view(error) == "untouched");
  CHECK(models::run(letters, memory, nullptr, nullptr, error, sizeof error) == 1);
  CHECK(std::string_view(error) == "model 'letters', low: the workspace is one of model 'digits', low");
  models::destroy(memory);
  models::close(digits);
  models::close(letters);
  CHECK(calls == std::vector<std::string>{"digits low d.safetensors", "letters low l.safetensors", "digits low run",
                                          "digits low destroy", "digits low close", "letters low close"});
}

TEST_CASE("what cannot be opened") {
  char error[240] = "untouched";
  CHECK(models::open("words", "w", error, sizeof error) == nullptr);
  CHECK(std::string_view(error) == "model 'words': this object holds 'letters' 'digits'");
  CHECK(models::open(nullptr, "w", error, sizeof error) == nullptr);
  CHECK(std::string_view(error) == "the name of the model is null");
  CHECK(models::open("digits", "missing", error, sizeof error) == nullptr);
  CHECK(models::open("words", "w", nullptr, 0) == nullptr);
}

TEST_CASE("null handles") {
  char error[240] = "untouched";
  CHECK(models::input_count(nullptr) == 0);
  CHECK(models::output_count(nullptr) == 0);
  CHECK(models::input_info(nullptr, 0, nullptr) == -1);
  CHECK(models::output_info(nullptr, 0, nullptr) == -1);
  CHECK(models::create(nullptr, 1, error, sizeof error) == nullptr);
  CHECK(std::string_view(error) == "the model is null");
  CHECK(models::run(nullptr, nullptr, nullptr, nullptr, error, sizeof error) == 1);
  tkl_model* const m = models::open("digits", "", error, sizeof error);
  REQUIRE(m != nullptr);
  CHECK(models::run(m, nullptr, nullptr, nullptr, error, sizeof error) == 1);
  CHECK(std::string_view(error) == "the workspace is null");
  models::close(m);
  models::close(nullptr);
  models::destroy(nullptr);
}

TEST_CASE("levels that are asked for") {
  char error[240] = "untouched";
  CHECK(models::select_level(low.c_str(), error, sizeof error) == 0);
  CHECK(models::select_level("", error, sizeof error) == 0);
  CHECK(models::select_level(nullptr, error, sizeof error) == 0);
  CHECK(std::string_view(error) == "untouched");
  CHECK(models::select_level(high.c_str(), error, sizeof error) == 1);
  CHECK(std::string(error) == "tkl_select_level: level '" + high +
                                  "' does not run here: this processor and its system go up to " + host +
                                  ", built in: " + low + ' ' + high);
  CHECK(std::string_view(models::version()) == "low");  // the choice stayed
}

TEST_CASE("the environment variable") {
  char error[240] = "untouched";
  using program = tkl::dispatched_models<wished>;
  {
    const environment wish("mmx");
    CHECK(std::string_view(program::version()).ends_with(" none"));
    CHECK(program::open("letters", "l", error, sizeof error) == nullptr);
    CHECK(std::string(error) == "TKL_ARCH: level 'mmx' does not exist: this processor and its system go up to " + host +
                                    ", built in: " + low + ' ' + high);
  }
  {
    const environment wish(low.c_str());
    CHECK(std::string_view(program::version()) == "low");
  }
  const environment wish("mmx");  // too late: the choice was made
  CHECK(std::string_view(program::version()) == "low");
}

TEST_CASE("no level for this processor") {
  char error[240] = "";
  using program = tkl::dispatched_models<foreign>;
  CHECK(program::open("letters", "l", error, sizeof error) == nullptr);
  CHECK(std::string(error) ==
        "no level runs here: this processor and its system go up to " + host + ", built in: " + high);
}
