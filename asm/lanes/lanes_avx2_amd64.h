// Four lanes of eight.
#define NOTBELOW(A, B, MASK) VCMPPD $22, B, A, MASK // not less or equal, NaN too
#define BITS(MASK, R) VMOVMSKPD MASK, R
