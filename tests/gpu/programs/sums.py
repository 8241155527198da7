"""Times the first sum, then 10 and 100 sums of 2^29 words by PyTorch, on the host's clock.

Usage: sums.py eager|out|compile [n]. `out` gives the memory of the result, `compile` compiles the
sum. With PYTORCH_NO_CUDA_MEMORY_CACHING=1 in the environment, each tensor is allocated by
cudaMalloc and freed by cudaFree.
"""
import sys
import time

import torch


def milliseconds(work, count):
    torch.cuda.synchronize()
    begun = time.perf_counter()
    for _ in range(count):
        result = work()
    torch.cuda.synchronize()
    return 1e3 * (time.perf_counter() - begun), result


def main():
    way = sys.argv[1]
    n = int(sys.argv[2]) if len(sys.argv) > 2 else 1 << 29
    for dtype in (torch.int32, torch.float32):
        words = torch.ones(n, dtype=dtype, device="cuda")
        total = torch.empty((), dtype=torch.sum(words[:1]).dtype, device="cuda")
        work = {
            "eager": lambda: torch.sum(words),
            "out": lambda: torch.sum(words, 0, out=total),
            "compile": torch.compile(lambda: torch.sum(words)) if way == "compile" else None,
        }[way]
        first, _ = milliseconds(work, 1)
        ten, _ = milliseconds(work, 10)
        hundred, result = milliseconds(work, 100)
        right = "right" if result.item() == n else "wrong"
        print(f"{way} {dtype} {first:.3f} {ten:.3f} {hundred:.3f} {right}", flush=True)
        del words


main()
