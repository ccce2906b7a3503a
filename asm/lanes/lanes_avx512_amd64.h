// Eight lanes, whose masks are vectors of ones and zeros as at AVX2.
#define NOTBELOW(A, B, MASK) \
	VCMPPD    $22, B, A, K1 \ // not less or equal, NaN too
	VPMOVM2Q  K1, MASK
#define BITS(MASK, R) \
	VPMOVQ2M MASK, K1 \
	KMOVB    K1, R

// Where V > LARGEST, both integers: LARGEST = V, AT = I.
#define KEEP(V, I, LARGEST, AT, MASK) \
	VPCMPGTQ  LARGEST, V, K1      \
	VMOVDQU64 V, K1, LARGEST      \
	VMOVDQU64 I, K1, AT
