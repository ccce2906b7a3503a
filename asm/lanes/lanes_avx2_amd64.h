// Four lanes of eight.
#define NOTBELOW(A, B, MASK) VCMPPD $22, B, A, MASK // not less or equal, NaN too
#define BITS(MASK, R) VMOVMSKPD MASK, R

// Where V > LARGEST, both integers: LARGEST = V, AT = I.
#define KEEP(V, I, LARGEST, AT, MASK) \
	VPCMPGTQ  LARGEST, V, MASK           \
	VBLENDVPD MASK, V, LARGEST, LARGEST  \
	VBLENDVPD MASK, I, AT, AT
