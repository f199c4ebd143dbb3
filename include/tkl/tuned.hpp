// SPDX-License-Identifier: Apache-2.0
// Tuned schedules: what the headers that tools/tune.py writes include.
#pragma once

#include <array>
#include <tkl/exec/tuned.hpp>
