# Helpers that give every library the same shape.

add_custom_target(tilelang-tablegen)
add_custom_target(tilelang-unittests)

# tilelang_use_mlir_header(NAME): for a target that includes MLIR; generated
# headers first (dialects include each other's), one precompiled header for all.
function(tilelang_use_mlir_header name)
  add_dependencies(${name} tilelang-tablegen)
  get_target_property(type ${name} TYPE)
  if(type STREQUAL EXECUTABLE)
    # CMake would ask for -fPIE, and the compiler takes a header only with the
    # -fPIC that it was made with.
    set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${name} PRIVATE -fPIC)
  endif()
  target_precompile_headers(${name} REUSE_FROM TileLangMLIRPrecompiled)
endfunction()

# tilelang_add_mlir_library(NAME SOURCES... [DEPENDS ...] [LINK ...])
# A static library on MLIR; links the MLIR shared library.
function(tilelang_add_mlir_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PUBLIC ${ARG_LINK} MLIR LLVM)
  tilelang_use_mlir_header(${name})
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
endfunction()

# tilelang_add_library(NAME SOURCES... [SHARED] [LINK ...]): no LLVM inside.
function(tilelang_add_library name)
  cmake_parse_arguments(ARG "SHARED" "" "LINK" ${ARGN})
  if(ARG_SHARED)
    add_library(${name} SHARED ${ARG_UNPARSED_ARGUMENTS})
  else()
    add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  endif()
  target_link_libraries(${name} PUBLIC ${ARG_LINK})
endfunction()

# tilelang_add_unittest(NAME SOURCES... [MLIR] [LINK ...]): MLIR says that the
# sources include it.
function(tilelang_add_unittest name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gtest_main)
  if(ARG_MLIR)
    tilelang_use_mlir_header(${name})
  endif()
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/unittests")
  add_test(NAME ${name} COMMAND ${name})
  add_dependencies(tilelang-unittests ${name})
endfunction()
