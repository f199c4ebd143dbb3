// expect: a text that no compiler prints
// SPDX-License-Identifier: Apache-2.0
// A program with another mistake than the one that is expected: the check must complain.
int broken = undeclared;
