package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"astrolabe/hwio/hwtest"
)

func TestBadUsageIsExplained(t *testing.T) {
	for args, want := range map[string]string{
		"":                               "--device is missing",
		"--device cpu-pmu":               "no command is given",
		"--device cpu-pmv -- true":       `no device is called "cpu-pmv"; did you mean cpu-pmu?`,
		"--list -- true":                 "--list runs no command",
		"--devise x":                     "flag provided but not defined",
		"--device cpu-pmu --seed x -- y": "invalid value",
		"--device cpu-pmu --scenario few-counter -- true": "did you mean few-counters?",
	} {
		var out, errs bytes.Buffer
		if status := run(strings.Fields(args), &out, &errs); status != badUsage || !strings.Contains(errs.String(), want) || out.Len() > 0 {
			t.Errorf("emulate %s: status %d, %q; want %q", args, status, errs.String(), want)
		}
	}
}

func TestTheListNamesDevicesAndScenarios(t *testing.T) {
	var out, errs bytes.Buffer
	if status := run([]string{"--list"}, &out, &errs); status != 0 {
		t.Fatalf("status %d: %s", status, errs.String())
	}
	for _, want := range []string{"cpu-pmu ", "  few-counters ", "every device", "  unprivileged "} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("the list lacks %q:\n%s", want, out.String())
		}
	}
}

func TestTheTruthIsWrittenAndTheStatusPassedOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "truth.json")
	var out, errs bytes.Buffer
	status := run([]string{"--device", "cpu-pmu", "--scenario", "paranoid-1,unprivileged", "--seed", "7", "--truth", path, "--",
		"/bin/sh", "-c", "cat /proc/sys/kernel/perf_event_paranoid; exit 5"}, &out, &errs)
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" || strings.Contains(errs.String(), hwtest.ErrUnsupported.Error()) {
		if status != failed {
			t.Errorf("without emulation the status is %d", status)
		}
		t.Skipf("EMULATION SKIPPED: %s", errs.String())
	}
	if status != 5 || out.String() != "1\n" {
		t.Errorf("status %d, output %q, %s", status, out.String(), errs.String())
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var a account
	if err := json.Unmarshal(data, &a); err != nil {
		t.Fatal(err)
	}
	if a.Device != "cpu-pmu" || len(a.Scenarios) != 2 || a.Seed != 7 || a.Exit != 5 || a.Truth == nil || len(a.Calls) == 0 {
		t.Errorf("%s", data)
	}
}

func TestAFileThatCannotBeWrittenIsSaidBeforeTheProgramRuns(t *testing.T) {
	var out, errs bytes.Buffer
	status := run([]string{"--device", "cpu-pmu", "--truth", t.TempDir() + "/none/t.json", "--", "/bin/echo", "ran"}, &out, &errs)
	if status != failed || out.Len() > 0 || !strings.Contains(errs.String(), "none/t.json") {
		t.Errorf("status %d, output %q, %s", status, out.String(), errs.String())
	}
}
