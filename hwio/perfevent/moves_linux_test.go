//go:build linux

package perfevent

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// A thread that goes from one CPU to the next, busy and touching pages: no count is lost on the way, by the kernel's
// reading of the counters and by what it tells the process itself.
func TestAThreadThatMovesBetweenProcessorsLosesNoCount(t *testing.T) {
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), moverEnv+"=1")
	var said bytes.Buffer
	cmd.Stdout = &said
	sums := sumsAreTheKernels(t, "a thread that moves", cmd)
	var truth struct{ Faults, Moves uint64 }
	if err := json.Unmarshal(said.Bytes(), &truth); err != nil {
		t.Fatalf("%v: %q", err, said.String())
	}
	t.Logf("%+v by the process, %v recorded", truth, sums)
	if truth.Moves == 0 {
		return // one CPU: nowhere to go
	}
	// What the process tells is from its line to a little before its end.
	if sums["page_faults"] < truth.Faults || sums["page_faults"] > truth.Faults+truth.Faults/5 {
		t.Errorf("%d page faults, the process had %d", sums["page_faults"], truth.Faults)
	}
	if sums["cpu_migrations"] < truth.Moves {
		t.Errorf("%d migrations, the thread moved %d times", sums["cpu_migrations"], truth.Moves)
	}
}

const moverEnv = "ASTROLABE_TEST_MOVER"

// TestMain is also the program that moves.
func TestMain(m *testing.M) {
	if os.Getenv(moverEnv) == "" {
		os.Exit(m.Run())
	}
	if err := move(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// move waits for a line, then has a thread go from CPU to CPU, and tells what the process used.
func move() error {
	runtime.LockOSThread()
	var all, one unix.CPUSet
	if err := unix.SchedGetaffinity(0, &all); err != nil {
		return err
	}
	var cpus []int
	for cpu := range 1024 {
		if all.IsSet(cpu) {
			cpus = append(cpus, cpu)
		}
	}
	if _, err := os.Stdin.Read(make([]byte, 1)); err != nil {
		return err
	}
	var before, after unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &before); err != nil {
		return err
	}
	const pages = 100
	moves := 0
	for i := range 120 {
		one.Zero()
		one.Set(cpus[i%len(cpus)])
		if err := unix.SchedSetaffinity(0, &one); err != nil {
			return err
		}
		mem, err := unix.Mmap(-1, 0, pages*4096, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE|unix.MAP_ANON)
		if err != nil {
			return err
		}
		for round := range 40_000 {
			mem[round%pages*4096]++
		}
		if err := unix.Munmap(mem); err != nil {
			return err
		}
		if i > 0 && len(cpus) > 1 {
			moves++
		}
	}
	if err := unix.Getrusage(unix.RUSAGE_SELF, &after); err != nil {
		return err
	}
	fmt.Printf(`{"Faults": %d, "Moves": %d}`, after.Minflt-before.Minflt, moves)
	return nil
}
