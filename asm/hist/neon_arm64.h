// Code generated from the table in internal/neon; DO NOT EDIT.
//
// Advanced SIMD instructions that the Go assembler does not know. Operands are
// register numbers, sources first, destination last, as in the Go assembler.

// VFADD_S4: d = n + m
#define VFADD_S4(m, n, d) WORD $(0x4E20D400 | (m)<<16 | (n)<<5 | (d))
// VFADD_D2: d = n + m
#define VFADD_D2(m, n, d) WORD $(0x4E60D400 | (m)<<16 | (n)<<5 | (d))
// VFSUB_S4: d = n - m
#define VFSUB_S4(m, n, d) WORD $(0x4EA0D400 | (m)<<16 | (n)<<5 | (d))
// VFSUB_D2: d = n - m
#define VFSUB_D2(m, n, d) WORD $(0x4EE0D400 | (m)<<16 | (n)<<5 | (d))
// VFMUL_S4: d = n * m
#define VFMUL_S4(m, n, d) WORD $(0x6E20DC00 | (m)<<16 | (n)<<5 | (d))
// VFMUL_D2: d = n * m
#define VFMUL_D2(m, n, d) WORD $(0x6E60DC00 | (m)<<16 | (n)<<5 | (d))
// VFDIV_S4: d = n / m
#define VFDIV_S4(m, n, d) WORD $(0x6E20FC00 | (m)<<16 | (n)<<5 | (d))
// VFDIV_D2: d = n / m
#define VFDIV_D2(m, n, d) WORD $(0x6E60FC00 | (m)<<16 | (n)<<5 | (d))
// VFMAX_S4: d = max(n, m), NaN if one is NaN
#define VFMAX_S4(m, n, d) WORD $(0x4E20F400 | (m)<<16 | (n)<<5 | (d))
// VFMAX_D2: d = max(n, m), NaN if one is NaN
#define VFMAX_D2(m, n, d) WORD $(0x4E60F400 | (m)<<16 | (n)<<5 | (d))
// VFMIN_S4: d = min(n, m), NaN if one is NaN
#define VFMIN_S4(m, n, d) WORD $(0x4EA0F400 | (m)<<16 | (n)<<5 | (d))
// VFMIN_D2: d = min(n, m), NaN if one is NaN
#define VFMIN_D2(m, n, d) WORD $(0x4EE0F400 | (m)<<16 | (n)<<5 | (d))
// VFABD_S4: d = |n - m|
#define VFABD_S4(m, n, d) WORD $(0x6EA0D400 | (m)<<16 | (n)<<5 | (d))
// VFABD_D2: d = |n - m|
#define VFABD_D2(m, n, d) WORD $(0x6EE0D400 | (m)<<16 | (n)<<5 | (d))
// VFADDP_S4: d = sums of neighbors of n, then of m
#define VFADDP_S4(m, n, d) WORD $(0x6E20D400 | (m)<<16 | (n)<<5 | (d))
// VFADDP_D2: d = sums of neighbors of n, then of m
#define VFADDP_D2(m, n, d) WORD $(0x6E60D400 | (m)<<16 | (n)<<5 | (d))
// VFCMEQ_S4: d = n == m ? all ones : 0
#define VFCMEQ_S4(m, n, d) WORD $(0x4E20E400 | (m)<<16 | (n)<<5 | (d))
// VFCMEQ_D2: d = n == m ? all ones : 0
#define VFCMEQ_D2(m, n, d) WORD $(0x4E60E400 | (m)<<16 | (n)<<5 | (d))
// VFCMGE_S4: d = n >= m ? all ones : 0
#define VFCMGE_S4(m, n, d) WORD $(0x6E20E400 | (m)<<16 | (n)<<5 | (d))
// VFCMGE_D2: d = n >= m ? all ones : 0
#define VFCMGE_D2(m, n, d) WORD $(0x6E60E400 | (m)<<16 | (n)<<5 | (d))
// VFCMGT_S4: d = n > m ? all ones : 0
#define VFCMGT_S4(m, n, d) WORD $(0x6EA0E400 | (m)<<16 | (n)<<5 | (d))
// VFCMGT_D2: d = n > m ? all ones : 0
#define VFCMGT_D2(m, n, d) WORD $(0x6EE0E400 | (m)<<16 | (n)<<5 | (d))
// VFABS_S4: d = |n|
#define VFABS_S4(n, d) WORD $(0x4EA0F800 | (n)<<5 | (d))
// VFABS_D2: d = |n|
#define VFABS_D2(n, d) WORD $(0x4EE0F800 | (n)<<5 | (d))
// VFNEG_S4: d = -n
#define VFNEG_S4(n, d) WORD $(0x6EA0F800 | (n)<<5 | (d))
// VFNEG_D2: d = -n
#define VFNEG_D2(n, d) WORD $(0x6EE0F800 | (n)<<5 | (d))
// VFSQRT_S4: d = sqrt(n)
#define VFSQRT_S4(n, d) WORD $(0x6EA1F800 | (n)<<5 | (d))
// VFSQRT_D2: d = sqrt(n)
#define VFSQRT_D2(n, d) WORD $(0x6EE1F800 | (n)<<5 | (d))
// VFRINTN_S4: d = n to the nearest integer, ties to even
#define VFRINTN_S4(n, d) WORD $(0x4E218800 | (n)<<5 | (d))
// VFRINTN_D2: d = n to the nearest integer, ties to even
#define VFRINTN_D2(n, d) WORD $(0x4E618800 | (n)<<5 | (d))
// VFRINTM_S4: d = floor(n)
#define VFRINTM_S4(n, d) WORD $(0x4E219800 | (n)<<5 | (d))
// VFRINTM_D2: d = floor(n)
#define VFRINTM_D2(n, d) WORD $(0x4E619800 | (n)<<5 | (d))
// VFCVTNS_S4: d = integer nearest to n, ties to even
#define VFCVTNS_S4(n, d) WORD $(0x4E21A800 | (n)<<5 | (d))
// VFCVTNS_D2: d = integer nearest to n, ties to even
#define VFCVTNS_D2(n, d) WORD $(0x4E61A800 | (n)<<5 | (d))
// VFCVTZS_S4: d = integer next to n toward 0
#define VFCVTZS_S4(n, d) WORD $(0x4EA1B800 | (n)<<5 | (d))
// VFCVTZS_D2: d = integer next to n toward 0
#define VFCVTZS_D2(n, d) WORD $(0x4EE1B800 | (n)<<5 | (d))
// VSCVTF_S4: d = float of the signed integer n
#define VSCVTF_S4(n, d) WORD $(0x4E21D800 | (n)<<5 | (d))
// VSCVTF_D2: d = float of the signed integer n
#define VSCVTF_D2(n, d) WORD $(0x4E61D800 | (n)<<5 | (d))
// VFMLAE_S4: d = d + n * m[i], fused
#define VFMLAE_S4(i, m, n, d) WORD $(0x4F801000 | (m)<<16 | ((i)&1)<<21 | ((i)>>1)<<11 | (n)<<5 | (d))
// VFMLAE_D2: d = d + n * m[i], fused
#define VFMLAE_D2(i, m, n, d) WORD $(0x4FC01000 | (m)<<16 | (i)<<11 | (n)<<5 | (d))
// VFMLSE_S4: d = d - n * m[i], fused
#define VFMLSE_S4(i, m, n, d) WORD $(0x4F805000 | (m)<<16 | ((i)&1)<<21 | ((i)>>1)<<11 | (n)<<5 | (d))
// VFMLSE_D2: d = d - n * m[i], fused
#define VFMLSE_D2(i, m, n, d) WORD $(0x4FC05000 | (m)<<16 | (i)<<11 | (n)<<5 | (d))
// VFMULE_S4: d = n * m[i]
#define VFMULE_S4(i, m, n, d) WORD $(0x4F809000 | (m)<<16 | ((i)&1)<<21 | ((i)>>1)<<11 | (n)<<5 | (d))
// VFMULE_D2: d = n * m[i]
#define VFMULE_D2(i, m, n, d) WORD $(0x4FC09000 | (m)<<16 | (i)<<11 | (n)<<5 | (d))
// VCMGT_S4: d = n > m ? all ones : 0, signed integers
#define VCMGT_S4(m, n, d) WORD $(0x4EA03400 | (m)<<16 | (n)<<5 | (d))
// VCMGT_D2: d = n > m ? all ones : 0, signed integers
#define VCMGT_D2(m, n, d) WORD $(0x4EE03400 | (m)<<16 | (n)<<5 | (d))
// VSSHL_S4: d = n << m, or n >> -m for negative m, signed integers
#define VSSHL_S4(m, n, d) WORD $(0x4EA04400 | (m)<<16 | (n)<<5 | (d))
// VSSHL_D2: d = n << m, or n >> -m for negative m, signed integers
#define VSSHL_D2(m, n, d) WORD $(0x4EE04400 | (m)<<16 | (n)<<5 | (d))
// VSSHR_S4: d = n >> i, signed integers
#define VSSHR_S4(i, n, d) WORD $(0x4F400400 - ((i)<<16) + ((n)<<5) + (d))
// VSSHR_D2: d = n >> i, signed integers
#define VSSHR_D2(i, n, d) WORD $(0x4F800400 - ((i)<<16) + ((n)<<5) + (d))
// VFCVTL: d (2 float64) = low 2 float32 of n
#define VFCVTL(n, d) WORD $(0x0E617800 | (n)<<5 | (d))
// VFCVTL2: d (2 float64) = high 2 float32 of n
#define VFCVTL2(n, d) WORD $(0x4E617800 | (n)<<5 | (d))
// VFCVTN: low 2 float32 of d = n (2 float64), high = 0
#define VFCVTN(n, d) WORD $(0x0E616800 | (n)<<5 | (d))
// VFCVTN2: high 2 float32 of d = n (2 float64), low kept
#define VFCVTN2(n, d) WORD $(0x4E616800 | (n)<<5 | (d))
// VXTN_S2: low 2 int32 of d = low halves of n (2 int64), high = 0
#define VXTN_S2(n, d) WORD $(0x0EA12800 | (n)<<5 | (d))
// VSXTL_D2: d (2 int64) = low 2 int32 of n
#define VSXTL_D2(n, d) WORD $(0x0F20A400 | (n)<<5 | (d))
// VSXTL_H8: d (8 int16) = low 8 int8 of n
#define VSXTL_H8(n, d) WORD $(0x0F08A400 | (n)<<5 | (d))
// VSXTL2_H8: d (8 int16) = high 8 int8 of n
#define VSXTL2_H8(n, d) WORD $(0x4F08A400 | (n)<<5 | (d))
// VSMLAL_S4: d (4 int32) = d + n * m, low 4 int16
#define VSMLAL_S4(m, n, d) WORD $(0x0E608000 | (m)<<16 | (n)<<5 | (d))
// VSMLAL2_S4: d (4 int32) = d + n * m, high 4 int16
#define VSMLAL2_S4(m, n, d) WORD $(0x4E608000 | (m)<<16 | (n)<<5 | (d))
// VSMULL_H8: d (8 int16) = n * m, low 8 int8
#define VSMULL_H8(m, n, d) WORD $(0x0E20C000 | (m)<<16 | (n)<<5 | (d))
// VSMULL2_H8: d (8 int16) = n * m, high 8 int8
#define VSMULL2_H8(m, n, d) WORD $(0x4E20C000 | (m)<<16 | (n)<<5 | (d))
// VSMLAL_H8: d (8 int16) = d + n * m, low 8 int8
#define VSMLAL_H8(m, n, d) WORD $(0x0E208000 | (m)<<16 | (n)<<5 | (d))
// VSMLAL2_H8: d (8 int16) = d + n * m, high 8 int8
#define VSMLAL2_H8(m, n, d) WORD $(0x4E208000 | (m)<<16 | (n)<<5 | (d))
// VUMULL_H8: d (8 uint16) = n * m, low 8 uint8
#define VUMULL_H8(m, n, d) WORD $(0x2E20C000 | (m)<<16 | (n)<<5 | (d))
// VUMULL2_H8: d (8 uint16) = n * m, high 8 uint8
#define VUMULL2_H8(m, n, d) WORD $(0x6E20C000 | (m)<<16 | (n)<<5 | (d))
// VSADALP_S4: d (4 int32) = d + sums of neighbors of n (8 int16)
#define VSADALP_S4(n, d) WORD $(0x4E606800 | (n)<<5 | (d))
// VUADALP_S4: d (4 uint32) = d + sums of neighbors of n (8 uint16)
#define VUADALP_S4(n, d) WORD $(0x6E606800 | (n)<<5 | (d))
// VSABD_B16: d = |n - m|, 16 int8
#define VSABD_B16(m, n, d) WORD $(0x4E207400 | (m)<<16 | (n)<<5 | (d))
// VUABD_B16: d = |n - m|, 16 uint8
#define VUABD_B16(m, n, d) WORD $(0x6E207400 | (m)<<16 | (n)<<5 | (d))
// VSTNP: m, n to the 32 bytes at Rd + 16*i, which the caches need not keep
#define VSTNP(i, m, n, d) WORD $(0xAC000000 | ((i)&127)<<15 | (n)<<10 | (d)<<5 | (m))
