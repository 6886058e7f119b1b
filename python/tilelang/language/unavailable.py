"""Names of the language that are not available yet: a program that uses one gets its line and the name."""

from __future__ import annotations

import difflib
from typing import Any

from ..errors import KernelAttributeError, UnsupportedError
from .source import user_location
from .tracer import active


def _words(text: str) -> list[str]:
    return text.split()


#: Names of the neutral language, from the survey of existing programs.
_LANGUAGE = _words("""
    If Let LocalBuffer PersistentTileScheduler SharedBuffer FragmentBuffer Then While
    access_ptr activemask address_of alloc_barrier alloc_buffer alloc_descriptor alloc_global alloc_reducer alloc_tmem
    align_up all_of all_sync annotate_compile_flags annotate_l2_hit_ratio annotate_min_blocks_per_sm
    annotate_pass_configs annotate_restrict_buffers annotate_safe_value any_of any_sync async_copy
    atomic_load atomic_max atomic_min atomic_or atomic_store attr ballot ballot_sync
    barrier_arrive barrier_wait c2d_im2col call_extern call_intrin call_packed comm_reducer copy_cluster
    copysign cummax cumsum decl_buffer device_assert dp4a finalize_reducer func_attr gemm_sp
    get_block_binding get_block_bindings get_lane_idx get_thread_binding get_thread_bindings get_warp_group_idx
    get_warp_idx get_warp_idx_sync grid im2col import_source index_to_coordinates launch_thread let loop_break
    make_tensor make_tensor_from_addr match_all_sync match_any_sync match_buffer pdl_sync pdl_trigger popcount print
    ptr ptx_wait_group reduce reduce_bitand reduce_bitor reduce_bitxor
    reducer_init reducer_update reshape rng_init rng_rand rng_rand_float shfl_down shfl_sync
    shfl_up shfl_xor sync_global sync_grid sync_threads sync_warp syncthreads_and syncthreads_count syncthreads_or
    thread_binding thread_return transpose tvm_thread_allreduce tvm_warp_shuffle type_annotation view
    warp_reduce_bitand warp_reduce_bitor warp_reduce_max warp_reduce_min warp_reduce_sum
    acos acosh asin asinh atan atan2 atanh cosh sinh hypot ldexp nextafter clz fast_rcp
    ieee_add ieee_sub ieee_mul ieee_fmaf ieee_frcp ieee_fsqrt ieee_frsqrt ieee_fdiv
    add2 sub2 mul2 fma2 max2 min2 abs2
""")

#: What to use instead, where there is something.
_REMEDIES = {
    **dict.fromkeys(
        ("atomic_max", "atomic_min", "atomic_or"),
        "let each block write its result to a place of its own, and combine them in a second kernel",
    ),
    **dict.fromkeys(
        ("atomic_load", "atomic_store"),
        "blocks of one launch do not wait for each other: write in one kernel and read in the next",
    ),
}

#: Names bound to one vendor's hardware.
_CUDA = _words("""
    mbarrier_wait_parity mbarrier_arrive mbarrier_expect_tx WSSync WSID WSScope WSRole WSPipeline ws ws_op
    tma_copy tma_load tcgen05_gemm tcgen05_mma_arrive tcgen05_cp_warpx4 tcgen05_gemm_blockscaled wgmma_gemm wait_wgmma
    annotate_ws_schedule ptx_cp_async ptx_commit_group ClusterKernel cluster_sync set_max_nreg inc_max_nreg
    dec_max_nreg fence_proxy_async block_rank_in_cluster shuffle_elect mma_gemm_blockscaled
""")


def stand_in(name: str, known: list[str]) -> Any:
    """A callable that raises when the program uses it; AttributeError for names nobody knows."""
    if name in _CUDA:
        why = "names hardware of one GPU generation and is not part of the neutral language"
    elif name in _LANGUAGE:
        why = "is not supported yet"
    else:
        close = difflib.get_close_matches(name, [*known, *_LANGUAGE], 1)
        hint = f"; did you mean 'T.{close[0]}'?" if close else ""
        message = f"tilelang.language has no attribute {name!r}{hint}"
        if active() is not None:
            raise KernelAttributeError(message, user_location())
        raise AttributeError(message)
    return Unavailable(name, why)


class Unavailable:
    """Stands for a name that is not available: using it raises."""

    def __init__(self, name: str, why: str) -> None:
        self._name = name
        self._why = why

    def _raise(self, *arguments: Any, **options: Any) -> Any:
        raise UnsupportedError(f"T.{self._name} {self._why}", user_location(), help=_REMEDIES.get(self._name))

    __call__ = __getitem__ = __enter__ = __iter__ = _raise

    def __exit__(self, *exception: object) -> None:
        return None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._raise()

    def __repr__(self) -> str:
        return f"<T.{self._name}: {self._why}>"
