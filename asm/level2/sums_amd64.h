// The sums of the lanes of Y0, Y2, Y4, Y6 side by side in Y0, for float32 in X0: halves, pairs, neighbors, as SUM
// adds them. Uses Y1, Y3.

// Y0 = halves of rows 0 and 2, Y1 = those of rows 1 and 3.
#define QUARTERS(add) \
	VPERM2F128 $0x31, Y4, Y0, Y1; \
	VPERM2F128 $0x20, Y4, Y0, Y0; \
	VPERM2F128 $0x31, Y6, Y2, Y3; \
	VPERM2F128 $0x20, Y6, Y2, Y2; \
	add Y1, Y0, Y0; \
	add Y3, Y2, Y1

#define QUARTERS64 \
	QUARTERS(VADDPD); \
	VUNPCKHPD Y1, Y0, Y2; \
	VUNPCKLPD Y1, Y0, Y0; \
	VADDPD Y2, Y0, Y0

#define QUARTERS32 \
	QUARTERS(VADDPS); \
	VUNPCKHPD Y1, Y0, Y2; \
	VUNPCKLPD Y1, Y0, Y0; \
	VADDPS Y2, Y0, Y0; \
	VSHUFPS $0xdd, Y0, Y0, Y1; \
	VSHUFPS $0x88, Y0, Y0, Y0; \
	VADDPS Y1, Y0, Y0; \
	VPERMPD $0x08, Y0, Y0
