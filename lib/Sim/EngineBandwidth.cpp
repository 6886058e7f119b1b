//===- EngineBandwidth.cpp - Shared bandwidth of global memory ------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "tilelang/Sim/EngineBandwidth.h"

#include <algorithm>

using namespace tilelang;
using namespace tilelang::sim;

/// A flow with less than this many bytes left has ended; far below a byte, far
/// above the rounding of the sums.
static constexpr double kDone = 1e-6;

void Bandwidth::start(double now, const FlowRequest &request) {
  advance(now);
  flows.push_back({request, request.bytes});
  stale = true;
}

void Bandwidth::advance(double now) {
  double elapsed = now - clock;
  if (elapsed > 0) {
    if (stale)
      recompute();
    for (Flow &flow : flows)
      flow.remaining -= flow.rate * elapsed;
    clock = now;
  }
  stale = true;
}

void Bandwidth::finish(double now, std::vector<uint32_t> &tokens) {
  advance(now);
  size_t kept = 0;
  for (size_t i = 0; i != flows.size(); ++i) {
    // At large times a step may be shorter than the resolution of the clock;
    // the flow is then as good as done.
    if (flows[i].remaining <= kDone ||
        flows[i].remaining / flows[i].rate <= now * 1e-14)
      tokens.push_back(flows[i].request.token);
    else
      flows[kept++] = flows[i];
  }
  flows.resize(kept);
}

/// Lowers rates until the resource is not overcommitted: the largest level is
/// found at which every flow that uses the resource takes the smaller of its
/// rate and the level.
template <typename Use> void Bandwidth::share(double capacity, Use &&use) {
  levels.clear();
  double demand = 0, users = 0;
  for (const Flow &flow : flows) {
    double weight = use(flow.request);
    if (weight <= 0)
      continue;
    levels.push_back({flow.rate, weight});
    demand += flow.rate * weight;
    users += weight;
  }
  if (demand <= capacity)
    return;
  std::sort(levels.begin(), levels.end());
  double left = capacity;
  double level = 0;
  for (auto [rate, weight] : levels) {
    level = left / users;
    if (rate >= level)
      break;
    left -= rate * weight;
    users -= weight;
  }
  for (Flow &flow : flows)
    if (use(flow.request) > 0)
      flow.rate = std::min(flow.rate, level);
}

void Bandwidth::recompute() {
  stale = false;
  next = std::numeric_limits<double>::infinity();
  if (flows.empty())
    return;
  for (Flow &flow : flows)
    flow.rate = flow.request.ceiling;

  // Several cores on the same lines at the same time.
  streams.clear();
  for (uint32_t i = 0; i != flows.size(); ++i)
    if (flows[i].request.stream)
      streams.push_back({flows[i].request.stream, i});
  std::sort(streams.begin(), streams.end());
  for (size_t i = 0; i != streams.size();) {
    size_t j = i + 1;
    while (j != streams.size() && streams[j].first == streams[i].first)
      ++j;
    if (j - i > 1) {
      double ceiling = flows[streams[i].second].request.streamCeiling /
                       static_cast<double>(j - i);
      for (; i != j; ++i) {
        Flow &flow = flows[streams[i].second];
        flow.rate = std::min(flow.rate, ceiling);
      }
    }
    i = j;
  }
  share(constants.l2Read,
        [](const FlowRequest &r) { return r.write ? 0.0 : r.l2Weight; });
  share(constants.l2Write,
        [](const FlowRequest &r) { return r.write ? 1.0 : 0.0; });
  // One resource: reads and write-backs add up, each at its own rate.
  share(1.0, [this](const FlowRequest &r) {
    return r.hbmReadShare / constants.hbmRead +
           r.hbmWriteShare / constants.hbmWrite;
  });
  for (const Flow &flow : flows)
    next = std::min(next, clock + std::max(flow.remaining, 0.0) / flow.rate);
}
