"""Keys of `pass_configs`.

Programs written for other versions and targets pass many keys. All known ones are accepted, as a member or as its
string; those that only steer the schedule or code generation of another compiler are hints without effect here.
"""

from __future__ import annotations

import difflib
import enum
from collections.abc import Mapping
from typing import Any

from .errors import KernelTypeError, KernelValueError

__all__ = ["PassConfigKey", "normalize_pass_configs"]

_TL_KEYS = """
    disable_safe_memory_access disable_out_of_bound_warning enable_fast_math disable_fast_math config_index_bitwidth
    disable_thread_storage_sync disable_data_race_check disable_buffer_init_check disable_prelower_semantic_check
    disable_warp_specialized disable_tma_lower disable_wgmma enable_async_copy enable_lower_ldgstg
    enable_lower_ldgstg_predicated disable_vectorize_256 disable_shuffle_elect disable_loop_unswitching
    loop_unswitching_allow_non_trivial_else enable_aggressive_shared_memory_merge disable_shared_memory_reuse
    reducer_force_baseline layout_cost_model force_let_inline if_stmt_binding_inline_replayable_binds
    storage_rewrite_detect_inplace ptxas_register_usage_level device_compile_flags simplify disable_dynamic_tail_split
    dynamic_alignment disable_rng_lowering
    ast_print_enable layout_visualization_enable layout_visualization_formats enable_dump_ir dump_ir_dir pass_profile
    pass_profile_threshold_ms emit_line_directives enable_vectorize_planner_verbose enable_reducer_plan_verbose
    debug_merge_shared_memory_allocations cuda_kernels_output_dir enable_ptxas_verbose_output
    ascend_auto_sync ascend_memory_planning ascend_auto_cv_combine ascend_auto_sync_vs ascend_tail_mask
    ascend_vector_mask_reuse ascend_auto_schedule
"""
_TIR_KEYS = """
    enable_equiv_terms_in_cse_tir disable_cse_tir simplify disable_storage_rewrite disable_vectorize use_async_copy
    enable_debug merge_static_smem add_lower_pass noalias
"""

_MEMBERS = {f"TL_{key.upper()}": f"tl.{key}" for key in _TL_KEYS.split()}
_MEMBERS |= {f"TIR_{key.upper()}": f"tir.{key}" for key in _TIR_KEYS.split()}
_MEMBERS["TL_ASCEND_AUTO_CV_SYNC"] = "tl.ascend_auto_cross_core_sync"


#: The keys, as members (`PassConfigKey.TL_ENABLE_FAST_MATH`) and strings ("tl.enable_fast_math").
#: Members are strings, so that either spelling is the same dictionary key.
PassConfigKey: Any = enum.Enum("PassConfigKey", _MEMBERS, module=__name__, type=str)  # type: ignore[misc]

#: Options of this compiler. `ascend.task_skew` (0 to 3, default 2): how many iterations the tasks of a core are apart
#: in loops in which Cube and Vector cores exchange tiles. The others are for tests of the checks: they leave out a
#: flag, a barrier or one operation of the synchronisation by number, or make the compiler fail ("error", "abort",
#: "segfault").
_OWN_KEYS = ("ascend.task_skew", "debug.drop_flag", "debug.drop_barrier", "debug.drop_operation", "debug.fail")


def normalize_pass_configs(configs: Mapping[Any, Any] | None) -> dict[str, str]:
    """The options as the compiler takes them: names and values as text, sorted. An unknown name is an error."""
    if configs is None:
        return {}
    if not isinstance(configs, Mapping):
        raise KernelTypeError(f"pass_configs is a {type(configs).__name__}, expected a dictionary")
    known = {*_MEMBERS.values(), *_OWN_KEYS}
    result: dict[str, str] = {}
    for key, value in configs.items():
        name = key.value if isinstance(key, enum.Enum) else key
        if not isinstance(name, str):
            raise KernelTypeError(f"pass_configs has the key {name!r}, expected a PassConfigKey or its string")
        if name not in known:
            near = difflib.get_close_matches(name, sorted(known), n=1)
            raise KernelValueError(
                f"pass_configs has the unknown key {name!r}",
                help=f"did you mean {near[0]!r}?" if near else "list(tilelang.PassConfigKey) shows the known keys",
            )
        result[name] = str(value).lower() if isinstance(value, bool) else str(value)
    return dict(sorted(result.items()))
