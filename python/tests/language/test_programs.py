"""Whole programs: what they are translated to."""

import sys

import pytest

import tilelang.language as T
from tilelang.language import Param, PrimFunc


def gemm(M, N, K, block_M=128, block_N=128, block_K=32):
    @T.prim_func
    def main(
        A: T.Tensor((M, K), dtype="float16"),
        B: T.Tensor((K, N), dtype="float16"),
        C: T.Tensor((M, N), dtype="float32"),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=128) as (bx, by):
            A_tile = T.alloc_shared((block_M, block_K), dtype="float16")
            B_tile = T.alloc_shared((block_K, block_N), dtype="float16")
            C_local = T.alloc_local((block_M, block_N), dtype="float32")
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=3):
                T.copy(A[by * block_M, k * block_K], A_tile)
                T.copy(B[k * block_K, bx * block_N], B_tile)
                T.gemm(A_tile, B_tile, C_local)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main


def test_gemm(check_text):
    program = gemm(131, 257, 65)
    assert isinstance(program, PrimFunc)
    check_text(
        program.script(),
        'func.func @main(%arg0: !tile.ptr<f16> {tile.name = "A"}',
        "%c3 = arith.constant 3 : index",
        "%c2 = arith.constant 2 : index",
        'tile.tensor %arg0, ... {name = "A"} : <f16> -> memref<131x65xf16, #tile.scope<global>>',
        "tile.kernel[%c3, %c2]",
        'tile.alloc {name = "A_tile"} : memref<128x32xf16, #tile.scope<shared>>',
        'tile.alloc {name = "C_local"} : memref<128x128xf32, #tile.scope<local>>',
        "tile.fill",
        "tile.for pipelined %c0 to %c3 step %c1 stages 3",
        "arith.muli %arg4, %c128",
        "tile.copy ... : <128x32xf16> to <128x32xf16>",
        "tile.gemm ... into ... clear %false : <128x32xf16>, <32x128xf16> into <128x128xf32>",
        "tile.copy ... : <128x128xf32> to <128x128xf32>",
        "} {threads = array<i64: 128>}",
    )


def test_parameters_and_place():
    program = gemm(128, 128, 64)
    assert program.name == "main"
    assert program.params[0] == Param("A", "tensor", T.dtype("float16"), (128, 64), None)
    assert [p.name for p in program.params] == ["A", "B", "C"]
    assert program.source_file == __file__
    assert program.source_line == gemm.__code__.co_firstlineno + 1


def test_vector_add_computes_in_float32_and_rounds_at_the_store(check_text):
    N, block = 1000, 256

    @T.prim_func
    def main(A: T.Buffer((N,), "float16"), B: T.Buffer((N,), "float16"), C: T.Buffer((N,), "float16")):
        with T.Kernel(T.ceildiv(N, block), threads=block) as bx:
            for i in T.Parallel(block):
                idx = bx * block + i
                if idx < N:
                    C[idx] = A[idx] + B[idx]

    check_text(
        main.script(),
        "tile.parallel [256]",
        "arith.cmpi slt, ..., %c1000 : index",
        "scf.if",
        "-> f16",
        "arith.extf ... : f16 to f32",
        "arith.addf ... : f32",
        "tile.cast ... : f32 to f16",
        "tile.store",
    )
    assert "else" not in main.script()


def test_bias_and_relu(check_text):
    @T.prim_func
    def main(bias: T.Tensor((64,), "float32"), C: T.Tensor((64, 64), "float16")):
        with T.Kernel(1) as bx:
            bias_local = T.alloc_fragment((64,), "float32")
            acc = T.alloc_fragment((64, 64), "float32")
            T.copy(bias[bx * 64], bias_local)
            for i, j in T.Parallel(64, 64):
                acc[i, j] = T.max(acc[i, j] + bias_local[j], 0)
            T.copy(acc, C[0, 0])

    check_text(
        main.script(),
        "tile.parallel [64, 64]",
        "arith.addf",
        "arith.maximumf",
        "tile.store",
        "tile.copy ... : <64x64xf32> to <64x64xf16>",
    )


@pytest.mark.skipif(sys.version_info < (3, 11), reason="Python 3.10 knows lines only")
def test_locations_have_columns():
    text = gemm(128, 128, 64).module().text(locations=True)
    with open(__file__) as file:
        line = next(i for i, source in enumerate(file, 1) if "T.gemm(A_tile" in source)
    assert f'loc("{__file__}":{line}:17 to :48)' in text


def test_hash_ignores_places_but_not_content():
    def make(value):
        @T.prim_func
        def main(A: T.Tensor((64,), "float32")):
            with T.Kernel(1):
                T.fill(A, value)

        return main

    def make_elsewhere(value):
        @T.prim_func
        def main(A: T.Tensor((64,), "float32")):
            with T.Kernel(1):
                T.fill(A, value)

        return main

    assert make(1).module().hash() == make_elsewhere(1).module().hash()
    assert make(1).module().hash() != make(2).module().hash()


def test_module_survives_text_and_bytecode():
    from tilelang import _compiler

    module = gemm(128, 128, 64).module()
    assert str(_compiler.Module.parse(str(module))) == str(module)
    again = _compiler.Module.parse(module.bytecode())
    assert again.hash() == module.hash()
    assert again.text(locations=True) == module.text(locations=True)
    assert again.verify() == []
    assert module.clone().hash() == module.hash()
