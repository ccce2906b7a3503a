// The rotations that make the elements pq zero, in all lanes:
//
//   rotated = !(|pq| <= 0x1p-54*min(|pp|, |qq|))
//   tau = (qq/2 - pp/2)/pq;  h = |tau|;  t = sign(tau)/(h + max(sqrt(min(h, 0x1p500)^2 + 1), h))
//   t = 0 where not rotated;  c = 1/sqrt(t^2 + 1);  s = t*c
//   pp -= t*pq;  qq += t*pq;  pq = 0 where rotated
//
// Registers: SI pp, DX pq, DI qq, BX c and s behind it; AX bits of rotated. V0 pp, V1 qq, V2 pq, V3 the mask of rotated,
// V4 tau, V5 h, V6 t, V7 constants, V8 for what is on the way.
	VMOVUPD (SI), V0
	VMOVUPD (DI), V1
	VMOVUPD (DX), V2
	VBROADCASTSD magnitude<>(SB), V7
	VANDPD V7, V0, V4
	VANDPD V7, V1, V5
	VMINPD V5, V4, V4
	VBROADCASTSD negligible<>(SB), V8
	VMULPD V8, V4, V4
	VANDPD V7, V2, V5
	NOTBELOW(V5, V4, V3)
	VBROADCASTSD half<>(SB), V8
	VMULPD V8, V0, V5
	VMULPD V8, V1, V4
	VSUBPD V5, V4, V4
	VDIVPD V2, V4, V4
	VANDPD V7, V4, V5
	VBROADCASTSD large<>(SB), V8
	VMINPD V8, V5, V6
	VBROADCASTSD one<>(SB), V8
	VMULPD V6, V6, V6
	VADDPD V8, V6, V6
	VSQRTPD V6, V6
	VMAXPD V5, V6, V6
	VADDPD V5, V6, V6
	VDIVPD V6, V8, V6
	VANDNPD V4, V7, V4 // the sign of tau
	VORPD  V4, V6, V6
	VANDPD V3, V6, V6
	VMULPD V6, V2, V5
	VSUBPD V5, V0, V0
	VADDPD V5, V1, V1
	VANDNPD V2, V3, V2
	VMOVUPD V0, (SI)
	VMOVUPD V1, (DI)
	VMOVUPD V2, (DX)
	VMULPD V6, V6, V5
	VADDPD V8, V5, V5
	VSQRTPD V5, V5
	VDIVPD V5, V8, V5
	VMULPD V5, V6, V6
	VMOVUPD V5, (BX)
	VMOVUPD V6, 64(BX)
	BITS(V3, AX)
