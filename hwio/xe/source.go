package xe

import (
	"context"
	"fmt"
	"runtime"

	"astrolabe/capture"
	"astrolabe/hwio"
	"astrolabe/hwio/intel"
	"astrolabe/hwio/internal/sysroot"
)

const sourceName = "xe"

// Source measures an Intel GPU through the xe driver.
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

// Name is "xe".
func (s *Source) Name() string { return sourceName }

// Groups are the names that it shares with other sources.
func (s *Source) Groups() []hwio.Group { return []hwio.Group{{Name: "intel"}} }

// Doc describes the source.
func (s *Source) Doc() string {
	return "the OA units of Intel GPUs that the kernel driver xe runs (Lunar Lake, Battlemage, Panther Lake; earlier ones in two sets): all counters of a metric set at once, with contexts and clocks"
}

// stallsRefused is the answer to who asks for samples of stalls.
var stallsRefused = &hwio.Problem{
	Reason: "samples of where vector engines stall (EU stall sampling) are not recorded: the kernel passes the hardware's records on as they are, and their layout is not known for sure",
	Fix:    "record the metric set VectorEngineStalls, whose counters say how long they stalled, and for which reasons",
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
		st.Device, st.GPU = c.part.title(), c.part.catalogue
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
	st.Details = append(st.Details, fmt.Sprintf("%s, %d vector engines in %d Xe-cores", path,
		h.topology.cores.count()*h.topology.eus, h.topology.cores.count()))
	for i := range h.units {
		u := &h.units[i]
		st.Details = append(st.Details, fmt.Sprintf("%s with %s, timestamps of %g MHz", u.title(), intel.Engines(u.engines),
			float64(u.frequency)/1e6))
	}
	st.Details = append(st.Details,
		fmt.Sprintf("%d metric sets are loaded in the driver; others are loaded when needed and removed afterwards",
			intel.LoadedSets(s.root, c.card.Sysfs)), "samples of stalls are not recorded")
	st.Details = append(st.Details, h.warnings...)
	if sec.forbidden() {
		return st.Refused(sec.denied())
	}
	st.Usable = true
	return st
}

// Diagnose says for every card of the driver whether it can be measured, and what the kernel allows.
func (s *Source) Diagnose(ctx context.Context) []hwio.Finding {
	const general = "counters of Intel GPUs with the driver xe"
	out := []hwio.Finding{s.Probe(ctx).Finding(sourceName, "counters of ", general)}
	for i, c := range candidates(s.root) {
		if i == 0 {
			continue // what Probe looked at
		}
		f := s.probe(c.card.Name).Finding(sourceName, c.card.Name+", ", c.card.Name)
		if f.Usable {
			f.Fix = "record it with --source-option card=" + c.card.Name
		}
		out = append(out, f)
	}
	return out
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
	sel, _, err := selectSet(c.part, "")
	return sel, err
}

// Counters lists the raw counters. What they count depends on the metric set; the metrics made of them are in the
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
