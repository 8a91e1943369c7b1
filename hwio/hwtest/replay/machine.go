package replay

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"

	"astrolabe/hwio/bundle"
	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/internal/tape"
)

// Machine is the device that plays a bundle.
type Machine struct {
	about  bundle.About
	events []tape.Event
	player *tape.Player
	perf   *perf // nil where the bundle has no perf events
	set    *hwtest.Settings

	mu    sync.Mutex
	truth Truth
	stops []func()
}

// Truth is what was asked.
type Truth struct {
	Answered int      `json:"answered"` // device requests
	Unknown  []string `json:"unknown"`  // requests that the tape has no answer to
	Samples  int      `json:"samples"`
	reads    int      // most of one perf event
}

// New plays a bundle.
func New(b *bundle.Bundle) *Machine {
	r := &Machine{about: b.About, events: b.Events, player: tape.NewPlayer(b.Events), truth: Truth{Unknown: []string{}}}
	if s := newPerfScript(b.About.Began, b.Events); s != nil {
		r.perf = &perf{machine: r, script: s, asked: map[string]int{}, rings: map[int]*perfRing{}}
	}
	return r
}

// owned are the folders of which only what is on the tape exists.
var owned = []string{"/sys/class/drm", "/sys/class/misc", "/sys/class/devfreq", "/sys/class/thermal", "/sys/class/hwmon",
	"/dev/dri", devices}

// devices is where devices are that links lead to.
const devices = "/sys/devices/replayed"

// Start implements hwtest.Device.
func (r *Machine) Start(m hwtest.Machine) error {
	r.set = m.Settings()
	for _, dir := range owned {
		m.Own(dir)
		m.Dir(dir)
	}
	links := map[string]string{}
	texts := map[string][]*tape.Event{}
	nodes := map[string]bool{}
	for i := range r.events {
		e := &r.events[i]
		switch e.Kind {
		case tape.Link:
			links[e.Path] = devices + "/" + path.Base(e.Text)
		case tape.File, tape.Again:
			texts[e.Path] = append(texts[e.Path], e)
		case tape.Open:
			nodes[e.Path] = nodes[e.Path] || e.Path != ""
		case tape.Exists:
			nodes[e.Path] = nodes[e.Path] || e.Value == 2
		}
	}
	r.folders(m, links)
	number := uint32(1000)
	for p, events := range texts {
		if strings.HasPrefix(p, "/proc/self/") {
			continue // of the program itself
		}
		to := follow(links, p)
		switch first := events[0]; {
		case !slices.ContainsFunc(events, func(e *tape.Event) bool { return e.Errno != int(syscall.ENOENT) }):
			m.Own(to) // it was never there, however often a program looked
		case first.Errno == int(syscall.EACCES), first.Errno == int(syscall.EPERM):
			m.File(to, "")
			m.Fail(to, syscall.Errno(first.Errno))
		default:
			number++
			m.Node(to, 240, number, 0o444, &text{events: events})
		}
	}
	for p, is := range nodes {
		if is {
			number++
			n := &node{machine: r, path: p, info: r.asked(p, "DRM_IOCTL_AMDGPU_INFO")}
			if r.asked(p, "DRM_IOCTL_I915_GETPARAM") || r.asked(p, "DRM_IOCTL_XE_DEVICE_QUERY") {
				n.clock = clockOf(r.about.Began, r.requests(p))
			}
			minor := number
			if x, ok := drmMinor(path.Base(p)); ok && path.Dir(p) == "/dev/dri" {
				minor = x
			}
			m.Node(p, drmMajor, minor, 0o666, n)
		}
	}
	return nil
}

// drmMajor is the number of all nodes of graphics cards, from Documentation/admin-guide/devices.txt.
const drmMajor = 226

// drmMinor is the other number of such a node, which stands in its name. Those that others have begin at 1000.
func drmMinor(name string) (minor uint32, ok bool) {
	for _, form := range []string{"card%d", "renderD%d"} {
		if _, err := fmt.Sscanf(name, form, &minor); err == nil {
			return minor, true
		}
	}
	return 0, false
}

// folders makes links, the entries of folders that have no more, and what is known not to exist.
func (r *Machine) folders(m hwtest.Machine, links map[string]string) {
	for p, target := range links {
		if at := follow(links, p); at != target {
			m.Dir(target)
			m.Link(at, target)
		}
	}
	seen := map[string]bool{}
	for i := range r.events {
		e := &r.events[i]
		if seen[e.Kind+e.Path] {
			continue
		}
		seen[e.Kind+e.Path] = true
		to := follow(links, e.Path)
		switch {
		case e.Kind == tape.Exists && e.Value == 0:
			m.Own(to)
		case e.Kind == tape.Exists && e.Value == 1 && !r.read(e.Path) && links[e.Path] == "":
			m.Dir(to)
		case e.Kind == tape.Names:
			m.Own(to)
			m.Dir(to)
			for _, name := range e.Names {
				// Programs find what belongs to a descriptor by its numbers.
				if minor, ok := drmMinor(name); ok && e.Path == "/sys/class/drm" {
					m.Link(fmt.Sprintf("/sys/dev/char/%d:%d", drmMajor, minor), e.Path+"/"+name)
				}
				if p := e.Path + "/" + name; links[p] == "" && !r.read(p) {
					m.Dir(follow(links, p))
				}
			}
		}
	}
}

// read says that a path is that of a file.
func (r *Machine) read(p string) bool {
	return slices.ContainsFunc(r.events, func(e tape.Event) bool {
		return e.Path == p && (e.Kind == tape.File || e.Kind == tape.Again || e.Kind == tape.Open)
	})
}

// follow replaces links in a path by what they lead to.
func follow(links map[string]string, p string) string {
	for n := 0; n < 8; n++ {
		found := false
		for at := 1; at < len(p); at++ {
			if p[at] != '/' {
				continue
			}
			if target := links[p[:at]]; target != "" && target != p[:at] {
				p, found = target+p[at:], true
				break
			}
		}
		if !found {
			return p
		}
	}
	return p
}

// Truth implements hwtest.Device; it is a *Truth.
func (r *Machine) Truth() any {
	r.mu.Lock()
	defer r.mu.Unlock()
	t := r.truth
	return &t
}

// Stop implements hwtest.Device.
func (r *Machine) Stop() {
	if r.perf != nil {
		r.perf.close()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, stop := range r.stops {
		stop()
	}
	r.stops = nil
}

// text is a file of text: each time it is read from its beginning it is as it was the next time on the tape, and at the
// end as it was last.
type text struct {
	mu     sync.Mutex
	events []*tape.Event
	next   int
}

func (t *text) Open(*hwtest.Call, int) (hwtest.File, error) { return &openText{text: t}, nil }

type openText struct {
	text *text
	mu   sync.Mutex
	data []byte
	at   int64
	cut  bool // the last read was of the beginning alone
}

func (o *openText) Ioctl(*hwtest.Call, uint32, uint64) (int64, error) { return 0, syscall.ENOTTY }
func (o *openText) Close()                                            {}

func (o *openText) Read(c *hwtest.Call, n int) ([]byte, error) {
	o.mu.Lock()
	at := o.at
	o.mu.Unlock()
	data, err := o.ReadAt(c, n, at)
	o.mu.Lock()
	o.at += int64(len(data))
	o.mu.Unlock()
	return data, err
}

func (o *openText) ReadAt(_ *hwtest.Call, n int, off int64) ([]byte, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	// Who began again without the rest had too little room for it: that is one reading.
	again := off == 0 && o.cut
	o.cut = false
	if off == 0 && !again {
		o.text.mu.Lock()
		e := o.text.events[min(o.text.next, len(o.text.events)-1)]
		o.text.next++
		o.text.mu.Unlock()
		if e.Errno != 0 {
			return nil, syscall.Errno(e.Errno)
		}
		o.data = e.Content()
	}
	if off < 0 || off >= int64(len(o.data)) {
		return []byte{}, nil
	}
	o.cut = off == 0 && n < len(o.data)
	return o.data[off:min(off+int64(n), int64(len(o.data)))], nil
}
