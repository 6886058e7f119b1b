# Warnings and language options shared by all our targets.
add_compile_options(-Wall -Wextra -Wno-unused-parameter)
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wno-deprecated-declarations>)

# Assertions stay on in the development and CI presets: Debian's LLVM is built
# without them, so ours are the only ones that run.
option(TILELANG_ENABLE_ASSERTIONS "Build our own code without NDEBUG" ON)
if(TILELANG_ENABLE_ASSERTIONS)
  foreach(config RELEASE RELWITHDEBINFO MINSIZEREL)
    string(REGEX REPLACE "[-/]DNDEBUG" "" CMAKE_CXX_FLAGS_${config} "${CMAKE_CXX_FLAGS_${config}}")
  endforeach()
endif()
option(TILELANG_WERROR "Treat warnings as errors" OFF)
if(TILELANG_WERROR)
  add_compile_options(-Werror)
endif()
