package xe

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"astrolabe/capture/decode/oa"
	"astrolabe/capture/metrics"
	"astrolabe/hwio"
	"astrolabe/hwio/intel"
	"astrolabe/hwio/internal/oaregisters"
	"astrolabe/hwio/internal/sysroot"
)

const defaultSet = "RenderBasic"

// Options lists what can be chosen.
func (s *Source) Options() []hwio.Option {
	return []hwio.Option{
		{Name: "set", Default: defaultSet, Doc: "the metric set to count, such as RenderBasic, ComputeBasic, MemoryProfile or MediaSet1: it decides what the counters mean, and of which OA unit"},
		{Name: "card", Doc: "the card to measure where the driver runs several, such as card1 or 0000:03:00.0; the default is the first that can be measured"},
		{Name: "unit", Doc: "the number of the OA unit, where there are several of the set's kind, as doctor lists them"},
		{Name: "engine", Doc: intel.EngineDoc},
		{Name: "exponent", Doc: "the hardware's period itself: a report every 2^(exponent+1) ticks of the GPU's timestamp, 0 to 24; the default follows from the period"},
		{Name: "keep-config", Default: "no", Doc: "whether a metric set that had to be loaded stays in the driver afterwards, yes or no"},
		{Name: "stalls", Default: "no", Doc: "samples of where vector engines stall: refused, as the layout of their records is not known for sure"},
	}
}

// settings are the options of a recording, read.
type settings struct {
	card     candidate
	sel      *intel.Selection
	format   *oa.Format
	unit     int // -1: the first of the set's kind
	engine   string
	exponent int // -1: from the period
	keep     bool
}

// maxExponent is the largest exponent: beyond it counters of 32 bits wrap within a report.
const maxExponent = 24

func readSettings(root sysroot.Root, options map[string]string) (*settings, error) {
	if err := intel.KnownOptions((&Source{}).Options(), options); err != nil {
		return nil, err
	}
	out := &settings{unit: -1, exponent: -1, engine: options["engine"]}
	stalls, err := intel.YesNo(options, "stalls")
	switch {
	case err != nil:
		return nil, err
	case stalls:
		return nil, stallsRefused
	}
	if out.card, err = find(root, options["card"]); err != nil {
		return nil, err
	}
	if out.sel, out.format, err = selectSet(out.card.part, options["set"]); err != nil {
		return nil, err
	}
	for _, n := range []struct {
		name string
		to   *int
		max  int
	}{{"unit", &out.unit, 63}, {"exponent", &out.exponent, maxExponent}} {
		text := options[n.name]
		if text == "" {
			continue
		}
		if *n.to, err = strconv.Atoi(text); err != nil || *n.to < 0 || *n.to > n.max {
			return nil, fmt.Errorf("%s %q is no whole number from 0 to %d", n.name, text, n.max)
		}
	}
	out.keep, err = intel.YesNo(options, "keep-config")
	return out, err
}

// selectSet finds the metric set in the part's catalogue, and the format of its reports.
func selectSet(p part, name string) (*intel.Selection, *oa.Format, error) {
	if name == "" {
		name = defaultSet
	}
	cat, err := metrics.Get(p.catalogue)
	if err != nil {
		return nil, nil, err
	}
	set, err := cat.Set(name)
	if err != nil {
		return nil, nil, err
	}
	f, err := oa.FormatByName(set.Format)
	if err != nil {
		return nil, nil, err
	}
	sel, err := intel.Select(p.catalogue, name, f, sourceName)
	return sel, f, err
}

// choose decides on the exponent. The text is a warning where the choice is not what the period asks for.
func (s *settings) choose(period time.Duration, frequency uint64) (exponent int, warning string) {
	if s.exponent >= 0 {
		return s.exponent, ""
	}
	asked := intel.ExponentFor(period, frequency)
	if asked > maxExponent {
		return maxExponent, fmt.Sprintf("xe: a report every %s, not every %v: with longer periods counters of 32 bits wrap between two reports",
			intel.PeriodText(maxExponent, frequency), period)
	}
	return asked, ""
}

// Registers of media units: those of the GT's own, and of each media slice.
const (
	firstMedia, firstSlice, perSlice = 0x393000, 0x394000, 0x800
)

// mediaUnit says which media unit a set's registers are of: -1 for the GT's own, else the number of the slice.
func mediaUnit(lists *oaregisters.Lists) int {
	for _, r := range lists.All() {
		if r.Address >= firstSlice {
			return int(r.Address-firstSlice) / perSlice
		}
	}
	return -1
}

// chooseUnit finds the OA unit that can count the set, which registers decide.
func (s *settings) chooseUnit(h *hardware, lists *oaregisters.Lists) (*oaUnit, error) {
	what := "render and compute"
	var fit, kin []*oaUnit // fit are those that the set's registers are of, kin those of its kind
	media := s.format == oa.MPEC8u32B8C8
	if media {
		what = "media"
	}
	slice := 0
	for i := range h.units {
		u := &h.units[i]
		if media != (u.kind == unitOAM || u.kind == unitSAG) {
			continue
		}
		kin = append(kin, u)
		if !media || u.kind == unitOAM && mediaUnit(lists) == slice || u.kind == unitSAG && mediaUnit(lists) < 0 {
			fit = append(fit, u)
		}
		if u.kind == unitOAM {
			slice++
		}
	}
	if media && mediaUnit(lists) < 0 && len(fit) == 0 && len(kin) == 1 {
		fit = kin // Meteor Lake's only unit has the registers of what later is the GT's own
	}
	var ids []string
	for _, u := range kin {
		ids = append(ids, strconv.Itoa(int(u.id)))
	}
	if s.unit >= 0 {
		fit = slices.DeleteFunc(slices.Clone(kin), func(u *oaUnit) bool { return u.id != uint32(s.unit) })
	}
	switch {
	case len(kin) == 0:
		return nil, fmt.Errorf("metric set %s is of OA units for %s, and the driver has none of them", s.sel.Set.Name, what)
	case len(fit) == 0 && s.unit >= 0:
		return nil, fmt.Errorf("metric set %s is of OA units for %s, which have the numbers %s; unit %d is none of them",
			s.sel.Set.Name, what, strings.Join(ids, ", "), s.unit)
	case len(fit) == 0:
		return nil, fmt.Errorf("metric set %s is of a media unit that the driver does not list: it has the numbers %s; boot a newer kernel, or choose another set",
			s.sel.Set.Name, strings.Join(ids, ", "))
	}
	u := fit[0]
	if u.frequency == 0 || u.frequency > 1e12 {
		return nil, fmt.Errorf("%s: the driver states that its timestamps have %d Hz", u.title(), u.frequency)
	}
	return u, nil
}
