// SPDX-License-Identifier: Apache-2.0
// The same tests of texts in a program whose build option says that they are written as it starts.
// tkl-test: defines=TKL_OPENCL_TEXT_AT_START
#include "test_text.cpp"

static_assert(target::text_written == tkl::text_time::start);
