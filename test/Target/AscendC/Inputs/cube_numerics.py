"""Products of one tile: every element type, both orientations of both operands."""

from __future__ import annotations

import itertools
import random
import struct

from simulate import Run, decode, encode


def rounded_up(value: int, multiple: int) -> int:
    return -(-value // multiple) * multiple


def memref(rows: int, columns: int, element: str, memory: str) -> str:
    return f"memref<{rows}x{columns}x{element}, #ascend.memory<{memory}>>"


def program(element: str, left: tuple[int, int], right: tuple[int, int], m: int, n: int, k: int, run_time: bool) -> str:
    """`left` and `right` are the shapes in memory; extents are constants or arguments."""
    transpose_a = " {transpose}" if left != (m, k) else ""
    transpose_b = " {transpose}" if right != (k, n) else ""
    padded = [(rounded_up(shape[0], 16), rounded_up(shape[1], 16)) for shape in (left, right)]
    a, b, c = memref(*left, element, "gm"), memref(*right, element, "gm"), memref(m, n, element, "gm")
    a1, b1 = memref(*padded[0], element, "l1"), memref(*padded[1], element, "l1")
    m16, n16, k16 = (rounded_up(extent, 16) for extent in (m, n, k))
    a0, b0 = memref(m16, k16, element, "l0a"), memref(k16, n16, element, "l0b")
    c0 = memref(m16, n16, "f32", "l0c")
    parameters = f"%A: {a}, %B: {b}, %C: {c}, %m_: i32, %n_: i32, %k_: i32"
    extents = "\n".join(
        f"  %{name} = arith.index_cast %{name}_ : i32 to index"
        if run_time
        else f"  %{name} = arith.constant {value} : index"
        for name, value in (("m", m), ("n", n), ("k", k))
    )
    rows_a, columns_a = ("%k", "%m") if transpose_a else ("%m", "%k")
    rows_b, columns_b = ("%n", "%k") if transpose_b else ("%k", "%n")
    return f"""
ascend.kernel cube @product parameters ["A", "B", "C", "m", "n", "k"] blocks 1 aic {{
^bb0({parameters}):
  %A1 = ascend.alloc "A1" {{address = 0 : i64}} : {a1}
  %B1 = ascend.alloc "B1" {{address = 0x20000 : i64}} : {b1}
  %A0 = ascend.alloc "A0" {{address = 0 : i64}} : {a0}
  %B0 = ascend.alloc "B0" {{address = 0 : i64}} : {b0}
  %C0 = ascend.alloc "C0" {{address = 0 : i64}} : {c0}
{extents}
  %zero = arith.constant 0 : index
  %true = arith.constant true
  %pitch_a = arith.constant {left[1]} : index
  %pitch_b = arith.constant {right[1]} : index
  %pitch_c = arith.constant {n} : index
  ascend.nd2nz %A at %zero rows {rows_a} columns {columns_a} stride %pitch_a to %A1 : {a} to {a1}
  ascend.nd2nz %B at %zero rows {rows_b} columns {columns_b} stride %pitch_b to %B1 : {b} to {b1}
  ascend.set_flag MTE2 to MTE1 id 0 group 0
  ascend.wait_flag MTE2 to MTE1 id 0 group 0
  ascend.load_l0a %A1 at [%zero, %zero] extents [%m, %k] to %A0{transpose_a} : {a1} to {a0}
  ascend.load_l0b %B1 at [%zero, %zero] extents [%n, %k] to %B0{transpose_b} : {b1} to {b0}
  ascend.set_flag MTE1 to M id 0 group 1
  ascend.wait_flag MTE1 to M id 0 group 1
  ascend.mmad %C0, %A0, %B0 extents [%m, %n, %k] init %true : {c0}, {a0}, {b0}
  ascend.set_flag M to FIX id 0 group 2
  ascend.wait_flag M to FIX id 0 group 2
  ascend.fixpipe %C0 to %C at %zero rows %m columns %n stride %pitch_c product_rows %m : {c0} to {c}
  ascend.end
}} aiv {{
^bb0({parameters}):
  ascend.end
}}
"""


def main() -> None:
    generator = random.Random(0)
    sizes = itertools.cycle([(48, 80, 40, False), (33, 17, 9, True), (1, 16, 24, False), (64, 40, 32, True)])
    count = 0
    # More sizes than orientations, so that the pairs differ from type to type.
    for element, turned_a, turned_b in itertools.product(("f16", "bf16", "f32"), (False, True), (False, True)):
        for _ in range(2):
            m, n, k, run_time = next(sizes)
            a = [[generator.randint(-4, 4) for _ in range(k)] for _ in range(m)]
            b = [[generator.randint(-4, 4) for _ in range(n)] for _ in range(k)]
            expected = [float(sum(a[i][t] * b[t][j] for t in range(k))) for i in range(m) for j in range(n)]
            stored_a = [list(row) for row in zip(*a, strict=True)] if turned_a else a
            stored_b = [list(row) for row in zip(*b, strict=True)] if turned_b else b
            text = program(
                element, (len(stored_a), len(stored_a[0])), (len(stored_b), len(stored_b[0])), m, n, k, run_time
            )
            arguments: list[bytes | int] = [
                encode(element, [float(number) for row in stored_a for number in row]),
                encode(element, [float(number) for row in stored_b for number in row]),
                encode(element, [0.0] * (m * n)),
                m,
                n,
                k,
            ]
            found = decode(element, Run("product", "aic", arguments).launch(text)[2])
            # bf16 keeps 8 bits: what it cannot hold is compared as it rounds.
            assert found == decode(element, encode_rounded(element, expected)), (element, turned_a, turned_b, m, n, k)
            count += 1
    print(f"{count} products are right")


def encode_rounded(element: str, numbers: list[float]) -> bytes:
    if element != "bf16":
        return encode(element, numbers)
    # Sums of small integers have at most 11 bits: adding half of the last kept
    # place, and its own bit, rounds to nearest even before the cut.
    rounded = []
    for number in numbers:
        bits = struct.unpack("<I", struct.pack("<f", number))[0]
        bits += 0x7FFF + (bits >> 16 & 1)
        rounded.append(struct.unpack("<f", struct.pack("<I", bits & 0xFFFF0000))[0])
    return encode(element, rounded)


if __name__ == "__main__":
    main()
