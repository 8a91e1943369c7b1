package xe

import (
	"syscall"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/intel"
	"astrolabe/hwio/hwtest/uapi"
)

// observe answers DRM_IOCTL_XE_OBSERVATION.
func (d *device) observe(c *hwtest.Call, arg uint64) (int64, error) {
	if d.Has("old-kernel") {
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
	if d.Has("no-observation") {
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
		d.Mu.Lock()
		d.refused = append(d.refused, RefusalTruth{what, err.Error()})
		d.Mu.Unlock()
	}
	return v, err
}

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
	if l.Get(b, "extensions") != 0 || n == 0 || at == 0 || !intel.ValidUUID(uuid) {
		return 0, syscall.EINVAL
	}
	list, err := intel.ReadRegisters(c, at, n, d.allowed)
	if err != nil {
		return 0, err
	}
	cfg := &intel.Config{UUID: uuid, OneList: true}
	for _, r := range list {
		if intel.FlexRegister(r.Address) {
			cfg.Flex = append(cfg.Flex, r)
		} else {
			cfg.Mux = append(cfg.Mux, r)
		}
	}
	return d.AddConfig(cfg)
}

func (d *device) removeConfig(c *hwtest.Call, arg uint64) (int64, error) {
	if d.paranoid && !c.Privileged {
		return 0, syscall.EACCES
	}
	return d.RemoveConfig(c, arg)
}

// allowed says whether programs may write a register: those of events, of the network behind them, and the flexible
// ones.
func (d *device) allowed(a uint32) bool {
	if intel.FlexRegister(a) || intel.In(a, [2]uint32{0xd00, 0xd04}, [2]uint32{0xd0c, 0xd2c}, [2]uint32{0x9840, 0x9840},
		[2]uint32{0x2b2c, 0x2b2c}, [2]uint32{0xd900, 0xd97c}, [2]uint32{0xdc00, 0xdc48}, [2]uint32{0xdd00, 0xdd48}) {
		return true
	}
	// What every published set writes one of, by generation.
	own := [][2]uint32{{0x9884, 0x9888}}
	switch {
	case d.Part.Xe2():
		own = [][2]uint32{{0x13000, 0x137fc}, {0x393200, 0x39323c}, {0x394200, 0x39423c}, {0x394a00, 0x394a3c}}
	case d.Part.Version >= 1270:
		own = [][2]uint32{{0x9884, 0x9888}, {0x38d100, 0x38d114}, {0x393000, 0x39307c}, {0x393200, 0x39323c}}
	}
	return intel.In(a, own...) && !d.Has("narrow-whitelist")
}
