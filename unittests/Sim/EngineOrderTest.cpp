//===- EngineOrderTest.cpp - Queues, flags, barriers, time ----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "EngineTest.h"

#include <numeric>

using namespace tilelang::sim;
using namespace tilelang::sim::test;

static std::vector<float> ramp(size_t count, float start = 0) {
  std::vector<float> data(count);
  std::iota(data.begin(), data.end(), start);
  return data;
}

// z = x + y in tiles with two buffers and flags in both directions.
static void addTiles(const float *x, const float *y, float *z, int tiles,
                     uint32_t count) {
  uint32_t bytes = count * 4;
  for (int slot = 0; slot != 2; ++slot) {
    setFlag(Pipe::V, Pipe::MTE2, slot);
    setFlag(Pipe::MTE3, Pipe::V, slot);
  }
  for (int tile = 0; tile != tiles; ++tile) {
    uint32_t slot = tile % 2;
    uint64_t a = slot * 3 * bytes, b = a + bytes, c = b + bytes;
    waitFlag(Pipe::V, Pipe::MTE2, slot);
    copyIn(a, x + tile * count, bytes);
    copyIn(b, y + tile * count, bytes);
    setFlag(Pipe::MTE2, Pipe::V, slot);
    waitFlag(Pipe::MTE2, Pipe::V, slot);
    waitFlag(Pipe::MTE3, Pipe::V, slot);
    add(c, a, b, count);
    setFlag(Pipe::V, Pipe::MTE2, slot);
    setFlag(Pipe::V, Pipe::MTE3, slot);
    waitFlag(Pipe::V, Pipe::MTE3, slot);
    copyOut(z + tile * count, c, bytes);
    setFlag(Pipe::MTE3, Pipe::V, slot);
  }
  for (int slot = 0; slot != 2; ++slot) {
    waitFlag(Pipe::V, Pipe::MTE2, slot);
    waitFlag(Pipe::MTE3, Pipe::V, slot);
  }
}

namespace {
struct AddLaunch : Launch {
  std::vector<float> x, y, z;
  int tiles;
  uint32_t count;
  AddLaunch(uint32_t blocks, int tiles, uint32_t count = 1024)
      : x(ramp(blocks * tiles * count)), y(ramp(x.size(), 5)), z(x.size(), -1),
        tiles(tiles), count(count) {
    options.blockDim = blocks;
    buffer("x", x);
    buffer("y", y);
    buffer("z", z, /*initialised=*/false);
  }
  void go() {
    runAiv([this] {
      int64_t block = ascsim_query(Query::BlockIdx);
      size_t offset = block * tiles * count;
      addTiles(x.data() + offset, y.data() + offset, z.data() + offset, tiles,
               count);
    });
  }
  void expectSum() const {
    for (size_t i = 0; i != z.size(); ++i)
      ASSERT_EQ(z[i], x[i] + y[i]) << i;
  }
};
} // namespace

TEST(EngineOrder, DoubleBufferedAddIsCleanAndRight) {
  AddLaunch launch(1, 9);
  launch.go();
  EXPECT_EQ(launch.messages(), "");
  EXPECT_TRUE(launch.report.completed);
  launch.expectSum();
  EXPECT_GT(launch.report.cycles, 0);
  EXPECT_GT(launch.report.microseconds, launch.report.launchMicroseconds);
}

TEST(EngineOrder, ChecksOffGivesTheSameCyclesAndBytes) {
  AddLaunch on(3, 5), off(3, 5);
  off.options.checks = false;
  on.go();
  off.go();
  EXPECT_EQ(on.report.cycles, off.report.cycles);
  EXPECT_EQ(on.z, off.z);
}

TEST(EngineOrder, RunsAreDeterministic) {
  AddLaunch first(48, 4), second(48, 4);
  first.go();
  second.go();
  EXPECT_EQ(first.report.cycles, second.report.cycles);
  ASSERT_EQ(first.report.cores.size(), 48u);
  for (size_t i = 0; i != 48; ++i)
    EXPECT_EQ(first.report.cores[i].endCycle, second.report.cores[i].endCycle);
}

TEST(EngineOrder, SeedsChangeCyclesNotBytes) {
  AddLaunch reference(8, 6);
  reference.go();
  reference.expectSum();
  std::vector<double> cycles{reference.report.cycles};
  for (uint64_t seed = 1; seed != 6; ++seed) {
    AddLaunch launch(8, 6);
    launch.options.seed = seed;
    launch.go();
    EXPECT_EQ(launch.messages(), "") << "seed " << seed;
    launch.expectSum();
    cycles.push_back(launch.report.cycles);
  }
  std::sort(cycles.begin(), cycles.end());
  EXPECT_EQ(std::unique(cycles.begin(), cycles.end()), cycles.end());
}

TEST(EngineOrder, BlocksBeyondTheCoresRunInWaves) {
  AddLaunch one(48, 2), two(96, 2), many(101, 2);
  one.go();
  two.go();
  many.go();
  EXPECT_EQ(many.messages(), "");
  many.expectSum();
  EXPECT_EQ(many.report.cores.size(), 48u);
  uint32_t blocks = 0;
  for (const CoreReport &core : many.report.cores)
    blocks += core.blocks;
  EXPECT_EQ(blocks, 101u);
  EXPECT_GT(two.report.cycles, 1.5 * one.report.cycles);
}

TEST(EngineOrder, DoubleBufferingIsFasterThanNone) {
  AddLaunch overlapped(1, 16, 4096), serial(1, 16, 4096);
  overlapped.go();
  serial.runAiv([&] {
    for (int tile = 0; tile != serial.tiles; ++tile) {
      uint32_t bytes = serial.count * 4;
      copyIn(0, serial.x.data() + tile * serial.count, bytes);
      copyIn(bytes, serial.y.data() + tile * serial.count, bytes);
      barrier(Pipe::All);
      add(2 * bytes, 0, bytes, serial.count);
      barrier(Pipe::All);
      copyOut(serial.z.data() + tile * serial.count, 2 * bytes, bytes);
      barrier(Pipe::All);
    }
  });
  EXPECT_EQ(serial.messages(), "");
  serial.expectSum();
  EXPECT_LT(overlapped.report.cycles, 0.8 * serial.report.cycles);
}

TEST(EngineOrder, ScalarProgramBlocksWhenAQueueIsFull) {
  // More instructions than the queue holds: the program advances with the
  // pipe, so its clock at the end is near the pipe's.
  std::vector<float> x = ramp(8192);
  Launch launch;
  launch.buffer("x", x);
  int64_t ticks = 0;
  launch.runAiv([&] {
    for (int i = 0; i != 200; ++i) {
      copyIn(0, x.data(), 32768);
      barrier(Pipe::MTE2);
    }
    ticks = ascsim_query(Query::SystemCycle);
  });
  EXPECT_EQ(launch.messages(), "");
  double cyclesAtEnd = static_cast<double>(ticks) * 20 * launch.report.clockGHz;
  EXPECT_GT(cyclesAtEnd, 0.8 * launch.report.cycles);
  EXPECT_LT(cyclesAtEnd, launch.report.cycles);
}

TEST(EngineOrder, MissingFlagComputesWhatTheHardwareCould) {
  // The vector unit does not wait: it adds what was in UB before the load.
  std::vector<float> x = ramp(2048, 1), z(2048, -1);
  Launch launch;
  launch.options.dirtyStart = false;
  launch.buffer("x", x);
  launch.buffer("z", z);
  launch.runAiv([&] {
    copyIn(0, x.data(), 8192);
    add(8192, 0, 0, 2048);
    barrier(Pipe::All);
    copyOut(z.data(), 8192, 8192);
  });
  EXPECT_EQ(z[100], 0);
  EXPECT_EQ(launch.count(finding::kRace), 1u) << launch.messages();
}

TEST(EngineOrder, ScalarFlagsInBothDirections) {
  std::vector<float> x = ramp(64, 3), z(64, 0);
  Launch launch;
  launch.buffer("x", x);
  launch.buffer("z", z);
  launch.runAiv([&] {
    copyIn(0, x.data(), 256);
    setFlag(Pipe::MTE2, Pipe::S);
    waitFlag(Pipe::MTE2, Pipe::S);
    float first = loadFloat(0);
    storeFloat(0, first * 10);
    setFlag(Pipe::S, Pipe::MTE3);
    waitFlag(Pipe::S, Pipe::MTE3);
    copyOut(z.data(), 0, 256);
  });
  EXPECT_EQ(launch.messages(), "");
  EXPECT_EQ(z[0], 30);
  EXPECT_EQ(z[1], 4);
}

TEST(EngineOrder, BandwidthIsShared) {
  // 48 cores stream from HBM: the aggregate stays below its rate, and one core
  // alone is faster than a 48th of all.
  AddLaunch one(1, 40, 4096), all(48, 40, 4096);
  one.go();
  all.go();
  EXPECT_EQ(all.messages(), "");
  double bytes = 2.0 * all.x.size() * 4;
  double rate = bytes / (all.report.cycles / 1.8); // GB/s at 1.8 GHz
  EXPECT_LT(rate, chip().constant("timing.hbm.read_gbps"));
  EXPECT_GT(rate, 0.5 * chip().constant("timing.hbm.read_gbps"));
  EXPECT_GT(all.report.cycles, 1.3 * one.report.cycles);
}

TEST(EngineOrder, SecondReadHitsL2) {
  std::vector<float> x = ramp(1 << 14);
  Launch launch;
  launch.buffer("x", x);
  launch.runAiv([&] {
    for (int pass = 0; pass != 2; ++pass) {
      copyIn(0, x.data(), 1 << 16);
      barrier(Pipe::All);
    }
  });
  EXPECT_EQ(launch.report.l2MissBytes, 1u << 16);
  EXPECT_EQ(launch.report.l2HitBytes, 1u << 16);
}

TEST(EngineOrder, TimelineAndPathsAndJson) {
  AddLaunch launch(2, 3);
  launch.options.timeline = true;
  launch.go();
  EXPECT_EQ(launch.report.timeline.size(), 2u * 3 * 4);
  for (const TimelineEvent &event : launch.report.timeline)
    EXPECT_LT(event.start, event.end);
  std::string json = launch.report.toJson(true);
  EXPECT_NE(json.find("\"GM->UB\":49152"), std::string::npos) << json;
  EXPECT_NE(json.find("\"UB->GM\":24576"), std::string::npos);
  EXPECT_NE(json.find("\"findings\":[]"), std::string::npos);
  EXPECT_EQ(launch.report.vectorOperations, 2u * 3 * 1024);
}

TEST(EngineOrder, EmptyLaunch) {
  AddLaunch launch(1, 1);
  launch.options.blockDim = 0;
  launch.go();
  EXPECT_TRUE(launch.report.completed);
  EXPECT_EQ(launch.z[0], -1);
}

TEST(EngineOrder, WrongLaunchesAreRefused) {
  Launch launch;
  launch.arguments.push_back(LaunchArgument::buffer("a", nullptr, 16));
  auto kernel = Kernel::fromFunctions(KernelType::AivOnly, {}, framed([] {}));
  std::string error;
  EXPECT_FALSE(simulate(*kernel, launch.arguments, launch.options, chip(),
                        launch.report, error));
  EXPECT_NE(error.find("'a' is a null pointer"), std::string::npos) << error;

  launch.options.chip = "no-such-chip";
  launch.options.chipDirectory = TILELANG_CHIP_DIR;
  error.clear();
  EXPECT_FALSE(simulate(*kernel, {}, launch.options, launch.report, error));
  EXPECT_NE(error, "");
}

TEST(EngineOrder, DISABLED_LaunchCost) {
  for (bool checks : {false, true}) {
    double total = 0;
    for (int i = 0; i != 20; ++i) {
      Launch launch;
      launch.options.blockDim = 24;
      launch.options.checks = checks;
      launch.runMix([] {}, [] {});
      total += launch.report.wallSeconds;
    }
    std::printf("empty mixed launch on 72 cores, checks %d: %.2f ms\n", checks,
                total / 20 * 1e3);
  }
}
