// SPDX-License-Identifier: Apache-2.0
// main() of every test program. Status 77 (see skip.hpp) tells CTest that the test skipped itself.
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
