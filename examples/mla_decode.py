"""Decoding with latent attention: all heads share one compressed key per token, which is also the value. To it belongs
a small rotary part, which counts for the scores alone.

Example: `python examples/mla_decode.py --heads 128 --keys 1000 --profile`
"""

import argparse
import math

import numpy as np

import tilelang
import tilelang.language as T

# Scores that do not count. They are finite and far below LOWEST, where the running maximum starts, so that their
# weight is exactly 0.
MASKED = -1.0e30
LOWEST = -1.0e20


def mla_decode(batch, heads, keys, latent=512, rope=64, dtype="float16", block_H=64, block_N=64):
    """Program for O = softmax((Q L^T + Q_rope K_rope^T) / sqrt(latent + rope)) L, one token per request. `block_H`
    heads are the rows of one matrix, so that a token's latent vector is loaded once for all of them."""
    scale = 1 / math.sqrt(latent + rope)

    @T.prim_func
    def main(
        Q: T.Tensor((batch, heads, latent), dtype),
        Q_rope: T.Tensor((batch, heads, rope), dtype),
        L: T.Tensor((batch, keys, latent), dtype),
        K_rope: T.Tensor((batch, keys, rope), dtype),
        O: T.Tensor((batch, heads, latent), dtype),  # noqa: E741
    ):
        with T.Kernel(T.ceildiv(heads, block_H), batch, threads=128) as (bx, item):
            Q_shared = T.alloc_shared((block_H, latent), dtype)
            Q_rope_shared = T.alloc_shared((block_H, rope), dtype)
            L_shared = T.alloc_shared((block_N, latent), dtype)
            K_rope_shared = T.alloc_shared((block_N, rope), dtype)
            scores = T.alloc_fragment((block_H, block_N), "float32")
            weights = T.alloc_fragment((block_H, block_N), dtype)
            output = T.alloc_fragment((block_H, latent), "float32")
            largest = T.alloc_fragment((block_H,), "float32")
            previous = T.alloc_fragment((block_H,), "float32")
            rescale = T.alloc_fragment((block_H,), "float32")
            row_sum = T.alloc_fragment((block_H,), "float32")
            total = T.alloc_fragment((block_H,), "float32")

            T.copy(Q[item, bx * block_H : (bx + 1) * block_H, :], Q_shared)
            T.copy(Q_rope[item, bx * block_H : (bx + 1) * block_H, :], Q_rope_shared)
            T.clear(output)
            T.clear(total)
            T.fill(largest, LOWEST)
            for k in T.Pipelined(T.ceildiv(keys, block_N), num_stages=2):
                T.copy(L[item, k * block_N : (k + 1) * block_N, :], L_shared)
                T.copy(K_rope[item, k * block_N : (k + 1) * block_N, :], K_rope_shared)
                T.clear(scores)
                T.gemm(Q_shared, L_shared, scores, transpose_B=True)
                T.gemm(Q_rope_shared, K_rope_shared, scores, transpose_B=True)
                for i, j in T.Parallel(block_H, block_N):
                    scores[i, j] *= scale
                if keys % block_N and (k + 1) * block_N > keys:
                    for i, j in T.Parallel(block_H, block_N):
                        scores[i, j] = T.if_then_else(k * block_N + j < keys, scores[i, j], MASKED)
                T.copy(largest, previous)
                T.reduce_max(scores, largest, dim=1, clear=False)
                for i in T.Parallel(block_H):
                    rescale[i] = T.exp(previous[i] - largest[i])
                for i, j in T.Parallel(block_H, block_N):
                    scores[i, j] = T.exp(scores[i, j] - largest[i])
                T.reduce_sum(scores, row_sum, dim=1)
                for i in T.Parallel(block_H):
                    total[i] = total[i] * rescale[i] + row_sum[i]
                T.copy(scores, weights)
                for i, j in T.Parallel(block_H, latent):
                    output[i, j] *= rescale[i]
                T.gemm(weights, L_shared, output)
            for i, j in T.Parallel(block_H, latent):
                output[i, j] /= total[i]
            T.copy(output, O[item, bx * block_H : (bx + 1) * block_H, :])

    return main


def mla_decode_in_numpy(q, q_rope, latents, k_rope):
    q, q_rope, latents, k_rope = (x.astype(np.float32) for x in (q, q_rope, latents, k_rope))
    scores = np.einsum("bhd,bkd->bhk", q, latents) + np.einsum("bhd,bkd->bhk", q_rope, k_rope)
    scores /= math.sqrt(q.shape[-1] + q_rope.shape[-1])
    weights = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return np.einsum("bhk,bkd->bhd", weights / weights.sum(axis=-1, keepdims=True), latents)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--batch", type=int, default=2)
    parser.add_argument("--heads", type=int, default=128)
    parser.add_argument("--keys", type=int, default=300)
    parser.add_argument("--latent", type=int, default=512)
    parser.add_argument("--rope", type=int, default=64)
    parser.add_argument("--dtype", choices=["float16", "bfloat16"], default="float16")
    parser.add_argument("--target", default="ascend")
    parser.add_argument("--profile", action="store_true", help="print where the modelled cycles go")
    arguments = parser.parse_args()

    batch, heads, keys = arguments.batch, arguments.heads, arguments.keys
    latent, rope = arguments.latent, arguments.rope
    program = mla_decode(batch, heads, keys, latent, rope, arguments.dtype)
    kernel = tilelang.compile(program, out_idx=[4], target=arguments.target)
    rng = np.random.default_rng(0)
    shapes = (batch, heads, latent), (batch, heads, rope), (batch, keys, latent), (batch, keys, rope)
    inputs = [rng.standard_normal(shape).astype(T.dtype(arguments.dtype).as_numpy()) for shape in shapes]
    reference = mla_decode_in_numpy(*inputs)
    tolerance = {"float16": 1e-2, "bfloat16": 4e-2}[arguments.dtype]
    np.testing.assert_allclose(kernel(*inputs).astype(np.float32), reference, rtol=2e-2, atol=tolerance)
    print(f"{batch} requests, {heads} heads, {keys} tokens of {latent} + {rope}: equal to NumPy")
    if arguments.profile:
        print(kernel.profile(*inputs))


if __name__ == "__main__":
    main()
