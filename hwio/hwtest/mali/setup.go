package mali

import (
	"syscall"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
)

// minPeriod is the shortest period of samples; shorter ones are raised to it.
const minPeriod = 100_000

// maxRequests bounds the items of a setup.
const maxRequests = 32

// config is what a setup asked for.
type config struct {
	mode   int64
	period int64
	set    int64
	enable map[uint8][2]uint64
}

// setup answers SETUP: it makes a client and returns the descriptor of its reader.
func (f *kbaseFile) setup(c *hwtest.Call, arg uint64) (int64, error) {
	b := f.board
	l := uapi.Struct("kbase_ioctl_kinstr_prfcnt_setup")
	buf, err := fetchStruct(c, arg, l)
	if err != nil {
		return 0, err
	}
	count, size, ptr := int(l.Get(buf, "in.request_item_count")), l.Get(buf, "in.request_item_size"),
		l.Get(buf, "in.requests_ptr")
	note(c, "%d items", count)
	if ptr == 0 || size == 0 || count < 2 || count > maxRequests || count > 2*b.enumCount {
		return 0, syscall.EINVAL
	}
	items, err := fetch(c, ptr, count*uapi.Struct("prfcnt_request_item").Size)
	if err != nil {
		return 0, err
	}
	conf, err := b.parseRequests(items)
	if err != nil {
		return 0, err
	}
	k := b.newKinstr(c.PID, conf)
	l.Set(buf, "out.prfcnt_metadata_item_size", uint64(k.stride))
	l.Set(buf, "out.prfcnt_mmap_size_bytes", uint64(len(k.ring)))
	if err := c.Write(arg, buf); err != nil {
		k.close()
		return 0, err
	}
	note(c, "mode %d, period %d ns, set %d, enable %x", conf.mode, conf.period, conf.set, conf.enable)
	return b.install(c, k)
}

// install gives the program a reader's descriptor. The machine calls the file back meanwhile, so the board is not
// locked then.
func (b *board) install(c *hwtest.Call, f clientFile) (int64, error) {
	b.mu.Unlock()
	fd, err := c.Install(f, true, false)
	b.mu.Lock()
	if err != nil {
		f.close()
	}
	return fd, err
}

// clientFile is the file of a client, whose close wants the board locked.
type clientFile interface {
	hwtest.Mappable
	close()
}

// parseRequests checks a list of requests. Every broken rule is EINVAL.
func (b *board) parseRequests(items []byte) (config, error) {
	conf := config{mode: -1, set: -1, enable: map[uint8][2]uint64{}}
	l, hdr := uapi.Struct("prfcnt_request_item"), uapi.Struct("prfcnt_item_header")
	union, scope := l.Field("u").Offset, int64(-1)
	last := items[len(items)-l.Size:]
	if hdr.Get(last, "item_type") != 0 || hdr.Get(last, "item_version") != 0 {
		return conf, syscall.EINVAL
	}
	for ; len(items) > l.Size; items = items[l.Size:] {
		u := items[union:l.Size]
		if hdr.Get(items, "item_version") > uint64(uapi.Const("PRFCNT_READER_API_VERSION")) {
			return conf, syscall.EINVAL
		}
		var err error
		switch int64(hdr.Get(items, "item_type")) {
		case uapi.Const("PRFCNT_REQUEST_TYPE_MODE"):
			err = conf.askMode(u)
		case uapi.Const("PRFCNT_REQUEST_TYPE_ENABLE"):
			err = b.askEnable(&conf, u)
		case uapi.Const("PRFCNT_REQUEST_TYPE_SCOPE"):
			asked := int64(uapi.Struct("prfcnt_request_scope").Get(u, "scope"))
			if asked != uapi.Const("PRFCNT_SCOPE_GLOBAL") || scope >= 0 && asked != scope {
				err = syscall.EINVAL
			}
			scope = asked
		default:
			err = syscall.EINVAL
		}
		if err != nil {
			return conf, err
		}
	}
	if conf.mode < 0 || conf.set < 0 {
		return conf, syscall.EINVAL
	}
	return conf, nil
}

func (conf *config) askMode(u []byte) error {
	l := uapi.Struct("prfcnt_request_mode")
	mode := int64(l.Get(u, "mode"))
	if mode != uapi.Const("PRFCNT_MODE_MANUAL") && mode != uapi.Const("PRFCNT_MODE_PERIODIC") || conf.mode >= 0 &&
		conf.mode != mode {
		return syscall.EINVAL
	}
	conf.mode = mode
	if mode == uapi.Const("PRFCNT_MODE_PERIODIC") {
		period := l.Get(u, "mode_config.periodic.period_ns")
		if period == 0 {
			return syscall.EINVAL
		}
		conf.period = int64(min(max(period, minPeriod), 1<<62))
	}
	return nil
}

func (b *board) askEnable(conf *config, u []byte) error {
	l := uapi.Struct("prfcnt_request_enable")
	set, typ := int64(l.Get(u, "set")), uint8(l.Get(u, "block_type"))
	if set != b.counterSet() {
		return syscall.EINVAL
	}
	known := false
	for _, t := range b.gpu.types() {
		known = known || t.typ == typ
	}
	if !known {
		return syscall.EINVAL
	}
	mask := u[l.Field("enable_mask").Offset:]
	m := conf.enable[typ]
	m[0] |= le.Uint64(mask)
	m[1] |= le.Uint64(mask[8:])
	if m != [2]uint64{} {
		m[0] |= 1<<headerValues - 1
	}
	conf.enable[typ], conf.set = m, set
	return nil
}

// groups is a mask of values as the hardware sees it: a bit for every four.
func groups(m [2]uint64) uint32 {
	out := uint32(0)
	for i := range 32 {
		if m[i/16]>>(i%16*4)&0xf != 0 {
			out |= 1 << i
		}
	}
	return out
}

// has reports whether a mask has the bit of a value.
func has(m [2]uint64, value int) bool { return m[value/64]>>(value%64)&1 != 0 }
