// SPDX-License-Identifier: Apache-2.0
// The hot loops of the library, and a table of what the schedules of the architecture ask of each. check_hot_loop.py
// disassembles the loops and reads the table, so that the numbers stand in arch/ alone.
//
// The tiles of f32, f16 and bf16 weights are those of matrix products, of convolutions (their rows come through
// pointers), of staged convolutions and of the products of Winograd's: all of them call contract_tile.
#include <cstdint>
#include <string_view>
#include <tkl/algo/attention.hpp>
#include <tkl/algo/depthwise.hpp>
#include <tkl/algo/micro_kernel.hpp>
#include <tkl/algo/reduce.hpp>
#include <tkl/algo/static_gemm.hpp>
#include <tkl/arch/native.hpp>
#include <tkl/core/text.hpp>
#include <tkl/target/cpu.hpp>

namespace {

using tkl::tile_work;
using tested = tkl::arch::TKL_CODEGEN_ARCH;
using machine = tkl::cpu_machine<tested>;
using value = machine::value;

constexpr int rows = tested::gemm.mr, vectors = tested::gemm.nr;
constexpr int wide_rows = tkl::wide_tile_rows(rows, vectors);
constexpr tkl::attention_schedule heads = tested::attention;
constexpr tkl::row_schedule sums{};

constexpr tkl::depthwise_schedule filter(int side, int stride) {
  return tkl::depthwise_schedule_for(side, side, stride, 1, 1, tested::depthwise_tile);
}
constexpr tkl::depthwise_schedule three = filter(3, 1), three_by_two = filter(3, 2), five = filter(5, 1), any{};

/// One row of a known filter: its taps and the inputs of the outputs of a tile; of any filter: one tap.
constexpr tile_work work_of(tkl::depthwise_schedule s) {
  if (!s.specialised()) return {s.tile, 1 + s.tile};
  return {s.tile * s.columns, s.columns + (s.tile - 1) * s.stride + s.columns};
}

/// Rows of text: name; what the symbol contains; the instruction that is counted; of one product, how many of it and
/// how many loads.
struct table {
  tkl::text<4096> rows;
  constexpr table& loop(std::string_view name, std::string_view function, tkl::text<96> arguments, tile_work w,
                        std::string_view instruction = tested::multiply_add.instruction) {
    rows << "loop;" << name << ';' << function << ';' << arguments.view() << ';' << instruction << ';'
         << w.multiply_adds << ';' << w.loads << '\n';
    return *this;
  }
};

constexpr tkl::text<96> sizes(int a, int b, std::string_view rest) {
  tkl::text<96> t;
  t << ", " << a << ", " << b << rest;
  return t;
}
constexpr tkl::text<96> sizes(tkl::depthwise_schedule s) {
  tkl::text<96> t;
  t << "{" << s.rows << ", " << s.columns << ", " << s.stride << ", " << s.tile << ", ";
  return t;
}
constexpr tkl::text<96> heads_of(std::string_view rest) {
  tkl::text<96> t;
  t << "<" << heads.mr << ", " << heads.nr << rest;
  return t;
}

constexpr table made = [] {
  table t;
  t.rows << "architecture;" << tested::name << ';' << tested::scheduling_model << ';' << tested::multiply_add.per_cycle
         << '\n';
  t.loop("product", "contract_tile<", sizes(rows, vectors, ", float, float>"), tested::work);
  t.loop("product_f16", "contract_tile<", sizes(rows, vectors, ", float, tkl::half>"), tested::work);
  t.loop("product_bf16", "contract_tile<", sizes(rows, vectors, ", float, tkl::bfloat16>"), tested::work);
  t.loop("product_wide", "contract_tile<", sizes(wide_rows, vectors + 1, ", float, float>"),
         tkl::work_of(wide_rows, vectors + 1));
  t.loop("product_static", "static_tile<", sizes(rows, vectors, ", "), tested::work);
  t.loop("attention_scores", "score_tile<", heads_of(", "), tkl::work_of(heads.mr, heads.nr));
  t.loop("attention_values", "value_tile<", heads_of(", true"), tkl::work_of(heads.mr, heads.nr));
  t.loop("depthwise_3x3", "depthwise_tiles<", sizes(three), work_of(three));
  t.loop("depthwise_3x3_stride_2", "depthwise_tiles<", sizes(three_by_two), work_of(three_by_two));
  t.loop("depthwise_5x5", "depthwise_tiles<", sizes(five), work_of(five));
  t.loop("depthwise_any", "depthwise_tiles<", sizes(any), work_of(any));
  t.loop("row_sum", "reduce_blocks<", tkl::text<96>("<"), {sums.vectors, sums.vectors}, "add");
  return t;
}();

using tkl::impl::depthwise_run;
using tkl::impl::tile_kind;

}  // namespace

/// In the object as it is, for a disassembler to print.
[[gnu::used, gnu::section(".tkl_hot_loops")]] extern constexpr tkl::text<4096> tkl_hot_loops = made.rows;

namespace tkl {
template void contract_tile<machine, rows, vectors, float, float>(const tile_pass<float, float>&, value*);
template void contract_tile<machine, rows, vectors, float, half>(const tile_pass<float, half>&, value*);
template void contract_tile<machine, rows, vectors, float, bfloat16>(const tile_pass<float, bfloat16>&, value*);
template void contract_tile<machine, wide_rows, vectors + 1, float, float>(const tile_pass<float, float>&, value*);
template void static_tile<machine, rows, vectors, machine::width, 64>(const float*, std::int64_t, const float*,
                                                                      std::int64_t, float*, std::int64_t,
                                                                      const acc_node&, std::int64_t, std::int64_t);
namespace impl {
template void score_tile<heads.mr, heads.nr, machine, float>(const float* const (&)[heads.mr], const float*,
                                                             std::int64_t, std::int64_t, float*);
template void value_tile<heads.mr, heads.nr, true, machine, float>(const float*, std::int64_t, const float*,
                                                                   std::int64_t, std::int64_t, const float*, int,
                                                                   float*, std::int64_t);
template void depthwise_tiles<tile_kind::inside, three, machine, float, float, float, acc_node>(
    const depthwise_run<float, float, float>&, const void*, const position&);
template void depthwise_tiles<tile_kind::inside, three_by_two, machine, float, float, float, acc_node>(
    const depthwise_run<float, float, float>&, const void*, const position&);
template void depthwise_tiles<tile_kind::inside, five, machine, float, float, float, acc_node>(
    const depthwise_run<float, float, float>&, const void*, const position&);
template void depthwise_tiles<tile_kind::inside, any, machine, float, float, float, acc_node>(
    const depthwise_run<float, float, float>&, const void*, const position&);
template machine::value reduce_all<sums, reduce_kind::sum, machine, float>(const float*, const reduced_axes&);
}  // namespace impl
}  // namespace tkl
