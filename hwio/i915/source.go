package i915

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"astrolabe/capture"
	"astrolabe/capture/decode/oa"
	"astrolabe/capture/metrics"
	"astrolabe/hwio"
	"astrolabe/hwio/intel"
	"astrolabe/hwio/internal/sysroot"
)

const sourceName = "i915"

// Source measures an Intel GPU through the i915 driver.
type Source struct {
	root sysroot.Root
	k    kernel
}

var (
	_ hwio.Source       = (*Source)(nil)
	_ hwio.Configurable = (*Source)(nil)
	_ hwio.Checker      = (*Source)(nil)
	_ hwio.Diagnoser    = (*Source)(nil)
	_ hwio.DeepTester   = (*Source)(nil)
	_ hwio.Namer        = (*Source)(nil)
)

// New returns the source of this machine. Its sysfs, procfs and device nodes lie below root; "" is the machine's own.
func New(root string) *Source { return &Source{root: sysroot.At(root), k: newKernel()} }

// Name is "i915".
func (s *Source) Name() string { return sourceName }

// Groups are the names that it shares with other sources.
func (s *Source) Groups() []hwio.Group { return []hwio.Group{{Name: "intel"}} }

// Doc describes the source.
func (s *Source) Doc() string {
	return "the OA units of Intel GPUs from Broadwell to Meteor Lake (HD, UHD, Iris and Iris Xe Graphics, Arc A): all counters of a metric set at once, with contexts and clocks"
}

// Probe looks whether the GPU can be measured. It opens the GPU's node, but no stream of reports: that would keep the
// GPU awake.
func (s *Source) Probe(context.Context) hwio.Status { return s.probe("") }

// probe looks at a card, or at the first that can be measured.
func (s *Source) probe(card string) hwio.Status {
	var st hwio.Status
	if runtime.GOOS != "linux" && s.root.Here() {
		st.Reason = hwio.ErrNeedsLinux.Error()
		return st
	}
	c, err := find(s.root, card)
	if c.card.Name != "" {
		st.Device = c.part.title()
	}
	if c.part.measurable() {
		st.GPU = c.part.catalogue
	}
	if err != nil {
		return st.Refused(err)
	}
	sec := readSecurity(s.root)
	st.Details = append(st.Details, sec.details()...)
	d, path, err := s.openNode(c)
	if err != nil {
		return st.Refused(err)
	}
	h, err := readHardware(s.root, c, d)
	// Nothing was changed through the node, so closing it can lose nothing.
	_ = d.close()
	if err != nil {
		return st.Refused(err)
	}
	st.Details = append(st.Details,
		fmt.Sprintf("%s, %d EUs in %d subslices, perf revision %d, timestamps of %g MHz", path, h.topology.EUs,
			h.topology.Subslices, h.perfRev, float64(h.frequency)/1e6))
	for _, u := range h.units() {
		st.Details = append(st.Details, fmt.Sprintf("%s with %s", u.title, intel.Engines(u.engines)))
	}
	st.Details = append(st.Details,
		fmt.Sprintf("%d metric sets are loaded in the driver; others are loaded when needed and removed afterwards",
			intel.LoadedSets(s.root, c.card.Sysfs)))
	st.Details = append(st.Details, h.warnings...)
	if sec.forbidden() {
		return st.Refused(sec.denied())
	}
	if len(holders(s.root)) > 0 {
		return st.Refused(busy(s.root))
	}
	st.Usable = true
	return st
}

// details says what the kernel's settings allow.
func (s security) details() []string {
	if !s.known {
		return nil
	}
	text := "dev.i915.perf_stream_paranoid is 0: every user may measure the whole GPU"
	if s.paranoid {
		text = "dev.i915.perf_stream_paranoid is 1: only users with CAP_PERFMON may measure"
	}
	if s.privileged {
		text += " (you have CAP_PERFMON or CAP_SYS_ADMIN)"
	}
	return []string{text, fmt.Sprintf("dev.i915.oa_max_sample_rate is %d reports a second", s.maxRate)}
}

// openNode opens the first of the card's nodes that lets itself be opened.
func (s *Source) openNode(c candidate) (device, string, error) {
	var first error
	for _, path := range c.nodes() {
		d, err := s.k.open(s.root.Path(path))
		if err == nil {
			return d, path, nil
		}
		if first == nil {
			first = intel.ExplainNode(path, err)
		}
	}
	return nil, "", first
}

// selection is what can be named with the default metric set on the machine's GPU.
func (s *Source) selection() (*intel.Selection, error) {
	c, err := find(s.root, "")
	if err != nil {
		return nil, err
	}
	sel, _, err := selectSet(c.part, "", "")
	return sel, err
}

// selectSet finds the metric set in the part's catalogue, and the format of reports: the set's, unless another was asked
// for that the same unit writes.
func selectSet(p part, name, format string) (*intel.Selection, *oa.Format, error) {
	cat, err := metrics.Get(p.catalogue)
	if err != nil {
		return nil, nil, err
	}
	set, err := cat.Set(orText(name, defaultSet))
	if err != nil {
		return nil, nil, err
	}
	own, err := oa.FormatByName(set.Format)
	if err != nil {
		return nil, nil, err
	}
	f := own
	if format != "" {
		if f, err = oa.FormatByName(format); err != nil {
			return nil, nil, err
		}
	}
	if written := append([]*oa.Format{own}, older[own]...); !slices.Contains(written, f) {
		var names []string
		for _, w := range written {
			names = append(names, w.Name)
		}
		return nil, nil, fmt.Errorf("reports of metric set %s of %s have the format %s, not %s", set.Name, p.title(),
			strings.Join(names, " or "), f.Name)
	}
	sel, err := intel.Select(p.catalogue, set.Name, f, sourceName)
	return sel, f, err
}

// older are the formats that a unit writes beside the sets', by theirs.
var older = map[*oa.Format][]*oa.Format{oa.A32u40A4u32B8C8: {oa.A12, oa.A12B8C8, oa.C4B8}}

// Counters lists the raw counters. What B and C count depends on the metric set; the metrics made of them are in the
// catalogue.
func (s *Source) Counters(context.Context) ([]capture.Meta, error) {
	sel, err := s.selection()
	if err != nil {
		return nil, err
	}
	return sel.Raw, nil
}

// Names lists the raw counters and the metrics of the default set.
func (s *Source) Names(context.Context) []string {
	sel, err := s.selection()
	if err != nil {
		return nil
	}
	return sel.Names()
}

func orText(s, otherwise string) string {
	if s == "" {
		return otherwise
	}
	return s
}
