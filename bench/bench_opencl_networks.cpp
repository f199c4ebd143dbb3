// SPDX-License-Identifier: Apache-2.0
// Whole networks on PoCL with one thread against the CPU machine with one thread, the same weights, numbers that nobody
// trained; and loading with kernels built from source, and from kept binaries.
// tkl-bench: libs=benchmark,rapidjson,opencl levels=avx2
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include "support/data.hpp"
#include "support/measure.hpp"
#include "support/program.hpp"

#if defined(TKL_BENCH_HAS_OPENCL)
#  include <read_page/networks/classifier.hpp>
#  include <read_page/networks/detector.hpp>
#  include <tests/golden/networks/mobilenet_v2.hpp>
#  include <tests/golden/networks/resnet50.hpp>
#  include <tests/support/random_weights.hpp>
#  include <tkl/cpu.hpp>

#  include "models/ocr_rec.hpp"
#  include "support/opencl.hpp"

namespace {

using namespace bench;

struct detector {
  static constexpr void build(tkl::graph& g) {
    g.output(read_page::detector<read_page::extent{192, 384}>::network(g.input("x", tkl::f32, {1, 192, 384, 3})));
  }
};
struct classifier {
  static constexpr void build(tkl::graph& g) {
    g.output(read_page::classifier::network(g.input("x", tkl::f32, {1, 48, 192, 3})));
  }
};

const std::string folder = TKL_SOURCE_DIR "/build/bench_opencl";

template <class Model>
tkl::result<tkl::safetensors> weights_of(const std::string& name) {
  std::filesystem::create_directories(folder);
  const std::string path = folder + "/" + name + ".safetensors";
  if (!std::filesystem::exists(path)) tkl::test::write_random_weights<Model>(path);
  return tkl::safetensors::open(path.c_str());
}

std::int64_t elements_of(const tkl::edge& e) {
  std::int64_t n = 1;
  for (std::int32_t x : e.extent) n *= x;
  return n;
}

template <class Model>
row network(const tkl::opencl_context& c, const std::string& name) {
  row r;
  r.name = name, r.rival = "tkl on the CPU", r.rival_version = name_of(c), r.floor = 0.1;
  using cpu = tkl::compile<Model, tkl::cpu<>>;
  const auto weights = weights_of<Model>(name);
  if (!weights) return r.error = weights.error().message(), r;
  const loaded<Model> own(c, *weights);
  const auto other = cpu::load((folder + "/" + name + ".safetensors").c_str());
  const auto memory = cpu::workspace::make();
  r.error = !own.error.empty() ? own.error : !other ? other.error().message() : memory.error().message();
  if (!r.error.empty()) return r;
  const buffer x = random_buffer(elements_of(cpu::plan_edges()[cpu::plan_inputs()[0]]), 3);
  const std::int64_t outputs = elements_of(cpu::plan_edges()[cpu::plan_outputs()[0]]);
  const buffer y(outputs), z(outputs);
  const void* const in[] = {x.data()};
  void* const to_y[] = {y.data()};
  void* const to_z[] = {z.data()};
  for (const tkl::status& s : {own.model->run(*own.memory, in, to_y), other->run(*memory, in, to_z)})
    if (!s) return r.error = s.message(), r;
  double largest = 0;
  for (std::int64_t i = 0; i < outputs; ++i) largest = std::fmax(largest, std::fabs(double{z[i]}));
  checker check(largest * 10);
  for (std::int64_t i = 0; i < outputs; ++i) check.see(double{y[i]}, double{z[i]}, i);
  r.error = check.wrong("tkl on the device");
  contest turns;
  turns.add("tkl", [&] { static_cast<void>(own.model->run(*own.memory, in, to_y)); });
  turns.add(r.rival, [&] { static_cast<void>(other->run(*memory, in, to_z)); });
  const auto seconds = turns.measure();
  if (r.error.empty()) r.ratio = seconds.at(r.rival) / seconds.at("tkl");
  return r;
}

/// What a program does at its start, as a process of its own: prints the seconds until the recogniser is loaded, those
/// until its first result, and how many binaries were found and written.
int start(const char* cache) {
  const auto begin = std::chrono::steady_clock::now();
  const auto since = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
  const auto weights = weights_of<ocr_rec<320>>("recogniser 320");
  const auto c = tkl::opencl_context::make({.cache = cache, .keeps_when_built = false});
  if (!weights || !c) return 1;
  const loaded<ocr_rec<320>> own(*c, *weights);
  if (!own.error.empty()) return 1;
  const double ready = since();
  own();
  const double first_result = since();
  c->keep_programs();
  std::printf("%f %f %d %d\n", ready, first_result, c->cache_counts().found, c->cache_counts().written);
  return 0;
}

struct start_facts {
  double loaded = 0, first_result = 0;
  int found = -1, written = -1;
};
/// The same in a process with an empty cache of the driver's own, which would hide what a start costs.
start_facts measured_start(const std::string& program, const std::string& cache) {
  const std::string drivers = folder + "/driver";
  std::filesystem::remove_all(drivers);
  std::filesystem::create_directories(drivers);
  start_facts f;
  std::FILE* out = popen(("POCL_CACHE_DIR='" + drivers + "' '" + program + "' --start '" + cache + "'").c_str(), "r");
  if (out == nullptr) return f;
  if (std::fscanf(out, "%lf %lf %d %d", &f.loaded, &f.first_result, &f.found, &f.written) != 4) f = {};
  pclose(out);
  return f;
}

row starts(const std::string& device) {
  row r;
  r.name = "recogniser load", r.rival = "built from source";
  const auto weights = weights_of<ocr_rec<320>>("recogniser 320");
  if (!weights) return r.error = weights.error().message(), r;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe").string(), cache = folder + "/cache";
  std::filesystem::remove_all(cache);
  std::filesystem::create_directories(cache);
  const start_facts none = measured_start(program, ""), cold = measured_start(program, cache),
                    warm = measured_start(program, cache);
  if (none.found != 0 || cold.written <= 0) r.error = "the program did not start, or wrote no binaries";
  if (warm.found != cold.written) r.error = "not all binaries were found";
  if (r.error.empty()) r.ratio = none.loaded / warm.loaded;
  char text[200];
  std::snprintf(text, sizeof text,
                "loaded after %.2f s from source, %.2f s where binaries are written later, %.2f s from binaries; first "
                "result after "
                "%.2f, %.2f, %.2f s; ",
                none.loaded, cold.loaded, warm.loaded, none.first_result, cold.first_result, warm.first_result);
  r.rival_version = text + device;
  std::printf("%s\n", r.rival_version.c_str());
  return r;
}

}  // namespace

int main(int count, char** arguments) {
  settle_opencl();
  if (count == 3 && std::string(arguments[1]) == "--start") return start(arguments[2]);
  return bench::run(count, arguments, "opencl_networks", [](results& all, const auto& wanted) {
    const auto context = tkl::opencl_context::make();
    if (!context) {
      row r;
      r.name = "recogniser 320", r.rival = "tkl on the CPU", r.error = context.error().message();
      all.add(r);
      return;
    }
    if (wanted("recogniser 320")) all.add(network<ocr_rec<320>>(*context, "recogniser 320"));
    if (wanted("detector 192x384")) all.add(network<detector>(*context, "detector 192x384"));
    if (wanted("classifier 48x192")) all.add(network<classifier>(*context, "classifier 48x192"));
    if (wanted("MobileNetV2")) all.add(network<tkl::test::mobilenet_v2>(*context, "MobileNetV2"));
    if (wanted("ResNet-50")) all.add(network<tkl::test::resnet50>(*context, "ResNet-50"));
    if (wanted("recogniser load")) all.add(starts(name_of(*context)));
  });
}

#else

int main(int count, char** arguments) {
  return bench::run(count, arguments, "opencl_networks", [](bench::results& all, const auto&) {
    bench::row r;
    r.name = "recogniser 320", r.rival = "tkl on the CPU", r.error = "no OpenCL loader was found";
    all.add(r);
  });
}

#endif
