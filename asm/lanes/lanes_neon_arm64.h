// Eight lanes are four vectors, which the bodies name one by one.

// d -= u*b in all lanes.
#define TAKE(b0, b1, b2, b3, x0, x1, x2, x3) \
	VFMLS b0.D2, V16.D2, x0.D2; \
	VFMLS b1.D2, V17.D2, x1.D2; \
	VFMLS b2.D2, V18.D2, x2.D2; \
	VFMLS b3.D2, V19.D2, x3.D2
