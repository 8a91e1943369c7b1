package cpupmu

import (
	"syscall"

	"astrolabe/hwio/hwtest/uapi"
)

// attr is what the model uses of struct perf_event_attr.
type attr struct {
	typ                        uint32
	config                     uint64
	period                     uint64 // between samples, or with freq samples per second; 0 for an event that only counts
	freq                       bool
	sampleType                 uint64
	sampleIDAll                bool
	precise, wakeup            uint64
	watermark, writeBackward   bool
	mmap, mmap2, comm          bool
	commExec, task             bool
	readFormat                 uint64
	disabled, inherit, pinned  bool
	exclusive, onExec          bool
	excludeUser, excludeKernel bool
	excludeHV, excludeIdle     bool
	useClock                   bool
	clock                      uint64 // where useClock is set
}

// parseAttr reads the structure in the size that the program's version of it has. What this version does not know must
// be zero.
func parseAttr(b []byte) (*attr, error) {
	s := uapi.Struct("perf_event_attr")
	if len(b) < int(uapi.Const("PERF_ATTR_SIZE_VER0")) {
		return nil, syscall.E2BIG
	}
	for _, x := range b[min(len(b), s.Size):] {
		if x != 0 {
			return nil, syscall.E2BIG
		}
	}
	full := make([]byte, s.Size)
	copy(full, b)
	is := func(name string) bool { return s.Get(full, name) != 0 }
	a := &attr{
		typ: uint32(s.Get(full, "type")), config: s.Get(full, "config"), period: s.Get(full, "sample_period"),
		readFormat: s.Get(full, "read_format"),
		disabled:   is("disabled"), inherit: is("inherit"), pinned: is("pinned"), exclusive: is("exclusive"),
		onExec:      is("enable_on_exec"),
		excludeUser: is("exclude_user"), excludeKernel: is("exclude_kernel"), excludeHV: is("exclude_hv"),
		excludeIdle: is("exclude_idle"),
		freq:        is("freq"), sampleType: s.Get(full, "sample_type"), sampleIDAll: is("sample_id_all"),
		precise: s.Get(full, "precise_ip"),
		wakeup:  s.Get(full, "wakeup_events"), watermark: is("watermark"), writeBackward: is("write_backward"),
		mmap: is("mmap"), mmap2: is("mmap2"), comm: is("comm"), useClock: is("use_clockid"),
		clock: s.Get(full, "clockid"), commExec: is("comm_exec"), task: is("task"),
	}
	if is("__reserved_1") || is("__reserved_2") || is("__reserved_3") ||
		a.readFormat >= uint64(uapi.Const("PERF_FORMAT_MAX")) {
		return nil, syscall.EINVAL
	}
	return a, nil
}

// has reports whether a read gives a part, such as "PERF_FORMAT_ID".
func (a *attr) has(format string) bool { return a.readFormat&uint64(uapi.Const(format)) != 0 }

// share is how much of an event's rate is counted, in quarters: three in user space, one in the kernel.
func (a *attr) share() uint64 {
	var q uint64
	if !a.excludeUser {
		q += 3
	}
	if !a.excludeKernel {
		q++
	}
	return q
}
