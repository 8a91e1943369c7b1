package i915

import (
	"fmt"
	"slices"
	"syscall"
	"testing"

	"astrolabe/hwio/hwtest/uapi"
)

func TestOpenRefusesWhatTheDriverRefuses(t *testing.T) {
	plain := usual(2, wide, 13)
	reversed := slices.Clone(plain)
	slices.Reverse(reversed)
	engine := append(slices.Clone(plain), property{"OA_ENGINE_CLASS", 0}, property{"OA_ENGINE_INSTANCE", 0})
	with := func(name string, v uint64) []property { return replace(plain, name, v) }
	for _, c := range []struct {
		what         string
		scenario     string
		unprivileged bool
		flags        uint64
		props        []property
		errno        syscall.Errno
	}{
		{"plain", "", false, 0, plain, 0},
		{"any order", "", false, 7, reversed, 0},
		{"unknown flag", "", false, 8, plain, syscall.EINVAL},
		{"no property", "", false, 0, nil, syscall.EINVAL},
		{"unknown property", "", false, 0, with("?", 1), syscall.EINVAL},
		{"a property twice", "", false, 0, append(slices.Clone(plain), plain[0]), syscall.EINVAL},
		{"no sample", "", false, 0, without(plain, "SAMPLE_OA"), syscall.EINVAL},
		{"sample 0", "", false, 0, with("SAMPLE_OA", 0), syscall.EINVAL},
		{"no format", "", false, 0, without(plain, "OA_FORMAT"), syscall.EINVAL},
		{"Haswell's format", "", false, 0, with("OA_FORMAT", 5), syscall.EINVAL},
		{"DG2's format", "", false, 0, with("OA_FORMAT", 12), syscall.EINVAL},
		{"no set", "", false, 0, without(plain, "OA_METRICS_SET"), syscall.EINVAL},
		{"set 0", "", false, 0, with("OA_METRICS_SET", 0), syscall.EINVAL},
		{"unknown set", "", false, 0, with("OA_METRICS_SET", 3), syscall.EINVAL},
		{"no timer", "", false, 0, without(plain, "OA_EXPONENT"), 0},
		{"exponent 31", "", false, 0, with("OA_EXPONENT", 31), 0},
		{"exponent 32", "", false, 0, with("OA_EXPONENT", 32), syscall.EINVAL},
		{"fast and privileged", "", false, 0, with("OA_EXPONENT", 5), 0},
		{"fast and unprivileged", "paranoid-0", true, 0, with("OA_EXPONENT", 5), syscall.EACCES},
		{"just slow enough", "paranoid-0", true, 0, with("OA_EXPONENT", 6), 0},
		{"unprivileged", "", true, 0, plain, syscall.EACCES},
		{"unprivileged with a context", "", true, 0, with("CTX_HANDLE", 0), syscall.EACCES},
		{"a context", "", false, 0, with("CTX_HANDLE", 0), 0},
		{"unknown context", "", false, 0, with("CTX_HANDLE", 5), syscall.ENOENT},
		{"holding preemption without a context", "", false, 0, with("HOLD_PREEMPTION", 1), syscall.EINVAL},
		{"holding preemption in revision 2", "revision-2", false, 0, append(with("CTX_HANDLE", 0), property{"HOLD_PREEMPTION", 1}), syscall.EINVAL},
		{"holding preemption in revision 3", "revision-3", false, 0, append(with("CTX_HANDLE", 0), property{"HOLD_PREEMPTION", 1}), 0},
		{"poll period", "revision-5", false, 0, with("POLL_OA_PERIOD", 100_000), 0},
		{"poll period too short", "", false, 0, with("POLL_OA_PERIOD", 99_999), syscall.EINVAL},
		{"poll period in revision 4", "revision-4", false, 0, with("POLL_OA_PERIOD", 5_000_000), syscall.EINVAL},
		{"engine", "revision-6", false, 0, engine, 0},
		{"engine in revision 5", "revision-5", false, 0, engine, syscall.EINVAL},
		{"engine class alone", "", false, 0, with("OA_ENGINE_CLASS", 0), syscall.EINVAL},
		{"another engine", "", false, 0, replace(engine, "OA_ENGINE_CLASS", 1), syscall.EINVAL},
		{"bad power configuration", "", false, 0, with("GLOBAL_SSEU", 1), syscall.EFAULT},
		{"power configuration in revision 3", "revision-3", false, 0, with("GLOBAL_SSEU", 1), syscall.EINVAL},
		{"somebody else's stream", "busy", false, 0, plain, syscall.EBUSY},
		{"no OA unit", "no-oa-unit", false, 0, plain, syscall.ENODEV},
		{"no metrics", "no-metrics", false, 0, plain, syscall.EINVAL},
		{"no i915-perf", "no-perf", false, 0, plain, 524},
	} {
		s := []string{"loaded"}
		if c.scenario != "" {
			s = append(s, c.scenario)
		}
		r := newRig(t, "kbl-gt2", s...)
		r.call.Privileged = !c.unprivileged
		_, err := r.perfOpen(c.flags, c.props...)
		want(t, c.what, err, c.errno)
	}
}

// Engines have a unit or none, and a unit its formats.
func TestEnginesAndFormatsGoTogether(t *testing.T) {
	for _, c := range []struct {
		model, format   string
		class, instance uint64
		errno           syscall.Errno
	}{
		{"dg2", mixed, 0, 0, 0}, {"dg2", wide, 0, 0, syscall.EINVAL}, {"dg2", media, 2, 0, syscall.EINVAL}, {"dg2", mixed, 4, 0, syscall.EINVAL},
		{"mtl", mixed, 0, 0, 0}, {"mtl", media, 2, 0, 0}, {"mtl", media, 2, 2, 0}, {"mtl", media, 3, 0, 0}, {"mtl", media, 2, 1, syscall.EINVAL},
		{"mtl", media, 0, 0, syscall.EINVAL}, {"mtl", mixed, 2, 0, syscall.EINVAL}, {"mtl", mixed, 1, 0, syscall.EINVAL}, {"kbl-gt2", mixed, 0, 0, syscall.EINVAL},
	} {
		r := newRig(t, c.model, "loaded")
		_, err := r.perfOpen(nonblock, append(usual(2, c.format, 13), property{"OA_ENGINE_CLASS", c.class}, property{"OA_ENGINE_INSTANCE", c.instance})...)
		want(t, fmt.Sprintf("%s %s, engine %d:%d", c.model, c.format, c.class, c.instance), err, c.errno)
	}
	r := newRig(t, "mtl", "loaded")
	r.stream(mixed, 13)
	engine := []property{{"OA_ENGINE_CLASS", 2}, {"OA_ENGINE_INSTANCE", 0}}
	_, err := r.perfOpen(nonblock, append(usual(2, media, 13), engine...)...)
	want(t, "the media unit beside the other", err, 0)
	_, err = r.perfOpen(nonblock, append(usual(2, media, 13), property{"OA_ENGINE_CLASS", 3}, property{"OA_ENGINE_INSTANCE", 0})...)
	want(t, "the media unit again, by another engine", err, syscall.EBUSY)
	_, err = newRig(t, "dg2", "loaded").perfOpen(nonblock, append(usual(2, mixed, 13), property{"GLOBAL_SSEU", 1})...)
	want(t, "what is powered, on DG2", err, syscall.ENODEV)
}

func TestPowerConfigurationMustFitThePart(t *testing.T) {
	l := uapi.Struct("drm_i915_gem_context_param_sseu")
	for _, c := range []struct {
		slices, subslices, eus uint64
		errno                  syscall.Errno
	}{{1, 7, 8, 0}, {1, 1, 8, 0}, {2, 7, 8, syscall.EINVAL}, {1, 8, 8, syscall.EINVAL}, {0, 7, 8, syscall.EINVAL}, {1, 7, 9, syscall.EINVAL}} {
		r := newRig(t, "kbl-gt2", "loaded")
		b := make([]byte, l.Size)
		l.Set(b, "slice_mask", c.slices)
		l.Set(b, "subslice_mask", c.subslices)
		l.Set(b, "min_eus_per_subslice", c.eus)
		l.Set(b, "max_eus_per_subslice", c.eus)
		_, err := r.perfOpen(0, replace(usual(2, wide, 13), "GLOBAL_SSEU", r.mem.Put(b))...)
		want(t, "power configuration", err, c.errno)
	}
}

func TestOneStreamAtATime(t *testing.T) {
	r := newRig(t, "kbl-gt2", "loaded")
	s := r.stream(wide, 13)
	_, err := r.perfOpen(nonblock, usual(2, wide, 13)...)
	want(t, "second stream", err, syscall.EBUSY)
	s.Close()
	s.Close() // of a descriptor and of the program's end
	r.stream(wide, 13)
	if tr := r.truth(); tr.Opened != 2 || tr.Closed != 1 {
		t.Errorf("%d opened, %d closed", tr.Opened, tr.Closed)
	}
}

func TestStreamsStartStoppedWhenAsked(t *testing.T) {
	r := newRig(t, "kbl-gt2", "loaded")
	s, err := r.perfOpen(nonblock|uint64(uapi.Const("I915_PERF_FLAG_DISABLED")), usual(2, wide, 13)...)
	want(t, "open", err, 0)
	_, err = s.Read(r.call, 4096)
	want(t, "read of a stopped stream", err, syscall.EIO)
	_, err = s.Ioctl(r.call, uapi.Ioctl("I915_PERF_IOCTL_ENABLE"), 0)
	want(t, "ENABLE", err, 0)
	if n := len(r.run(s, 50, 5, 4096)); n == 0 {
		t.Error("nothing after ENABLE")
	}
	_, err = s.Ioctl(r.call, uapi.Ioctl("DRM_IOCTL_VERSION"), 0)
	want(t, "a request that streams do not have", err, syscall.EINVAL)
}
