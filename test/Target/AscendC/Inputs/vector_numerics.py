"""Rows through UB and back in every form, and index vectors of every type."""

from __future__ import annotations

import random

from simulate import Run, decode, encode


def kernel(parameters: str, names: str, body: str) -> str:
    return f"""
ascend.kernel vector @program parameters [{names}] blocks 1 aic {{
^bb0({parameters}):
  ascend.end
}} aiv {{
^bb0({parameters}):
{body}
  ascend.end
}}
"""


def check_rows(element: str, rows: int, columns: int, stride: int, pitch: int, run_time: bool) -> None:
    """Copies rows of an array of rows `stride` apart into another like it."""
    gm = f"memref<{rows}x{stride}x{element}, #ascend.memory<gm>>"
    ub = f"memref<{rows}x{pitch}x{element}, #ascend.memory<ub>>"
    counts = "\n".join(
        f"  %{name} = arith.index_cast %{name}_ : i32 to index"
        if run_time
        else f"  %{name} = arith.constant {value} : index"
        for name, value in (("r", rows), ("c", columns))
    )
    body = f"""
  %u = ascend.alloc "u" {{address = 0 : i64}} : {ub}
{counts}
  %zero = arith.constant 0 : index
  %stride = arith.constant {stride} : index
  ascend.load %X at %zero rows %r columns %c stride %stride to %u : {gm} to {ub}
  ascend.set_flag MTE2 to MTE3 id 0 group 0
  ascend.wait_flag MTE2 to MTE3 id 0 group 0
  ascend.store %u to %Y at %zero rows %r columns %c stride %stride : {ub} to {gm}
"""
    text = kernel(f"%X: {gm}, %Y: {gm}, %r_: i32, %c_: i32", '"X", "Y", "r", "c"', body)
    generator = random.Random(rows * columns)
    source = [float(generator.randint(0, 100)) for _ in range(rows * stride)]
    untouched = [77.0] * (rows * stride)
    run = Run("program", "aiv", [encode(element, source), encode(element, untouched), rows, columns])
    found = decode(element, run.launch(text)[1])
    expected = [source[i] if i % stride < columns else 77.0 for i in range(rows * stride)]
    assert found == expected, (element, rows, columns, stride, pitch, run_time)


def check_index(element: str, count: int, first: int) -> None:
    gm = f"memref<{count}x{element}, #ascend.memory<gm>>"
    ub = f"memref<{-(-count // 16) * 16}x{element}, #ascend.memory<ub>>"
    literal = f"{first}.0" if element.startswith("f") else str(first)
    body = f"""
  %u = ascend.alloc "u" {{address = 0 : i64}} : {ub}
  %first = arith.constant {literal} : {element}
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %count = arith.constant {count} : index
  ascend.vector_index %u, %first count {count} : {ub}, {element}
  ascend.set_flag V to MTE3 id 0 group 0
  ascend.wait_flag V to MTE3 id 0 group 0
  ascend.store %u to %X at %zero rows %one columns %count stride %count : {ub} to {gm}
"""
    text = kernel(f"%X: {gm}", '"X"', body)
    found = decode(element, Run("program", "aiv", [encode(element, [0.0] * count)]).launch(text)[0])
    assert found == [float(first + lane) for lane in range(count)], (element, count, first)


def main() -> None:
    rows = [
        ("f32", 64, 100, 100, 104, False),
        ("f32", 7, 3, 10, 8, True),
        ("f32", 5000, 3, 4, 8, True),
        ("f16", 4, 96, 96, 96, False),
        ("bf16", 4, 17, 33, 32, True),
        ("i8", 3, 40, 40, 64, True),
        ("i64", 10, 3, 5, 4, False),
        ("f16", 1, 33, 33, 48, False),
    ]
    for case in rows:
        check_rows(*case)
    indices = [("i32", 200, -5), ("f32", 1000, 0), ("f16", 300, 1), ("i16", 5, 7), ("i32", 1, 9)]
    for element, count, first in indices:
        check_index(element, count, first)
    print(f"{len(rows)} transfers and {len(indices)} index vectors are right")


if __name__ == "__main__":
    main()
