// expect: anything
// SPDX-License-Identifier: Apache-2.0
// A program without a mistake: the check must complain.
int fine;
