#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds bench/gpu_check*.cu for the GPU of this machine, compares every kind of kernel with the reference, and prints
# tables of times, beside cuBLASLt and cuDNN where their headers and libraries are found: in the compiler's own folders,
# in the folders CUBLAS and CUDNN, or in Python's packages nvidia-cublas and nvidia-cudnn-cu13. Takes less than eight
# minutes with the build: no case begins in the last 40 seconds. Says on stderr what is under way. Status 1: a result was
# wrong; 77: no compiler or no GPU, and the table of goals says "not measured".
# Environment: NVCC, CXX (host compiler), OUT (build folder), CUBLAS, CUDNN, PYTHON.
set -eu
here=$(CDPATH= cd "$(dirname "$0")/.." && pwd)
nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
host=${CXX:-g++-12}
out=${OUT:-$here/build/gpu_check}
end=$(($(date +%s) + 480))

# skip REASON: the goals as docs/cuda.md has them, and nothing measured.
skip() {
  printf 'Goals\n\n'
  sed -n '/^| case | goal | measured |$/,/^$/p' "$here/docs/cuda.md"
  echo "gpu_check: $1" >&2
  exit 77
}
[ -x "$nvcc" ] || skip "nvcc was not found, set NVCC"
capability=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2>/dev/null | head -1 | tr -d .) || true
[ -n "$capability" ] || skip "no GPU: nvidia-smi names none"
[ "$capability" -ge 80 ] || skip "compute capability 8.0 is needed, this is $capability"
arch=sm_80 code=sm_$capability
[ "$capability" -lt 90 ] || arch=sm_90
[ "$capability" -ne 90 ] || arch=sm_90a code=sm_90a
mkdir -p "$out"

# The folders of Python's packages, one a line: nvidia/cudnn, nvidia/cu13, ...
packages() {
  "${PYTHON:-python3}" -c 'import nvidia
for p in nvidia.__path__: print(p)' 2>/dev/null | while read -r p; do ls -d "$p"/*; done
}
# probe NAME HEADER CALL LIBRARY FOLDER: sets found to what the compiler needs when a program of that call links.
probe() {
  printf '#include <%s>\nint main() { return %s; }\n' "$2" "$3" >"$out/probe_$1.cu"
  for folder in ${5:+"$5"} "" $(packages); do
    if [ -z "$folder" ]; then
      try=-l$4
    else
      library=$(find "$folder/lib64/" "$folder/lib/" -maxdepth 1 -name "lib$4.so*" 2>/dev/null | head -1) || true
      [ -n "$library" ] || continue
      try="-Xcompiler -idirafter,$folder/include -Xlinker $library"
    fi
    # shellcheck disable=SC2086
    if "$nvcc" -ccbin "$host" "$out/probe_$1.cu" $try -o "$out/probe_$1" >"$out/probe_$1.log" 2>&1; then
      found="$try"
      [ -z "$folder" ] || libraries=$libraries:$(dirname "$library")
      echo "gpu_check: $1 was found: $try" >&2
      return
    fi
  done
  found=
  echo "gpu_check: $1 was not found, and is not measured" >&2
}
libraries=
probe cuBLAS cublasLt.h '(int)(cublasLtGetVersion() == 0)' cublasLt "${CUBLAS:-}"
cublas=$found
probe cuDNN cudnn.h '(int)(cudnnGetVersion() == 0)' cudnn "${CUDNN:-}"
cudnn=$found

# compile NAME OPTION...: an object, in the background.
compile() {
  name=$1
  shift
  "$nvcc" -ccbin "$host" -std=c++20 -O3 --expt-relaxed-constexpr "-arch=$code" \
    -Xcompiler -fconstexpr-ops-limit=2000000000,-fconstexpr-loop-limit=20000000 -DTKL_BENCH_ARCH=$arch \
    -I "$here/include" -I "$here/tests" "$@" -c "$here/bench/$name.cu" -o "$out/$name.o" &
}
units="gpu_check gpu_check_products gpu_check_convolutions gpu_check_cublas gpu_check_cudnn"
for unit in $units; do rm -f "$out/$unit.o"; done
compile gpu_check
compile gpu_check_products
compile gpu_check_convolutions
# shellcheck disable=SC2086
compile gpu_check_cublas ${cublas:+-DTKL_BENCH_CUBLAS} $cublas
# shellcheck disable=SC2086
compile gpu_check_cudnn ${cudnn:+-DTKL_BENCH_CUDNN} $cudnn
wait
objects=
for unit in $units; do objects="$objects $out/$unit.o"; done
# shellcheck disable=SC2086
"$nvcc" -ccbin "$host" "-arch=$code" $objects $cublas $cudnn -o "$out/gpu_check"
# The libraries load others beside them by name.
if [ -n "$libraries" ]; then
  for folder in $(packages); do [ ! -d "$folder/lib" ] || libraries=$libraries:$folder/lib; done
  export LD_LIBRARY_PATH="${libraries#:}${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
fi
exec "$out/gpu_check" $((end - $(date +%s)))
