//go:build unix

package main

import (
	"os/exec"
	"syscall"
)

// ownGroup gives a command a process group of its own, which is killed as a
// whole when the context of the command is done. A mutant may loop where
// nothing else can interrupt it.
func ownGroup(c *exec.Cmd) {
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	c.Cancel = func() error { return syscall.Kill(-c.Process.Pid, syscall.SIGKILL) }
}

// limitMemory bounds the address space of this process and of those that it
// starts, because a mutant may allocate any amount.
func limitMemory(bytes uint64) error {
	return syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: bytes, Max: bytes})
}
