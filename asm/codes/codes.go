package codes

//go:generate go run github.com/gramworks/gram/internal/neon/gen
//go:generate go run github.com/gramworks/gram/asm/gen

const (
	words = 8  // words of a block of 64 bytes
	bytes = 64 // bytes of a block

	// mostWords and mostBytes are the sizes of a call of assembly. Sums of mostBytes
	// products, at most 255², fit 32 bits in each of at least four lanes.
	mostWords = 1 << 12
	mostBytes = 1 << 15
)

// first returns the first n elements of b. It panics if there are fewer, whatever b has room for.
func first[T any](b []T, n int) []T { return b[:len(b):len(b)][:n] }

// Hamming returns the number of bits in which a and b differ. It panics if b is
// shorter than a.
func Hamming(a, b []uint64) int {
	b = first(b, len(a))
	count, n := 0, len(a)&^(words-1)
	for i := 0; i < n; i += mostWords {
		count += xorCount(a[i:min(i+mostWords, n)], b[i:min(i+mostWords, n)])
	}
	return count + xorCountGeneric(a[n:], b[n:])
}

// Common returns the number of bits that are set in both a and b. It panics if b is
// shorter than a.
func Common(a, b []uint64) int {
	b = first(b, len(a))
	count, n := 0, len(a)&^(words-1)
	for i := 0; i < n; i += mostWords {
		count += andCount(a[i:min(i+mostWords, n)], b[i:min(i+mostWords, n)])
	}
	return count + andCountGeneric(a[n:], b[n:])
}

// Dot8 returns Σ a_i·b_i. It panics if b is shorter than a.
func Dot8(a []uint8, b []int8) int {
	b = first(b, len(a))
	sum, n := 0, len(a)&^(bytes-1)
	for i := 0; i < n; i += mostBytes {
		sum += dot8(a[i:min(i+mostBytes, n)], b[i:min(i+mostBytes, n)])
	}
	return sum + dot8Generic(a[n:], b[n:])
}

// Dot4 returns Σ a_i·b_i for the 2·len(a) numbers of 4 bits in a. It panics if b is
// shorter than that.
func Dot4(a []uint8, b []int8) int {
	b = first(b, 2*len(a))
	low, high := b[:len(a)], b[len(a):]
	sum, n := 0, len(a)&^(bytes-1)
	for i := 0; i < n; i += mostBytes {
		end := min(i+mostBytes, n)
		sum += dot4(a[i:end], low[i:end], high[i:end])
	}
	return sum + dot4Generic(a[n:], low[n:], high[n:])
}

// Squares8 returns Σ (a_i−b_i)². It panics if b is shorter than a.
func Squares8(a, b []uint8) int {
	b = first(b, len(a))
	sum, n := 0, len(a)&^(bytes-1)
	for i := 0; i < n; i += mostBytes {
		sum += squares8(a[i:min(i+mostBytes, n)], b[i:min(i+mostBytes, n)])
	}
	return sum + squares8Generic(a[n:], b[n:])
}

// Squares4 returns Σ (a_i−b_i)² for the 2·len(a) numbers of 4 bits in a and in b. It
// panics if b is shorter than a.
func Squares4(a, b []uint8) int {
	b = first(b, len(a))
	sum, n := 0, len(a)&^(bytes-1)
	for i := 0; i < n; i += mostBytes {
		sum += squares4(a[i:min(i+mostBytes, n)], b[i:min(i+mostBytes, n)])
	}
	return sum + squares4Generic(a[n:], b[n:])
}

// DotSigned returns Σ a_i·b_i. It panics if b is shorter than a.
func DotSigned(a, b []int8) int {
	b = first(b, len(a))
	sum, n := 0, len(a)&^(bytes-1)
	for i := 0; i < n; i += mostBytes {
		sum += dotSigned(a[i:min(i+mostBytes, n)], b[i:min(i+mostBytes, n)])
	}
	return sum + dotSignedGeneric(a[n:], b[n:])
}

// SquaresSigned returns Σ (a_i−b_i)². It panics if b is shorter than a.
func SquaresSigned(a, b []int8) int {
	b = first(b, len(a))
	sum, n := 0, len(a)&^(bytes-1)
	for i := 0; i < n; i += mostBytes {
		sum += squaresSigned(a[i:min(i+mostBytes, n)], b[i:min(i+mostBytes, n)])
	}
	return sum + squaresSignedGeneric(a[n:], b[n:])
}
