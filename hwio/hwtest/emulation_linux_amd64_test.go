package hwtest

import (
	"os"
	"os/exec"
	"strings"
	"testing"
)

func TestProgramsSeeTheTreeAsIfItWereTheMachines(t *testing.T) { emulated(t, "tree") }

func TestRequestsReachTheModel(t *testing.T) {
	r := emulated(t, "ioctl")
	for _, want := range []string{"openat /dev/toy0  ", "ioctl 0xc0087401  0  x3\n", "ioctl 0x00007477  -25 ENOTTY x0\n", "close /dev/toy0  0  x0\n"} {
		if !strings.Contains(calls(r), want) {
			t.Errorf("the log lacks %q:\n%s", want, calls(r))
		}
	}
}

func TestPollableFilesWaitAndWake(t *testing.T) { emulated(t, "pollable") }
func TestMappableFilesAreSharedMemoryThatCanBePolled(t *testing.T) {
	emulated(t, "mappable")
}
func TestNoAnswerIsLostUnderLoad(t *testing.T) {
	r := emulated(t, "stress")
	if n := r.Truth.(map[string]int)["count"]; n != 1800 {
		t.Errorf("the model answered %d requests, want 1800", n)
	}
}
func TestDescriptorsCanBeCopiedAndClosedInAnyWay(t *testing.T) { emulated(t, "descriptors") }
func TestADeviceCanBeUnplugged(t *testing.T)                   { emulated(t, "unplug") }
func TestChildrenInheritDescriptors(t *testing.T)              { emulated(t, "fork") }

func TestPrivilegesAreThoseOfTheThreadUnlessTakenAway(t *testing.T) {
	if os.Geteuid() == 0 {
		t.Setenv("WANT_PRIVILEGED", "1")
	} else {
		t.Setenv("WANT_PRIVILEGED", "0")
	}
	r := emulated(t, "privileged")
	if !strings.Contains(calls(r), "ioctl 0x00007405 asked") {
		t.Errorf("the log lacks the model's note:\n%s", calls(r))
	}
	t.Setenv("WANT_PRIVILEGED", "0")
	emulated(t, "privileged", Unprivileged)
}

func TestEqualCallsAreFoldedInTheLog(t *testing.T) {
	r := emulated(t, "repeat")
	if !strings.Contains(calls(r), "ioctl 0x00007406  0  x50\n") {
		t.Errorf("log:\n%s", calls(r))
	}
}

func TestTheExitStatusIsPassedOn(t *testing.T) {
	for script, want := range map[string]int{"exit 3": 3, "kill -TERM $$": 128 + 15, "true": 0} {
		if r, _ := runToy(t, exec.Command("/bin/sh", "-c", script)); r.Exit != want {
			t.Errorf("%s: exit status %d, want %d", script, r.Exit, want)
		}
	}
}
