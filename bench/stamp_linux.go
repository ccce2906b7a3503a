package bench

import (
	"os"
	"strconv"
	"strings"
	"syscall"
)

// cores reads the first line of /proc/stat, which counts hundredths of seconds.
func cores() usage {
	text, err := os.ReadFile("/proc/stat")
	line, _, _ := strings.Cut(string(text), "\n")
	f := strings.Fields(line)
	if err != nil || len(f) < 9 || f[0] != "cpu" {
		return usage{}
	}
	var u usage
	for i, text := range f[1:9] { // user, nice, system, idle, iowait, irq, softirq, steal
		v, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return usage{}
		}
		u.all += v / 100
		if i != 3 && i != 4 {
			u.busy += v / 100
		}
	}
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var r syscall.Rusage
		if err := syscall.Getrusage(who, &r); err != nil {
			return usage{}
		}
		u.own += float64(r.Utime.Nano()+r.Stime.Nano()) / 1e9
	}
	return u
}
