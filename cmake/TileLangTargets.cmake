# Helpers that give every library the same shape.

# tilelang_add_mlir_library(NAME SOURCES... [DEPENDS ...] [LINK ...])
# A static library on MLIR; links the MLIR shared library and shares one
# precompiled header.
function(tilelang_add_mlir_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  # All generated headers first: dialects include each other's.
  add_dependencies(${name} tilelang-tablegen ${ARG_DEPENDS})
  target_precompile_headers(${name} REUSE_FROM TileLangMLIRPrecompiled)
endfunction()

# tilelang_add_library(NAME SOURCES... [LINK ...]): no LLVM inside.
function(tilelang_add_library name)
  cmake_parse_arguments(ARG "SHARED" "" "LINK" ${ARGN})
  if(ARG_SHARED)
    add_library(${name} SHARED ${ARG_UNPARSED_ARGUMENTS})
  else()
    add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

# tilelang_add_unittest(NAME SOURCES... [LINK ...])
function(tilelang_add_unittest name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest_main)
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/unittests")
  add_test(NAME ${name} COMMAND ${name})
  add_dependencies(tilelang-unittests ${name})
endfunction()
add_custom_target(tilelang-unittests)
add_custom_target(tilelang-tablegen)
