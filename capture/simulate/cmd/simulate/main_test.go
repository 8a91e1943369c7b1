package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture/formats"
	"astrolabe/capture/formats/arrow"
	"astrolabe/capture/simulate"
)

func TestCasesAreWrittenWithTheirTruth(t *testing.T) {
	dir := t.TempDir()
	var out bytes.Buffer
	if err := run([]string{"-family", "mali-g615", "-kind", "single", "-n", "2", "-seed", "7", "-marks", "yes",
		"-withhold", "unit/varying", "-o", dir}, &out); err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(dir, "mali-g615-single-8")
	reg := formats.NewRegistry(arrow.Format{})
	cap, err := reg.Open(context.Background(), name+".arrow", formats.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if cap.GPU != "mali-g615" || cap.Len() < 50 || cap.Label("frame") == nil ||
		cap.Counter("MaliVaryingUnitIssues16BitInterpolationIssues") != nil {
		t.Errorf("GPU %q, %d samples, label %v", cap.GPU, cap.Len(), cap.Label("frame"))
	}
	raw, err := os.ReadFile(name + ".truth.json")
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Limiter simulate.Candidate
		simulate.Truth
	}
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if got.Limiter.Name == "" || len(got.Leaves) < 5 || len(got.Each) < 20 || len(got.Shares) == 0 {
		t.Errorf("the truth is %+v", got)
	}
	if n := strings.Count(out.String(), "\n"); n != 2 {
		t.Errorf("printed %q", out.String())
	}
}

func TestWrongArgumentsAreRefused(t *testing.T) {
	for _, args := range [][]string{
		{"-family", "mali"}, {"-kind", "odd", "-o", "x"}, {"-n", "1"}, {"-marks", "perhaps", "-o", "x"}, {"-withhold",
			"texture", "-o", "x"}, {"more"},
	} {
		if err := run(args, &bytes.Buffer{}); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
}

func TestTheTableCountsClearLimits(t *testing.T) {
	var out bytes.Buffer
	if err := run([]string{"-table", "-n", "3", "-kind", "archetype"}, &out); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), "mali-g720 archetype: 3 cases, ") {
		t.Errorf("printed %q", out.String())
	}
}
