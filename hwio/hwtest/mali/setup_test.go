package mali

import (
	"bytes"
	"errors"
	"syscall"
	"testing"

	"astrolabe/hwio/hwtest"
)

// enumeration asks as a program does, in two calls.
func enumeration(t *testing.T, r *rig) (items [][]byte) {
	t.Helper()
	f := r.open()
	r.shake(f)
	arg := make([]byte, 16)
	r.must(f, enum, arg)
	size, count := le.Uint32(arg), le.Uint32(arg[4:])
	le.PutUint64(arg[8:], memoryBase+0x1000)
	wrong := append([]byte{}, arg...)
	le.PutUint32(wrong[4:], count+1)
	r.fails(f, enum, wrong, syscall.EINVAL)
	copy(wrong, arg)
	le.PutUint32(wrong, 0)
	r.fails(f, enum, wrong, syscall.EINVAL)
	copy(wrong, arg)
	le.PutUint64(wrong[8:], 1)
	r.fails(f, enum, wrong, syscall.EFAULT)
	r.must(f, enum, arg)
	for i := range count {
		items = append(items, append([]byte{}, r.mem[0x1000+i*size:][:size]...))
	}
	return items
}

func TestEnumerationEndsWithATerminatorThatLooksLikeABlock(t *testing.T) {
	for _, c := range []struct {
		device   string
		scenario []string
		stride   int
		types    string // types of items, then of blocks
		blocks   string
		cores    uint16
		values   uint16
		set      byte
	}{
		{"mali-g615", nil, 32, "\x01\x01\x01\x02\x00\x00\x00\x00\x00", "\x00\x01\x02\x03", 6, 128, 0},
		{"mali-g720", nil, 32, "\x01\x01\x01\x02\x00\x00\x00\x00\x00\x00\x00", "\x04\x05\x00\x01\x02\x03", 10, 128, 0},
		{"mali-g720", []string{"secondary-set"}, 32, "\x01\x01\x01\x02\x00\x00\x00\x00\x00\x00\x00", "\x04\x05\x00\x01\x02\x03", 10, 128, 1},
		{"mali-g720", []string{"unknown-blocks"}, 48, "\x01\x01\x01\x01\x4d\x02\x00\x00\x00\x00\x00\x00\x00\x00\x00", "\x04\x05\x00\x01\x02\x03\x06\x2a", 10, 128, 0},
		{"mali-g57", nil, 32, "\x01\x01\x01\x02\x00\x00\x00\x00\x00", "\x00\x01\x02\x03", 3, 64, 0},
	} {
		r := newRig(t, c.device, c.scenario...)
		items := enumeration(t, r)
		var types, blocks []byte
		for i, it := range items {
			if len(it) != c.stride {
				t.Fatalf("%s: item of %d bytes", c.device, len(it))
			}
			types = append(types, it[0])
			if it[0] != 0 || i == len(items)-1 {
				continue
			}
			blocks = append(blocks, it[8])
			if le.Uint16(it[14:]) != c.values || it[9] != c.set || le.Uint64(it[16:])&le.Uint64(it[24:]) != ^uint64(0) {
				t.Errorf("%s: block %x", c.device, it)
			}
			if it[8] == 3 && le.Uint16(it[12:]) != c.cores {
				t.Errorf("%s: %d cores, want %d", c.device, le.Uint16(it[12:]), c.cores)
			}
		}
		if string(types) != c.types || string(blocks) != c.blocks {
			t.Errorf("%s %v: types %x, blocks %x", c.device, c.scenario, types, blocks)
		}
		if last := items[len(items)-1]; !bytes.Equal(last, make([]byte, c.stride)) {
			t.Errorf("terminator %x", last)
		}
	}
}

func TestSetupKeepsEveryRule(t *testing.T) {
	all := ^uint64(0)
	fe := enableItem(0, 0, all, all)
	manual, periodic := modeItem(0, 0), modeItem(1, 1e6)
	many := [][]byte{manual}
	for len(many) < 19 {
		many = append(many, fe)
	}
	version1 := request(0x1000, 1, 0)
	for _, c := range []struct {
		claim string
		items [][]byte
		want  error
	}{
		{"a manual client", [][]byte{manual, fe, endItem()}, nil},
		{"a periodic client", [][]byte{periodic, fe, endItem()}, nil},
		{"with a scope", [][]byte{request(0x1002, 0, 0), periodic, fe, endItem()}, nil},
		{"the same mode twice", [][]byte{periodic, periodic, fe, endItem()}, nil},
		{"a block in two requests", [][]byte{manual, enableItem(0, 0, 1<<6, 0), fe, endItem()}, nil},
		{"as many items as twice the enumeration", append(append([][]byte{}, many[:17]...), endItem()), nil},
		{"more than that", append(append([][]byte{}, many[:18]...), endItem()), syscall.EINVAL},
		{"one item", [][]byte{endItem()}, syscall.EINVAL},
		{"no terminator", [][]byte{manual, fe}, syscall.EINVAL},
		{"no mode", [][]byte{fe, endItem()}, syscall.EINVAL},
		{"two modes", [][]byte{manual, periodic, fe, endItem()}, syscall.EINVAL},
		{"an unknown mode", [][]byte{modeItem(7, 0), fe, endItem()}, syscall.EINVAL},
		{"no period", [][]byte{modeItem(1, 0), fe, endItem()}, syscall.EINVAL},
		{"nothing enabled", [][]byte{manual, endItem()}, syscall.EINVAL},
		{"another set", [][]byte{manual, enableItem(0, 1, all, all), endItem()}, syscall.EINVAL},
		{"a second set", [][]byte{manual, fe, enableItem(1, 2, all, all), endItem()}, syscall.EINVAL},
		{"a block that the GPU lacks", [][]byte{manual, enableItem(6, 0, all, all), endItem()}, syscall.EINVAL},
		{"the reserved block", [][]byte{manual, enableItem(255, 0, all, all), endItem()}, syscall.EINVAL},
		{"a version of the future", [][]byte{version1, fe, endItem()}, syscall.EINVAL},
		{"an unknown request", [][]byte{manual, fe, request(0x1003, 0), endItem()}, syscall.EINVAL},
		{"an unknown scope", [][]byte{request(0x1002, 0, 3), manual, fe, endItem()}, syscall.EINVAL},
	} {
		r := newRig(t, "mali-g615")
		f := r.open()
		r.shake(f)
		fd, err := r.setup(f, c.items...)
		if !errors.Is(err, c.want) || err == nil && fd != 601 {
			t.Errorf("%s: %v, want %v; descriptor %d", c.claim, err, c.want, fd)
		}
	}
	r := newRig(t, "mali-g615")
	f := r.open()
	r.shake(f)
	arg := make([]byte, 16)
	r.must(f, enum, arg)
	le.PutUint32(arg, 3)
	le.PutUint32(arg[4:], 32)
	le.PutUint64(arg[8:], 1)
	r.fails(f, setup, arg, syscall.EFAULT)
	le.PutUint64(arg[8:], memoryBase)
	le.PutUint32(arg[4:], 0)
	r.fails(f, setup, arg, syscall.EINVAL)
	le.PutUint32(arg, 33)
	le.PutUint32(arg[4:], 32)
	r.fails(f, setup, arg, syscall.EINVAL)
}

func TestSetupAnswersWithTheSizesOfItsRing(t *testing.T) {
	r := newRig(t, "mali-g720")
	f := r.open()
	r.shake(f)
	k := r.client(f, 1).(*kinstr)
	if stride, size := le.Uint32(r.mem), le.Uint32(r.mem[4:]); stride != 48 || int(size) != len(r.mapping) || size%ringSlots != 0 {
		t.Errorf("stride %d, mapping of %d, said to be %d", stride, len(r.mapping), size)
	}
	if k.truth.PeriodNs != 100_000 {
		t.Errorf("a period of 1 ns became %d", k.truth.PeriodNs)
	}
}

func TestAndroidsFilterRefusesCounterRequestsOnly(t *testing.T) {
	r := newRig(t, "mali-g720", "denied-enum")
	f := r.open()
	r.shake(f)
	properties(t, r, f)
	r.fails(f, enum, make([]byte, 16), syscall.EACCES)
	r.fails(f, setup, make([]byte, 16), syscall.EACCES)
}

func TestAnOldDriverHasNoKinstr(t *testing.T) {
	r := newRig(t, "mali-g615", "old-driver")
	f := r.open()
	r.shake(f)
	r.fails(f, enum, make([]byte, 16), syscall.ENOTTY)
	r.fails(f, setup, make([]byte, 16), syscall.ENOTTY)
	r = newRig(t, "mali-g720")
	f = r.open()
	r.shake(f)
	r.fails(f, readerSetup, make([]byte, 20), syscall.ENOTTY) // and a new one has no vinstr
}

func FuzzRequests(f *testing.F) {
	f.Add(append(append(modeItem(1, 5), enableItem(3, 0, 1, 2)...), endItem()...))
	f.Add(append(request(0x1002, 0, 0), endItem()...))
	f.Fuzz(func(t *testing.T, items []byte) {
		const size = 32
		items = items[:len(items)/size*size]
		if len(items) == 0 {
			return
		}
		b := &board{set: &hwtest.Settings{}}
		b.gpu = newGPU(specs()[0], b.set, 0)
		conf, err := b.parseRequests(items)
		if err != nil {
			return
		}
		if conf.period != 0 && conf.period < minPeriod || conf.set != 0 {
			t.Errorf("accepted %+v", conf)
		}
		for typ, m := range conf.enable {
			if typ > 3 || m != [2]uint64{} && m[0]&0xf != 0xf {
				t.Errorf("accepted block %d with mask %x", typ, m)
			}
		}
	})
}
