#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds bench/gpu_check.cu for the GPU of this machine, compares every kind of kernel with the reference, and prints a
# table of times, beside cuBLAS where its library is found. Environment: NVCC, CXX (host compiler), OUT (build folder).
set -eu
here=$(CDPATH= cd "$(dirname "$0")/.." && pwd)
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
out=${OUT:-$here/build/gpu_check}
[ -x "$nvcc" ] || { echo "gpu_check: nvcc was not found, set NVCC" >&2; exit 77; }
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -1 | tr -d .) || true
[ -n "$capability" ] || { echo "gpu_check: no GPU: nvidia-smi names none" >&2; exit 77; }
[ "$capability" -ge 80 ] || { echo "gpu_check: compute capability 8.0 is needed, this is $capability" >&2; exit 77; }
arch=sm_80 code=sm_$capability
[ "$capability" -lt 90 ] || arch=sm_90
[ "$capability" -ne 90 ] || arch=sm_90a code=sm_90a
mkdir -p "$out"
cublas=
if printf '#include <cublas_v2.h>\nint main() { cublasHandle_t h; return cublasCreate(&h); }\n' >"$out/probe.cu" &&
  "$nvcc" -ccbin "${CXX:-g++-12}" "$out/probe.cu" -lcublas -o "$out/probe" >/dev/null 2>&1; then
  cublas="-DTKL_BENCH_CUBLAS -lcublas"
fi
# shellcheck disable=SC2086
"$nvcc" -ccbin "${CXX:-g++-12}" -std=c++20 -O3 --expt-relaxed-constexpr "-arch=$code" \
  -Xcompiler -fconstexpr-ops-limit=2000000000,-fconstexpr-loop-limit=20000000 -DTKL_BENCH_ARCH=$arch \
  -I "$here/include" -I "$here/tests" "$here/bench/gpu_check.cu" -o "$out/gpu_check" $cublas
"$out/gpu_check"
