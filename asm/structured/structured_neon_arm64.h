// What the bodies share; other names are in the table of asm/gen. The bodies stand in one header each, for both types.

// A, B, C, D += the next element of X times the row of v
#define ROW(X, A, B, C, D) \
	VLD1R.P BYTES(X), [V20.T]; \
	VFMLA   V16.T, V20.T, A.T; \
	VFMLA   V17.T, V20.T, B.T; \
	VFMLA   V18.T, V20.T, C.T; \
	VFMLA   V19.T, V20.T, D.T
