// Package machine knows how much memory this process may use, and how much memory and
// processor time it uses.
package machine

import (
	"bufio"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Memory returns the bytes that this process may use in all: the memory of the machine
// or, if it is less, the limit of the control group that the process is in. It is 0
// where that cannot be found out, as on systems other than Linux.
func Memory() int64 { return installedMemory("/") }

func installedMemory(root string) int64 {
	least := int64(0)
	take := func(v int64) {
		if v > 0 && (least == 0 || v < least) {
			least = v
		}
	}
	take(total(filepath.Join(root, "proc/meminfo")))
	for _, group := range groups(filepath.Join(root, "proc/self/cgroup")) {
		for dir := group.dir; ; dir = filepath.Dir(dir) { // a limit holds for all groups below
			take(limit(filepath.Join(root, "sys/fs/cgroup", group.mount, dir, group.file)))
			if dir == "/" || dir == "." {
				break
			}
		}
	}
	return least
}

// total returns the installed memory in bytes, MemTotal in the file at path; 0 if it cannot be read.
func total(path string) int64 {
	f, err := os.Open(path)
	if err != nil {
		return 0
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if text, found := strings.CutPrefix(lines.Text(), "MemTotal:"); found {
			kib, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(text, "kB")), 10, 53)
			if err != nil {
				return 0
			}
			return kib << 10
		}
	}
	return 0
}

// group is a control group and the file with its limit.
type group struct{ mount, dir, file string }

// groups reads the control groups of the process, of version 2 and of version 1.
func groups(path string) []group {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	var all []group
	for line := range strings.Lines(string(text)) {
		part := strings.SplitN(strings.TrimSpace(line), ":", 3)
		switch {
		case len(part) != 3:
		case part[1] == "":
			all = append(all, group{"", part[2], "memory.max"})
		case strings.Contains(","+part[1]+",", ",memory,"):
			all = append(all, group{"memory", part[2], "memory.limit_in_bytes"})
		}
	}
	return all
}

// limit reads a number of bytes; 0 for "max", what cannot be read, and numbers so large
// that they stand for no limit.
func limit(path string) int64 {
	text, err := os.ReadFile(path)
	if err != nil {
		return 0
	}
	v, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil || v >= 1<<60 {
		return 0
	}
	return v
}
