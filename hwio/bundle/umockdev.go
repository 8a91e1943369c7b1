package bundle

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"

	"astrolabe/hwio/internal/tape"
)

// mocked is a device as umockdev describes one: its place below /sys, and what is in its folder.
type mocked struct {
	subsystem, node, driver string
	attributes              map[string][]byte
}

// pci says whether it is a device of that bus, whose address is its name.
func (m *mocked) pci() bool { return m.subsystem == "pci" }

// umockdev describes the devices whose files were read, with what was first read of each, in the form that umockdev-run
// takes: programs that know nothing of bundles, udevadm and lspci among them, then see the machine's /sys. nil where no
// device was met. What of /sys belongs to no device (lists of processors, of units that count) has no place there.
func umockdev(events []tape.Event) []byte {
	links, devices := map[string]string{}, map[string]*mocked{}
	for i := range events {
		if e := &events[i]; e.Kind == tape.Link && e.Errno == 0 && links[e.Path] == "" {
			links[e.Path] = e.Text
		}
	}
	at := func(place, subsystem string) *mocked {
		if devices[place] == nil {
			devices[place] = &mocked{subsystem: subsystem, attributes: map[string][]byte{}}
		}
		return devices[place]
	}
	for i := range events {
		e := &events[i]
		switch {
		case e.Kind == tape.Names && (e.Path == "/sys/class/drm" || e.Path == "/sys/class/misc"):
			for _, name := range e.Names {
				owner(at, links, e.Path, name)
			}
		case (e.Kind == tape.File || e.Kind == tape.Again) && e.Errno == 0:
			class, name, rest, ok := classFile(e.Path)
			if !ok {
				continue
			}
			m, parent := owner(at, links, class, name)
			if inner, ok := strings.CutPrefix(rest, "device/"); ok && parent != nil {
				m, rest = parent, inner
			}
			if data := e.Data; m.attributes[rest] == nil {
				if data == nil {
					data = tape.Hex(e.Text)
				}
				m.attributes[rest] = append([]byte{}, data...)
			}
		}
	}
	var out bytes.Buffer
	for _, place := range slices.Sorted(maps.Keys(devices)) { // a folder sorts before what is in it
		devices[place].write(&out, place)
	}
	return out.Bytes()
}

// classFile splits the path of a file below a folder of /sys/class: its class, the device there, and what of it.
func classFile(p string) (class, name, rest string, ok bool) {
	below, ok := strings.CutPrefix(p, "/sys/class/")
	if !ok {
		return "", "", "", false
	}
	parts := strings.SplitN(below, "/", 3)
	if len(parts) < 3 {
		return "", "", "", false
	}
	return "/sys/class/" + parts[0], parts[1], parts[2], true
}

// owner is the device of a name in a class, and the one that it is a part of; nil where that is not known.
func owner(at func(place, subsystem string) *mocked, links map[string]string, class, name string) (m, parent *mocked) {
	kind, dir := path.Base(class), class+"/"+name
	place := "/devices/virtual/" + kind + "/" + name
	if of := links[dir+"/device"]; of != "" {
		above, bus := "/devices/platform/"+of, "platform"
		if isPCI(of) {
			above, bus = "/devices/pci"+of[:len("0000:00")]+"/"+of, "pci"
		}
		place, parent = above+"/"+kind+"/"+name, at(above, bus)
		if parent.driver == "" {
			parent.driver = links[dir+"/device/driver"]
		}
	}
	m = at(place, kind)
	switch kind {
	case "drm":
		m.node = "dri/" + name
	case "misc":
		m.node = name
	}
	return m, parent
}

// isPCI says whether a name is an address of that bus.
func isPCI(name string) bool {
	var domain, bus, device, function int
	n, err := fmt.Sscanf(name, "%04x:%02x:%02x.%1d", &domain, &bus, &device, &function)
	return err == nil && n == 4 && len(name) == len("0000:00:00.0")
}

// write writes one device. Values of several lines, and those that are no text, have forms of their own.
func (m *mocked) write(to *bytes.Buffer, place string) {
	fmt.Fprintf(to, "P: %s\n", place)
	if m.node != "" {
		fmt.Fprintf(to, "N: %s\nE: DEVNAME=/dev/%s\n", m.node, m.node)
	}
	fmt.Fprintf(to, "E: SUBSYSTEM=%s\n", m.subsystem)
	if m.pci() {
		fmt.Fprintf(to, "E: PCI_SLOT_NAME=%s\n", path.Base(place))
		if header := m.header(); header != nil {
			fmt.Fprintf(to, "H: config=%s\n", strings.ToUpper(hex.EncodeToString(header)))
		}
	}
	if m.driver != "" {
		fmt.Fprintf(to, "E: DRIVER=%s\nL: driver=../../../bus/%s/drivers/%s\n", m.driver, m.subsystem, m.driver)
	}
	for _, name := range slices.Sorted(maps.Keys(m.attributes)) {
		value := m.attributes[name]
		if bytes.ContainsFunc(value, func(r rune) bool { return r < ' ' && r != '\n' || r > '~' }) {
			fmt.Fprintf(to, "H: %s=%s\n", name, strings.ToUpper(hex.EncodeToString(value)))
			continue
		}
		text := strings.ReplaceAll(strings.ReplaceAll(string(value), `\`, `\\`), "\n", `\n`)
		fmt.Fprintf(to, "A: %s=%s\n", name, text)
	}
	to.WriteByte('\n')
}

// header is the first 64 bytes of a PCI device's configuration (PCI Local Bus Specification 3.0, 6.1), of which only
// what files told is there; nil where they told too little. lspci asks it before the files.
func (m *mocked) header() []byte {
	number := func(name string, most uint64) (uint64, bool) {
		v, err := strconv.ParseUint(strings.TrimSpace(string(m.attributes[name])), 0, 32)
		return v, err == nil && v <= most
	}
	out := make([]byte, 64)
	for _, f := range []struct {
		name   string
		at     int
		needed bool
	}{{"vendor", 0x00, true}, {"device", 0x02, true}, {"subsystem_vendor", 0x2c, false}, {"subsystem_device", 0x2e, false}} {
		v, ok := number(f.name, 0xffff)
		if !ok && f.needed {
			return nil
		}
		if ok {
			binary.LittleEndian.PutUint16(out[f.at:], uint16(v))
		}
	}
	if v, ok := number("revision", 0xff); ok {
		out[0x08] = byte(v)
	}
	if v, ok := number("class", 0xffffff); ok {
		out[0x09], out[0x0a], out[0x0b] = byte(v), byte(v>>8), byte(v>>16)
	}
	return out
}
