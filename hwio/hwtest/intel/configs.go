package intel

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"syscall"

	"astrolabe/hwio/hwtest"
)

// Config is a metric configuration that the driver holds.
type Config struct {
	ID                 uint64
	UUID               string
	Mux, Boolean, Flex []Register // a driver that takes one list has all but the flexible ones in the first
	OneList            bool
	Builtin            bool // was there before the program
	set                *Set // nil where the GUID is nobody's
	// wired is the set whose mux and boolean registers these are, which decide what is counted; nil where nobody's.
	wired       *Set
	asPublished bool // its registers are those of the set
}

// All are the registers as one list.
func (c *Config) All() []Register { return slices.Concat(c.Mux, c.Boolean, c.Flex) }

// isWired says whether the mux and boolean registers are a set's. Sums are over the flexible registers too, so the set's
// own stand in for those that were uploaded.
func (c *Config) isWired(s *Set) bool {
	return len(c.Mux)+len(c.Boolean) == s.Mux+s.Boolean && (c.OneList || len(c.Mux) == s.Mux) &&
		Sum(c.Mux, c.Boolean, s.Flex) == s.Sum
}

// program is what a unit counts by the configuration.
func (c *Config) program(u *Unit, p *Part) programming {
	if u.Media || p.Xe2() {
		return newEvents(c, u)
	}
	return newNetwork(c)
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

func (c *Config) truth() ConfigTruth {
	t := ConfigTruth{ID: c.ID, UUID: c.UUID, Registers: "other", Kernel: c.Builtin, Flex: c.flexValues()}
	if c.set != nil {
		t.Set = c.set.Name
	}
	if c.asPublished {
		t.Registers = "published"
	}
	if c.wired != nil {
		t.Network = c.wired.Name
	}
	return t
}

// AddConfig keeps a configuration of the program; its GUID may be loaded already.
func (g *GPU) AddConfig(c *Config) (id int64, err error) {
	g.Mu.Lock()
	defer g.Mu.Unlock()
	c.UUID = strings.ToLower(c.UUID)
	for _, x := range g.configs {
		if x.UUID == c.UUID {
			return 0, syscall.EADDRINUSE
		}
	}
	g.keepConfig(c)
	g.added = append(g.added, c.truth())
	return int64(c.ID), nil
}

// keepConfig gives a configuration an id where it has none, and shows it in sysfs.
func (g *GPU) keepConfig(c *Config) {
	if c.ID == 0 {
		for c.ID = g.FirstConfig; g.configs[c.ID] != nil; c.ID++ {
		}
	}
	c.set = findSet(g.Part.Sets, func(s *Set) bool { return s.GUID == c.UUID })
	// Sets that differ by their flexible registers alone have one network: a configuration's own set comes first.
	if c.wired = c.set; !c.Builtin && (c.set == nil || !c.isWired(c.set)) {
		c.wired = findSet(g.Part.Sets, c.isWired)
	}
	c.asPublished = c.set != nil && c.wired == c.set && (c.Builtin || slices.Equal(c.Flex, c.set.Flex))
	g.configs[c.ID] = c
	g.Machine.File(g.CardPath()+"/metrics/"+c.UUID+"/id", fmt.Sprintf("%d\n", c.ID))
}

// Preload puts a published set there as if somebody else had uploaded it. id 0 takes the next one.
func (g *GPU) Preload(name string, id uint64) {
	if s := findSet(g.Part.Sets, func(s *Set) bool { return s.Name == name }); s != nil {
		g.keepConfig(&Config{ID: id, UUID: s.GUID, Flex: s.Flex, Builtin: true})
	}
}

// RemoveConfig takes away the configuration whose id is at an address.
func (g *GPU) RemoveConfig(c *hwtest.Call, arg uint64) (int64, error) {
	var b [8]byte
	if err := c.Read(arg, b[:]); err != nil {
		return 0, syscall.EFAULT
	}
	id := binary.LittleEndian.Uint64(b[:])
	if c.Note != nil {
		c.Note("id %d", id)
	}
	g.Mu.Lock()
	defer g.Mu.Unlock()
	cfg := g.configs[id]
	if cfg == nil {
		return 0, syscall.ENOENT
	}
	delete(g.configs, id)
	g.Machine.Remove(g.CardPath() + "/metrics/" + cfg.UUID)
	g.removed = append(g.removed, cfg.truth())
	return 0, nil
}

// Config is the configuration of an id, nil where there is none.
func (g *GPU) Config(id uint64) *Config { return g.configs[id] }

// LoadedConfigs are the configurations by id.
func (g *GPU) LoadedConfigs() []*Config {
	var out []*Config
	for _, c := range g.configs {
		out = append(out, c)
	}
	slices.SortFunc(out, func(a, b *Config) int { return int(a.ID) - int(b.ID) })
	return out
}

// maxRegisters bounds what is read from a program: the largest published list has some 230.
const maxRegisters = 1 << 16

// ReadRegisters reads a list from the program's memory, all of which must be accepted.
func ReadRegisters(c *hwtest.Call, addr, n uint64, accept func(uint32) bool) ([]Register, error) {
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
	out := make([]Register, n)
	for i := range out {
		out[i] = Register{binary.LittleEndian.Uint32(b[8*i:]), binary.LittleEndian.Uint32(b[8*i+4:])}
		if !accept(out[i].Address) {
			return nil, syscall.EINVAL
		}
	}
	return out, nil
}

// ValidUUID is the text form of 36 characters, as the kernel checks it.
func ValidUUID(s string) bool {
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
	return len(s) == 36
}

// In says whether a register lies in one of the ranges, whose ends are part of them.
func In(a uint32, ranges ...[2]uint32) bool {
	return slices.ContainsFunc(ranges, func(r [2]uint32) bool { return r[0] <= a && a <= r[1] })
}
