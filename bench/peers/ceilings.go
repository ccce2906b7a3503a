package main

/*
// Ten independent chains of adds, so that two units of latency four or five are full.
static void adds512(long reps) {
	__asm__ volatile("1:\n"
		"vaddpd %%zmm0, %%zmm15, %%zmm0\n"
		"vaddpd %%zmm1, %%zmm15, %%zmm1\n"
		"vaddpd %%zmm2, %%zmm15, %%zmm2\n"
		"vaddpd %%zmm3, %%zmm15, %%zmm3\n"
		"vaddpd %%zmm4, %%zmm15, %%zmm4\n"
		"vaddpd %%zmm5, %%zmm15, %%zmm5\n"
		"vaddpd %%zmm6, %%zmm15, %%zmm6\n"
		"vaddpd %%zmm7, %%zmm15, %%zmm7\n"
		"vaddpd %%zmm8, %%zmm15, %%zmm8\n"
		"vaddpd %%zmm9, %%zmm15, %%zmm9\n"
		"dec %0\njnz 1b\nvzeroupper\n" : "+r"(reps) : : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm15");
}

static void adds256(long reps) {
	__asm__ volatile("1:\n"
		"vaddpd %%ymm0, %%ymm15, %%ymm0\n"
		"vaddpd %%ymm1, %%ymm15, %%ymm1\n"
		"vaddpd %%ymm2, %%ymm15, %%ymm2\n"
		"vaddpd %%ymm3, %%ymm15, %%ymm3\n"
		"vaddpd %%ymm4, %%ymm15, %%ymm4\n"
		"vaddpd %%ymm5, %%ymm15, %%ymm5\n"
		"vaddpd %%ymm6, %%ymm15, %%ymm6\n"
		"vaddpd %%ymm7, %%ymm15, %%ymm7\n"
		"vaddpd %%ymm8, %%ymm15, %%ymm8\n"
		"vaddpd %%ymm9, %%ymm15, %%ymm9\n"
		"dec %0\njnz 1b\nvzeroupper\n" : "+r"(reps) : : "cc", "xmm0", "xmm1", "xmm2", "xmm3", "xmm4", "xmm5", "xmm6", "xmm7", "xmm8", "xmm9", "xmm15");
}
*/
import "C"

import "github.com/gramworks/gram/asm/cpu"

// adds does ten vector additions per repetition at the level in force.
func adds(reps int) {
	if cpu.Current() >= cpu.AVX512 {
		C.adds512(C.long(reps))
	} else {
		C.adds256(C.long(reps))
	}
}

// addsPerRep returns the number of float64 additions in one repetition of adds.
func addsPerRep() float64 {
	if cpu.Current() >= cpu.AVX512 {
		return 80
	}
	return 40
}

// copies returns a contestant that copies memory, with a working set of the given
// number of bytes.
func copies(bytes int) contestant {
	src, dst := make([]byte, bytes/2), make([]byte, bytes/2)
	for i := range src {
		src[i] = byte(i)
	}
	return func(reps int) {
		for range reps {
			copy(dst, src)
		}
	}
}
