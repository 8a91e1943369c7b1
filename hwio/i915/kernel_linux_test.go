//go:build linux

package i915

import (
	"errors"
	"runtime"
	"syscall"
	"testing"

	"astrolabe/hwio/internal/oaregisters"
)

func TestRequestsToAnotherDriverFailCleanly(t *testing.T) {
	d, err := newKernel().open("/dev/null")
	if err != nil {
		t.Fatal(err)
	}
	for name, call := range map[string]func() error{
		"param":    func() error { _, err := d.param(paramRevision); return err },
		"query":    func() error { _, err := d.query(queryTopology); return err },
		"register": func() error { _, err := d.readRegister(regTimestamp); return err },
		"add": func() error {
			_, err := d.addConfig("99c1a40e-a090-4354-86e3-4d068bb1917e", &oaregisters.Lists{Mux: []oaregisters.Register{{Address: 1, Value: 2}}})
			return err
		},
		"remove": func() error { return d.removeConfig(1) },
		"stream": func() error { _, err := d.openStream(0, []uint64{propSampleOA, 1}, &sseu{}); return err },
	} {
		if err := call(); !errors.Is(err, syscall.ENOTTY) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := d.addConfig("short", &oaregisters.Lists{}); err == nil {
		t.Error("a short GUID is accepted")
	}
	if _, err := d.openStream(0, nil, nil); err == nil {
		t.Error("a stream without properties is accepted")
	}
	if err := d.close(); err != nil {
		t.Error(err)
	}
	if _, err := newKernel().open("/dev/dri/no-such-node"); !errors.Is(err, syscall.ENOENT) {
		t.Errorf("err = %v", err)
	}
	runtime.GC()
	if a, b := newKernel().now(), newKernel().now(); a <= 0 || b < a {
		t.Errorf("the clock went from %d to %d", a, b)
	}
}
