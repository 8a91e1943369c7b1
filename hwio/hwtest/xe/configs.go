package xe

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
	id        uint64
	uuid      string
	registers []register
	set       *publishedSet // nil where the GUID is nobody's
	builtin   bool          // was there before the program; its registers are not known here
}

// ConfigTruth is a configuration as Truth tells it.
type ConfigTruth struct {
	ID   uint64 `json:"id"`
	UUID string `json:"uuid"`
	Set  string `json:"set,omitempty"` // name of the published set with this GUID
	// Registers is "published" where they equal the set's in number, value and order, else "other".
	Registers string `json:"registers"`
	Kernel    bool   `json:"was_there,omitempty"` // loaded before the program started
}

func (c *config) truth() ConfigTruth {
	t := ConfigTruth{ID: c.id, UUID: c.uuid, Registers: "other", Kernel: c.builtin}
	if s := c.set; s != nil {
		t.Set = s.name
		if c.builtin || len(c.registers) == s.registers && sum(c.registers) == s.sum {
			t.Registers = "published"
		}
	}
	return t
}

// RefusalTruth is a request of the observation interface that was refused.
type RefusalTruth struct {
	What  string `json:"what"`
	Errno string `json:"errno"`
}

// observe answers DRM_IOCTL_XE_OBSERVATION.
func (d *device) observe(c *hwtest.Call, arg uint64) (int64, error) {
	if d.has("old-kernel") {
		return 0, syscall.EINVAL
	}
	l := uapi.Struct("drm_xe_observation_param")
	b := make([]byte, l.Size)
	if err := c.Read(arg, b); err != nil {
		return 0, syscall.EFAULT
	}
	kind, op, param := int64(l.Get(b, "observation_type")), int64(l.Get(b, "observation_op")), l.Get(b, "param")
	if l.Get(b, "extensions") != 0 {
		return 0, syscall.EINVAL
	}
	if d.has("no-observation") {
		return 0, syscall.ENODEV
	}
	if kind != uapi.Const("DRM_XE_OBSERVATION_TYPE_OA") {
		return 0, syscall.EINVAL // samples of stalls are not modelled
	}
	var v int64
	var err error
	var what string
	switch op {
	case uapi.Const("DRM_XE_OBSERVATION_OP_STREAM_OPEN"):
		what = "open"
		v, err = d.openStream(c, param)
	case uapi.Const("DRM_XE_OBSERVATION_OP_ADD_CONFIG"):
		what = "add config"
		v, err = d.addConfig(c, param)
	case uapi.Const("DRM_XE_OBSERVATION_OP_REMOVE_CONFIG"):
		what = "remove config"
		v, err = d.removeConfig(c, param)
	default:
		return 0, syscall.EINVAL
	}
	if err != nil {
		d.mu.Lock()
		d.refused = append(d.refused, RefusalTruth{what, err.Error()})
		d.mu.Unlock()
	}
	return v, err
}

// maxRegisters bounds what is read from a program: the largest published list has some 230.
const maxRegisters = 1 << 16

// addConfig takes a list of registers; the result is the new id.
func (d *device) addConfig(c *hwtest.Call, arg uint64) (int64, error) {
	if d.paranoid && !c.Privileged {
		return 0, syscall.EACCES
	}
	l := uapi.Struct("drm_xe_oa_config")
	b := make([]byte, l.Size)
	if err := c.Read(arg, b); err != nil {
		return 0, syscall.EFAULT
	}
	f := l.Field("uuid")
	uuid := string(b[f.Offset : f.Offset+f.Size])
	n, at := l.Get(b, "n_regs"), l.Get(b, "regs_ptr")
	if c.Note != nil {
		c.Note("%q with %d registers", uuid, n)
	}
	if l.Get(b, "extensions") != 0 || n == 0 || at == 0 || !validUUID(uuid) {
		return 0, syscall.EINVAL
	}
	if n > maxRegisters {
		return 0, syscall.ENOMEM
	}
	list := make([]byte, 8*n)
	if err := c.Read(at, list); err != nil {
		return 0, syscall.EFAULT
	}
	cfg := &config{uuid: strings.ToLower(uuid)}
	for ; len(list) > 0; list = list[8:] {
		r := register{binary.LittleEndian.Uint32(list), binary.LittleEndian.Uint32(list[4:])}
		if !d.allowed(r.addr) {
			return 0, syscall.EINVAL
		}
		cfg.registers = append(cfg.registers, r)
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

// keepConfig gives a configuration the next free id, and shows it in sysfs.
func (d *device) keepConfig(cfg *config) {
	for cfg.id = 1; d.configs[cfg.id] != nil; cfg.id++ {
	}
	cfg.set = findSet(cfg.uuid)
	d.configs[cfg.id] = cfg
	d.m.File(cardPath+"/metrics/"+cfg.uuid+"/id", fmt.Sprintf("%d\n", cfg.id))
}

func (d *device) removeConfig(c *hwtest.Call, arg uint64) (int64, error) {
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

// validUUID is the text form of 36 characters, as the kernel checks it.
func validUUID(s string) bool {
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

// allowed says whether programs may write a register: those of events, of the network behind them, and the flexible
// ones.
func (d *device) allowed(a uint32) bool {
	in := func(lo, hi uint32) bool { return lo <= a && a <= hi }
	if in(0x13000, 0x137fc) || in(0x394200, 0x39423c) {
		return !d.has("narrow-whitelist")
	}
	return in(0x9800, 0x9888) || in(0xd00, 0xd2c) || a == 0x20cc || slices.Contains(flexRegisters, a)
}
