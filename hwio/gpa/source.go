package gpa

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"astrolabe/capture"
	"astrolabe/hwio"
	"astrolabe/hwio/internal/drm"
	"astrolabe/hwio/internal/sysroot"
	"astrolabe/hwio/internal/vendorproc"
)

const (
	sourceName = "gpa"

	// libraryVariable names the library where it is not in a standard place. The second program reads it.
	libraryVariable = "ASTROLABE_GPA_LIB"
	// deviceVariable and apiVariable say what the library that needs no GPU is asked about.
	deviceVariable = "ASTROLABE_GPA_DEVICE"
	apiVariable    = "ASTROLABE_GPA_API"

	defaultAPI = "vulkan"
	vendorAMD  = 0x1002
)

// Source asks GPUPerfAPI.
type Source struct {
	root  sysroot.Root
	start func(context.Context) (*vendorproc.Process, error)

	mu   sync.Mutex
	info *vendorproc.GPAInfo
}

var (
	_ hwio.Source    = (*Source)(nil)
	_ hwio.Diagnoser = (*Source)(nil)
)

// New returns the source of this machine. Its sysfs lies below root; "" is the machine's own.
func New(root string) *Source { return &Source{root: sysroot.At(root), start: vendorproc.Start} }

// Name is "gpa".
func (s *Source) Name() string { return sourceName }

// Doc describes the source.
func (s *Source) Doc() string {
	return "the counters of an installed GPUPerfAPI with their passes: a list only, because GPUPerfAPI counts inside applications"
}

// list asks the library, once.
func (s *Source) list(ctx context.Context) (*vendorproc.GPAInfo, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.info != nil {
		return s.info, nil
	}
	if runtime.GOOS != "linux" || !s.root.Here() {
		return nil, errors.New("GPUPerfAPI is loaded on the Linux machine itself")
	}
	if os.Getenv(libraryVariable) == "" && len(s.cards()) == 0 {
		return nil, &hwio.Problem{Reason: "no AMD GPU is here, and no GPUPerfAPI is named",
			Fix: "to list the counters of any AMD GPU put the path of libGPUPerfAPICounters.so into " + libraryVariable}
	}
	q, err := s.query()
	if err != nil {
		return nil, err
	}
	p, err := s.start(ctx)
	if err != nil {
		return nil, explain(err)
	}
	defer p.Close() // it has answered: how it ends changes nothing
	info := new(vendorproc.GPAInfo)
	if err := p.Call(ctx, vendorproc.OpGPAList, q, info); err != nil {
		return nil, explain(err)
	}
	s.info = info
	return info, nil
}

func (s *Source) cards() []drm.Card {
	var out []drm.Card
	for _, c := range drm.Cards(s.root) {
		if c.Vendor == vendorAMD {
			out = append(out, c)
		}
	}
	return out
}

// query says which GPU and API the library is asked about: those that the user named, else the first AMD GPU of this
// machine.
func (s *Source) query() (vendorproc.GPAQuery, error) {
	q := vendorproc.GPAQuery{API: strings.ToLower(os.Getenv(apiVariable))}
	if q.API == "" {
		q.API = defaultAPI
	}
	if text := os.Getenv(deviceVariable); text != "" {
		ids, err := parseDevice(text)
		if err != nil {
			return q, err
		}
		q.Vendor, q.Device, q.Revision = ids[0], ids[1], ids[2]
		return q, nil
	}
	// A library that has a context of its own does not need them.
	if cards := s.cards(); len(cards) > 0 {
		q.Vendor, q.Device, q.Revision = uint32(cards[0].Vendor), uint32(cards[0].Device), uint32(cards[0].Revision)
	}
	return q, nil
}

// parseDevice reads PCI ids such as 1002:1586:c1.
func parseDevice(text string) (ids [3]uint32, err error) {
	parts := strings.Split(text, ":")
	if len(parts) != 2 && len(parts) != 3 {
		return ids, fmt.Errorf("%s=%s: want VENDOR:DEVICE or VENDOR:DEVICE:REVISION in hexadecimal, such as 1002:1586:c1", deviceVariable, text)
	}
	for i, p := range parts {
		v, err := strconv.ParseUint(strings.TrimPrefix(p, "0x"), 16, 32)
		if err != nil {
			return ids, fmt.Errorf("%s=%s: %q is no hexadecimal number", deviceVariable, text, p)
		}
		ids[i] = uint32(v)
	}
	return ids, nil
}

// Probe asks the library. The source is never usable for recording, and says what was found.
func (s *Source) Probe(ctx context.Context) hwio.Status {
	var st hwio.Status
	info, err := s.list(ctx)
	if err != nil {
		return st.Refused(err)
	}
	st.GPU, st.Device = catalogueOf(info), info.Device
	st.Reason, st.Fix = reasonNotHere, instead
	version := info.Library
	if info.Version != "" {
		version += " " + info.Version
	}
	st.Details = append(st.Details, fmt.Sprintf("%s (%s)", version, info.Interface),
		fmt.Sprintf("%d counters for %s; all of them together need %d passes", len(info.Counters), info.Device,
			info.Passes))
	return st
}

// Counters lists what the library offers. The doc of each ends with the passes that it needs.
func (s *Source) Counters(ctx context.Context) ([]capture.Meta, error) {
	info, err := s.list(ctx)
	if err != nil {
		return nil, err
	}
	var out []capture.Meta
	for _, c := range info.Counters {
		passes := "1 pass"
		if c.Passes != 1 {
			passes = fmt.Sprintf("%d passes", c.Passes)
		}
		out = append(out, capture.Meta{
			Name: c.Name, Unit: unitOf(c.Usage), Doc: strings.TrimSpace(fmt.Sprintf("%s (%s, %s)", c.Doc,
				c.Type, passes)),
			Kind: kindOf(c.Usage), GPU: catalogueOf(info), Block: c.Group, Source: sourceName,
			Integral: c.Type == "uint64" || c.Type == "uint32",
		})
	}
	return out, nil
}

// catalogueOf is the catalogue of what the library lists: it has times in nanoseconds for RDNA, and in milliseconds for
// what came before.
func catalogueOf(info *vendorproc.GPAInfo) string {
	if slices.ContainsFunc(info.Counters, func(c vendorproc.GPACounter) bool { return c.Usage == "nanoseconds" }) {
		return "amd-gpa-rdna"
	}
	return "amd-gpa"
}

func unitOf(usage string) string {
	switch usage {
	case "percentage":
		return "percent"
	case "milliseconds":
		return "ms"
	case "nanoseconds":
		return "ns"
	case "kilobytes":
		return "KiB"
	case "items", "ratio":
		return ""
	}
	return usage
}

func kindOf(usage string) capture.Kind {
	if usage == "percentage" || usage == "ratio" {
		return capture.Gauge
	}
	return capture.Delta
}

const (
	reasonNotHere = "GPUPerfAPI counts inside the application that owns the graphics context: it can be listed from here, not recorded"
	instead       = "have the application write GPA's CSV and open that; or measure with --source rocprofiler or amdgpu; capture.session plans and runs passes over every source"
)

// Open explains why there is nothing to record.
func (s *Source) Open(ctx context.Context, _ hwio.Request) (hwio.Stream, error) {
	if _, err := s.list(ctx); err != nil {
		return nil, err
	}
	return nil, &hwio.Problem{Reason: reasonNotHere, Fix: instead}
}

// Diagnose says what was found, as one finding.
func (s *Source) Diagnose(ctx context.Context) []hwio.Finding {
	st := s.Probe(ctx)
	f := hwio.Finding{Source: sourceName, What: "GPUPerfAPI", Reason: st.Reason, Fix: st.Fix}
	if len(st.Details) > 0 {
		f.Reason = strings.Join(st.Details, "; ") + "; " + st.Reason
	}
	return []hwio.Finding{f}
}

// explain says what an error of the second program or of the library means here.
func explain(err error) error {
	var e *vendorproc.Error
	if !errors.As(err, &e) {
		return err
	}
	p := &hwio.Problem{Reason: e.Text, Cause: err}
	switch e.Kind {
	case vendorproc.ProgramMissing:
		p.Fix = vendorproc.BuildHint
	case vendorproc.LibraryMissing:
		p.Fix = "GPUPerfAPI comes from GPUOpen: put the path of libGPUPerfAPICounters.so, which needs no GPU, into " +
			libraryVariable
	case vendorproc.LibraryVersion:
		p.Fix = "name another release's library with " + libraryVariable
	case vendorproc.NotSupported, vendorproc.NoDevice:
		p.Fix = "name libGPUPerfAPICounters.so with " + libraryVariable + ", and a GPU that it knows with " +
			deviceVariable + "=1002:DEVICE:REVISION"
	}
	return p
}
