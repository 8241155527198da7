# Calls one vendor's library after another by PyTorch, for kernels that must not be changed. A
# kernel of each takes more than 2 % of the time.
import sys

import torch

torch.manual_seed(1)
square = torch.randn(1024, 1024, device="cuda")
positive = square @ square.T + 1024 * torch.eye(1024, device="cuda")
sparse = torch.where(square > 2, square, 0).to_sparse_csr()
wide = torch.randn(1024, 4096, device="cuda")
signals = torch.randn(16, 1024, 1024, device="cuda", dtype=torch.complex64)
image = torch.randn(32, 64, 56, 56, device="cuda")
filters = torch.randn(64, 64, 3, 3, device="cuda")
calls = {
    "cublas": lambda: square @ square,
    "cufft": lambda: torch.fft.fft(signals),
    "cusparse": lambda: sparse @ wide,
    "cusolver": lambda: torch.linalg.cholesky(positive),
    "cudnn": lambda: torch.nn.functional.conv2d(image, filters, padding=1),
}
for name in sys.argv[1:]:
    calls[name]()
with torch.cuda.nvtx.range("calls"):
    for _ in range(12):
        for name in sys.argv[1:]:
            calls[name]()
torch.cuda.synchronize()
