package cpu_test

import (
	"fmt"
	"log"

	"github.com/gramworks/gram/asm/cpu"
)

// A test runs a computation at every level that can be in force here.
func ExampleLower() {
	highest := cpu.Current() // GRAM_LEVEL may have lowered it
	for _, l := range cpu.Levels() {
		if l > highest {
			continue
		}
		restore, err := cpu.Lower(l)
		if err != nil {
			log.Fatal(err)
		}
		if cpu.Current() != l {
			fmt.Println("another level is in force")
		}
		restore()
	}
	fmt.Println(cpu.Levels()[0])
	// Output: generic
}

func ExampleParseLevel() {
	l, err := cpu.ParseLevel("avx2")
	fmt.Println(l, err)
	_, err = cpu.ParseLevel("sse9")
	fmt.Println(err != nil)
	// Output:
	// avx2 <nil>
	// true
}
