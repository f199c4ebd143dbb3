// SPDX-License-Identifier: Apache-2.0
// buckets<Model, Target, Shapes...>: one model in several shapes. The shapes share the packed weights, the kernels and
// one arena; what each has of its own is its steps and edges.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <tkl/graph/buckets_family.hpp>
#include <tkl/graph/compile.hpp>
#include <utility>

namespace tkl {
TKL_ISA_BEGIN

/// The shapes of a model, whatever runs them.
template <template <auto> class Model, class Target, auto First, auto... Rest>
class bucket_shapes {
 public:
  /// The compiled model of one shape.
  template <auto Shape>
  using model = typename impl::shape_family<Model, Target, First, Rest...>::template compiled<Shape>;

 protected:
  using first = model<First>;
  static_assert(((model<Rest>::layout_hash == first::layout_hash) && ...),
                "the shapes of a model must pack the same weights in the same layout");
  static_assert(((model<Rest>::inputs == first::inputs && model<Rest>::outputs == first::outputs) && ...),
                "the shapes of a model must have the same inputs and outputs");

 public:
  using target = Target;
  using shape_type = decltype(First);

  static constexpr int count = 1 + static_cast<int>(sizeof...(Rest));
  static constexpr std::array<shape_type, static_cast<std::size_t>(count)> shapes{First, Rest...};
  static constexpr std::int64_t arena_bytes = [] {
    std::int64_t most = first::arena_bytes;
    ((most = model<Rest>::arena_bytes > most ? model<Rest>::arena_bytes : most), ...);
    return most;
  }();
  static constexpr std::int64_t weights_bytes = first::weights_bytes;

  /// Index of the first shape, in declared order, that `holds` accepts; -1 when none does.
  template <class Holds>
  static int smallest(Holds holds) {
    for (int i = 0; i < count; ++i)
      if (holds(shapes[static_cast<std::size_t>(i)])) return i;
    return -1;
  }

 protected:
  static status check_index(int index) {
    if (index >= 0 && index < count) return {};
    message_text m;
    return status::failure(m << "shape number " << index << " of a model with " << count << " shapes");
  }
};

/// `Model<Shape>` is a model for each of `Shapes` (numbers or structural values), declared from small to large. All
/// must read the same weights in the same packed layout: a compile error otherwise. Methods of convolutions that would
/// differ are chosen for the largest shape.
template <template <auto> class Model, class Target, auto First, auto... Rest>
class buckets : public bucket_shapes<Model, Target, First, Rest...> {
  using base = bucket_shapes<Model, Target, First, Rest...>;
  using base::check_index;
  using typename base::first;

  /// One table of names serves all shapes that have the same names.
  template <class Other>
  static constexpr const char* names_of() {
    if constexpr (Other::plan_name_bytes == first::plan_name_bytes) {
      if (__builtin_memcmp(Other::plan_names(), first::plan_names(), first::plan_name_bytes) == 0)
        return first::plan_names();
    }
    return Other::plan_names();
  }

 public:
  using base::arena_bytes, base::count;
  using executor_type = typename Target::executor_type;

  /// As compile::load; the weights serve every shape.
  static result<buckets> load(const char* path, const load_options& options = {}) {
    result<packed_weights> w = load_weights(first::loading(), path, options);
    if (!w) return w.error();
    return buckets(std::move(*w));
  }
  status save_packed(const char* path) const { return save_weights(first::loading(), weights_, path); }
  const packed_weights& weights() const { return weights_; }

  static std::int64_t scratch_bytes(int workers) {
    std::int64_t most = 0;
    for (const plan_reference<executor_type>& p : plans) {
      const std::int64_t bytes = worker_scratch_bytes(p, workers);
      if (bytes > most) most = bytes;
    }
    return most;
  }
  /// Memory for one caller, enough for every shape.
  static result<arena_workspace> make_workspace(int workers = executor_type{}.workers()) {
    return arena_workspace::make(arena_bytes, scratch_bytes(workers));
  }

  /// Runs shape number `index`: inputs, then outputs, as compile::operator(). An index out of range is an error.
  template <class... Buffers>
  status operator()(int index, const arena_workspace& w, Buffers&&... buffers) const {
    static_assert(static_cast<int>(sizeof...(Buffers)) == first::inputs + first::outputs);
    static_assert(first::inputs <= max_arguments && first::outputs <= max_arguments,
                  "a model with more than 64 inputs or outputs is run with untyped buffers: run()");
    if (status s = check_index(index); !s) return s;
    const buffer_argument all[] = {buffer_argument(std::forward<Buffers>(buffers))...};
    return run_checked(plans[static_cast<std::size_t>(index)], weights_.data(), w, all, executor_type{});
  }
  /// The same with untyped buffers.
  status run(int index, const arena_workspace& w, const void* const* in, void* const* out,
             const executor_type& executor = {}) const {
    if (status s = check_index(index); !s) return s;
    return run_plan(plans[static_cast<std::size_t>(index)], weights_.data(), w, in, out, executor);
  }

  /// The plans of the shapes.
  static constexpr std::array<plan_reference<executor_type>, static_cast<std::size_t>(count)> plans{
      first::reference(), base::template model<Rest>::reference(names_of<typename base::template model<Rest>>())...};

 private:
  explicit buckets(packed_weights&& w) : weights_(std::move(w)) {}
  packed_weights weights_;
};

TKL_ISA_END
}  // namespace tkl
