# Sources of the instruction set, for the library in lib/Sim. Included there, so
# that the options below are set in the directory that compiles the files.
set(TILELANG_SIM_INSTRUCTION_SOURCES
  "${CMAKE_CURRENT_LIST_DIR}/Accesses.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/AccessesCube.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/BFloatSupport.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/Cost.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/Execute.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/ExecuteCube.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/ExecuteMove.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/ExecuteVector.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/Kernels.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/Legality.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/LegalityVector.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/Names.cpp"
  "${CMAKE_CURRENT_LIST_DIR}/VectorLayout.cpp")

# The inner loops: one file per CPU level, the same bits from each, hence no
# contraction. They include no standard header (Kernels.h says why).
set(kernel_options -O3 -ffp-contract=off -fno-math-errno -fno-strict-aliasing -fno-exceptions)
set(kernel_levels Baseline)
set(kernel_options_Baseline "")
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  list(APPEND kernel_levels AVX2 AVX512)
  set(kernel_options_AVX2 -mavx2 -mfma -mf16c -mbmi2)
  set(kernel_options_AVX512 -mavx512f -mavx512bw -mavx512vl -mavx512dq -mavx2 -mfma -mf16c -mbmi2
      -mprefer-vector-width=512)
endif()
foreach(level IN LISTS kernel_levels)
  set(file "${CMAKE_CURRENT_LIST_DIR}/Kernels${level}.cpp")
  set_source_files_properties("${file}" PROPERTIES
    SKIP_PRECOMPILE_HEADERS ON
    COMPILE_OPTIONS "${kernel_options};${kernel_options_${level}}"
    OBJECT_DEPENDS "${CMAKE_CURRENT_LIST_DIR}/Numbers.inc;${CMAKE_CURRENT_LIST_DIR}/VectorKernels.inc;${CMAKE_CURRENT_LIST_DIR}/ReduceKernels.inc;${CMAKE_CURRENT_LIST_DIR}/CubeKernels.inc")
  list(APPEND TILELANG_SIM_INSTRUCTION_SOURCES "${file}")
endforeach()
