// SPDX-License-Identifier: Apache-2.0
// What can be read off the text of a kernel. A Mali compiler for this host does not exist, so the number of values
// alive at once is an estimate: each vector counts four registers (two where its numbers are four of half precision),
// from its declaration to its last mention.
#pragma once

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace tkl_test {

/// Words that no text may contain.
inline constexpr std::string_view unwanted_words[] = {"__local", "barrier", "__private", "double",   "image",
                                                      "while",   "goto",    "half",      "sub_group"};

inline std::size_t count_of(std::string_view text, std::string_view what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string_view::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

/// 32-bit registers that the values of a text take where most of them are alive.
inline int most_alive(std::string_view text) {
  std::map<std::string, std::pair<std::size_t, std::size_t>> alive;  // name: first and last place
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    const bool begins =
        (text[i] == 't' || text[i] == 'i') && (i == 0 || (std::isalnum(text[i - 1]) == 0 && text[i - 1] != '_'));
    if (!begins || std::isdigit(text[i + 1]) == 0) continue;
    std::size_t end = i + 1;
    while (end < text.size() && std::isdigit(text[end]) != 0) ++end;
    const std::string name(text.substr(i, end - i));
    if (alive.count(name) == 0) alive[name] = {i, i};
    alive[name].second = i;
  }
  std::map<std::size_t, int> change;
  for (const auto& [name, span] : alive) {
    const bool vector = text.find("F4 " + name + " =") != std::string_view::npos;
    const bool half_vector = text.find("H4 " + name + " =") != std::string_view::npos;
    const bool eight = text.find("H8 " + name + " =") != std::string_view::npos;
    const int registers = vector || eight ? 4 : half_vector ? 2 : 1;
    change[span.first] += registers;
    change[span.second] -= registers;
  }
  int now = 0, most = 0;
  for (const auto& [at, by] : change) most = std::max(most, now += by);
  return most;
}

/// Arrays that a text declares, which a compiler could put into private memory: a declaration with a bracket. Brackets
/// stand behind the names of tables and results, and behind pointers in parentheses.
inline std::size_t private_arrays(std::string_view text) {
  return count_of(text, "[") - count_of(text, "tables[") - count_of(text, "y[") - count_of(text, ")[");
}

}  // namespace tkl_test
