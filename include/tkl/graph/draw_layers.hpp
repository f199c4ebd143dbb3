// SPDX-License-Identifier: Apache-2.0
// Draws a directed acyclic graph in layers, top down (Sugiyama, Tagawa and Toda, 1981): ranks by longest path, order in
// a rank by barycentres, coordinates by least squares under the minimal distances. Long graphs continue in further
// columns; where a link is cut there, both ends carry the same letter.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <string_view>
#include <tkl/config.hpp>
#include <tkl/graph/draw_svg.hpp>
#include <utility>
#include <vector>

namespace tkl {
TKL_ISA_BEGIN
namespace impl {

struct layer_node {
  std::vector<std::string> lines{};  // the first one in bold
  draw_kind kind = draw_kind::elementwise;
  std::string details{};  // shown when the pointer rests on the box
  std::string result{};   // written at the outgoing link: a shape
};
struct layer_link {
  int from = 0;  // below `to`
  int to = 0;
};

/// Breaks a text at spaces into lines of at most `width` characters; after `most` lines it ends in "...".
inline void wrap_text(std::vector<std::string>& lines, std::string_view text, std::size_t width, std::size_t most) {
  for (std::size_t n = 0; !text.empty() && n < most; ++n) {
    std::size_t cut = text.size();
    if (cut > width) {
      cut = text.rfind(' ', width);
      if (cut == std::string_view::npos || cut == 0) cut = width;
    }
    std::string line(text.substr(0, cut));
    text.remove_prefix(cut);
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    if (n + 1 == most && !text.empty()) line = line.substr(0, width - 3) + "...";
    lines.push_back(std::move(line));
  }
}

class layered_drawing {
 public:
  layered_drawing(std::vector<layer_node> nodes, std::vector<layer_link> links)
      : nodes_(std::move(nodes)), links_(std::move(links)) {}

  std::string svg(std::string_view title, double column_height = 1500) {
    make_slots(column_height);
    double left = margin, bottom = 0;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      order_column(c);
      place_column(c);
      left = move_column(c, left) + 46;
      for (int r : columns_[c]) bottom = (std::max)(bottom, at_row(r).bottom);
    }
    svg_writer out;
    out.text(margin, 24, title, {.size = 15, .bold = true});
    unsigned used = 0;
    for (const layer_node& n : nodes_) used |= 1u << static_cast<int>(n.kind);
    const double legend = draw_legend(out, margin, 48, used);
    draw_links(out);
    draw_slots(out);
    return out.document((std::max)({left - 46 + margin, legend, margin * 2 + text_width(title, 15)}), bottom + margin);
  }

 private:
  static constexpr double margin = 16, gap = 16, row_gap = 42, top = 72, line_height = 13, port_radius = 9;

  /// A place in a row: a node, a link on its way past the row, or the end of a link that continues in another column.
  struct slot {
    enum kind_t { node, pass, leaves, enters } kind = node;
    int node_number = -1;
    double left = 5, right = 5;  // extents around x
    double height = 0;
    double x = 0;
    double row_y = 0, row_height = 0;
    int letter = -1;
    std::vector<int> up{}, down{};  // slots in the neighbouring rows
  };
  struct row {
    std::vector<int> slots{};
    double height = 0, y = 0, bottom = 0;
  };

  slot& at_slot(int i) { return slots_[static_cast<std::size_t>(i)]; }
  row& at_row(int i) { return rows_[static_cast<std::size_t>(i)]; }

  double height_of(const layer_node& n) const { return 9 + line_height * static_cast<double>(n.lines.size()); }

  int add_slot(int in_row, slot s) {
    slots_.push_back(std::move(s));
    const int number = static_cast<int>(slots_.size()) - 1;
    at_row(in_row).slots.push_back(number);
    at_row(in_row).height = (std::max)(at_row(in_row).height, at_slot(number).height);
    return number;
  }
  void connect(int upper, int lower) {
    at_slot(upper).down.push_back(lower);
    at_slot(lower).up.push_back(upper);
  }

  /// Longest path from a source; a source stands just above its first reader.
  std::vector<int> ranks() const {
    std::vector<int> rank(nodes_.size(), 0), first(nodes_.size(), 1 << 30);
    std::vector<bool> source(nodes_.size(), true);
    std::vector<layer_link> sorted = links_;
    std::sort(sorted.begin(), sorted.end(), [](const layer_link& a, const layer_link& b) { return a.to < b.to; });
    for (const layer_link& l : sorted) {
      const auto from = static_cast<std::size_t>(l.from), to = static_cast<std::size_t>(l.to);
      rank[to] = (std::max)(rank[to], rank[from] + 1);
      source[to] = false;
    }
    for (const layer_link& l : links_) {
      int& f = first[static_cast<std::size_t>(l.from)];
      f = (std::min)(f, rank[static_cast<std::size_t>(l.to)]);
    }
    for (std::size_t i = 0; i < rank.size(); ++i)
      if (source[i] && first[i] < 1 << 30) rank[i] = first[i] - 1;
    return rank;
  }

  void make_slots(double column_height) {
    const std::vector<int> rank = ranks();
    int count = 0;
    for (int r : rank) count = (std::max)(count, r + 1);
    std::vector<double> height(static_cast<std::size_t>(count), 0);
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      double& h = height[static_cast<std::size_t>(rank[i])];
      h = (std::max)(h, height_of(nodes_[i]));
    }
    // Columns: each has a row for links that enter, its ranks, and a row for links that leave.
    std::vector<int> row_of(static_cast<std::size_t>(count)), column_of(static_cast<std::size_t>(count));
    double total = 0;
    for (double h : height) total += h + row_gap;
    const double share = total / (std::max)(1.0, std::ceil(total / column_height));  // columns of about equal height
    double filled = share;
    const auto new_row = [&] {
      rows_.emplace_back();
      columns_.back().push_back(static_cast<int>(rows_.size()) - 1);
      return static_cast<int>(rows_.size()) - 1;
    };
    for (int r = 0; r < count; ++r) {
      const auto i = static_cast<std::size_t>(r);
      if (filled + height[i] / 2 > share) {
        if (!columns_.empty()) new_row();
        columns_.emplace_back();
        new_row();
        filled = 0;
      }
      filled += height[i] + row_gap;
      row_of[i] = new_row();
      column_of[i] = static_cast<int>(columns_.size()) - 1;
    }
    if (!columns_.empty()) new_row();

    std::vector<int> slot_of(nodes_.size());
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      const layer_node& n = nodes_[i];
      double width = 40;
      for (std::size_t l = 0; l < n.lines.size(); ++l)
        width = (std::max)(width, text_width(n.lines[l], l ? 10 : 11) + 14);
      slot s;
      s.node_number = static_cast<int>(i);
      s.left = width / 2;
      s.right = (std::max)(width / 2, 6 + text_width(n.result, 10));
      s.height = height_of(n);
      slot_of[i] = add_slot(row_of[static_cast<std::size_t>(rank[i])], s);
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      std::vector<std::pair<int, int>> targets;  // rank, node
      for (const layer_link& l : links_)
        if (l.from == static_cast<int>(i)) targets.emplace_back(rank[static_cast<std::size_t>(l.to)], l.to);
      if (targets.empty()) continue;
      std::sort(targets.begin(), targets.end());
      targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
      int from = slot_of[i];
      std::size_t next = 0;
      for (int r = rank[i] + 1; next < targets.size(); ++r) {
        const auto k = static_cast<std::size_t>(r);
        if (column_of[k] != column_of[k - 1]) {
          const int letter = letters_++;
          slot s;
          s.kind = slot::leaves;
          s.left = s.right = port_radius;
          s.height = 2 * port_radius;
          s.letter = letter;
          connect(from, add_slot(columns_[static_cast<std::size_t>(column_of[k - 1])].back(), s));
          s.kind = slot::enters;
          from = add_slot(columns_[static_cast<std::size_t>(column_of[k])].front(), s);
        }
        for (; next < targets.size() && targets[next].first == r; ++next)
          connect(from, slot_of[static_cast<std::size_t>(targets[next].second)]);
        if (next == targets.size()) break;
        slot s;
        s.kind = slot::pass;
        const int pass = add_slot(row_of[k], s);
        connect(from, pass);
        from = pass;
      }
    }
  }

  /// Sorts rows by the mean place of their neighbours, downwards and upwards in turn.
  void order_column(std::size_t c) {
    std::vector<double> place(slots_.size(), 0);
    const auto number = [&](const row& r) {
      for (std::size_t i = 0; i < r.slots.size(); ++i)
        place[static_cast<std::size_t>(r.slots[i])] = static_cast<double>(i) - static_cast<double>(r.slots.size()) / 2;
    };
    for (int r : columns_[c]) number(at_row(r));
    for (int sweep = 0; sweep < 8; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (std::size_t k = 0; k < columns_[c].size(); ++k) {
        row& r = at_row(columns_[c][down ? k : columns_[c].size() - 1 - k]);
        struct key {
          double mean;
          std::size_t before;  // equal means keep their order
          int number;
          bool operator<(const key& o) const { return mean != o.mean ? mean < o.mean : before < o.before; }
        };
        std::vector<key> keyed;
        for (int s : r.slots) {
          const std::vector<int>& inner = down ? at_slot(s).up : at_slot(s).down;
          double sum = 0;
          for (int n : inner) sum += place[static_cast<std::size_t>(n)];
          const double mean =
              inner.empty() ? place[static_cast<std::size_t>(s)] : sum / static_cast<double>(inner.size());
          keyed.push_back({mean, keyed.size(), s});
        }
        std::sort(keyed.begin(), keyed.end());
        for (std::size_t i = 0; i < keyed.size(); ++i) r.slots[i] = keyed[i].number;
        number(r);
      }
    }
  }

  /// Moves the slots of a row as near to `wanted` as their distances allow: the least sum of squares (pool adjacent
  /// violators).
  void settle_row(const row& r, const std::vector<double>& wanted) {
    struct block {
      double sum = 0, count = 0;
      std::size_t first = 0;
      double mean() const { return sum / count; }
    };
    std::vector<block> blocks;
    std::vector<double> offset(r.slots.size(), 0);
    for (std::size_t i = 0; i < r.slots.size(); ++i) {
      if (i) offset[i] = offset[i - 1] + at_slot(r.slots[i - 1]).right + gap + at_slot(r.slots[i]).left;
      blocks.push_back({wanted[i] - offset[i], 1, i});
      while (blocks.size() > 1 && blocks[blocks.size() - 2].mean() > blocks.back().mean()) {
        blocks[blocks.size() - 2].sum += blocks.back().sum;
        blocks[blocks.size() - 2].count += blocks.back().count;
        blocks.pop_back();
      }
    }
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      const std::size_t end = b + 1 < blocks.size() ? blocks[b + 1].first : r.slots.size();
      for (std::size_t i = blocks[b].first; i < end; ++i) at_slot(r.slots[i]).x = blocks[b].mean() + offset[i];
    }
  }

  /// Each slot under the mean of those above it, then over the mean of those below, in turn; the last turn goes down,
  /// so that a chain is straight.
  void place_column(std::size_t c) {
    for (int r : columns_[c]) settle_row(at_row(r), std::vector<double>(at_row(r).slots.size(), 0));
    for (int sweep = 0; sweep < 9; ++sweep) {
      const bool down = sweep % 2 == 0;
      for (std::size_t k = 0; k < columns_[c].size(); ++k) {
        const row& r = at_row(columns_[c][down ? k : columns_[c].size() - 1 - k]);
        std::vector<double> wanted;
        for (int s : r.slots) {
          double sum = 0;
          const std::vector<int>& inner = down ? at_slot(s).up : at_slot(s).down;
          for (int n : inner) sum += at_slot(n).x;
          wanted.push_back(inner.empty() ? at_slot(s).x : sum / static_cast<double>(inner.size()));
        }
        settle_row(r, wanted);
      }
    }
  }

  /// Gives a column its place to the right of `left`; returns its right edge.
  double move_column(std::size_t c, double left) {
    double low = 1e30, high = -1e30, y = top;
    for (int number : columns_[c]) {
      row& r = at_row(number);
      for (int s : r.slots) {
        low = (std::min)(low, at_slot(s).x - at_slot(s).left);
        high = (std::max)(high, at_slot(s).x + at_slot(s).right);
      }
      r.y = y;
      if (r.slots.empty()) continue;
      r.bottom = y + r.height;
      y = r.bottom + row_gap;
    }
    for (int number : columns_[c])
      for (int s : at_row(number).slots) {
        at_slot(s).x += left - low;
        at_slot(s).row_y = at_row(number).y;
        at_slot(s).row_height = at_row(number).height;
      }
    return high - low + left;
  }

  double upper_end(int s) {  // where a link arrives
    const slot& l = at_slot(s);
    return l.kind == slot::pass ? l.row_y : l.row_y + (l.row_height - l.height) / 2;
  }
  double lower_end(int s) {
    const slot& l = at_slot(s);
    return l.kind == slot::pass ? l.row_y + l.row_height : l.row_y + (l.row_height + l.height) / 2;
  }

  void draw_links(svg_writer& out) {
    for (int lower = 0; lower < static_cast<int>(slots_.size()); ++lower) {
      const slot& to = at_slot(lower);
      std::vector<int> from = to.up;
      std::sort(from.begin(), from.end(), [&](int a, int b) { return at_slot(a).x < at_slot(b).x; });
      const auto count = static_cast<double>(from.size());
      const double apart = count > 1 ? (std::min)(16.0, (2 * to.left - 20) / count) : 0;
      for (std::size_t i = 0; i < from.size(); ++i) {
        // Straight down beside the label, then in a bend.
        const double x0 = at_slot(from[i]).x, start = lower_end(from[i]);
        const double y0 = start + (at_slot(from[i]).kind == slot::node ? 15 : 0);
        const double x1 = to.x + (static_cast<double>(i) - (count - 1) / 2) * apart, y1 = upper_end(lower);
        const double bend = (y1 - y0) / 2;
        out.path(std::string("M") + at(x0) + ' ' + at(start) + 'V' + at(y0) + 'C' + at(x0) + ' ' + at(y0 + bend) + ' ' +
                     at(x1) + ' ' + at(y1 - bend) + ' ' + at(x1) + ' ' + at(y1),
                 "#666", 1.2, {}, to.kind == slot::node);
      }
      if (to.kind == slot::pass) out.line(to.x, upper_end(lower), to.x, lower_end(lower), "#666", 1.2);
    }
  }

  static std::string letter_text(int n) {
    std::string t(1, static_cast<char>('A' + n % 26));
    return n < 26 ? t : letter_text(n / 26 - 1) + t;
  }

  void draw_slots(svg_writer& out) {
    for (int i = 0; i < static_cast<int>(slots_.size()); ++i) {
      const slot& s = at_slot(i);
      const double y = upper_end(i);
      if (s.kind == slot::node) {
        const layer_node& n = nodes_[static_cast<std::size_t>(s.node_number)];
        out.rect(s.x - s.left, y, 2 * s.left, s.height, fill_of(n.kind), "#555", n.details);
        for (std::size_t l = 0; l < n.lines.size(); ++l)
          out.text(s.x, y + line_height * static_cast<double>(l + 1) + 1, n.lines[l],
                   {.size = l ? 10.0 : 11.0, .anchor = "middle", .bold = l == 0});
        if (!s.down.empty())
          out.text(s.x + 5, y + s.height + 12, n.result, {.size = 10, .colour = "#444", .halo = true});
      } else if (s.kind != slot::pass) {
        out.circle(s.x, y + port_radius, port_radius, "#fff", "#888");
        out.text(s.x, y + port_radius + 3.5, letter_text(s.letter), {.size = 9, .anchor = "middle"});
      }
    }
  }

  std::vector<layer_node> nodes_;
  std::vector<layer_link> links_;
  std::vector<slot> slots_{};
  std::vector<row> rows_{};
  std::vector<std::vector<int>> columns_{};  // rows, from the top
  int letters_ = 0;
};

}  // namespace impl
TKL_ISA_END
}  // namespace tkl
