// SPDX-License-Identifier: Apache-2.0
// The networks, compiled for the sizes of frames.hpp. What the compiler made of them is checked here, by the compiler.
#include "networks.hpp"

#include <algorithm>
#include <iterator>
#include <tkl/cpu.hpp>
#include <vector>

#include "networks/classifier.hpp"
#include "networks/detector.hpp"
#include "networks/recogniser.hpp"

namespace read_page {
namespace {

using target = tkl::cpu<>;  // the best level that this unit's compiler flags allow, in the calling thread
using recognisers = tkl::buckets<recogniser, target, 320, 480, 640, 960>;
using detectors = tkl::buckets<detector, target, extent{192, 384}, extent{384, 768}, extent{640, 640},
                               extent{736, 1280}, extent{1280, 736}>;
using direction = tkl::compile<classifier, target>;
static_assert(std::ranges::equal(recognisers::shapes, line_widths));
static_assert(std::ranges::equal(detectors::shapes, page_sizes));

/// Whether no layout is converted between input and output, and the arena is within a tenth of its lower bound.
template <class Network>
inline constexpr bool lean =
    Network::conversions == 0 && Network::arena_bytes <= Network::lower_bound / 10 * 11 + 128 * Network::buffers;

// Other runtimes keep 347 of the recogniser's nodes.
using reads_320 = recognisers::model<320>;
using reads_960 = recognisers::model<960>;
static_assert(reads_320::steps <= 62 && reads_320::kernels <= 22 && lean<reads_320> && lean<reads_960>);
static_assert(reads_320::arena_bytes <= 2'000'000 && recognisers::arena_bytes <= 6'000'000);

using finds_192 = detectors::model<page_sizes[0]>;
using finds_1280 = detectors::model<page_sizes[4]>;
static_assert(finds_192::steps <= 92 && finds_192::kernels <= 22 && lean<finds_192> && lean<finds_1280>);
static_assert(finds_192::arena_bytes <= 4'200'000 && detectors::arena_bytes <= 53'000'000);

static_assert(direction::steps <= 76 && direction::kernels <= 16 && lean<direction>);
static_assert(direction::arena_bytes <= 350'000);

/// Number of the shape that a frame was made for; -1 is refused by the network.
int shape_number(const extent& frame) {
  return detectors::smallest([&](const extent& e) { return e == frame; });
}
int shape_number(int width) {
  return recognisers::smallest([&](int w) { return w == width; });
}

constexpr int largest_page = [] {
  int pixels = 0;
  for (const extent& e : page_sizes) pixels = std::max(pixels, e.height * e.width);
  return pixels;
}();
constexpr int longest_line = *std::max_element(std::begin(line_widths), std::end(line_widths)) / columns_per_step;

}  // namespace

struct networks::state {
  recognisers recognise;
  direction classify;
  detectors detect;
  tkl::arena_workspace workspace;  // the networks run one after another
  std::vector<float> classes = std::vector<float>(std::size_t{longest_line} * recogniser_classes);
  std::vector<float> text = std::vector<float>(largest_page);
};

networks::networks(std::unique_ptr<state> s) : state_(std::move(s)) {}
networks::networks(networks&&) noexcept = default;
networks::~networks() = default;

tkl::result<networks> networks::load(const std::string& folder) {
  auto recognise = recognisers::load((folder + "/rec.safetensors").c_str());
  if (!recognise) return recognise.error();
  auto classify = direction::load((folder + "/cls.safetensors").c_str());
  if (!classify) return classify.error();
  auto detect = detectors::load((folder + "/det.safetensors").c_str());
  if (!detect) return detect.error();
  auto workspace = tkl::shared_workspace<recognisers, direction, detectors>();
  if (!workspace) return workspace.error();
  return networks(std::make_unique<state>(
      state{std::move(*recognise), std::move(*classify), std::move(*detect), std::move(*workspace)}));
}

tkl::result<const float*> networks::detect(const framed& page) {
  const int shape = shape_number(page.frame);
  if (const tkl::status s = state_->detect(shape, state_->workspace, page.rgb, state_->text.data()); !s) return s;
  return state_->text.data();
}

tkl::result<float> networks::classify(const framed& line) {
  const std::int32_t width[] = {line.used.width};
  float upright_and_turned[2];
  if (const tkl::status s = state_->classify(state_->workspace, line.rgb, +width, +upright_and_turned); !s) return s;
  return upright_and_turned[1];
}

tkl::result<const float*> networks::recognise(const framed& line) {
  const int shape = shape_number(line.frame.width);
  const std::int32_t width[] = {line.used.width};
  const tkl::status s = state_->recognise(shape, state_->workspace, line.rgb, +width, state_->classes.data());
  if (!s) return s;
  return state_->classes.data();
}

const char* networks::level() {
  return target::arch_type::name.data();
}

}  // namespace read_page
