// What the bodies call by its type. The bodies stand in one header each, for both types; other names are in the table
// of asm/gen.

// Lane 0 of v becomes the sum of its lanes.
#define SUM64(v) VFADDP_D2(v, v, v)
#define SUM32(v) \
	VFADDP_S4(v, v, v); \
	VFADDP_S4(v, v, v)
