package panfrost

import (
	"cmp"
	"context"
	"fmt"
	"runtime"
	"strings"

	"astrolabe/capture"
	"astrolabe/hwio"
	"astrolabe/hwio/internal/drm"
	"astrolabe/hwio/internal/mali"
	"astrolabe/hwio/internal/sysroot"
)

const sourceName = "panfrost"

// Source measures through the mainline driver of job-manager Mali GPUs.
type Source struct {
	root   sysroot.Root
	kernel mali.Kernel
	clocks func() (before, raw, after int64)
}

var (
	_ hwio.Source    = (*Source)(nil)
	_ hwio.Diagnoser = (*Source)(nil)
	_ hwio.Stream    = (*stream)(nil)
	_ hwio.Stamper   = (*stream)(nil)
	_ hwio.Finisher  = (*stream)(nil)
	_ hwio.Concluder = (*stream)(nil)
)

// New returns the source of the machine whose /dev and /sys lie below root; "" is this machine.
func New(root string) *Source {
	return &Source{root: sysroot.At(root), kernel: mali.NewKernel(), clocks: mali.ReadClocks}
}

// Name is "panfrost".
func (s *Source) Name() string { return sourceName }

// Groups are the names that it shares with other sources.
func (s *Source) Groups() []hwio.Group { return []hwio.Group{{Name: "mali"}} }

// Doc describes the source.
func (s *Source) Doc() string {
	return "counters of job-manager Arm Mali GPUs through panfrost, the mainline kernel's driver"
}

// card is a graphics device of one of the two mainline drivers.
type card struct {
	node  string
	sysfs string // folder of the device
}

// cards finds the devices that a driver is bound to, by their render nodes: counters need no more.
func (s *Source) cards(driver string) []card {
	const class = "/sys/class/drm/"
	var out []card
	for _, name := range s.root.List(class) {
		dir := class + name + "/device"
		if strings.HasPrefix(name, "renderD") && s.root.LinkName(dir+"/driver") == driver {
			out = append(out, card{"/dev/dri/" + name, dir})
		}
	}
	for _, c := range drm.Cards(s.root) {
		if dir := c.Sysfs + "/device"; len(out) == 0 && c.Driver == driver {
			out = append(out, card{cmp.Or(c.Render, c.Node), dir})
		}
	}
	return out
}

// find returns the card of panfrost, or says why there is none.
func (s *Source) find() (card, error) {
	if runtime.GOOS != "linux" && s.root.Here() {
		return card{}, hwio.ErrNeedsLinux
	}
	if found := s.cards("panfrost"); len(found) > 0 {
		return found[0], nil
	}
	if found := s.cards("panthor"); len(found) > 0 {
		release, _ := s.root.String("/proc/sys/kernel/osrelease")
		return card{}, panthorProblem(s.kernel, s.root.Path(found[0].node), release)
	}
	return card{}, &hwio.Problem{
		Reason: "no graphics card here is driven by panfrost",
		Fix:    "on a board with a Mali GPU up to G57 or G78 load the module panfrost (modprobe panfrost); phones have Arm's own driver: --source kbase",
	}
}

// open opens the card and asks what it is.
func (s *Source) open() (mali.Device, mali.GPU, card, error) {
	c, err := s.find()
	if err != nil {
		return nil, mali.GPU{}, c, err
	}
	dev, err := s.kernel.Open(s.root.Path(c.node), true)
	if err != nil {
		return nil, mali.GPU{}, c, openProblem(c.node, err)
	}
	g, err := describe(dev)
	if err != nil {
		// The error that led here is the one to report.
		_ = dev.Close()
		return nil, mali.GPU{}, c, err
	}
	return dev, g, c, nil
}

// Probe opens the device, asks what it is and whether its counters can be switched on, and closes it.
func (s *Source) Probe(context.Context) hwio.Status {
	st := hwio.Status{}
	fail := func(err error) hwio.Status {
		return st.Refused(err)
	}
	dev, g, at, err := s.open()
	if err != nil {
		return fail(err)
	}
	defer dev.Close()
	st.GPU, st.Device = "mali", g.Product.Name
	// Only switching them on tells whether another program has them. It does no harm: they are off again at once.
	err = enable(dev, true)
	if err == nil {
		err = enable(dev, false)
	}
	if err != nil {
		return fail(enableProblem(err))
	}
	st.Usable = true
	st.Reason = g.Unnamed()
	p := mali.NewPacked(&g)
	st.Details = append(st.Details,
		fmt.Sprintf("%s: panfrost, GPU id %s", at.node, g.ID),
		fmt.Sprintf("%d shader cores (mask %#x), %d L2 slices, bus of %d bits", g.Cores(), g.CoreMask, g.L2Slices,
			g.BusWidth),
		fmt.Sprintf("a sample has %d bytes of 32-bit counters; while they are on the GPU stays powered", p.Size))
	return st
}

// Counters lists the GPU's counters and the gauges beside it.
func (s *Source) Counters(context.Context) ([]capture.Meta, error) {
	dev, g, at, err := s.open()
	if err != nil {
		return nil, err
	}
	defer dev.Close()
	out := mali.Counters(mali.NewPacked(&g).Blocks, g.Product.Layout, g.Product.Catalogue(), sourceName)
	return append(out, mali.GaugeMetas(s.root, at.sysfs, sourceName)...), nil
}

// Diagnose says what can be measured, as one finding.
func (s *Source) Diagnose(ctx context.Context) []hwio.Finding {
	return []hwio.Finding{s.Probe(ctx).Finding(sourceName, "counters of the ",
		"counters of Mali GPUs with the mainline driver")}
}
