"""Benchmarks and comparisons with inputs made here."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from ..errors import ArgumentValueError
from ..runtime.loading import numpy_dtype
from ..utils import TensorSupplyType

if TYPE_CHECKING:
    from ..jit.kernel import JITKernel

__all__ = ["Profiler", "do_bench", "make_inputs"]

_SEED = 0


def _supply(value: Any) -> TensorSupplyType:
    if value is None:
        return TensorSupplyType.Auto
    if isinstance(value, TensorSupplyType):
        return value
    raise ArgumentValueError(
        f"tensor_supply_type is {value!r}, expected a member of TensorSupplyType",
        values=[", ".join(member.name for member in TensorSupplyType)],
    )


def make_inputs(kernel: JITKernel, supply: Any = None) -> list[Any]:
    """Arrays for the parameters that the caller provides: torch tensors if the program uses torch, NumPy arrays
    otherwise. Always the same values for the same kernel."""
    import numpy

    kind = _supply(supply)
    generator = numpy.random.default_rng(_SEED)
    inputs: list[Any] = []
    for index, parameter in enumerate(kernel.artifact.parameters):
        if index in kernel._outputs:
            continue
        name, dtype = parameter["name"], parameter["dtype"]
        if parameter["kind"] != "tensor":
            raise ArgumentValueError(
                f"no value can be made up for the scalar parameter '{name}' of kernel '{kernel.name}'",
                help="pass the arguments yourself",
            )
        shape = parameter["shape"]
        if not all(isinstance(extent, int) for extent in shape):
            raise ArgumentValueError(
                f"no input can be made up for parameter '{name}' of kernel '{kernel.name}': its sizes are known at run "
                "time only",
                help="pass the arguments yourself",
            )
        inputs.append(_to_library(_values(generator, shape, dtype, kind), dtype))
    return inputs


def _values(generator: Any, shape: Sequence[int], dtype: str, kind: TensorSupplyType) -> Any:
    import numpy

    is_float = "float" in dtype
    if kind is TensorSupplyType.Zero:
        values = numpy.zeros(shape)
    elif kind is TensorSupplyType.One:
        values = numpy.ones(shape)
    elif dtype == "bool":
        values = generator.integers(0, 2, shape)
    elif kind is TensorSupplyType.Integer or not is_float:
        low = 0 if dtype.startswith("uint") else -2
        values = generator.integers(low, 3, shape)
    elif kind is TensorSupplyType.Uniform:
        values = generator.uniform(-1, 1, shape)
    else:
        values = generator.standard_normal(shape)
    return values.astype(numpy_dtype(dtype))


def _to_library(values: Any, dtype: str) -> Any:
    torch = sys.modules.get("torch")
    if torch is None:
        return values
    if "float8" in dtype or dtype == "bfloat16":
        import numpy

        # torch reads no ml_dtypes arrays; the bits are the same.
        raw = values.view(numpy.uint8 if "float8" in dtype else numpy.int16)
        return torch.from_numpy(raw).view(getattr(torch, dtype))
    return torch.from_numpy(values)


def do_bench(
    func: Callable[[], Any],
    warmup: float = 25,
    rep: float = 100,
    *,
    n_warmup: int = 0,
    n_repeat: int = 0,
    **options: Any,
) -> float:
    """Milliseconds of host time that a Python callable takes: the median of repeated calls. A kernel inside is
    simulated, so this is the time of the simulation; `kernel.get_profiler().do_bench()` gives its modelled time."""
    start = time.perf_counter()
    func()
    once = max(time.perf_counter() - start, 1e-9) * 1000
    for _ in range(n_warmup or min(int(warmup / once), 100)):
        func()
    samples = []
    for _ in range(n_repeat or max(1, min(int(rep / once), 1000))):
        start = time.perf_counter()
        func()
        samples.append((time.perf_counter() - start) * 1000)
    return sorted(samples)[len(samples) // 2]


class Profiler:
    """Runs a kernel with inputs made here."""

    def __init__(self, kernel: JITKernel, tensor_supply_type: Any = None) -> None:
        self.kernel = kernel
        self.supply = _supply(tensor_supply_type)

    def inputs(self) -> list[Any]:
        return make_inputs(self.kernel, self.supply)

    def run_once(self, func: Callable[..., Any] | None = None) -> Any:
        return (func or self.kernel)(*self.inputs())

    def do_bench(
        self,
        func: Callable[..., Any] | None = None,
        warmup: float = 25,
        rep: float = 100,
        n_warmup: int = 0,
        n_repeat: int = 0,
        input_tensors: Sequence[Any] | None = None,
        **options: Any,
    ) -> float:
        """Milliseconds. Of the kernel: modelled time on the chip, inputs in L2 as after a warm-up; one run is enough,
        since the model gives the same time each run. Of another function: host time."""
        inputs = list(input_tensors) if input_tensors is not None else self.inputs()
        if func is None or func is self.kernel:
            return self.kernel.profile(*inputs, timeline=False, checks="off", warm_l2=True).latency_ms
        function = func
        return do_bench(lambda: function(*inputs), warmup, rep, n_warmup=n_warmup, n_repeat=n_repeat)

    def assert_allclose(
        self,
        reference_program: Callable[..., Any],
        rtol: float = 1e-2,
        atol: float = 1e-2,
        max_mismatched_ratio: float = 0.01,
        input_tensors: Sequence[Any] | None = None,
    ) -> None:
        """Compares the kernel's outputs with those of a reference on the same inputs. At most `max_mismatched_ratio` of
        the elements may differ by more than the tolerance."""
        inputs = list(input_tensors) if input_tensors is not None else self.inputs()
        found = _as_list(self.kernel(*inputs))
        expected = _as_list(reference_program(*inputs))
        if len(found) != len(expected):
            raise AssertionError(f"the kernel returns {len(found)} outputs, the reference {len(expected)}")
        names = [self.kernel.parameter_names[index] for index in self.kernel._outputs]
        for name, ours, theirs in zip(names, found, expected, strict=True):
            _compare(name, ours, theirs, rtol, atol, max_mismatched_ratio)

    def manual_assert_close(
        self,
        reference_program: Callable[..., Any],
        manual_check_prog: Callable[[Any, Any], Any],
        input_tensors: Sequence[Any] | None = None,
    ) -> None:
        """As `assert_allclose`, with the comparison given."""
        inputs = list(input_tensors) if input_tensors is not None else self.inputs()
        manual_check_prog(_as_list(self.kernel(*inputs)), _as_list(reference_program(*inputs)))


def _as_list(value: Any) -> list[Any]:
    if value is None:
        raise ArgumentValueError(
            "nothing to compare: no output is returned", help="give the kernel's outputs by out_idx"
        )
    return list(value) if isinstance(value, (list, tuple)) else [value]


def as_float_array(value: Any) -> Any:
    """A NumPy array of float64 values, from NumPy or torch."""
    import numpy

    torch = sys.modules.get("torch")
    if torch is not None and isinstance(value, torch.Tensor):
        value = value.detach().cpu().to(torch.float64).numpy()
    return numpy.asarray(value).astype(numpy.float64)


def _compare(name: str, found: Any, expected: Any, rtol: float, atol: float, max_mismatched_ratio: float) -> None:
    import numpy

    ours, theirs = as_float_array(found), as_float_array(expected)
    if ours.shape != theirs.shape:
        raise AssertionError(f"output '{name}' has shape {ours.shape}, the reference {theirs.shape}")
    wrong = ~numpy.isclose(ours, theirs, rtol=rtol, atol=atol, equal_nan=True)
    if wrong.mean() > max_mismatched_ratio if wrong.size else False:
        worst = numpy.unravel_index(numpy.argmax(numpy.where(wrong, numpy.abs(ours - theirs), -1)), ours.shape)
        raise AssertionError(
            f"output '{name}': {int(wrong.sum())} of {wrong.size} elements differ (rtol {rtol:g}, atol {atol:g}, "
            f"allowed {max_mismatched_ratio:.2%}); worst at {tuple(int(i) for i in worst)}: {ours[worst]:g}, expected "
            f"{theirs[worst]:g}"
        )
