package i915

import (
	"syscall"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/intel"
	"astrolabe/hwio/hwtest/uapi"
)

// perfMissing is what every perf request fails with first: the driver lacks i915-perf, or the metrics folder that says
// a GPU has OA.
func (d *device) perfMissing() error {
	switch {
	case d.Has("no-perf"):
		return syscall.Errno(524) // ENOTSUPP, which is not one of user space's
	case d.Has("no-metrics"):
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
	if !intel.ValidUUID(uuid) {
		return 0, syscall.EINVAL
	}
	cfg := &intel.Config{UUID: uuid}
	accept := [3]func(uint32) bool{d.muxRegister, d.booleanRegister, intel.FlexRegister}
	for i, to := range [3]*[]intel.Register{&cfg.Mux, &cfg.Boolean, &cfg.Flex} {
		var err error
		if *to, err = intel.ReadRegisters(c, p[i], n[i], accept[i]); err != nil {
			return 0, err
		}
	}
	return d.AddConfig(cfg)
}

// removeConfig answers PERF_REMOVE_CONFIG.
func (d *device) removeConfig(c *hwtest.Call, arg uint64) (int64, error) {
	if d.Has("no-perf") {
		return 0, syscall.Errno(524)
	}
	if d.paranoid && !c.Privileged {
		return 0, syscall.EACCES
	}
	return d.RemoveConfig(c, arg)
}

// muxRegister and booleanRegister are what drivers let programs write on Gen9, on Gen12, on DG2 and on Meteor Lake.
func (d *device) muxRegister(a uint32) bool {
	if d.Has("narrow-whitelist") && (a == 0x9840 || a == 0x9884) {
		return false
	}
	if d.Part.Version < 1200 {
		return intel.In(a, [2]uint32{0x0d00, 0x0d2c}, [2]uint32{0x20cc, 0x20cc}, [2]uint32{0x91b8, 0x91cc},
			[2]uint32{0x9800, 0x9888}, [2]uint32{0xe180, 0xe180})
	}
	own := [2]uint32{0x20cc, 0x20cc}
	if d.Part.Version >= 1270 {
		own = [2]uint32{0x38d100, 0x38d114}
	}
	return intel.In(a, [2]uint32{0x0d00, 0x0d04}, [2]uint32{0x0d0c, 0x0d2c}, [2]uint32{0x9840, 0x9840},
		[2]uint32{0x9884, 0x9888}, own)
}

func (d *device) booleanRegister(a uint32) bool {
	switch v := d.Part.Version; {
	case v < 1200:
		return intel.In(a, [2]uint32{0x2710, 0x272c}, [2]uint32{0x2740, 0x275c}, [2]uint32{0x2770, 0x27ac})
	case v >= 1270 && intel.In(a, [2]uint32{0x393000, 0x39301c}, [2]uint32{0x393020, 0x39303c},
		[2]uint32{0x393040, 0x39307c}, [2]uint32{0x393200, 0x39323c}):
		return true
	case v >= 1255 && intel.In(a, [2]uint32{0xdc48, 0xdc48}, [2]uint32{0xdd00, 0xdd48}):
		return true
	}
	return intel.In(a, [2]uint32{0x2b2c, 0x2b2c}, [2]uint32{0xd900, 0xd91c}, [2]uint32{0xd920, 0xd93c},
		[2]uint32{0xd940, 0xd97c}, [2]uint32{0xdc00, 0xdc44})
}
