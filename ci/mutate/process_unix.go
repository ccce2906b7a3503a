//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// ownGroup gives a command a process group of its own, which ends as a whole
// when the command's context does: a mutant may loop where nothing can
// interrupt it.
func ownGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}

// limitMemory bounds the address space of this process and of those it
// starts: a mutant may ask for any amount.
func limitMemory(bytes uint64) error {
	return syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: bytes, Max: bytes})
}
