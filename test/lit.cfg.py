# Configuration of the lit tests; values from the build are in lit.site.cfg.py.
# ruff: noqa: F821
import os

import lit.formats
import lit.util

config.name = "TileLang Native"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["CMakeLists.txt", "Inputs", "lit.cfg.py", "lit.site.cfg.py"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.tilelang_binary_dir, "test")

# Our tools first, then FileCheck, not, split-file and mlir-opt.
config.environment["PATH"] = os.pathsep.join(
    [config.tilelang_tools_dir, config.llvm_tools_dir, os.environ.get("PATH", "")]
)
# Debug output and reproducers of the caller's shell must not reach the tests.
config.environment.pop("TILELANG_DEBUG_ONLY", None)

config.substitutions.append(("%chips", os.path.join(config.tilelang_source_dir, "chips")))
config.substitutions.append(("%python", config.python_executable))
config.available_features.add("assertions" if config.enable_assertions else "noassertions")
