// SPDX-License-Identifier: Apache-2.0
// Matrix products against OpenBLAS, BLIS and libxsmm, each held to this program's level.
// tkl-bench: libs=benchmark,rapidjson,xsmm
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>
#include <tkl/algo/gemm.hpp>
#include <tkl/algo/matmul.hpp>
#include <tkl/algo/pack.hpp>
#include <tkl/algo/static_gemm.hpp>
#include <tkl/arch/native.hpp>
#include <tkl/exec/executor.hpp>
#include <tkl/target/cpu.hpp>
#include <vector>

#include "support/blas.hpp"
#include "support/data.hpp"
#include "support/limits.hpp"
#include "support/measure.hpp"
#include "support/program.hpp"

#if defined(TKL_BENCH_HAS_XSMM)
#  include <libxsmm.h>
#endif

namespace {

using namespace bench;
using arch = tkl::arch::native;
using machine = tkl::cpu_machine<arch>;

struct product {
  const char* name;
  int m, n, k;
  bool packed_before = false;
};
constexpr product large_products[] = {{"256", 256, 256, 256},
                                      {"512", 512, 512, 512},
                                      {"1024", 1024, 1024, 1024},
                                      {"2048", 2048, 2048, 2048},
                                      {"3136x64x64", 3136, 64, 64},
                                      {"64x768x768 prepacked", 64, 768, 768, true},
                                      {"128x768x3072 prepacked", 128, 768, 3072, true},
                                      {"49x512x2048 prepacked", 49, 512, 2048, true}};

/// Operands, and the same product in double for some of the elements.
struct operands {
  product p;
  buffer a, b, c;
  explicit operands(const product& what)
      : p(what),
        a(random_buffer(std::int64_t{what.m} * what.k, 1)),
        b(random_buffer(std::int64_t{what.k} * what.n, 2)),
        c(std::int64_t{what.m} * what.n) {}

  std::string wrong(const std::string& name) const {
    checker check(std::sqrt(p.k) / 8);
    const std::int64_t all = c.size(), step = all > 8192 ? all / 4096 | 1 : 1;
    for (std::int64_t at = 0; at < all; at += step) {
      double sum = 0;
      for (std::int64_t k = 0; k < p.k; ++k) sum += double{a[at / p.n * p.k + k]} * double{b[k * p.n + at % p.n]};
      check.see(double{c[at]}, sum, at);
    }
    for (std::int64_t at = 0; at < all; ++at) c[at] = NAN;
    return check.wrong(name);
  }
  double flops() const { return 2.0 * p.m * p.n * p.k; }
};

tkl::strided4<const float> matrix(const buffer& b, int rows, int columns) {
  return {b.data(), tkl::contiguous(1, 1, rows, columns)};
}
tkl::strided4<float> output(const buffer& b, int rows, int columns) {
  return {b.data(), tkl::contiguous(1, 1, rows, columns)};
}

double percent_of_peak(const std::map<std::string, double>& seconds, double flops) {
  return 100 * (flops / seconds.at("tkl")) / (peak_flops / seconds.at("peak"));
}

/// Rows against each BLAS, and against the better of both, which has the floor.
void large(const product& p, const blas& openblas, const blas& blis, results& all, std::vector<row>& means) {
  const operands o(p);
  contest c;
  std::string own_error;
  buffer packed(tkl::packed_matrix_elements(p.k, p.n, machine::width));
  buffer scratch(tkl::gemm_scratch_bytes(arch::gemm, machine::width, p.n, p.k, {}, 1) / 4 + 16);
  if (p.packed_before) {
    tkl::pack_matrix(o.b.data(), p.n, 1, p.k, p.n, static_cast<const float*>(nullptr),
                     static_cast<const float*>(nullptr), tkl::panels_of(arch::gemm.nr, machine::width), packed.data());
    const tkl::packed_matmul_problem<float, float, float> q{matrix(o.a, p.m, p.k), packed.data(),
                                                            output(o.c, p.m, p.n)};
    const auto call = [q] { tkl::matmul<arch::gemm, machine>(q, tkl::acc, tkl::serial{}); };
    call();
    own_error = o.wrong("tkl");
    c.add("tkl", call);
  } else {
    const tkl::matmul_problem<float, float, float> q{
        matrix(o.a, p.m, p.k), matrix(o.b, p.k, p.n), output(o.c, p.m, p.n), {}};
    std::byte* memory = reinterpret_cast<std::byte*>(scratch.data());
    const auto call = [q, memory] { tkl::gemm<arch::gemm, machine>(q, tkl::acc, tkl::serial{}, memory); };
    call();
    own_error = o.wrong("tkl");
    c.add("tkl", call);
  }
  std::vector<row> rows;
  for (const blas* b : {&openblas, &blis}) {
    row r;
    r.name = p.name, r.rival = b->name, r.rival_version = b->version, r.error = b->error;
    if (b->sgemm != nullptr) {
      const auto call = [b, p, &o] { b->product(p.m, p.n, p.k, o.a.data(), o.b.data(), o.c.data()); };
      call();
      r.error = o.wrong(b->name);
      if (r.error.empty()) c.add(b->name, call);
    }
    if (!own_error.empty()) r.error = own_error;
    rows.push_back(r);
  }
  c.add("peak", multiply_add_peak);
  const auto seconds = c.measure();
  row best;
  best.name = p.name, best.rival = "better of openblas and blis";
  if (!widest) best.floor = 0.85;
  for (row& r : rows) {
    if (r.error.empty()) r.ratio = seconds.at(r.rival) / seconds.at("tkl");
    r.percent_of_peak = percent_of_peak(seconds, o.flops());
    if (!r.error.empty()) best.error += (best.error.empty() ? "" : "; ") + r.error;
    if (r.ratio && (!best.ratio || *r.ratio < *best.ratio)) best.ratio = r.ratio;
    best.rival_version += (best.rival_version.empty() ? "" : ", ") + r.rival + ' ' + r.rival_version;
    best.percent_of_peak = r.percent_of_peak;
    all.add(r);
  }
  if (!best.error.empty()) best.ratio.reset();
  means.push_back(all.add(best));
}

/// A product of constant extents against OpenBLAS and libxsmm; only their means have floors.
template <int N>
void constant(const blas& openblas, results& all, std::vector<row>& against_openblas, std::vector<row>& against_xsmm) {
  const operands o({"", N, N, N});
  contest c;
  const float *a = o.a.data(), *b = o.b.data();
  float* out = o.c.data();
  const auto call = [=] {
    tkl::static_gemm<arch::gemm, machine, tkl::gemm_extents{N, N, N}>(a, N, b, N, out, N, tkl::acc);
  };
  call();
  const std::string own_error = o.wrong("tkl");
  c.add("tkl", call);

  row r;
  r.name = "static " + std::to_string(N), r.rival = "openblas", r.rival_version = openblas.version,
  r.error = openblas.error;
  if (openblas.sgemm != nullptr) {
    const blas* library = &openblas;
    const auto other = [=] { library->product(N, N, N, a, b, out); };
    other();
    r.error = o.wrong("openblas");
    if (r.error.empty()) c.add("openblas", other);
  }
  row x;
  x.name = r.name, x.rival = "libxsmm", x.error = "libxsmm was not found";
#if defined(TKL_BENCH_HAS_XSMM)
  x.rival_version = LIBXSMM_VERSION + (' ' + std::string(libxsmm_get_target_arch()));
  const float one = 1, zero = 0;
  // Column-major: the transposed product.
  const libxsmm_smmfunction xsmm =
      libxsmm_smmdispatch(N, N, N, nullptr, nullptr, nullptr, &one, &zero, nullptr, nullptr);
  x.error = xsmm == nullptr ? "libxsmm made no kernel" : "";
  if (!widest && std::string(libxsmm_get_target_arch()) != "hsw") x.error = "libxsmm is not held to AVX2";
  if (x.error.empty()) {
    const auto other = [=] { xsmm(b, a, out); };
    other();
    x.error = o.wrong("libxsmm");
    if (x.error.empty()) c.add("libxsmm", other);
  }
#endif
  c.add("peak", multiply_add_peak);
  const auto seconds = c.measure();
  for (row* i : {&r, &x}) {
    if (!own_error.empty()) i->error = own_error;
    if (i->error.empty()) i->ratio = seconds.at(i->rival) / seconds.at("tkl");
    i->percent_of_peak = percent_of_peak(seconds, o.flops());
  }
  against_openblas.push_back(all.add(r));
  against_xsmm.push_back(all.add(x));
}

}  // namespace

int main(int count, char** arguments) {
  return bench::run(count, arguments, "gemm", [](results& all, const auto& wanted) {
    const blas openblas = open_openblas(), blis = open_blis();
    std::vector<row> means, small_openblas, small_xsmm;
    for (const product& p : large_products)
      if (wanted(p.name)) large(p, openblas, blis, all, means);
    if (!means.empty()) all.add(geometric_mean(means, widest ? 0.9 : 1.0));
    if (!wanted("static")) return;
    constant<8>(openblas, all, small_openblas, small_xsmm);
    constant<16>(openblas, all, small_openblas, small_xsmm);
    constant<32>(openblas, all, small_openblas, small_xsmm);
    constant<48>(openblas, all, small_openblas, small_xsmm);
    constant<64>(openblas, all, small_openblas, small_xsmm);
    all.add(geometric_mean(small_openblas, widest ? 0.9 : 1.4, "geomean static"));
    all.add(geometric_mean(small_xsmm, widest ? 0.9 : 0.95, "geomean static"));
  });
}
