package kbase

import (
	"context"
	"fmt"
	"runtime"
	"strconv"
	"strings"

	"astrolabe/capture"
	"astrolabe/hwio"
	"astrolabe/hwio/internal/mali"
	"astrolabe/hwio/internal/sysroot"
)

const sourceName = "kbase"

// Source measures through Arm's kernel driver.
type Source struct {
	root   sysroot.Root
	kernel mali.Kernel
	clocks func() (before, raw, after int64)
}

var (
	_ hwio.Source       = (*Source)(nil)
	_ hwio.Diagnoser    = (*Source)(nil)
	_ hwio.Configurable = (*Source)(nil)
	_ hwio.Stream       = (*stream)(nil)
	_ hwio.Stamper      = (*stream)(nil)
	_ hwio.Finisher     = (*stream)(nil)
	_ hwio.Concluder    = (*stream)(nil)
)

// New returns the source of the machine whose /dev and /sys lie below root; "" is this machine.
func New(root string) *Source {
	return &Source{root: sysroot.At(root), kernel: mali.NewKernel(), clocks: mali.ReadClocks}
}

// Name is "kbase".
func (s *Source) Name() string { return sourceName }

// Groups are the names that it shares with other sources.
func (s *Source) Groups() []hwio.Group { return []hwio.Group{{Name: "mali"}} }

// Doc describes the source.
func (s *Source) Doc() string {
	return "counters of Arm Mali GPUs through Arm's own kernel driver (/dev/mali0), as phones and vendor kernels have it"
}

// Options lists the source's own options.
func (s *Source) Options() []hwio.Option {
	return []hwio.Option{
		{Name: "device", Doc: "device node, such as /dev/mali1, on a machine with several", Default: "the first"},
		{Name: "mode", Doc: "periodic: the driver takes samples by its own timer; manual: every tick of the recording asks for one", Default: "periodic"},
	}
}

// maxNodes is how many device numbers are looked at.
const maxNodes = 32

// nodePrefix begins the paths of the driver's device nodes; their number follows.
const nodePrefix = "/dev/mali"

func nodePath(n int) string { return nodePrefix + strconv.Itoa(n) }

// nodes lists the device nodes.
func (s *Source) nodes() []string {
	var out []string
	for i := range maxNodes {
		path := nodePath(i)
		if exists, _ := s.kernel.Character(s.root.Path(path)); exists {
			out = append(out, path)
		}
	}
	return out
}

// android reports whether the machine runs Android, whose rules are others.
func (s *Source) android() bool {
	return s.root.Exists("/system/build.prop") || s.root.Exists("/system/bin/app_process")
}

// sysfs is the folder of a node's device.
func sysfs(node string) string {
	return "/sys/class/misc/" + strings.TrimPrefix(node, "/dev/") + "/device"
}

// open connects to the device that the options name, or to the first.
func (s *Source) open(options map[string]string) (ses *session, node string, err error) {
	if runtime.GOOS != "linux" && s.root.Here() {
		return nil, "", hwio.ErrNeedsLinux
	}
	node = options["device"]
	switch number, ok := strings.CutPrefix(node, nodePrefix); {
	case node != "":
		// Nothing else is looked at, let alone opened: a script may say here what it likes.
		if n, err := strconv.Atoi(number); !ok || err != nil || n < 0 || nodePath(n) != node {
			return nil, "", fmt.Errorf("option device=%q is no node of this driver; they are called %s and so on", node,
				nodePath(1))
		}
	default:
		nodes := s.nodes()
		if len(nodes) == 0 {
			return nil, "", noNode()
		}
		node = nodes[0]
	}
	ses, err = connect(s.kernel, s.root.Path(node), s.android())
	return ses, node, err
}

// Probe opens the device, asks what it is, and closes it. Nothing counts meanwhile.
func (s *Source) Probe(context.Context) hwio.Status {
	st := hwio.Status{}
	fail := func(err error) hwio.Status {
		return st.Refused(err)
	}
	ses, node, err := s.open(nil)
	if err != nil {
		return fail(err)
	}
	defer ses.dev.Close()
	g := &ses.gpu
	st.GPU, st.Device = g.Product.Catalogue(), g.Product.Name
	if st.GPU == "" {
		st.GPU = "mali"
	}
	w, err := ses.choose()
	if err != nil {
		return fail(err)
	}
	if err := ses.try(w); err != nil {
		return fail(err)
	}
	st.Usable = true
	st.Reason = g.Unnamed()
	st.Details = append(st.Details,
		fmt.Sprintf("%s: %s, GPU id %s", node, ses.version, g.ID),
		fmt.Sprintf("%d shader cores (mask %#x), %d L2 slices, bus of %d bits", g.Cores(), g.CoreMask, g.L2Slices,
			g.BusWidth),
		"interface: "+w.interfaceName())
	var blocks []string
	for _, b := range w.blocks(g) {
		blocks = append(blocks, fmt.Sprintf("%d × %s of %d values", len(b.Instances), b.Type, b.Values))
	}
	st.Details = append(st.Details, "blocks: "+strings.Join(blocks, ", "))
	if w.caps != nil {
		for _, u := range w.caps.unknown {
			st.Details = append(st.Details, "passed over: "+u)
		}
		if !ses.version.complete() {
			st.Details = append(st.Details, "this is an early version of the interface; its known defects are worked around")
		}
	}
	if power, err := s.root.String(sysfs(node) + "/power/runtime_status"); err == nil && power == "suspended" {
		st.Details = append(st.Details, "the GPU is powered off at the moment: until something uses it all counters are 0, which is true")
	}
	if more := s.nodes(); len(more) > 1 {
		st.Details = append(st.Details, "more devices (choose with the option device): "+strings.Join(more[1:], ", "))
	}
	return st
}

// try makes a client and ends it without having started it: some systems let a process look but not count.
func (s *session) try(w *way) error {
	all := mali.NewTable(w.blocks(&s.gpu), "", "", sourceName, func(*capture.Meta) bool { return true })
	if w.caps != nil {
		k, err := setUp(s, w.caps, all.Enable, 0, true)
		if err != nil {
			return err
		}
		return k.close()
	}
	v, err := setUpReader(s, w.packed, all.Enable, 0, true)
	if err != nil {
		return err
	}
	return v.close()
}

// Counters lists the GPU's counters and the gauges beside it.
func (s *Source) Counters(context.Context) ([]capture.Meta, error) {
	ses, node, err := s.open(nil)
	if err != nil {
		return nil, err
	}
	defer ses.dev.Close()
	w, err := ses.choose()
	if err != nil {
		return nil, err
	}
	out := mali.Counters(w.blocks(&ses.gpu), ses.gpu.Product.Layout, ses.gpu.Product.Catalogue(), sourceName)
	for _, c := range clockColumns(w.clocks()) {
		out = append(out, c.Meta)
	}
	return append(out, mali.GaugeMetas(s.root, sysfs(node), sourceName)...), nil
}

// Diagnose says what can be measured, as one finding.
func (s *Source) Diagnose(ctx context.Context) []hwio.Finding {
	return []hwio.Finding{s.Probe(ctx).Finding(sourceName, "counters of the ",
		"counters of Mali GPUs with Arm's driver")}
}
