// SPDX-License-Identifier: Apache-2.0
// A device, a context and an in-order queue: tkl's own or the caller's; and the programs built in it.
//
// Programs are kept by their source: kernels of equal text, of one model or of several, are built once; in a directory
// of the caller's also between starts (exec/opencl_cache.hpp). A context may be shared between threads; a queue's
// commands run in order.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/core/status.hpp>
#include <tkl/exec/opencl_cache.hpp>
#include <tkl/exec/opencl_error.hpp>
#include <tkl/exec/opencl_needs.hpp>
#include <tkl/exec/opencl_text_of.hpp>
#include <tkl/target/opencl_preamble.hpp>
#include <utility>
#include <vector>

namespace tkl {
TKL_ISA_BEGIN

struct opencl_options {
  /// An existing directory in which built programs are kept between starts; empty: programs are built at every start.
  std::string cache{};
  /// Programs are written there as soon as they are built. PoCL compiles a kernel once more for each size of a group,
  /// when it first runs so: with false, and a call of opencl_context::keep_programs() behind a first run, the binaries
  /// hold that code, too, and the next start compiles nothing.
  bool keeps_when_built = true;
};

class opencl_context {
 public:
  /// The first GPU of the first platform that has one, else the first device of any kind.
  TKL_COLD static result<opencl_context> make(const opencl_options& options = {}) {
    std::vector<cl::Platform> platforms;
    if (const cl_int e = cl::Platform::get(&platforms); e != CL_SUCCESS) {
      if (opencl_error_name(e) != "CL_PLATFORM_NOT_FOUND_KHR") return opencl_failure("clGetPlatformIDs", e);
      return status::failure(message_text(
          "OpenCL: no driver is installed (CL_PLATFORM_NOT_FOUND_KHR; Debian's for CPUs: pocl-opencl-icd)"));
    }
    for (const cl_device_type type : {cl_device_type{CL_DEVICE_TYPE_GPU}, cl_device_type{CL_DEVICE_TYPE_ALL}})
      for (const cl::Platform& p : platforms) {
        std::vector<cl::Device> devices;
        if (p.getDevices(type, &devices) == CL_SUCCESS && !devices.empty()) return make(devices[0], options);
      }
    return status::failure(message_text("OpenCL: no platform has a device"));
  }
  /// A context and queue of tkl's own on a device.
  TKL_COLD static result<opencl_context> make(const cl::Device& device, const opencl_options& options = {}) {
    cl_int e = CL_SUCCESS;
    const cl::Context context(device, nullptr, nullptr, nullptr, &e);
    if (e != CL_SUCCESS) return opencl_failure("clCreateContext", e);
    const cl::CommandQueue queue(context, device, cl_command_queue_properties{0}, &e);
    if (e != CL_SUCCESS) return opencl_failure("clCreateCommandQueue", e);
    return use(context, device, queue, options);
  }
  /// The caller's context and queue; the queue must run its commands in order.
  TKL_COLD static result<opencl_context> use(const cl::Context& context, const cl::Device& device,
                                             const cl::CommandQueue& queue, const opencl_options& options = {}) {
    cl_command_queue_properties properties = 0;
    if (const cl_int e = queue.getInfo(CL_QUEUE_PROPERTIES, &properties); e != CL_SUCCESS)
      return opencl_failure("clGetCommandQueueInfo", e);
    if ((properties & CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE) != 0)
      return status::failure(message_text("OpenCL: the queue runs commands out of order, a model needs them in order"));
    opencl_context c(context, device, queue);
    if (!options.cache.empty()) c.shared_->cache = opencl_cache(options.cache, identity_of(device));
    c.shared_->keeps_when_built = options.keeps_when_built;
    return c;
  }

  const cl::Context& context() const { return shared_->context; }
  const cl::Device& device() const { return shared_->device; }
  const cl::CommandQueue& queue() const { return shared_->queue; }
  std::string device_name() const {
    std::string name;
    if (shared_->device.getInfo(CL_DEVICE_NAME, &name) != CL_SUCCESS) return "?";
    return name.substr(0, name.find('\0'));
  }
  /// The compiler's whole output for the last program that failed to build: a status has room for its beginning only.
  std::string build_log() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->log;
  }
  /// What the cache of binaries did so far, and why the last file was not used or written.
  opencl_cache_counts cache_counts() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->cache.counts();
  }
  status cache_status() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->cache.last();
  }
  /// Programs built so far, or taken from the cache.
  std::size_t programs() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->built.size();
  }

  /// Compares what kernels need with what the device has.
  TKL_COLD status check(const opencl_needs& needs) const {
    const cl::Device& d = shared_->device;
    cl_bool available = CL_FALSE, compiler = CL_FALSE, little = CL_FALSE;
    cl_ulong largest = 0, memory = 0;
    std::size_t arguments = 0, group_items = 0;
    cl_uint dimensions = 0, alignment_bits = 0;
    cl_int e = d.getInfo(CL_DEVICE_AVAILABLE, &available);
    if (e == CL_SUCCESS) e = d.getInfo(CL_DEVICE_COMPILER_AVAILABLE, &compiler);
    if (e == CL_SUCCESS) e = d.getInfo(CL_DEVICE_ENDIAN_LITTLE, &little);
    if (e == CL_SUCCESS) e = d.getInfo(CL_DEVICE_MAX_MEM_ALLOC_SIZE, &largest);
    if (e == CL_SUCCESS) e = d.getInfo(CL_DEVICE_GLOBAL_MEM_SIZE, &memory);
    if (e == CL_SUCCESS) e = d.getInfo(CL_DEVICE_MAX_PARAMETER_SIZE, &arguments);
    if (e == CL_SUCCESS) e = d.getInfo(CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, &dimensions);
    if (e == CL_SUCCESS) e = d.getInfo(CL_DEVICE_MAX_WORK_GROUP_SIZE, &group_items);
    if (e == CL_SUCCESS) e = d.getInfo(CL_DEVICE_MEM_BASE_ADDR_ALIGN, &alignment_bits);
    if (e != CL_SUCCESS) return opencl_failure("clGetDeviceInfo", e);
    message_text m;
    m << "OpenCL device '" << device_name() << "': ";
    if (available == CL_FALSE) return status::failure(m << "it is not available");
    if (compiler == CL_FALSE) return status::failure(m << "it has no compiler, kernels are source");
    if (little == CL_FALSE) return status::failure(m << "it is big-endian, weights are little-endian");
    const auto compare = [&](std::string_view what, std::int64_t need, std::uint64_t have) {
      if (static_cast<std::uint64_t>(need) <= have) return true;
      m << what << ": " << need << " needed, it has " << static_cast<std::int64_t>(have);
      return false;
    };
    const bool good = compare("dimensions of work items", needs.dimensions, dimensions) &&
                      compare("items of a work group", needs.group_items, group_items) &&
                      compare("bytes to a multiple of which buffers begin", needs.alignment, alignment_bits / 8) &&
                      compare("bytes of one buffer", needs.largest_buffer, largest) &&
                      compare("bytes of global memory", needs.memory, memory) &&
                      compare("bytes of a kernel's arguments", needs.argument_bytes, arguments);
    if (!good) return status::failure(m);
    return needs.half ? check_half(m) : status{};
  }

  /// The program of a kernel's text, built unless it was before.
  TKL_COLD result<cl::Program> program(const opencl_kernel& k) const {
    const std::string source = full_source(k);
    const std::lock_guard lock(shared_->mutex);
    for (const built_program& b : shared_->built)
      if (b.source == source) return cl::Program(b.program);
    cl::Program p;
    if (from_cache(source, p)) {
      shared_->built.push_back({source, p, true});
      return p;
    }
    cl_int e = CL_SUCCESS;
    p = cl::Program(shared_->context, source, false, &e);
    if (e != CL_SUCCESS) return opencl_failure("clCreateProgramWithSource", e, k.name);
    e = p.build(shared_->device, build_options);
    if (e != CL_SUCCESS) {
      p.getBuildInfo(shared_->device, CL_PROGRAM_BUILD_LOG, &shared_->log);
      message_text m = opencl_failure("clBuildProgram", e, k.name).text();
      return status::failure(m << ": " << shared_->log.c_str());
    }
    shared_->built.push_back({source, p, false});
    if (shared_->keeps_when_built) keep(shared_->built.back());
    return p;
  }

  /// Writes to the cache the programs that were built here and are not in it yet; how many these are. A device gives
  /// the binary of a program as it is when it is first asked: see opencl_options::keeps_when_built.
  TKL_COLD int keep_programs() const {
    const std::lock_guard lock(shared_->mutex);
    int kept = 0;
    for (built_program& b : shared_->built) kept += keep(b);
    return kept;
  }

  /// The type of a kernel's parameter.
  static std::string type_name(const text_argument& a) {
    if (a.kind == argument_kind::tables) return "__global const int* ";
    if (a.kind == argument_kind::real || a.kind == argument_kind::literal) return "const float ";
    if (a.kind != argument_kind::buffer) return "const int ";
    constexpr std::string_view types[] = {"float", "half", "ushort", "char", "uchar", "int"};
    std::string t = a.which == role::out ? "__global " : "__global const ";
    t += types[static_cast<int>(a.type)];
    return t += "* ";
  }

  /// All of a kernel's text: the preamble, the parameters, what the machine wrote.
  TKL_COLD static std::string full_source(const opencl_kernel& k) {
    std::string s, parameters, names;
    if (k.half) s += opencl_half_extension;
    s += opencl_preamble;
    if (k.half) s += opencl_half_preamble;
    for (int i = 0; i < k.arguments; ++i) {
      const text_argument& a = k.argument[i];
      text<64> name;
      write_argument(name, a);
      if (i > 0) parameters += ", ", names += ", ";
      parameters += type_name(a);
      parameters += name.view();
      names += name.view();
    }
    s += "#define PARAMETERS " + parameters + "\n#define ARGUMENTS " + names + "\n";
    return s.append(k.source);
  }

 private:
  static constexpr const char* build_options = "-cl-std=CL1.2";

  struct built_program {
    std::string source;
    cl::Program program;
    bool kept;  // the cache was given it, or had it
  };

  struct state {
    state(const cl::Context& c, const cl::Device& d, const cl::CommandQueue& q) : context(c), device(d), queue(q) {}
    cl::Context context;
    cl::Device device;
    cl::CommandQueue queue;
    std::mutex mutex{};
    std::vector<built_program> built{};
    std::string log{};
    opencl_cache cache{};
    bool keeps_when_built = true;
  };

  /// Arithmetic in half precision that rounds to nearest; the bounds of docs/numerics.md need it. `m`: the message so
  /// far.
  TKL_COLD status check_half(message_text m) const {
    std::string extensions;
    cl_device_fp_config has = 0;
    cl_int e = shared_->device.getInfo(CL_DEVICE_EXTENSIONS, &extensions);
    if (e != CL_SUCCESS) return opencl_failure("clGetDeviceInfo", e);
    if ((' ' + extensions + ' ').find(" cl_khr_fp16 ") == std::string::npos)
      return status::failure(m << "arithmetic in half precision: extension cl_khr_fp16 needed, it has none");
    e = shared_->device.getInfo(CL_DEVICE_HALF_FP_CONFIG, &has);
    if (e != CL_SUCCESS) return opencl_failure("clGetDeviceInfo", e);
    if ((has & CL_FP_ROUND_TO_NEAREST) != 0) return {};
    return status::failure(m << "half precision that rounds to nearest (" << CL_FP_ROUND_TO_NEAREST
                             << ") needed, it has " << static_cast<std::int64_t>(has));
  }

  /// Everything but a program's source on which its binary depends.
  TKL_COLD static std::string identity_of(const cl::Device& d) {
    std::string all(build_options);
    for (const auto what : {CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DEVICE_VERSION, CL_DRIVER_VERSION}) {
      std::string s;
      if (d.getInfo(static_cast<cl_device_info>(what), &s) != CL_SUCCESS) s = "?";
      all.append("\n").append(s, 0, s.find('\0'));
    }
    return all;
  }
  /// Takes a program from the cache where it has one that the device takes.
  TKL_COLD bool from_cache(const std::string& source, cl::Program& p) const {
    const std::vector<unsigned char> binary = shared_->cache.find(source);
    if (binary.empty()) return false;
    cl_int e = CL_SUCCESS;
    p = cl::Program(shared_->context, {shared_->device}, cl::Program::Binaries{binary}, nullptr, &e);
    const bool good = e == CL_SUCCESS && p.build(shared_->device, build_options) == CL_SUCCESS;
    shared_->cache.taken(source, good);
    return good;
  }
  /// Writes a program to the cache unless it is there; whether it was written.
  TKL_COLD bool keep(built_program& b) const {
    if (b.kept || !shared_->cache.enabled()) return false;
    b.kept = true;
    const int before = shared_->cache.counts().written;
    shared_->cache.store(b.source, binary_of(b.program));
    return shared_->cache.counts().written > before;
  }
  /// The binary of a program of one device, empty where there is none.
  TKL_COLD static std::vector<unsigned char> binary_of(const cl::Program& p) {
    std::vector<std::vector<unsigned char>> all;
    if (p.getInfo(CL_PROGRAM_BINARIES, &all) != CL_SUCCESS || all.empty()) return {};
    return std::move(all[0]);
  }

  opencl_context(const cl::Context& c, const cl::Device& d, const cl::CommandQueue& q)
      : shared_(std::make_shared<state>(c, d, q)) {}
  std::shared_ptr<state> shared_;
};

TKL_ISA_END
}  // namespace tkl
