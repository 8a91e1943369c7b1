package i915

import (
	"context"
	"encoding/binary"
	"slices"
	"syscall"

	"astrolabe/capture"
	"astrolabe/capture/decode/oa"
	"astrolabe/hwio"
	"astrolabe/hwio/intel"
	"astrolabe/hwio/internal/oaregisters"
	"astrolabe/hwio/internal/tape"
)

// Taped implements hwio.Tapeable.
func (s *Source) Taped(t *tape.Tape) hwio.Source {
	t.Public(intel.PublishedSet)
	return &tapedSource{&Source{root: s.root.Taped(t), k: &tapedKernel{s.k, t}}, t}
}

// tapedSource opens streams that write down when their end was asked for.
type tapedSource struct {
	*Source
	tape *tape.Tape
}

func (s *tapedSource) Open(ctx context.Context, r hwio.Request) (hwio.Stream, error) {
	st, err := s.Source.Open(ctx, r)
	if err != nil {
		return nil, err
	}
	return &tapedStream{st.(*stream), s.tape}, nil
}

type tapedStream struct {
	*stream
	tape *tape.Tape
}

func (s *tapedStream) Finish(ctx context.Context, b *capture.Batch) error {
	s.tape.Finish()
	return s.stream.Finish(ctx, b)
}

// tapedKernel is a kernel that writes down what it answers.
type tapedKernel struct {
	kernel
	tape *tape.Tape
}

func (k *tapedKernel) now() int64 { return k.tape.Clock(sourceName, k.kernel.now()) }

func (k *tapedKernel) open(path string) (device, error) {
	d, err := k.kernel.open(path)
	taped, err := k.tape.Open(path, err)
	if err != nil {
		if d != nil {
			_ = d.close() // nothing was done with it
		}
		return nil, err
	}
	n := &tapedNode{d, taped}
	for _, id := range othersAsk {
		_, _ = n.param(id) // what it is, or why it is not told, is on the tape
	}
	return n, nil
}

// othersAsk are parameters that this reader needs not and that other programs ask for before they measure: which device it
// is, and how fast the command streamers' clock runs. A tape that is played to them has them.
var othersAsk = []int32{paramChipsetID, paramCSFrequency}

// tapedNode is a node of which known fields of answers reach the reader.
type tapedNode struct {
	device
	tape *tape.Taped
}

// Structures as the kernel has them, with all addresses 0.

var le = binary.LittleEndian

func paramBytes(id int32) []byte {
	return slices.Concat(le.AppendUint32(nil, uint32(id)), make([]byte, 12))
}

// queryBytes are a request for one item, and the item.
func queryBytes(id uint64) (request, item []byte) {
	return slices.Concat(le.AppendUint32(nil, 1), make([]byte, 12)),
		slices.Concat(le.AppendUint64(nil, id), make([]byte, 16))
}

func registerBytes(offset, value uint64) []byte {
	return le.AppendUint64(le.AppendUint64(nil, offset), value)
}

// configBytes are a metric set, and its registers one after the other: mux, boolean, flex.
func configBytes(guid string, r *oaregisters.Lists) (config, registers []byte) {
	config = append(config, guid...)
	for _, l := range [][]oaregisters.Register{r.Mux, r.Boolean, r.Flex} {
		config = le.AppendUint32(config, uint32(len(l)))
		for _, x := range l {
			registers = le.AppendUint32(le.AppendUint32(registers, x.Address), x.Value)
		}
	}
	return append(config, make([]byte, 24)...), registers
}

// openBytes are a request for a stream, and its properties. What is powered stands behind them.
func openBytes(flags uint32, properties []uint64, powered *sseu) (request, buf []byte) {
	if powered != nil {
		properties = append(slices.Clone(properties), propSSEU, 0)
	}
	for _, p := range properties {
		buf = le.AppendUint64(buf, p)
	}
	if p := powered; p != nil {
		buf = le.AppendUint16(le.AppendUint16(buf, p.class), p.instance)
		buf = le.AppendUint64(le.AppendUint64(le.AppendUint32(buf, p.flags), p.slices), p.subslices)
		buf = le.AppendUint32(le.AppendUint16(le.AppendUint16(buf, p.minEUs), p.maxEUs), 0)
	}
	request = le.AppendUint32(le.AppendUint32(nil, flags), uint32(len(properties)/2))
	return le.AppendUint64(request, 0), buf
}

// atAddress is where structures that have one address have it, counted from 1.
const atAddress = 9

func (n *tapedNode) param(id int32) (v int32, err error) {
	err = n.tape.Request(ioctlGetParam, "GETPARAM", tape.Event{In: paramBytes(id), Pointer: atAddress},
		func(e *tape.Event) error {
			if v, err = n.device.param(id); err == nil {
				e.BufOut = le.AppendUint32(nil, uint32(v))
			}
			return err
		})
	return v, err
}

func (n *tapedNode) query(id uint64) (b []byte, err error) {
	in, item := queryBytes(id)
	err = n.tape.Request(ioctlQuery, "QUERY", tape.Event{In: in, Pointer: atAddress, BufIn: item},
		func(e *tape.Event) error {
			if b, err = n.device.query(id); err != nil {
				return err
			}
			switch id {
			case queryTopology:
				b = knownTopology(b)
			case queryEngines:
				b = knownEngines(b)
			default:
				return syscall.EINVAL // nothing is known of its answer
			}
			e.BufOut = b
			return nil
		})
	return b, err
}

// knownTopology is an answer without what it says of parts that are not there.
func knownTopology(b []byte) []byte {
	out := make([]byte, len(b))
	copy(out[:min(topologyHeader, len(b))], b)
	if len(b) < topologyHeader {
		return out
	}
	u16 := func(i int) int { return int(le.Uint16(b[2*i:])) }
	// present says whether a part is there, and keeps that.
	present := func(at, bit int) bool {
		i := topologyHeader + at + bit/8
		if i >= len(b) || b[i]>>(bit%8)&1 == 0 {
			return false
		}
		out[i] |= 1 << (bit % 8)
		return true
	}
	const most = 64 // of anything in these GPUs
	slices, subslices, eus := min(u16(1), most), min(u16(2), most), min(u16(3), most)
	for s := range slices {
		if !present(0, s) {
			continue
		}
		for ss := range subslices {
			if !present(u16(4)+s*u16(5), ss) {
				continue
			}
			for e := range eus {
				present(u16(6)+(s*u16(2)+ss)*u16(7), e)
			}
		}
	}
	return out
}

// knownEngines is a list of engines with their class and number alone.
func knownEngines(b []byte) []byte {
	out := make([]byte, len(b))
	if len(b) < enginesHead {
		return out
	}
	copy(out[:4], b)
	for at := enginesHead; at+engineSize <= len(b); at += engineSize {
		copy(out[at:at+4], b[at:])
	}
	return out
}

func (n *tapedNode) readRegister(offset uint64) (v uint64, err error) {
	err = n.tape.Request(ioctlRegRead, "REG_READ", tape.Event{In: registerBytes(offset, 0)}, func(e *tape.Event) error {
		if v, err = n.device.readRegister(offset); err == nil {
			e.Out = registerBytes(offset, v)
		}
		return err
	})
	return v, err
}

func (n *tapedNode) addConfig(guid string, r *oaregisters.Lists) (id uint64, err error) {
	in, registers := configBytes(guid, r)
	err = n.tape.Request(ioctlAddConfig, "PERF_ADD_CONFIG", tape.Event{In: in, BufIn: registers},
		func(e *tape.Event) error {
			id, err = n.device.addConfig(guid, r)
			e.Value = int64(id)
			return err
		})
	return id, err
}

func (n *tapedNode) removeConfig(id uint64) error {
	return n.tape.Request(ioctlRemoveConfig, "PERF_REMOVE_CONFIG", tape.Event{In: le.AppendUint64(nil, id)},
		func(*tape.Event) error { return n.device.removeConfig(id) })
}

func (n *tapedNode) openStream(flags uint32, properties []uint64, powered *sseu) (reportStream, error) {
	in, buf := openBytes(flags, properties, powered)
	var st reportStream
	err := n.tape.Request(ioctlPerfOpen, "PERF_OPEN", tape.Event{In: in, Pointer: atAddress, BufIn: buf},
		func(*tape.Event) (err error) {
			st, err = n.device.openStream(flags, properties, powered)
			return err
		})
	if err != nil {
		return nil, err
	}
	return &tapedReports{st, n.tape.Made(), reportSize(properties)}, nil
}

// reportSize is that of the reports of a stream.
func reportSize(properties []uint64) int {
	for i := 0; i+1 < len(properties); i += 2 {
		if properties[i] == propFormat {
			if f, err := oa.FormatByEnum(uint32(properties[i+1])); err == nil {
				return f.Size
			}
		}
	}
	return 0
}

func (n *tapedNode) close() error { return n.tape.Close(n.device.close()) }

type tapedReports struct {
	reportStream
	tape   *tape.Taped
	report int // bytes of a report
}

func (s *tapedReports) read(buf []byte) (int, error) {
	return s.tape.Read(buf, s.reportStream.read, func(b []byte) { keepRecords(b, s.report) })
}

const recordHeader = 8

// keepRecords blanks what is neither the head of a record nor a report.
func keepRecords(b []byte, report int) {
	for len(b) >= recordHeader {
		size := min(max(int(le.Uint16(b[6:])), recordHeader), len(b))
		known := recordHeader
		if le.Uint32(b) == oa.RecordSample {
			known += report
		}
		clear(b[min(known, size):size])
		b = b[size:]
	}
	clear(b)
}

func (s *tapedReports) enable() error {
	return s.tape.Request(ioctlEnable, "PERF_ENABLE", plain(0), func(*tape.Event) error { return s.reportStream.enable() })
}

func (s *tapedReports) disable() error {
	return s.tape.Request(ioctlDisable, "PERF_DISABLE", plain(0),
		func(*tape.Event) error { return s.reportStream.disable() })
}

func (s *tapedReports) config(id uint64) (old uint64, err error) {
	err = s.tape.Request(ioctlConfig, "PERF_CONFIG", plain(id), func(e *tape.Event) error {
		old, err = s.reportStream.config(id)
		e.Value = int64(old)
		return err
	})
	return old, err
}

// plain is a request whose argument is a number.
func plain(arg uint64) tape.Event {
	return tape.Event{Plain: true, In: le.AppendUint32(nil, uint32(arg))}
}

func (s *tapedReports) close() error { return s.tape.Close(s.reportStream.close()) }
