package main

import (
	"bytes"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"astrolabe/internal/longtests"
)

// server is a job server of prism on a port of its own.
func server(t *testing.T, dir string) (endpoint string) {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	port := l.Addr().(*net.TCPAddr).Port
	l.Close()
	cmd := program(t, dir, "astrolabe-beam", "server", fmt.Sprintf("--port=%d", port), "--log=server.log")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	endpoint = fmt.Sprintf("localhost:%d", port)
	for range 600 {
		c, err := net.Dial("tcp", endpoint)
		if err == nil {
			c.Close()
			return endpoint
		}
		time.Sleep(50 * time.Millisecond) // it is starting; the number of tries only guards against hanging
	}
	t.Fatal("the job server does not answer")
	return ""
}

// flink is the endpoint of a job server of Flink.
const flink = "ASTROLABE_BEAM_FLINK"

// However a farm is worked on, the rows are the same. The long form has 2,000 captures.
func TestRowsDoNotDependOnTheEngine(t *testing.T) {
	if testing.Short() {
		t.Skip("SKIPPED: every engine works on many captures, which takes a minute")
	}
	of := 0
	if longtests.Asked() {
		of = 4
	}
	dir, captures := farm(t, of)
	one := ""
	timed := func(what, name string, args ...string) {
		t.Helper()
		cmd := program(t, dir, name, onFarm(args...)...)
		begun := time.Now()
		finished(t, 1, cmd)
		used := cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
		t.Logf("ENGINE | %s | %d captures | %.1f s | %.1f s of processors", what, captures, time.Since(begun).Seconds(), used.Seconds())
	}
	timed("map, one core", "astrolabe", "-j", "1", "-o", "one.jsonl")
	one = content(t, dir, "one.jsonl")
	same := func(name string) {
		t.Helper()
		if content(t, dir, name) != one {
			t.Errorf("%s: other rows", name)
		}
	}
	timed("map, two cores", "astrolabe", "-j", "2", "-o", "two.jsonl")
	same("two.jsonl")
	var parts []string
	for i := range 4 {
		name := fmt.Sprintf("shard%d.jsonl", i)
		cmd := program(t, dir, "astrolabe", onFarm("-j", "2", fmt.Sprintf("--shard=%d/4", i+1), "-o", name)...)
		if out, err := cmd.CombinedOutput(); cmd.ProcessState.ExitCode() > 1 {
			t.Fatalf("%v\n%s", err, out)
		}
		parts = append(parts, slices.Collect(strings.Lines(content(t, dir, name)))...)
	}
	all := slices.Collect(strings.Lines(one))
	slices.Sort(parts)
	slices.Sort(all)
	if !slices.Equal(parts, all) {
		t.Error("four shards: other rows")
	}
	timed("prism in process", "astrolabe-beam", "-j", "2", "-o", "prism.jsonl")
	same("prism.jsonl")
	endpoint := server(t, dir)
	timed("prism, job server, loopback", "astrolabe-beam", "-j", "2", "--endpoint", endpoint, "-o", "loopback.jsonl")
	same("loopback.jsonl")
	timed("prism, job server, process", "astrolabe-beam", "-j", "2", "--endpoint", endpoint, "--environment=process", "-o", "process.jsonl")
	same("process.jsonl")
	t.Run("Flink", func(t *testing.T) {
		endpoint := os.Getenv(flink)
		if endpoint == "" {
			t.Skip("SKIPPED: no job server of Flink: .ci/extra beam starts one")
		}
		on := []string{"-j", "2", "--endpoint", endpoint}
		timed("Flink, loopback", "astrolabe-beam", append(on, "-o", "flink.jsonl")...)
		same("flink.jsonl")
		timed("Flink, process", "astrolabe-beam", append(on, "--environment=process", "--environment-config", self(t, dir), "-o", "flink2.jsonl")...)
		same("flink2.jsonl")
		killed(t, dir, append(on, "--environment=process", "--environment-config", self(t, dir), "--chunk=4", "-o", "killed.jsonl"))
		same("killed.jsonl")
	})
	nothingLeft(t, dir)
}

// self is a program that runners of another process start: the test's own binary as astrolabe-beam.
func self(t *testing.T, dir string) string {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "boot.sh")
	text := fmt.Sprintf("#!/bin/sh\necho $$ >> %s/boots\n%s=astrolabe-beam exec %s \"$@\"\n", dir, asProgram, exe)
	if err := os.WriteFile(path, []byte(text), 0o777); err != nil {
		t.Fatal(err)
	}
	return path
}

// killed kills the first process that the runner starts, when the first chunk is done.
func killed(t *testing.T, dir string, args []string) {
	t.Helper()
	if err := os.RemoveAll(filepath.Join(dir, "boots")); err != nil {
		t.Fatal(err)
	}
	cmd := program(t, dir, "astrolabe-beam", onFarm(args...)...)
	var talk bytes.Buffer
	cmd.Stderr = &talk
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for killed := false; ; {
		select {
		case err := <-ended:
			if !killed || cmd.ProcessState.ExitCode() != 1 {
				t.Errorf("killed: %v; %v\n%s", killed, err, talk.String())
			}
			return
		case <-time.After(20 * time.Millisecond):
			pids, err := os.ReadFile(filepath.Join(dir, "boots"))
			out, _ := filepath.Glob(filepath.Join(dir, "tmp", "astrolabe-beam-*", "out", "*"))
			if !killed && err == nil && len(out) > 0 {
				pid, _, _ := strings.Cut(string(pids), "\n")
				if err := exec.Command("kill", "-9", pid).Run(); err == nil {
					killed = true
				}
			}
		}
	}
}

// A program that is not there on the runner's machine starts nothing, which ends the job.
func TestAMissingProgramOfWorkersEndsTheJob(t *testing.T) {
	dir := few(t)
	endpoint := server(t, dir)
	_, talk := finished(t, 1, program(t, dir, "astrolabe-beam", "map", "sum.star", "build=1/a.csv", "--endpoint", endpoint,
		"--environment=process", "--environment-config=/nowhere/astrolabe-beam", "--start-within=2s"))
	if !strings.Contains(talk, "nothing has begun to work within 2s") && !strings.Contains(talk, "the job failed") {
		t.Error(talk)
	}
	nothingLeft(t, dir)
}
