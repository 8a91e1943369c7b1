package recording

import (
	"strings"
	"testing"
	"time"

	"astrolabe/hwio"
)

// record -o run.csv wrote an Arrow file of that name, and -o - one that is called "-".
func TestARecordingIsNoFileOfAnotherFormat(t *testing.T) {
	for out, want := range map[string]string{
		"a/run.csv":   "record into a/run.arrow, then astrolabe convert a/run.arrow a/run.csv",
		"RUN.Parquet": "record into RUN.arrow",
		"-":           "needs a file",
	} {
		if err := (&StoreFlags{Out: out}).Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("-o %s: %v, want %q", out, err, want)
		}
	}
	for _, out := range []string{"", "run.arrow", "run", "/dev/stdout", "run.1"} {
		if err := (&StoreFlags{Out: out}).Check(); err != nil {
			t.Errorf("-o %s: %v", out, err)
		}
	}
}

// Short recordings took "2.5e+02 %" of a processor.
func TestTheCostOfARecordingHasNoExponent(t *testing.T) {
	for cpu, want := range map[time.Duration]string{
		25 * time.Second: " 250 % of", 10 * time.Second: " 100 % of", 50 * time.Millisecond: " 0.5 % of", 4200 * time.Millisecond: " 42 % of",
	} {
		res := &hwio.Result{Duration: 10 * time.Second, CPU: cpu}
		if got := Recorded(res); !strings.Contains(got, want) {
			t.Errorf("%v of 10 s: %q, want %q", cpu, got, want)
		}
	}
}
