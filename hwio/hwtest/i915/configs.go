package i915

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
)

// config is a metric configuration that the driver holds.
type config struct {
	id                 uint64
	uuid               string
	mux, boolean, flex []register
	set                *publishedSet // nil where the GUID is nobody's
	wired              *publishedSet // the set whose mux and boolean registers these are, which decide what B and C count; nil where nobody's
	asPublished        bool          // its registers are those of the set
	builtin            bool          // was there before the program
}

// ConfigTruth is a configuration as Truth tells it.
type ConfigTruth struct {
	ID   uint64 `json:"id"`
	UUID string `json:"uuid"`
	Set  string `json:"set,omitempty"` // name of the published set with this GUID
	// Registers is "published" where they equal the set's in number, value and order, else "other".
	Registers string `json:"registers"`
	// Network is the published set whose mux and boolean registers it has, whatever its GUID and flexible registers.
	Network string    `json:"network,omitempty"`
	Flex    [7]uint32 `json:"flex"`                // what is in EU_PERF_CNTL0 to 6
	Kernel  bool      `json:"was_there,omitempty"` // loaded before the program started
}

func (c *config) truth() ConfigTruth {
	t := ConfigTruth{ID: c.id, UUID: c.uuid, Registers: "other", Kernel: c.builtin}
	if c.set != nil {
		t.Set = c.set.name
	}
	if c.asPublished {
		t.Registers = "published"
	}
	if c.wired != nil {
		t.Network = c.wired.name
	}
	t.Flex = c.flexValues()
	return t
}

// perfMissing is what every perf request fails with first: the driver lacks i915-perf, or the metrics folder that says
// a GPU has OA.
func (d *device) perfMissing() error {
	switch {
	case d.has("no-perf"):
		return syscall.Errno(524) // ENOTSUPP, which is not one of user space's
	case d.has("no-metrics"):
		return syscall.EINVAL
	}
	return nil
}

// addConfig answers PERF_ADD_CONFIG; the result is the new id.
func (d *device) addConfig(c *hwtest.Call, arg uint64) (int64, error) {
	if err := d.perfMissing(); err != nil {
		return 0, err
	}
	if d.paranoid && !c.Privileged {
		return 0, syscall.EACCES
	}
	l := uapi.Struct("drm_i915_perf_oa_config")
	b := make([]byte, l.Size)
	if err := c.Read(arg, b); err != nil {
		return 0, syscall.EFAULT
	}
	uuid := string(b[:l.Field("uuid").Size])
	n := [3]uint64{l.Get(b, "n_mux_regs"), l.Get(b, "n_boolean_regs"), l.Get(b, "n_flex_regs")}
	p := [3]uint64{l.Get(b, "mux_regs_ptr"), l.Get(b, "boolean_regs_ptr"), l.Get(b, "flex_regs_ptr")}
	if c.Note != nil {
		c.Note("%q with %d mux, %d boolean, %d flex registers", uuid, n[0], n[1], n[2])
	}
	if (n[0] == 0 || p[0] == 0) && (n[1] == 0 || p[1] == 0) && (n[2] == 0 || p[2] == 0) {
		return 0, syscall.EINVAL
	}
	if !validUUID(uuid) {
		return 0, syscall.EINVAL
	}
	cfg := &config{uuid: strings.ToLower(uuid)}
	accept := [3]func(uint32) bool{d.muxRegister, d.booleanRegister, flexRegister}
	for i, to := range [3]*[]register{&cfg.mux, &cfg.boolean, &cfg.flex} {
		var err error
		if *to, err = readRegisters(c, p[i], n[i], accept[i]); err != nil {
			return 0, err
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, x := range d.configs {
		if x.uuid == cfg.uuid {
			return 0, syscall.EADDRINUSE
		}
	}
	d.keepConfig(cfg)
	d.added = append(d.added, cfg.truth())
	return int64(cfg.id), nil
}

// keepConfig gives a configuration an id where it has none, and shows it in sysfs. The driver counts from 2: 1 is for a
// set of its own.
func (d *device) keepConfig(cfg *config) {
	for cfg.id == 0 || d.configs[cfg.id] != nil {
		if cfg.id == 0 {
			cfg.id = 1
		}
		cfg.id++
	}
	cfg.set = findSet(d.part.Sets, cfg.uuid)
	if cfg.builtin {
		cfg.wired = cfg.set
	} else {
		// Sets that differ by their flexible registers alone have one network: a configuration's own set comes first.
		if cfg.wired = cfg.set; cfg.set == nil || !cfg.set.isWired(cfg.mux, cfg.boolean) {
			cfg.wired = findWired(d.part.Sets, cfg.mux, cfg.boolean)
		}
		cfg.asPublished = cfg.set != nil && cfg.wired == cfg.set && slices.Equal(cfg.flex, cfg.set.flex)
	}
	d.configs[cfg.id] = cfg
	d.m.File(cardPath+"/metrics/"+cfg.uuid+"/id", fmt.Sprintf("%d\n", cfg.id))
}

// preload puts a published set there as if somebody else had uploaded it. id 0 takes the next one.
func (d *device) preload(name string, id uint64) {
	if s := findSetNamed(d.part.Sets, name); s != nil {
		d.keepConfig(&config{id: id, uuid: s.guid, flex: s.flex, asPublished: true, builtin: true})
	}
}

// removeConfig answers PERF_REMOVE_CONFIG.
func (d *device) removeConfig(c *hwtest.Call, arg uint64) (int64, error) {
	if d.has("no-perf") {
		return 0, syscall.Errno(524)
	}
	if d.paranoid && !c.Privileged {
		return 0, syscall.EACCES
	}
	var b [8]byte
	if err := c.Read(arg, b[:]); err != nil {
		return 0, syscall.EFAULT
	}
	id := binary.LittleEndian.Uint64(b[:])
	if c.Note != nil {
		c.Note("id %d", id)
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	cfg := d.configs[id]
	if cfg == nil {
		return 0, syscall.ENOENT
	}
	delete(d.configs, id)
	d.m.Remove(cardPath + "/metrics/" + cfg.uuid)
	d.removed = append(d.removed, cfg.truth())
	return 0, nil
}

// loadedConfigs are the configurations by id.
func (d *device) loadedConfigs() []*config {
	var out []*config
	for _, c := range d.configs {
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b *config) int { return int(a.id) - int(b.id) })
	return out
}

// maxRegisters bounds what is read from a program: the largest published list has some 120.
const maxRegisters = 1 << 16

func readRegisters(c *hwtest.Call, addr, n uint64, accept func(uint32) bool) ([]register, error) {
	if n == 0 {
		return nil, nil
	}
	if n > maxRegisters {
		return nil, syscall.ENOMEM
	}
	b := make([]byte, 8*n)
	if err := c.Read(addr, b); err != nil {
		return nil, syscall.EFAULT
	}
	out := make([]register, n)
	for i := range out {
		out[i] = register{binary.LittleEndian.Uint32(b[8*i:]), binary.LittleEndian.Uint32(b[8*i+4:])}
		if !accept(out[i].addr) {
			return nil, syscall.EINVAL
		}
	}
	return out, nil
}

// validUUID is the text form of 36 characters, as the kernel checks it.
func validUUID(s string) bool {
	if len(s) != 36 {
		return false
	}
	for i := range len(s) {
		switch c := s[i]; i {
		case 8, 13, 18, 23:
			if c != '-' {
				return false
			}
		default:
			if !strings.ContainsRune("0123456789abcdefABCDEF", rune(c)) {
				return false
			}
		}
	}
	return true
}

func in(a uint32, ranges ...[2]uint32) bool {
	for _, r := range ranges {
		if r[0] <= a && a <= r[1] {
			return true
		}
	}
	return false
}

// muxRegister, booleanRegister and flexRegister are what drivers let programs write on Gen9, and on Gen12.
func (d *device) muxRegister(a uint32) bool {
	if a == 0x9840 && d.has("narrow-whitelist") {
		return false
	}
	if d.part.Gen == 12 {
		return in(a, [2]uint32{0x0d00, 0x0d04}, [2]uint32{0x0d0c, 0x0d2c}, [2]uint32{0x20cc, 0x20cc},
			[2]uint32{0x9840, 0x9840}, [2]uint32{0x9884, 0x9888})
	}
	return in(a, [2]uint32{0x0d00, 0x0d2c}, [2]uint32{0x20cc, 0x20cc}, [2]uint32{0x91b8, 0x91cc},
		[2]uint32{0x9800, 0x9888}, [2]uint32{0xe180, 0xe180})
}

func (d *device) booleanRegister(a uint32) bool {
	if d.part.Gen == 12 {
		return in(a, [2]uint32{0x2b2c, 0x2b2c}, [2]uint32{0xd900, 0xd91c}, [2]uint32{0xd920, 0xd93c},
			[2]uint32{0xd940, 0xd97c}, [2]uint32{0xdc00, 0xdc7c})
	}
	return in(a, [2]uint32{0x2710, 0x272c}, [2]uint32{0x2740, 0x275c}, [2]uint32{0x2770, 0x27ac})
}

func flexRegister(a uint32) bool { return slices.Contains(flexRegisters[:], a) }

// flexRegisters are EU_PERF_CNTL0 to 6: number n programs A(7+2n) and A(8+2n).
var flexRegisters = [7]uint32{0xe458, 0xe558, 0xe658, 0xe758, 0xe45c, 0xe55c, 0xe65c}
