// SPDX-License-Identifier: Apache-2.0
// Stands in for CUDA's header of this name where there is no GPU: tkl's CUDA kernels and run time compile with an
// ordinary compiler and run on the CPU.
//
//   block.hpp          one block of threads at a time; every thread is a fiber
//   device.hpp         what a kernel calls: indices, barriers, shuffles, asynchronous copies
//   tensor_cores.hpp   mma.sync and ldmatrix by the register layouts of the PTX ISA
//   bulk_copies.hpp    barriers in shared memory, and the copies that they count (TMA)
//   warpgroups.hpp     wgmma by its descriptors
//   runtime.hpp        the runtime API: memory, streams, graphs, launches, and errors that a test plants
//
// It shows wrong indices, missing barriers, races (-fsanitize=thread), accesses outside of memory and wrong calls. It
// does not show speed, bank conflicts, rounding inside of tensor cores, or what a compiler for GPUs makes of the code.
#pragma once

#include "block.hpp"
#include "bulk_copies.hpp"
#include "device.hpp"
#include "runtime.hpp"
#include "tensor_cores.hpp"
#include "warpgroups.hpp"
