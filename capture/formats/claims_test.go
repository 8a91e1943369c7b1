package formats

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"astrolabe/capture"
)

// claimer recognises everything, and opens it unless it has an error.
type claimer struct {
	name string
	sure int
	err  error
}

func (f claimer) Name() string     { return f.name }
func (f claimer) Doc() string      { return "" }
func (f claimer) Sniff(*Input) int { return f.sure }
func (f claimer) Open(_ context.Context, in *Input, opt Options) (*capture.Capture, error) {
	if f.err != nil {
		return nil, f.err
	}
	a := capture.NewUniformAxis(1, 1)
	one := func(name, unit string) *capture.Counter {
		return &capture.Counter{Meta: capture.Meta{Name: name, Unit: unit, Guessed: true}, Axis: a,
			Col: capture.NewColumn(capture.Data{U: []uint64{7}})}
	}
	cfg := capture.Config{Format: f.name, Axis: a, Counters: []*capture.Counter{one("requests", ""),
		one("gpu_temp", "°C"), one("gpu_tempo", ""), one("used", "MiB")}}
	opt.Apply(&cfg)
	return capture.New(cfg)
}

func openWith(t *testing.T, opt Options, f ...Format) (*capture.Capture, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(path, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	return NewRegistry(f...).Open(t.Context(), path, opt)
}

func TestAFormatThatFailsAfterClaimingHandsOn(t *testing.T) {
	bad, worse := errors.New("line 1 has no event"), errors.New("no header")
	c, err := openWith(t, Options{}, claimer{"csv", 60, nil}, claimer{"perfstat", 96, bad}, claimer{"other", 0, nil})
	if err != nil || c.Format != "csv" || !strings.Contains(strings.Join(c.Warnings, "\n"), "line 1 has no event") {
		t.Fatalf("%v, %+v", err, c)
	}
	_, err = openWith(t, Options{}, claimer{"csv", 60, worse}, claimer{"perfstat", 80, bad})
	if !errors.Is(err, bad) || !errors.Is(err, worse) ||
		strings.Index(err.Error(), "perfstat") > strings.Index(err.Error(), "csv") {
		t.Errorf("error %v", err)
	}
	_, err = openWith(t, Options{}, claimer{"csv", 60, worse}, claimer{"perfstat", 96, bad})
	if !errors.Is(err, bad) || errors.Is(err, worse) {
		t.Errorf("what another format lacks of content that one is sure of: %v", err)
	}
	_, err = openWith(t, Options{Format: "perfstat"}, claimer{"csv", 60, nil}, claimer{"perfstat", 96, bad})
	if !errors.Is(err, bad) {
		t.Errorf("the named format handed on: %v", err)
	}
	_, err = openWith(t, Options{}, claimer{"csv", 60, nil}, claimer{"perfstat", 96, OptionErrorf("no option colour")})
	if !errors.Is(err, ErrOption) || err.Error() != strings.TrimSpace(err.Error()) ||
		!strings.HasSuffix(err.Error(), "no option colour") {
		t.Errorf("a wrong option was handed on: %v", err)
	}
}

func TestKindsDecideAndWhatNobodySaysIsGuessedInOneLine(t *testing.T) {
	kind := func(c *capture.Capture, name string) string { return c.Counter(name).Kind.String() }
	c, err := openWith(t, Options{}, claimer{"csv", 60, nil})
	if err != nil {
		t.Fatal(err)
	}
	if kind(c, "gpu_temp") != "gauge" || kind(c, "used") != "delta" || len(c.Warnings) != 1 ||
		!strings.Contains(c.Warnings[0], "requests, gpu_tempo, used") {
		t.Errorf("warnings %q", c.Warnings)
	}
	kinds, err := ParseKinds("gpu_*=delta,gpu_tempo=constant", "used=gauge")
	if err != nil {
		t.Fatal(err)
	}
	if c, err = openWith(t, Options{Kinds: kinds}, claimer{"csv", 60, nil}); err != nil {
		t.Fatal(err)
	}
	if kind(c, "gpu_temp") != "delta" || kind(c, "gpu_tempo") != "constant" || kind(c, "used") != "gauge" ||
		!strings.HasSuffix(c.Warnings[0], "requests (kinds= decides)") {
		t.Errorf("warnings %q", c.Warnings)
	}
	if kinds, err = ParseKinds("gauge"); err != nil {
		t.Fatal(err)
	}
	if c, err = openWith(t, Options{Kinds: kinds}, claimer{"csv", 60, nil}); err != nil ||
		kind(c, "requests") != "gauge" || len(c.Warnings) != 0 {
		t.Errorf("%v, %q", err, c.Warnings)
	}
	if _, err = openWith(t, Options{Kinds: Kinds{"request": capture.Delta}}, claimer{"csv", 60, nil}); err == nil ||
		!strings.Contains(err.Error(), `did you mean "requests"`) {
		t.Errorf("error %v", err)
	}
	for _, bad := range []string{"x=derived", "x", "=gauge", "x=", ""} {
		if _, err := ParseKinds(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
	if k, err := ParseKinds("a,b (x)=gauge, c=delta"); err != nil || k["a,b (x)"] != capture.Gauge || len(k) != 2 {
		t.Errorf("%v, %v", k, err)
	}
}
