//===- Process.cpp - A child process whose output is kept -----------------===//
//
// Part of TileLang Native, licensed under the Apache License 2.0.
// SPDX-License-Identifier: Apache-2.0
//
//===----------------------------------------------------------------------===//

#include "Process.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

extern char **environ;

using namespace tilelang;

Process &Process::operator=(Process &&other) noexcept {
  std::swap(child, other.child);
  std::swap(pipeEnd, other.pipeEnd);
  return *this;
}

Process::~Process() {
  std::string ignored;
  if (child >= 0)
    finish(ignored);
}

bool Process::start(const std::vector<std::string> &arguments,
                    std::string &error) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    error = std::string("cannot make a pipe: ") + std::strerror(errno);
    return false;
  }
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
  posix_spawn_file_actions_adddup2(&actions, ends[1], 2);
  std::vector<char *> argv;
  for (const std::string &argument : arguments)
    argv.push_back(const_cast<char *>(argument.c_str()));
  argv.push_back(nullptr);
  int failure =
      posix_spawn(&child, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (failure != 0) {
    close(ends[0]);
    child = -1;
    error = "cannot start '" + arguments[0] + "': " + std::strerror(failure);
    return false;
  }
  pipeEnd = ends[0];
  return true;
}

int Process::finish(std::string &output) {
  char buffer[4096];
  for (;;) {
    ssize_t got = read(pipeEnd, buffer, sizeof(buffer));
    if (got > 0)
      output.append(buffer, static_cast<size_t>(got));
    else if (got == 0 || errno != EINTR)
      break;
  }
  close(pipeEnd);
  pipeEnd = -1;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  child = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
