package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/internal/diagnosis/rates"
)

func TestRunsOfTheSimulatorAreMeasuredAndAddUp(t *testing.T) {
	dir := t.TempDir()
	first, page := filepath.Join(dir, "first.json"), filepath.Join(dir, "rates.md")
	var out bytes.Buffer
	for _, args := range [][]string{
		{"--simulated", "--families", "gfx1151", "--kinds", "single", "--cases", "2", "--json", first},
		{"--simulated", "--families", "gfx1151", "--kinds", "single", "--cases", "2", "--first", "3", "--add", first,
			"--rates", page, "--note", "Before."},
	} {
		out.Reset()
		if err := run(t.Context(), args, &out); err != nil {
			t.Fatal(err)
		}
	}
	if !strings.Contains(out.String(), "gfx1151: seeds of single 1..4\n") {
		t.Errorf("printed\n%s", out.String())
	}
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(text), "Before.") || !strings.Contains(string(text), "### gfx1151") {
		t.Errorf("the page is\n%s", text)
	}
}

func TestWrongArgumentsOfMeasuringAreRefused(t *testing.T) {
	for _, args := range [][]string{
		{"--simulated", "--families", "mali"}, {"--simulated", "--kinds", "odd"}, {"--simulated", "--cases", "-1"},
		{"--simulated", "--workers", "0"},
		{"--simulated", "--cases", "0", "--add", "absent.json"},
	} {
		if err := run(t.Context(), args, &bytes.Buffer{}); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}

// Both together judged all planted captures first, for many minutes, of which nobody had asked.
func TestMeasuringAndSimulatedCasesAloneExcludeEachOther(t *testing.T) {
	err := run(t.Context(), []string{"--simulated", "--measure", t.TempDir(), "--cases", "0"}, &bytes.Buffer{})
	if err == nil || !strings.Contains(err.Error(), "give one of the two") {
		t.Errorf("--simulated with --measure: %v", err)
	}
}

func TestWhatCapturesSayIsWrittenForThoseWhoLearn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "values.jsonl")
	if err := run(t.Context(), []string{"--simulated", "--families", "gfx1151-fourth", "--kinds", "single,two-phase", "--cases", "3", "--values", path}, &bytes.Buffer{}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(string(data)), "\n")
	if len(lines) == 0 || len(lines) > 3 {
		t.Fatalf("%d lines", len(lines))
	}
	for _, line := range lines {
		var v rates.Values
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		if v.Family != "gfx1151-fourth" || v.Kind != "single" || v.Seed < 1 || v.Seed > 3 || v.Limiter == "" || v.First == "" {
			t.Errorf("%s", line)
		}
		if _, ok := v.Values["counter GRBM_GUI_ACTIVE total"]; !ok || len(v.Values) < 50 {
			t.Errorf("%d values: %s", len(v.Values), line)
		}
	}
	missing := filepath.Join(t.TempDir(), "none", "values.jsonl")
	if err := run(t.Context(), []string{"--simulated", "--families", "gfx1151-fourth", "--values", missing}, &bytes.Buffer{}); err == nil {
		t.Error("a file in no folder is written")
	}
}
