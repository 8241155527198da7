/*
 * Machine code of small kernels for test_twin.c: the two words of each instruction and its text, as
 * nvcc -arch=sm_90 -O3 of CUDA 13.0 made them from the sources above each kernel. `at` returns the
 * address in shared memory of a pointer, K is extern "C" __global__ void. NOPs at the end are left
 * out.
 */

// K exchange(float *x) {
//     __shared__ float s[64];
//     s[threadIdx.x] = x[threadIdx.x];
//     __syncthreads();
//     float v = s[threadIdx.x ^ 33];
//     __syncthreads();
//     s[threadIdx.x] = v * 3;
//     __syncthreads();
//     x[threadIdx.x] = s[threadIdx.x ^ 5];
// }
KERNEL(exchange)
I(0xa00ff017b82, 0xfe20000000800, "LDC R1, c[0x0][0x28]")
I(0x57919, 0xe2e0000002100, "S2R R5, SR_TID.X")
I(0x8400ff027b82, 0xe220000000a00, "LDC.64 R2, c[0x0][0x210]")
I(0x820000067ab9, 0xfe20000000a00, "ULDC.64 UR6, c[0x0][0x208]")
I(0x405027825, 0x1fca00078e0002, "IMAD.WIDE.U32 R2, R5, 0x4, R2")
I(0x602007981, 0xea2000c1e1900, "LDG.E R0, desc[UR6][R2.64]")
I(0x579c3, 0xe220000008800, "S2UR UR5, SR_CgaCtaId")
I(0x40000047882, 0xfe20000000000, "UMOV UR4, 0x400")
I(0x205057819, 0xfc800000006ff, "SHF.L.U32 R5, R5, 0x2, RZ")
I(0x8405047812, 0x40fe400078e3cff, "LOP3.LUT R4, R5.reuse, 0x84, RZ, 0x3c, !PT")
I(0x1405077812, 0xfe200078e3cff, "LOP3.LUT R7, R5, 0x14, RZ, 0x3c, !PT")
I(0x405047291, 0x1fd2000f8ec03f, "ULEA UR4, UR5, UR4, 0x18")
I(0x5007988, 0x4fe20008000804, "STS [R5+UR4], R0")
I(0x7b1d, 0xfec0000010000, "BAR.SYNC.DEFER_BLOCKING 0x0")
I(0x404047984, 0xe240008000800, "LDS R4, [R4+UR4]")
I(0x4040000004067820, 0x1fe20000400000, "FMUL R6, R4, 3")
I(0x7b1d, 0xfec0000010000, "BAR.SYNC.DEFER_BLOCKING 0x0")
I(0x605007988, 0xfe40008000804, "STS [R5+UR4], R6")
I(0x7b1d, 0xfec0000010000, "BAR.SYNC.DEFER_BLOCKING 0x0")
I(0x407077984, 0xe280008000800, "LDS R7, [R7+UR4]")
I(0x702007986, 0x1fe2000c101906, "STG.E desc[UR6][R2.64], R7")
I(0x794d, 0xfea0003800000, "EXIT")
I(0xfffffffc00fc7947, 0xfc0000383ffff, "BRA 0x160")

// K any_of(int *x) {
//     int v = x[threadIdx.x];
//     __syncthreads();
//     x[threadIdx.x + 64] = __syncthreads_or(v > 3);
// }
KERNEL(any_of)
I(0xa00ff017b82, 0xfe20000000800, "LDC R1, c[0x0][0x28]")
I(0x57919, 0xe2e0000002100, "S2R R5, SR_TID.X")
I(0x8400ff027b82, 0xe220000000a00, "LDC.64 R2, c[0x0][0x210]")
I(0x820000047ab9, 0xfe20000000a00, "ULDC.64 UR4, c[0x0][0x208]")
I(0x405027825, 0x1fca00078e0002, "IMAD.WIDE.U32 R2, R5, 0x4, R2")
I(0x402007981, 0xea2000c1e1900, "LDG.E R0, desc[UR4][R2.64]")
I(0x7b1d, 0xfe20000010000, "BAR.SYNC.DEFER_BLOCKING 0x0")
I(0x30000780c, 0x4fda0003f04270, "ISETP.GT.AND P0, PT, R0, 0x3, PT")
I(0x7b1d, 0xfec0000014800, "BAR.RED.OR.DEFER_BLOCKING 0x0, P0")
I(0xff731c, 0xe240000004000, "B2R.RESULT RZ, P0")
I(0x1ff057807, 0x1fca0004000000, "SEL R5, RZ, 0x1, !P0")
I(0x1000502007986, 0xfe2000c101904, "STG.E desc[UR4][R2.64+0x100], R5")
I(0x794d, 0xfea0003800000, "EXIT")
I(0xfffffffc00fc7947, 0xfc0000383ffff, "BRA 0xd0")

// K waits(float *x, int n) {
//     __shared__ alignas(8) uint64_t m;
//     __shared__ float s[64];
//     unsigned a = at(&m);
//     if (threadIdx.x == 0) asm volatile("mbarrier.init.shared.b64 [%0], 64;" ::"r"(a));
//     __syncthreads();
//     asm volatile("{ .reg .b64 t; mbarrier.arrive.shared.b64 t, [%0]; }" ::"r"(a) : "memory");
//     asm volatile("{ .reg .pred p; L: mbarrier.try_wait.parity.shared.b64 p, [%0], 0;"
//                  " @!p bra L; }"
//                  ::"r"(a) : "memory");
//     float v = 0;
// #pragma unroll 1
//     for (int i = 0; i < n; i++) {
//         s[threadIdx.x] = v + i;
//         __syncthreads();
//         v += s[threadIdx.x ^ 7];
//     }
//     x[threadIdx.x] = v;
// }
KERNEL(waits)
I(0xa00ff017b82, 0xfe20000000800, "LDC R1, c[0x0][0x28]")
I(0x77919, 0xe2e0000002100, "S2R R7, SR_TID.X")
I(0x779c3, 0xe620000008800, "S2UR UR7, SR_CgaCtaId")
I(0x40000067882, 0xfe20000000000, "UMOV UR6, 0x400")
I(0x4000047882, 0xfe20000000000, "UMOV UR4, 0x40")
I(0x1fff007819, 0xfca00000006ff, "SHF.L.U32 R0, RZ, 0x1f, RZ")
I(0x8600ff087b82, 0xeb00000000800, "LDC R8, c[0x0][0x218]")
I(0x8400ff027b82, 0xee20000000a00, "LDC.64 R2, c[0x0][0x210]")
I(0x607087291, 0x2fe2000f8ec03f, "ULEA UR8, UR7, UR6, 0x18")
I(0xff0700720c, 0x1fda0003f05270, "ISETP.NE.AND P0, PT, R7, RZ, PT")
I(0x3f7886, 0xfca0000000000, "VOTEU.ALL UP0, P0")
I(0x10000004048890, 0xfc8000fffe13f, "@!UP0 UIADD3 UR4, -UR4, 0x100000, URZ")
I(0xb04058899, 0xfe4000800063f, "@!UP0 USHF.L.U32 UR5, UR4, 0xb, URZ")
I(0x104048899, 0xfe2000800063f, "@!UP0 USHF.L.U32 UR4, UR4, 0x1, URZ")
I(0x3f7886, 0xfe20000000000, "VOTEU.ALL UP0, P0")
I(0x10800780c, 0x4fd40003f06270, "ISETP.GE.AND P0, PT, R8, 0x1, PT")
I(0x4083f85b2, 0x640008000100, "@!UP0 SYNCS.EXCH.64 URZ, [UR8], UR4")
I(0x7b1d, 0x2fec0000010000, "BAR.SYNC.DEFER_BLOCKING 0x0")
I(0xffffff79a7, 0xfe20008100008, "SYNCS.ARRIVE.TRANS64.A1T0 RZ, [UR8], RZ")
I(0xff0075a7, 0xe640008020148, "SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR8], R0")
I(0x549947, 0xbfea0003800000, "@!P1 BRA 0x2a0")
I(0x820000087ab9, 0xfe20000000a00, "ULDC.64 UR8, c[0x0][0x208]")
I(0xffff057224, 0xfe400078e00ff, "IMAD.MOV.U32 R5, RZ, RZ, RZ")
I(0x407027825, 0xfe200078e0002, "IMAD.WIDE.U32 R2, R7, 0x4, R2")
I(0x3c8947, 0xfec0003800000, "@!P0 BRA 0x280")
I(0x407007824, 0xfe200078e00ff, "IMAD.SHL.U32 R0, R7, 0x4, RZ")
I(0x806067890, 0xfe2000fffe03f, "UIADD3 UR6, UR6, 0x8, URZ")
I(0xffff057224, 0xfe200078e00ff, "IMAD.MOV.U32 R5, RZ, RZ, RZ")
I(0x3f00047c82, 0xfe40008000000, "UMOV UR4, URZ")
I(0x1c00047812, 0xfe200078e3cff, "LOP3.LUT R4, R0, 0x1c, RZ, 0x3c, !PT")
I(0x607067291, 0xfd8000f8ec03f, "ULEA UR6, UR7, UR6, 0x18")
I(0x400067c45, 0xfe20008201400, "I2FP.F32.S32 R6, UR4")
I(0x104047890, 0xfc8000fffe03f, "UIADD3 UR4, UR4, 0x1, URZ")
I(0x506077221, 0xfe40000000000, "FADD R7, R6, R5")
I(0x408007c0c, 0xfc6000bf03270, "ISETP.LE.AND P0, PT, R8, UR4, PT")
I(0x700007988, 0xfe20008000806, "STS [R0+UR6], R7")
I(0x7b1d, 0xfec0000010000, "BAR.SYNC.DEFER_BLOCKING 0x0")
I(0x604067984, 0xe240008000800, "LDS R6, [R4+UR6]")
I(0x506057221, 0x1fe20000000000, "FADD R5, R6, R5")
I(0xfffffffc00dc8947, 0xfec000383ffff, "@!P0 BRA 0x1f0")
I(0x502007986, 0xfe2000c101908, "STG.E desc[UR8][R2.64], R5")
I(0x794d, 0xfea0003800000, "EXIT")
I(0xff0075a7, 0xe240008020148, "SYNCS.PHASECHK.TRANS64.TRYWAIT P1, [UR8], R0")
I(0xfffffffc00f89947, 0x1fea000383ffff, "@!P1 BRA 0x2a0")
I(0xfffffffc00a07947, 0xfea000383ffff, "BRA 0x150")
I(0xfffffffc00fc7947, 0xfc0000383ffff, "BRA 0x2d0")

// K transpose(float *x) {
//     __shared__ float s[32][32];
//     for (int i = 0; i < 2; i++) s[threadIdx.y + i][threadIdx.x] = x[i * 99 + threadIdx.x];
//     __syncthreads();
//     for (int i = 0; i < 2; i++) x[threadIdx.x + i * 77] = s[threadIdx.x][threadIdx.y + i];
// }
KERNEL(transpose)
I(0xa00ff017b82, 0xfe20000000800, "LDC R1, c[0x0][0x28]")
I(0x57919, 0xe2e0000002100, "S2R R5, SR_TID.X")
I(0x8400ff027b82, 0xe220000000a00, "LDC.64 R2, c[0x0][0x210]")
I(0x820000067ab9, 0xfe20000000a00, "ULDC.64 UR6, c[0x0][0x208]")
I(0x405027825, 0x1fca00078e0002, "IMAD.WIDE.U32 R2, R5, 0x4, R2")
I(0x602007981, 0xea8000c1e1900, "LDG.E R0, desc[UR6][R2.64]")
I(0x18c0602067981, 0xee2000c1e1900, "LDG.E R6, desc[UR6][R2.64+0x18c]")
I(0x579c3, 0xe220000008800, "S2UR UR5, SR_CgaCtaId")
I(0x40000047882, 0xfe20000000000, "UMOV UR4, 0x400")
I(0x87919, 0xe620000002200, "S2R R8, SR_TID.Y")
I(0x405047291, 0x1fcc000f8ec03f, "ULEA UR4, UR5, UR4, 0x18")
I(0x405077c11, 0xfe4000f8e38ff, "LEA R7, R5, UR4, 0x7")
I(0x408047c11, 0x42fe4000f8e38ff, "LEA R4, R8.reuse, UR4, 0x7")
I(0x708077211, 0xfc600078e10ff, "LEA R7, R8, R7, 0x2")
I(0x405057824, 0xfca00078e0204, "IMAD R5, R5, 0x4, R4")
I(0x5007388, 0x4fe80000000800, "STS [R5], R0")
I(0x800605007388, 0x8fe20000000800, "STS [R5+0x80], R6")
I(0x7b1d, 0xfec0000010000, "BAR.SYNC.DEFER_BLOCKING 0x0")
I(0x7097984, 0xe280000000800, "LDS R9, [R7]")
I(0x400070b7984, 0xe680000000800, "LDS R11, [R7+0x4]")
I(0x902007986, 0x1fe8000c101906, "STG.E desc[UR6][R2.64], R9")
I(0x1340b02007986, 0x2fe2000c101906, "STG.E desc[UR6][R2.64+0x134], R11")
I(0x794d, 0xfea0003800000, "EXIT")
I(0xfffffffc00fc7947, 0xfc0000383ffff, "BRA 0x170")

// K wide(float4 *x, int n) {
//     extern __shared__ float4 d[];
//     d[threadIdx.x * 2] = x[threadIdx.x];
//     __syncthreads();
//     float2 u = ((float2 *)d)[threadIdx.x * 9];
//     float4 v = d[threadIdx.x * n];
//     v.x += u.x; v.y += u.y;
//     x[threadIdx.x] = v;
// }
KERNEL(wide)
I(0xa00ff017b82, 0xfe20000000800, "LDC R1, c[0x0][0x28]")
I(0xd7919, 0xe2e0000002100, "S2R R13, SR_TID.X")
I(0x8400ff027b82, 0xe220000000a00, "LDC.64 R2, c[0x0][0x210]")
I(0x820000047ab9, 0xfe20000000a00, "ULDC.64 UR4, c[0x0][0x208]")
I(0x97919, 0xe620000008800, "S2R R9, SR_CgaCtaId")
I(0x40000007802, 0xfe20000000f00, "MOV R0, 0x400")
I(0x860000067ab9, 0xfe20000000800, "ULDC UR6, c[0x0][0x218]")
I(0x100d027825, 0x1fca00078e0002, "IMAD.WIDE.U32 R2, R13, 0x10, R2")
I(0x402047981, 0xea2000c1e1d00, "LDG.E.128 R4, desc[UR4][R2.64]")
I(0x9007211, 0x2fe200078ec0ff, "LEA R0, R9, R0, 0x18")
I(0x60d0b7c24, 0xfc6000f8e02ff, "IMAD R11, R13, UR6, RZ")
I(0xd087211, 0xc0fe200078e28ff, "LEA R8, R13.reuse, R0.reuse, 0x5")
I(0x480d097824, 0xfe200078e0200, "IMAD R9, R13, 0x48, R0")
I(0xb007211, 0xfc600078e20ff, "LEA R0, R11, R0, 0x4")
I(0x408007388, 0x4fe20000000c00, "STS.128 [R8], R4")
I(0x7b1d, 0xfec0000010000, "BAR.SYNC.DEFER_BLOCKING 0x0")
I(0x90a7984, 0xfe80000000a00, "LDS.64 R10, [R9]")
I(0xc7984, 0xe240000000c00, "LDS.128 R12, [R0]")
I(0xd0b0d7221, 0x1fe20000000000, "FADD R13, R11, R13")
I(0xc0a0c7221, 0xfca0000000000, "FADD R12, R10, R12")
I(0xc02007986, 0xfe2000c101d04, "STG.E.128 desc[UR4][R2.64], R12")
I(0x794d, 0xfea0003800000, "EXIT")
I(0xfffffffc00fc7947, 0xfc0000383ffff, "BRA 0x160")

// K matrix(int4 *x) {
//     __shared__ int4 s[64];
//     s[threadIdx.x] = x[threadIdx.x];
//     __syncwarp();
//     int4 r;
//     asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];"
//         : "=r"(r.x), "=r"(r.y), "=r"(r.z), "=r"(r.w)
//         : "r"(at(&s[threadIdx.x * 2 % 64])) : "memory");
//     x[threadIdx.x] = r;
// }
KERNEL(matrix)
I(0xa00ff017b82, 0xfe20000000800, "LDC R1, c[0x0][0x28]")
I(0x97919, 0xe2e0000002100, "S2R R9, SR_TID.X")
I(0x8400ff027b82, 0xe220000000a00, "LDC.64 R2, c[0x0][0x210]")
I(0x820000067ab9, 0xfe20000000a00, "ULDC.64 UR6, c[0x0][0x208]")
I(0x1009027825, 0x1fca00078e0002, "IMAD.WIDE.U32 R2, R9, 0x10, R2")
I(0x602047981, 0xea2000c1e1d00, "LDG.E.128 R4, desc[UR6][R2.64]")
I(0x579c3, 0xe220000008800, "S2UR UR5, SR_CgaCtaId")
I(0x40000047882, 0xfe20000000000, "UMOV UR4, 0x400")
I(0x509087819, 0xfc800000006ff, "SHF.L.U32 R8, R9, 0x5, RZ")
I(0x3e008087812, 0xfe200078ec0ff, "LOP3.LUT R8, R8, 0x3e0, RZ, 0xc0, !PT")
I(0x405047291, 0x1fcc000f8ec03f, "ULEA UR4, UR5, UR4, 0x18")
I(0x409007c11, 0xfca000f8e20ff, "LEA R0, R9, UR4, 0x4")
I(0x400007388, 0x4fe20000000c00, "STS.128 [R0], R4")
I(0x7918, 0xfc60000000000, "NOP")
I(0x40808783b, 0xe280008000200, "LDSM.16.M88.4 R8, [R8+UR4]")
I(0x802007986, 0x1fe2000c101d06, "STG.E.128 desc[UR6][R2.64], R8")
I(0x794d, 0xfea0003800000, "EXIT")
I(0xfffffffc00fc7947, 0xfc0000383ffff, "BRA 0x110")

// K counts(unsigned *x, const unsigned *y) {
//     __shared__ unsigned s[64];
//     s[threadIdx.x] = 0;
//     __syncthreads();
//     unsigned v = y[threadIdx.x];
//     atomicAdd(&s[threadIdx.x * 2 % 64], v);
//     unsigned old = atomicAdd(&s[threadIdx.x], v);
//     __syncthreads();
//     atomicAdd(&x[threadIdx.x], s[threadIdx.x ^ 1]);
//     x[threadIdx.x + 64] = atomicAdd(&x[99 + threadIdx.x], old);
// }
KERNEL(counts)
I(0xa00ff017b82, 0xfe20000000800, "LDC R1, c[0x0][0x28]")
I(0x57919, 0xe2e0000002100, "S2R R5, SR_TID.X")
I(0x579c3, 0xe620000008800, "S2UR UR5, SR_CgaCtaId")
I(0x40000047882, 0xfe20000000000, "UMOV UR4, 0x400")
I(0x820000067ab9, 0xfcc0000000a00, "ULDC.64 UR6, c[0x0][0x208]")
I(0x8600ff027b82, 0xeb00000000a00, "LDC.64 R2, c[0x0][0x218]")
I(0x8400ff067b82, 0xee20000000a00, "LDC.64 R6, c[0x0][0x210]")
I(0x405047291, 0x2fe2000f8ec03f, "ULEA UR4, UR5, UR4, 0x18")
I(0x205007819, 0x41fe200000006ff, "SHF.L.U32 R0, R5.reuse, 0x2, RZ")
I(0x405027825, 0x4fce00078e0002, "IMAD.WIDE.U32 R2, R5, 0x4, R2")
I(0xff00007988, 0xfe20008000804, "STS [R0+UR4], RZ")
I(0x7b1d, 0xfec0000010000, "BAR.SYNC.DEFER_BLOCKING 0x0")
I(0x602097981, 0xa2000c1e1900, "LDG.E R9, desc[UR6][R2.64]")
I(0x305047819, 0xfe400000006ff, "SHF.L.U32 R4, R5, 0x3, RZ")
I(0x4000a7812, 0xfc400078e3cff, "LOP3.LUT R10, R0, 0x4, RZ, 0x3c, !PT")
I(0xf804087812, 0xfe400078ec0ff, "LOP3.LUT R8, R4, 0xf8, RZ, 0xc0, !PT")
I(0x63050f7810, 0x40fe20007ffe0ff, "IADD3 R15, R5.reuse, 0x63, RZ")
I(0x405047825, 0x8fc800078e0006, "IMAD.WIDE.U32 R4, R5, 0x4, R6")
I(0x40f027825, 0x1fe200078e0006, "IMAD.WIDE.U32 R2, R15, 0x4, R6")
I(0x908ff798c, 0x4fe80008000004, "ATOMS.ADD RZ, [R8+UR4], R9")
I(0x9000b798c, 0xfe20008000004, "ATOMS.ADD R11, [R0+UR4], R9")
I(0x7b1d, 0xfec0000010000, "BAR.SYNC.DEFER_BLOCKING 0x0")
I(0x40a0d7984, 0xe280008000800, "LDS R13, [R10+UR4]")
I(0xd0400798e, 0x1fe8000c10e186, "REDG.E.ADD.STRONG.GPU desc[UR6][R4.64], R13")
I(0xb020379a8, 0xea800081ee1c6, "ATOMG.E.ADD.STRONG.GPU PT, R3, desc[UR6][R2.64], R11")
I(0x1000304007986, 0x4fe2000c101906, "STG.E desc[UR6][R4.64+0x100], R3")
I(0x794d, 0xfea0003800000, "EXIT")
I(0xfffffffc00fc7947, 0xfc0000383ffff, "BRA 0x1b0")

// K polls(unsigned *x, volatile unsigned *flag) {
//     unsigned v;
//     while (!*flag) {}
//     do asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(v) : "l"(x) : "memory");
//     while (!v);
//     x[threadIdx.x + 1] = x[threadIdx.x + 2] * 5;
// }
KERNEL(polls)
I(0xa00ff017b82, 0xff00000000800, "LDC R1, c[0x0][0x28]")
I(0x8600ff027b82, 0xe220000000a00, "LDC.64 R2, c[0x0][0x218]")
I(0x820000047ab9, 0xfca0000000a00, "ULDC.64 UR4, c[0x0][0x208]")
I(0x402007981, 0x1ea4000c1f5900, "LDG.E.STRONG.SYS R0, desc[UR4][R2.64]")
I(0xff0000720c, 0x4fda0003f05270, "ISETP.NE.AND P0, PT, R0, RZ, PT")
I(0xfffffffc00f48947, 0xfea000383ffff, "@!P0 BRA 0x30")
I(0x8400ff027b82, 0xe240000000a00, "LDC.64 R2, c[0x0][0x210]")
I(0x402007981, 0x1ea8000c1ef900, "LDG.E.STRONG.GPU R0, desc[UR4][R2.64]")
I(0xff00798f, 0x4fe20002000000, "CCTL.IVALL")
I(0xff0000720c, 0xfda0003f05270, "ISETP.NE.AND P0, PT, R0, RZ, PT")
I(0xfffffffc00f08947, 0xfea000383ffff, "@!P0 BRA 0x70")
I(0x57919, 0xe220000002100, "S2R R5, SR_TID.X")
I(0x8400ff027b82, 0xe240000000a00, "LDC.64 R2, c[0x0][0x210]")
I(0x405027825, 0x1fca00078e0002, "IMAD.WIDE.U32 R2, R5, 0x4, R2")
I(0x80402007981, 0xea4000c1e1900, "LDG.E R0, desc[UR4][R2.64+0x8]")
I(0x500057824, 0x4fca00078e02ff, "IMAD R5, R0, 0x5, RZ")
I(0x40502007986, 0xfe2000c101904, "STG.E desc[UR4][R2.64+0x4], R5")
I(0x794d, 0xfea0003800000, "EXIT")
I(0xfffffffc00fc7947, 0xfc0000383ffff, "BRA 0x120")

// K fenced(unsigned *x, const unsigned *y) {
//     x[threadIdx.x] = y[threadIdx.x];
//     __threadfence();
//     x[x[threadIdx.x + 7]] = 1;
// }
KERNEL(fenced)
I(0xa00ff017b82, 0xfe20000000800, "LDC R1, c[0x0][0x28]")
I(0x57919, 0xe2e0000002100, "S2R R5, SR_TID.X")
I(0x8600ff027b82, 0xe220000000a00, "LDC.64 R2, c[0x0][0x218]")
I(0x820000047ab9, 0xfce0000000a00, "ULDC.64 UR4, c[0x0][0x208]")
I(0x8400ff067b82, 0xe620000000a00, "LDC.64 R6, c[0x0][0x210]")
I(0x405027825, 0x1fcc00078e0002, "IMAD.WIDE.U32 R2, R5, 0x4, R2")
I(0x402037981, 0xea2000c1e1900, "LDG.E R3, desc[UR4][R2.64]")
I(0x405047825, 0x2fca00078e0006, "IMAD.WIDE.U32 R4, R5, 0x4, R6")
I(0x304007986, 0x41e2000c101904, "STG.E desc[UR4][R4.64], R3")
I(0x7992, 0xfec0000002000, "MEMBAR.SC.GPU")
I(0x79ab, 0xfc00000000000, "ERRBAR")
I(0x75ab, 0xfec0000000000, "CGAERRBAR")
I(0xff00798f, 0xfe80002000000, "CCTL.IVALL")
I(0x1c0404037981, 0x1ea2000c1e1900, "LDG.E R3, desc[UR4][R4.64+0x1c]")
I(0x1ff097435, 0xfe200000001ff, "HFMA2.MMA R9, -RZ, RZ, 0, 5.9604644775390625e-08")
I(0x403027825, 0x4fcc00078e0006, "IMAD.WIDE.U32 R2, R3, 0x4, R6")
I(0x902007986, 0xfe2000c101904, "STG.E desc[UR4][R2.64], R9")
I(0x794d, 0xfea0003800000, "EXIT")
I(0xfffffffc00fc7947, 0xfc0000383ffff, "BRA 0x120")

// K unfenced(unsigned *x, const unsigned *y) {
//     x[threadIdx.x] = y[threadIdx.x];
//     x[x[threadIdx.x + 7]] = 1;
// }
KERNEL(unfenced)
I(0xa00ff017b82, 0xfe20000000800, "LDC R1, c[0x0][0x28]")
I(0x97919, 0xe2e0000002100, "S2R R9, SR_TID.X")
I(0x8400ff067b82, 0xe220000000a00, "LDC.64 R6, c[0x0][0x210]")
I(0x820000047ab9, 0xfce0000000a00, "ULDC.64 UR4, c[0x0][0x208]")
I(0x8600ff027b82, 0xe620000000a00, "LDC.64 R2, c[0x0][0x218]")
I(0x409047825, 0x1fc800078e0006, "IMAD.WIDE.U32 R4, R9, 0x4, R6")
I(0x409027825, 0x2fe400078e0002, "IMAD.WIDE.U32 R2, R9, 0x4, R2")
I(0x1c0404097981, 0xea8000c1e1900, "LDG.E R9, desc[UR4][R4.64+0x1c]")
I(0x402037981, 0xee2000c1e1900, "LDG.E R3, desc[UR4][R2.64]")
I(0x1ff0b7435, 0xfe200000001ff, "HFMA2.MMA R11, -RZ, RZ, 0, 5.9604644775390625e-08")
I(0x409067825, 0x4fe400078e0006, "IMAD.WIDE.U32 R6, R9, 0x4, R6")
I(0x304007986, 0x8fe8000c101904, "STG.E desc[UR4][R4.64], R3")
I(0xb06007986, 0xfe2000c101904, "STG.E desc[UR4][R6.64], R11")
I(0x794d, 0xfea0003800000, "EXIT")
I(0xfffffffc00fc7947, 0xfc0000383ffff, "BRA 0xe0")

// K local(float *x, int n) {
//     float a[64];
//     __shared__ float s[64];
// #pragma unroll 1
//     for (int i = 0; i < n; i++) a[i] = x[i];
//     s[threadIdx.x] = a[n];
//     x[threadIdx.x] = s[threadIdx.x * n];
// }
KERNEL(local)
I(0xa00ff017b82, 0xe300000000800, "LDC R1, c[0x0][0x28]")
I(0x8600ff047b82, 0xe620000000800, "LDC R4, c[0x0][0x218]")
I(0x820000067ab9, 0xfe20000000a00, "ULDC.64 UR6, c[0x0][0x208]")
I(0xffffff0001017836, 0x1fe20000000000, "VIADD R1, R1, 0xffffff00")
I(0x10400780c, 0x2fda0003f06270, "ISETP.GE.AND P0, PT, R4, 0x1, PT")
I(0x3c8947, 0xfea0003800000, "@!P0 BRA 0x150")
I(0xffff007224, 0xfe200078e0001, "IMAD.MOV.U32 R0, RZ, RZ, R1")
I(0x3f00047c82, 0xfe20008000000, "UMOV UR4, URZ")
I(0x840000087ab9, 0xfca0000000a00, "ULDC.64 UR8, c[0x0][0x210]")
I(0x9ff037e24, 0xfe2000f8e00ff, "IMAD.U32 R3, RZ, RZ, UR9")
I(0x800027c02, 0xfca0008000f00, "MOV R2, UR8")
I(0x602037981, 0xea2000c1e1900, "LDG.E R3, desc[UR6][R2.64]")
I(0x104047890, 0xfe4000fffe03f, "UIADD3 UR4, UR4, 0x1, URZ")
I(0x408087890, 0xfc8000ff1e03f, "UIADD3 UR8, UP0, UR8, 0x4, URZ")
I(0x404007c0c, 0xfe2000bf03270, "ISETP.LE.AND P0, PT, R4, UR4, PT")
I(0x93f097290, 0xfe200087fe43f, "UIADD3.X UR9, URZ, UR9, URZ, UP0, !UPT")
I(0x300007387, 0x41e40000100800, "STL [R0], R3")
I(0x400007810, 0x1fd20007ffe0ff, "IADD3 R0, R0, 0x4, RZ")
I(0xfffffffc00d88947, 0xfea000383ffff, "@!P0 BRA 0x90")
I(0x404007824, 0xfcc00078e0201, "IMAD R0, R4, 0x4, R1")
I(0x7983, 0xf640000100800, "LDL R0, [R0]")
I(0x97919, 0xe220000002100, "S2R R9, SR_TID.X")
I(0x579c3, 0xe620000008800, "S2UR UR5, SR_CgaCtaId")
I(0x40000047882, 0xfe40000000000, "UMOV UR4, 0x400")
I(0x405047291, 0x2fe2000f8ec03f, "ULEA UR4, UR5, UR4, 0x18")
I(0x409027224, 0x1fca00078e02ff, "IMAD R2, R9, R4, RZ")
I(0x409057c11, 0xfe4000f8e10ff, "LEA R5, R9, UR4, 0x2")
I(0x402047c11, 0xfc6000f8e10ff, "LEA R4, R2, UR4, 0x2")
I(0x5007388, 0x20fe20000000800, "STS [R5], R0")
I(0x8400ff027b82, 0xe260000000a00, "LDC.64 R2, c[0x0][0x210]")
I(0x4077984, 0xe620000000800, "LDS R7, [R4]")
I(0x409027825, 0x1fca00078e0002, "IMAD.WIDE.U32 R2, R9, 0x4, R2")
I(0x702007986, 0x2fe2000c101906, "STG.E desc[UR6][R2.64], R7")
I(0x794d, 0xfea0003800000, "EXIT")
I(0xfffffffc00fc7947, 0xfc0000383ffff, "BRA 0x220")

// __constant__ float table[64];
// K constants(float *x, int n) {
//     float v = table[threadIdx.x * 3 & 63];
// #pragma unroll 1
//     for (int i = 0; i < n; i++) v = v * table[i] + 1;
//     x[threadIdx.x] = v;
// }
KERNEL(constants)
I(0xa00ff017b82, 0xfe20000000800, "LDC R1, c[0x0][0x28]")
I(0x77919, 0xe2e0000002100, "S2R R7, SR_TID.X")
I(0x8600ff067b82, 0xe620000000800, "LDC R6, c[0x0][0x218]")
I(0x820000067ab9, 0xfce0000000a00, "ULDC.64 UR6, c[0x0][0x208]")
I(0x8400ff027b82, 0xea20000000a00, "LDC.64 R2, c[0x0][0x210]")
I(0x10600780c, 0x2fe20003f06270, "ISETP.GE.AND P0, PT, R6, 0x1, PT")
I(0xc07007824, 0x41fe400078e02ff, "IMAD R0, R7.reuse, 0xc, RZ")
I(0x407027825, 0x4fc600078e0002, "IMAD.WIDE.U32 R2, R7, 0x4, R2")
I(0xfc00007812, 0xfc800078ec0ff, "LOP3.LUT R0, R0, 0xfc, RZ, 0xc0, !PT")
I(0xc0000000057b82, 0x660000000800, "LDC R5, c[0x3][R0]")
I(0x208947, 0xfea0003800000, "@!P0 BRA 0x130")
I(0xff047435, 0xfe200000001ff, "HFMA2.MMA R4, -RZ, RZ, 0, 0")
I(0x3f00047c82, 0xfd40008000000, "UMOV UR4, URZ")
I(0xc0000004007b82, 0x10620000000800, "LDC R0, c[0x3][R4]")
I(0x104047890, 0xfcc000fffe03f, "UIADD3 UR4, UR4, 0x1, URZ")
I(0x406007c0c, 0xfe4000bf03270, "ISETP.LE.AND P0, PT, R6, UR4, PT")
I(0x404047810, 0x1fe20007ffe0ff, "IADD3 R4, R4, 0x4, RZ")
I(0x3f80000000057423, 0x2fd40000000005, "FFMA R5, R0, R5, 1")
I(0xfffffffc00e88947, 0xfea000383ffff, "@!P0 BRA 0xd0")
I(0x502007986, 0x2fe2000c101906, "STG.E desc[UR6][R2.64], R5")
I(0x794d, 0xfea0003800000, "EXIT")
I(0xfffffffc00fc7947, 0xfc0000383ffff, "BRA 0x150")

// K doubles(double *x, const float *y, int n) {
//     double v = x[threadIdx.x] * 3 + y[threadIdx.x];
//     if (v > n) v = v + 7;
//     x[threadIdx.x] = v;
//     x[(int)(x[threadIdx.x + 9] * 2)] = 0;
// }
KERNEL(doubles)
I(0xa00ff017b82, 0xfe20000000800, "LDC R1, c[0x0][0x28]")
I(0x57919, 0xe2e0000002100, "S2R R5, SR_TID.X")
I(0x8600ff087b82, 0xe220000000a00, "LDC.64 R8, c[0x0][0x218]")
I(0x820000047ab9, 0xfe20000000a00, "ULDC.64 UR4, c[0x0][0x208]")
I(0x880000067ab9, 0xfcc0000000800, "ULDC UR6, c[0x0][0x220]")
I(0x8400ff027b82, 0xe620000000a00, "LDC.64 R2, c[0x0][0x210]")
I(0x405087825, 0x1fcc00078e0008, "IMAD.WIDE.U32 R8, R5, 0x4, R8")
I(0x408087981, 0xea2000c1e1900, "LDG.E R8, desc[UR4][R8.64]")
I(0x805047825, 0x2fca00078e0002, "IMAD.WIDE.U32 R4, R5, 0x8, R2")
I(0x4804040e7981, 0xee8000c1e1b00, "LDG.E.64 R14, desc[UR4][R4.64+0x48]")
I(0x404067981, 0xf22000c1e1b00, "LDG.E.64 R6, desc[UR4][R4.64]")
I(0x6000c7d12, 0xff00008201c00, "I2F.F64 R12, UR6")
I(0x8000a7310, 0x4f220000201800, "F2F.F64.F32 R10, R8")
I(0xe0e7229, 0x8fc4000000000e, "DADD R14, R14, R14")
I(0x400800000606782b, 0x10fd0000000000a, "DFMA R6, R6, 3, R10")
I(0xe000f7311, 0xe22000030d100, "F2I.F64.TRUNC R15, R14")
I(0x401c0000060a7429, 0x40fe40000000000, "DADD R10, R6.reuse, 7")
I(0xc0600722a, 0xfe20003f04000, "DSETP.GT.AND P0, PT, R6, R12, PT")
I(0x80f027825, 0x1fce00078e0202, "IMAD.WIDE R2, R15, 0x8, R2")
I(0x60a067208, 0xfe40000000000, "FSEL R6, R10, R6, P0")
I(0x70b077208, 0xfca0000000000, "FSEL R7, R11, R7, P0")
I(0x604007986, 0xfe8000c101b04, "STG.E.64 desc[UR4][R4.64], R6")
I(0xff02007986, 0xfe2000c101b04, "STG.E.64 desc[UR4][R2.64], RZ")
I(0x794d, 0xfea0003800000, "EXIT")
I(0xfffffffc00fc7947, 0xfc0000383ffff, "BRA 0x180")

// K gather(float *x, const int *y) {
//     x[threadIdx.x] = x[y[threadIdx.x]] + 1;
// }
KERNEL(gather)
I(0xa00ff017b82, 0xfe20000000800, "LDC R1, c[0x0][0x28]")
I(0x97919, 0xe2e0000002100, "S2R R9, SR_TID.X")
I(0x8600ff027b82, 0xe220000000a00, "LDC.64 R2, c[0x0][0x218]")
I(0x820000047ab9, 0xfce0000000a00, "ULDC.64 UR4, c[0x0][0x208]")
I(0x8400ff067b82, 0xe620000000a00, "LDC.64 R6, c[0x0][0x210]")
I(0x409027825, 0x1fcc00078e0002, "IMAD.WIDE.U32 R2, R9, 0x4, R2")
I(0x402037981, 0xe64000c1e1900, "LDG.E R3, desc[UR4][R2.64]")
I(0x403047825, 0x2fcc00078e0206, "IMAD.WIDE R4, R3, 0x4, R6")
I(0x404047981, 0xea2000c1e1900, "LDG.E R4, desc[UR4][R4.64]")
I(0x409067825, 0xfc800078e0006, "IMAD.WIDE.U32 R6, R9, 0x4, R6")
I(0x3f80000004097421, 0x4fca0000000000, "FADD R9, R4, 1")
I(0x906007986, 0xfe2000c101904, "STG.E desc[UR4][R6.64], R9")
I(0x794d, 0xfea0003800000, "EXIT")
I(0xfffffffc00fc7947, 0xfc0000383ffff, "BRA 0xd0")

// K copies(const float *x, float *y) {
//     __shared__ float s[64];
//     asm volatile("cp.async.ca.shared.global [%0], [%1], 4;"
//                  ::"r"(at(&s[threadIdx.x * 2])), "l"(x + threadIdx.x));
//     asm volatile("cp.async.wait_all;" ::: "memory");
//     y[threadIdx.x] = s[threadIdx.x * 2];
// }
KERNEL(copies)
I(0xa00ff017b82, 0xfe20000000800, "LDC R1, c[0x0][0x28]")
I(0xb7919, 0xe6e0000002100, "S2R R11, SR_TID.X")
I(0x579c3, 0xea20000008800, "S2UR UR5, SR_CgaCtaId")
I(0x40000047882, 0xfce0000000000, "UMOV UR4, 0x400")
I(0x8400ff027b82, 0xef00000000a00, "LDC.64 R2, c[0x0][0x210]")
I(0x8600ff047b82, 0xf220000000a00, "LDC.64 R4, c[0x0][0x218]")
I(0x405047291, 0x4fcc000f8ec03f, "ULEA UR4, UR5, UR4, 0x18")
I(0x40b077c11, 0x42fe2000f8e18ff, "LEA R7, R11.reuse, UR4, 0x3")
I(0x40b027825, 0x8fe200078e0002, "IMAD.WIDE.U32 R2, R11, 0x4, R2")
I(0x820000047ab9, 0xfc80000000a00, "ULDC.64 UR4, c[0x0][0x208]")
I(0xfffff984, 0xfe20000000800, "@!PT LDS RZ, [RZ]")
I(0xfffff984, 0xfe20000000800, "@!PT LDS RZ, [RZ]")
I(0xfffff984, 0xfe20000000800, "@!PT LDS RZ, [RZ]")
I(0x2077fae, 0xfe2000b921844, "LDGSTS.E [R7], desc[UR4][R2.64]")
I(0x40b047825, 0x10fc600078e0004, "IMAD.WIDE.U32 R4, R11, 0x4, R4")
I(0x79af, 0xe220000000000, "LDGDEPBAR")
I(0x80000000791a, 0xfc80000000000, "DEPBAR.LE SB0, 0x0")
I(0x7097984, 0xe680000000800, "LDS R9, [R7]")
I(0x904007986, 0x2fe2000c101904, "STG.E desc[UR4][R4.64], R9")
I(0x794d, 0xfea0003800000, "EXIT")
I(0xfffffffc00fc7947, 0xfc0000383ffff, "BRA 0x140")

// K sums(float4 *x, const float4 *y) {
//     float4 s = x[threadIdx.x], a = y[threadIdx.x], b = y[threadIdx.x + 64];
//     asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(s.x) : "f"(a.x), "f"(b.x));
//     asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(s.y) : "f"(a.y), "f"(b.x));
//     asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(s.z) : "f"(a.z), "f"(b.z));
//     asm volatile("fma.rn.f32 %0, %1, %2, %0;" : "+f"(s.w) : "f"(a.y), "f"(b.w));
//     s.x = s.x + s.y;
//     s.z = s.z * s.w;
//     x[(int)(s.x * 4)] = s;
// }
KERNEL(sums)
I(0xa00ff017b82, 0xfe20000000800, "LDC R1, c[0x0][0x28]")
I(0xd7919, 0xe2e0000002100, "S2R R13, SR_TID.X")
I(0x8600ff107b82, 0xe220000000a00, "LDC.64 R16, c[0x0][0x218]")
I(0x820000047ab9, 0xfce0000000a00, "ULDC.64 UR4, c[0x0][0x208]")
I(0x8400ff027b82, 0xe620000000a00, "LDC.64 R2, c[0x0][0x210]")
I(0x100d107825, 0x1fc800078e0010, "IMAD.WIDE.U32 R16, R13, 0x10, R16")
I(0x100d0c7825, 0x2fe200078e0002, "IMAD.WIDE.U32 R12, R13, 0x10, R2")
I(0x410047981, 0xea8000c1e1d00, "LDG.E.128 R4, desc[UR4][R16.64]")
I(0x4000410087981, 0xea8000c1e1d00, "LDG.E.128 R8, desc[UR4][R16.64+0x400]")
I(0x40c0c7981, 0xea4000c1e1d00, "LDG.E.128 R12, desc[UR4][R12.64]")
I(0x804047223, 0x84fe2000000000c, "FFMA R4, R4, R8.reuse, R12")
I(0x805097223, 0x40fe2000000000d, "FFMA R9, R5.reuse, R8, R13")
I(0xa060a7223, 0xfe2000000000e, "FFMA R10, R6, R10, R14")
I(0xb050b7223, 0xfc4000000000f, "FFMA R11, R5, R11, R15")
I(0x904087221, 0xfe40000000000, "FADD R8, R4, R9")
I(0xb0a0a7220, 0xfe40000400000, "FMUL R10, R10, R11")
I(0x4080000008007820, 0xfc80000400000, "FMUL R0, R8, 4")
I(0x77305, 0xe24000020f100, "F2I.TRUNC.NTZ R7, R0")
I(0x1007027825, 0x1fca00078e0202, "IMAD.WIDE R2, R7, 0x10, R2")
I(0x802007986, 0xfe2000c101d04, "STG.E.128 desc[UR4][R2.64], R8")
I(0x794d, 0xfea0003800000, "EXIT")
I(0xfffffffc00fc7947, 0xfc0000383ffff, "BRA 0x150")

// K product(const unsigned *x, float *y) {
//     float d[4] = {};
//     for (int k = 0; k < 4; k++) {
//         const unsigned *f = x + k * 192 + threadIdx.x;
//         asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32"
//                      " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
//                      : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
//                      : "r"(f[0]), "r"(f[32]), "r"(f[64]), "r"(f[96]), "r"(f[128]), "r"(f[160]));
//     }
//     y[threadIdx.x] = d[0] + d[1] + d[2] + d[3];
// }
KERNEL(product)
I(0xa00ff017b82, 0xfe20000000800, "LDC R1, c[0x0][0x28]")
I(0x7919, 0xe2e0000002100, "S2R R0, SR_TID.X")
I(0x8400ff187b82, 0xe220000000a00, "LDC.64 R24, c[0x0][0x210]")
I(0x820000047ab9, 0xfe20000000a00, "ULDC.64 UR4, c[0x0][0x208]")
I(0x400187825, 0x1fca00078e0018, "IMAD.WIDE.U32 R24, R0, 0x4, R24")
I(0x20004181a7981, 0xea8000c1e1900, "LDG.E R26, desc[UR4][R24.64+0x200]")
I(0x28004181b7981, 0xea8000c1e1900, "LDG.E R27, desc[UR4][R24.64+0x280]")
I(0x418107981, 0xea8000c1e1900, "LDG.E R16, desc[UR4][R24.64]")
I(0x800418117981, 0xea8000c1e1900, "LDG.E R17, desc[UR4][R24.64+0x80]")
I(0x1000418127981, 0xea8000c1e1900, "LDG.E R18, desc[UR4][R24.64+0x100]")
I(0x1800418137981, 0xea8000c1e1900, "LDG.E R19, desc[UR4][R24.64+0x180]")
I(0x5000418027981, 0xee8000c1e1900, "LDG.E R2, desc[UR4][R24.64+0x500]")
I(0x5800418037981, 0xee8000c1e1900, "LDG.E R3, desc[UR4][R24.64+0x580]")
I(0x3000418047981, 0xee8000c1e1900, "LDG.E R4, desc[UR4][R24.64+0x300]")
I(0x3800418057981, 0xee8000c1e1900, "LDG.E R5, desc[UR4][R24.64+0x380]")
I(0x4000418067981, 0xee8000c1e1900, "LDG.E R6, desc[UR4][R24.64+0x400]")
I(0x4800418077981, 0xee8000c1e1900, "LDG.E R7, desc[UR4][R24.64+0x480]")
I(0x8000418147981, 0xf28000c1e1900, "LDG.E R20, desc[UR4][R24.64+0x800]")
I(0x8800418157981, 0xf28000c1e1900, "LDG.E R21, desc[UR4][R24.64+0x880]")
I(0x6000418087981, 0xf28000c1e1900, "LDG.E R8, desc[UR4][R24.64+0x600]")
I(0x6800418097981, 0xf28000c1e1900, "LDG.E R9, desc[UR4][R24.64+0x680]")
I(0x70004180a7981, 0xf28000c1e1900, "LDG.E R10, desc[UR4][R24.64+0x700]")
I(0x78004180b7981, 0xf28000c1e1900, "LDG.E R11, desc[UR4][R24.64+0x780]")
I(0xb000418167981, 0xf68000c1e1900, "LDG.E R22, desc[UR4][R24.64+0xb00]")
I(0xb800418177981, 0xf68000c1e1900, "LDG.E R23, desc[UR4][R24.64+0xb80]")
I(0x90004180c7981, 0xf68000c1e1900, "LDG.E R12, desc[UR4][R24.64+0x900]")
I(0x98004180d7981, 0xf68000c1e1900, "LDG.E R13, desc[UR4][R24.64+0x980]")
I(0xa0004180e7981, 0xf68000c1e1900, "LDG.E R14, desc[UR4][R24.64+0xa00]")
I(0xa8004180f7981, 0xf62000c1e1900, "LDG.E R15, desc[UR4][R24.64+0xa80]")
I(0x1a1010723c, 0x4fde00000418ff, "HMMA.16816.F32.BF16 R16, R16, R26, RZ")
I(0x7918, 0xfd20000000000, "NOP")
I(0x20404723c, 0x8fe20000041810, "HMMA.16816.F32.BF16 R4, R4, R2, R16")
I(0x8600ff027b82, 0xe1e0000000a00, "LDC.64 R2, c[0x0][0x218]")
I(0x7918, 0xfd00000000000, "NOP")
I(0x140804723c, 0x10fe20000041804, "HMMA.16816.F32.BF16 R4, R8, R20, R4")
I(0x400027825, 0x1fde00078e0002, "IMAD.WIDE.U32 R2, R0, 0x4, R2")
I(0x7918, 0xfd00000000000, "NOP")
I(0x160c04723c, 0x20fde0000041804, "HMMA.16816.F32.BF16 R4, R12, R22, R4")
I(0x7918, 0xfd20000000000, "NOP")
I(0x504057221, 0xfc80000000000, "FADD R5, R4, R5")
I(0x506067221, 0xfc80000000000, "FADD R6, R6, R5")
I(0x607077221, 0xfca0000000000, "FADD R7, R7, R6")
I(0x702007986, 0xfe2000c101904, "STG.E desc[UR4][R2.64], R7")
I(0x794d, 0xfea0003800000, "EXIT")
I(0xfffffffc00fc7947, 0xfc0000383ffff, "BRA 0x2c0")
