// SPDX-License-Identifier: Apache-2.0
// The smallest program with a network of bench/models/networks, for starts.py:
//
//   start NAME PACKED_WEIGHTS INPUT OUTPUT     files of f32; the outputs lie one behind the other
//
// It opens the model, runs it once, then some more times, and prints a line of JSON: the seconds of opening with the
// first run, those of a later run (median), the bytes resident before the model was opened, and their peak after that.
#include <tkl/c_api.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace {

using buffer = std::vector<std::byte>;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

int failed(const char* message) {
  std::fprintf(stderr, "%s\n", message);
  return 1;
}

/// A field of a file of /proc/self in bytes.
long long field_bytes(const char* file, const char* field) {
  std::FILE* f = std::fopen(file, "r");
  char line[256];
  long long kib = 0;
  while (f != nullptr && std::fgets(line, sizeof line, f) != nullptr)
    if (std::strncmp(line, field, std::strlen(field)) == 0) kib = std::atoll(line + std::strlen(field));
  if (f != nullptr) std::fclose(f);
  return 1024 * kib;
}

/// What is resident, counted page by page.
long long resident_bytes() {
  return field_bytes("/proc/self/smaps_rollup", "Rss:");
}

/// The most that was resident. VmHWM is the peak of VmRSS, which may be some dozens of pages off: by as much as now.
long long peak_bytes() {
  const long long resident = resident_bytes(), counted = field_bytes("/proc/self/status", "VmRSS:");
  return (std::max)(resident, field_bytes("/proc/self/status", "VmHWM:") + resident - counted);
}

/// From here on the peak is that of what follows.
void forget_peak() {
  if (std::FILE* f = std::fopen("/proc/self/clear_refs", "w"); f != nullptr) {
    std::fputs("5", f);
    std::fclose(f);
  }
}

buffer read_file(const char* path) {
  buffer bytes;
  std::FILE* f = std::fopen(path, "rb");
  if (f == nullptr) return bytes;
  std::fseek(f, 0, SEEK_END);
  bytes.resize(static_cast<std::size_t>(std::ftell(f)));
  std::rewind(f);
  if (std::fread(bytes.data(), 1, bytes.size(), f) != bytes.size()) bytes.clear();
  std::fclose(f);
  return bytes;
}

bool write_file(const char* path, const std::vector<buffer>& parts) {
  std::FILE* f = std::fopen(path, "wb");
  bool good = f != nullptr;
  for (const buffer& part : parts) good = good && std::fwrite(part.data(), 1, part.size(), f) == part.size();
  return f != nullptr && std::fclose(f) == 0 && good;
}

}  // namespace

int main(int count, char** arguments) {
  if (count != 5) return failed("NAME PACKED_WEIGHTS INPUT OUTPUT are needed");
  const buffer x = read_file(arguments[3]);
  char error[512] = "";
  now();  // what the clock needs is resident from here on
  forget_peak();
  const long long before = resident_bytes();

  const double start = now();
  tkl_model* model = tkl_model_open(arguments[1], arguments[2], error, sizeof error);
  if (model == nullptr) return failed(error);
  tkl_workspace* workspace = tkl_workspace_create(model, 1, error, sizeof error);
  if (workspace == nullptr) return failed(error);
  tkl_tensor_info info;
  if (tkl_model_input_count(model) != 1 || tkl_model_input_info(model, 0, &info) != 0 || info.bytes != x.size())
    return failed("the model takes another input");
  std::vector<buffer> outputs;
  std::vector<void*> y;
  for (int i = 0; tkl_model_output_info(model, i, &info) == 0; ++i) {
    outputs.emplace_back(info.bytes);
    y.push_back(outputs.back().data());
  }
  const void* const inputs[] = {x.data()};
  const auto run = [&] {
    const double from = now();
    if (tkl_model_run(model, workspace, inputs, y.data(), error, sizeof error) != 0) std::exit(failed(error));
    return now() - from;
  };
  run();
  const double cold = now() - start;

  std::vector<double> warm;
  for (double total = 0; warm.size() < 3 || (total < 0.02 && warm.size() < 1000); total += warm.back())
    warm.push_back(run());
  const long long peak = peak_bytes();
  std::sort(warm.begin(), warm.end());
  if (!write_file(arguments[4], outputs)) return failed("the output cannot be written");
  std::printf("{\"cold\": %.9f, \"warm\": %.9f, \"before\": %lld, \"peak\": %lld}\n", cold, warm[warm.size() / 2],
              before, peak);
  tkl_workspace_destroy(workspace);
  tkl_model_close(model);
}
