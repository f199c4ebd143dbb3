// SPDX-License-Identifier: Apache-2.0
// The C interface (tkl/c_api.h) of a compiled model. A shared object is one source file:
//
//   #include <tkl/cpu.hpp>
//   #include <tkl/runtime/c_model.hpp>
//   TKL_C_MODEL("digits", tkl::compile<digits, tkl::cpu<>>)
//
// The same file becomes a program with several instruction-set levels by CMake's tkl_add_model (docs/dispatch.md).
#pragma once

#include <tkl/c_api.h>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string_view>
#include <tkl/arch/native.hpp>
#include <tkl/config.hpp>
#include <tkl/core/checked.hpp>
#include <tkl/core/element.hpp>
#include <tkl/core/status.hpp>
#include <tkl/core/text.hpp>
#include <tkl/graph/check.hpp>
#include <tkl/graph/compile.hpp>
#include <tkl/graph/graph.hpp>
#include <tkl/runtime/c_functions.hpp>
#include <tkl/runtime/cpu_level.hpp>
#include <tkl/runtime/host_cpu.hpp>
#include <utility>

namespace tkl {

/// The element type as C callers see it.
constexpr tkl_type c_type_of(element e) {
  switch (e) {
    case element::f32:
      return TKL_F32;
    case element::f16:
      return TKL_F16;
    case element::bf16:
      return TKL_BF16;
    case element::i8:
      return TKL_I8;
    case element::u8:
      return TKL_U8;
    case element::i32:
      return TKL_I32;
  }
  return TKL_F32;
}

/// A declared input or output, as it lies in the caller's memory.
struct c_tensor {
  text<63> name{};
  tkl_type type = TKL_F32;
  int rank = 0;
  std::int64_t extents[8]{};
  std::int64_t bytes = 0;

  constexpr c_tensor() = default;
  constexpr c_tensor(std::string_view called, const node& n, memory_layout layout)
      : name(called), type(c_type_of(n.type)), rank(n.shape.rank), bytes(static_cast<std::int64_t>(size_of(n.type))) {
    for (int i = 0; i < rank; ++i) {
      const bool channels_second = layout == memory_layout::nchw;
      extents[i] = n.shape[!channels_second || i == 0 ? i : i == 1 ? 3 : i - 1];
      bytes *= extents[i];
    }
  }
};

/// The names, types and shapes of a model's inputs and outputs; texts without a name are "input0", "output0", ...
template <class Model>
struct c_tensors {
  static constexpr int most = 16;
  struct all {
    int inputs = 0, outputs = 0;
    c_tensor input[most]{}, output[most]{};
  };
  static constexpr all list = [] {
    graph g;
    build_model<Model>(g);
    all a;
    const auto label = [&](const char* kind, int index, std::int32_t name) {
      text<63> t;
      return name >= 0 ? t << g.name_at(name) : t << kind << index;
    };
    for (const std::int32_t id : g.inputs) {
      const node& n = g.nodes[static_cast<std::size_t>(id)];
      a.input[a.inputs] = {label("input", a.inputs, n.name).view(), n, static_cast<memory_layout>(n.attr.layout)};
      ++a.inputs;
    }
    for (const graph_output& o : g.outputs) {
      const node& n = g.nodes[static_cast<std::size_t>(o.node)];
      a.output[a.outputs] = {label("output", a.outputs, o.name).view(), n, o.layout};
      ++a.outputs;
    }
    return a;
  }();
};

TKL_ISA_BEGIN

template <fixed_text Name, class Network>
struct c_model;

/// The functions of the C interface for one compiled model: what an opaque tkl_model and tkl_workspace are.
template <fixed_text Name, class Model, class Target>
struct c_model<Name, compile<Model, Target>> {
  static constexpr const char* name = Name.chars;
  using network = compile<Model, Target>;
  using executor_type = typename Target::executor_type;
  using tensors = c_tensors<Model>;
  static_assert(network::inputs <= tensors::most && network::outputs <= tensors::most);

  struct caller {
    arena_workspace memory;
    executor_type executor;
  };

  static const char* version() {
    static constexpr text<31> t = [] {
      text<31> v;
      v << TKL_VERSION_MAJOR << '.' << TKL_VERSION_MINOR << '.' << TKL_VERSION_PATCH << ' ';
      return v << Target::arch_type::name;
    }();
    return t.c_str();
  }

  /// The level of this unit, if the processor runs it.
  static int select_level(const char* level, char* error, std::size_t size) {
    const cpu_level own[] = {level_of_unit()};
    const auto chosen = choose_level(level == nullptr ? "" : level, "tkl_select_level", host_level(), own);
    return chosen ? 0 : (fail(error, size, chosen.error().message()), 1);
  }

  static tkl_model* open(const char* asked, const char* file, char* error, std::size_t size) {
    if (asked == nullptr) return fail(error, size, "the name of the model is null");
    if (file == nullptr) return fail(error, size, "the name of the weights file is null");
    if (Name.view() != asked) {
      message_text m;
      m << "model '" << std::string_view(asked) << "': this object holds '" << Name.view() << '\'';
      return fail(error, size, m.c_str());
    }
    result<network> loaded = network::load(file);
    if (!loaded) return fail(error, size, loaded.error().message());
    network* n = new (std::nothrow) network(std::move(*loaded));
    if (n == nullptr) return fail(error, size, "no memory for the model");
    return reinterpret_cast<tkl_model*>(n);
  }

  static int input_count(const tkl_model* model) { return model == nullptr ? 0 : tensors::list.inputs; }
  static int output_count(const tkl_model* model) { return model == nullptr ? 0 : tensors::list.outputs; }
  static int input_info(const tkl_model* model, int index, tkl_tensor_info* to) {
    return info(model, tensors::list.input, tensors::list.inputs, index, to);
  }
  static int output_info(const tkl_model* model, int index, tkl_tensor_info* to) {
    return info(model, tensors::list.output, tensors::list.outputs, index, to);
  }

  static tkl_workspace* create(const tkl_model* model, int threads, char* error, std::size_t size) {
    if (model == nullptr) return fail(error, size, "the model is null");
    constexpr bool several = std::constructible_from<executor_type, int>;
    message_text m;
    if (threads < 1 || (!several && threads != 1)) {
      m << threads << " threads asked for, the model runs on " << (several ? "1 or more" : "1");
      return fail(error, size, m.c_str());
    }
    const executor_type executor = [&] {
      if constexpr (several) {
        return executor_type(threads);
      } else {
        return executor_type();
      }
    }();
    result<arena_workspace> memory =
        arena_workspace::make(network::arena_bytes, network::scratch_bytes(executor.workers()));
    if (!memory) return fail(error, size, memory.error().message());
    caller* c = new (std::nothrow) caller{std::move(*memory), executor};
    if (c == nullptr) return fail(error, size, "no memory for the workspace");
    return reinterpret_cast<tkl_workspace*>(c);
  }

  static int run(const tkl_model* model, tkl_workspace* workspace, const void* const* in, void* const* out, char* error,
                 std::size_t size) {
    const char* null = model == nullptr       ? "the model is null"
                       : workspace == nullptr ? "the workspace is null"
                       : in == nullptr        ? "the list of inputs is null"
                       : out == nullptr       ? "the list of outputs is null"
                                              : nullptr;
    if (null != nullptr) return fail(error, size, null), 1;
    const auto& c = *reinterpret_cast<const caller*>(workspace);
    const status s = reinterpret_cast<const network*>(model)->run(c.memory, in, out, c.executor);
    if (!s) return fail(error, size, s.message()), 1;
    return 0;
  }

  static void destroy(tkl_workspace* workspace) { delete reinterpret_cast<caller*>(workspace); }
  static void close(tkl_model* model) { delete reinterpret_cast<network*>(model); }

 private:
  static constexpr cpu_level level_of_unit() {
    cpu_level level = cpu_level::base;
    for (const cpu_level l : cpu_levels)
      if (name_of(l) == arch::native_level::name) level = l;
    return level;
  }
  static int info(const tkl_model* model, const c_tensor* all, int n, int index, tkl_tensor_info* to) {
    if (model == nullptr || to == nullptr || index < 0 || index >= n) return -1;
    const c_tensor& t = all[index];
    to->name = t.name.c_str();
    to->type = t.type;
    to->rank = t.rank;
    for (int i = 0; i < 8; ++i) to->extents[i] = t.extents[i];
    to->bytes = static_cast<std::size_t>(t.bytes);
    return 0;
  }
  static std::nullptr_t fail(char* error, std::size_t size, const char* message) {
    return tkl::detail::leave_message(error, size, message);
  }
};

TKL_ISA_END
}  // namespace tkl

/// Offers one compiled model under a name, once in a program or shared object: defines the functions of tkl/c_api.h or,
/// in a unit that tkl_add_model compiles for a level, the table from which its program chooses. The type comes last: it
/// may hold commas.
#if defined(TKL_LEVEL_SYMBOL)
#  define TKL_C_MODEL(NAME, ...)                                                                      \
    static_assert(tkl::arch::native_level::name == TKL_LEVEL_NAME,                                    \
                  "the flags of this target raise the level of every unit: tkl_add_model sets them"); \
    extern "C" {                                                                                      \
    [[gnu::visibility("hidden")]] extern const tkl::c_functions TKL_LEVEL_SYMBOL;                     \
    const tkl::c_functions TKL_LEVEL_SYMBOL = tkl::c_functions_of<tkl::c_model<NAME, __VA_ARGS__>>;   \
    }
#else
#  define TKL_C_MODEL(NAME, ...) TKL_C_FUNCTIONS(tkl::c_model<NAME, __VA_ARGS__>)
#endif
