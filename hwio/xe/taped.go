package xe

import (
	"context"
	"slices"
	"syscall"

	"astrolabe/capture"
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
	return &tapedNode{d, taped}, nil
}

// Where structures have the address of what belongs to them, counted from 1.
const (
	queryAddress       = 17
	observationAddress = 25
)

// Structures as the kernel has them, with all addresses 0.

func queryBytes(id uint32, size int) []byte {
	b := le.AppendUint32(le.AppendUint32(make([]byte, 8), id), uint32(size))
	return append(b, make([]byte, 24)...)
}

// clockMonotonic is CLOCK_MONOTONIC, as the kernel's headers have it.
const clockMonotonic = 1

func cyclesBytes(e intel.Engine, ticks uint64, when, took int64) []byte {
	b := le.AppendUint16(le.AppendUint16(le.AppendUint16(nil, e.Class), e.Instance), e.GT)
	b = append(le.AppendUint32(append(b, 0, 0), clockMonotonic), 0, 0, 0, 0)
	return le.AppendUint64(le.AppendUint64(le.AppendUint64(b, ticks), uint64(when)), uint64(took))
}

// cyclesSize is that of struct drm_xe_query_engine_cycles.
const cyclesSize = 40

func observationBytes(op uint64) []byte {
	return le.AppendUint64(le.AppendUint64(le.AppendUint64(make([]byte, 8), observeOA), op), 0)
}

// configBytes are a metric set, and its registers behind it.
func configBytes(guid string, regs []oaregisters.Register) []byte {
	b := le.AppendUint32(append(make([]byte, 8), guid...), uint32(len(regs)))
	b = append(b, make([]byte, 8)...)
	for _, r := range regs {
		b = le.AppendUint32(le.AppendUint32(b, r.Address), r.Value)
	}
	return b
}

// propertyBytes are properties one after the other.
func propertyBytes(properties ...property) []byte {
	var b []byte
	for _, p := range properties {
		b = le.AppendUint32(append(b, make([]byte, 16)...), p.id)
		b = le.AppendUint64(append(b, 0, 0, 0, 0), p.value)
		b = append(b, make([]byte, 16)...)
	}
	return b
}

// statusBytes are struct drm_xe_oa_stream_status.
func statusBytes(status uint64) []byte {
	return append(le.AppendUint64(make([]byte, 8), status), make([]byte, 24)...)
}

// tapedNode is a node of which known fields of answers reach the reader.
type tapedNode struct {
	device
	tape *tape.Taped
}

func (n *tapedNode) query(id uint32) (b []byte, err error) {
	err = n.tape.Request(ioctlDeviceQuery, "DEVICE_QUERY", tape.Event{In: queryBytes(id, 0), Pointer: queryAddress},
		func(e *tape.Event) error {
			if b, err = n.device.query(id); err != nil {
				return err
			}
			if b = knownAnswer(id, b); b == nil {
				return syscall.EINVAL
			}
			e.BufOut = b
			return nil
		})
	return b, err
}

// knownAnswer is an answer to a query with the fields that this version reads, nil where it reads none.
func knownAnswer(id uint32, b []byte) []byte {
	out := make([]byte, len(b))
	// keep keeps so many bytes from a place on.
	keep := func(at, n int) {
		if at = min(at, len(b)); n > 0 {
			copy(out[at:min(at+n, len(b))], b[at:])
		}
	}
	switch id {
	case queryConfig:
		keep(0, 4)
		keep(configHead, 8)
	case queryEngines:
		keep(0, 4)
		for at := enginesHead; at < len(b); at += engineEntry {
			keep(at, 6)
		}
	case queryGTs:
		keep(0, 4)
		for at := gtsHead; at < len(b); at += gtSize {
			keep(at, 2)
			keep(at+4, 2)
			keep(at+12, 4)
			keep(at+32, 4)
		}
	case queryTopology:
		keepMasks(b, keep)
	case queryOAUnits:
		keep(8, 4)
		for at := unitsHead; at+unitHead <= len(b); {
			keep(at+8, 24)
			keep(at+64, 8)
			engines := le.Uint64(b[at+64:])
			if at += unitHead; engines > maxEngines {
				break // this is no list
			}
			for range engines {
				keep(at, 6)
				at += engineSize
			}
		}
	default:
		return nil
	}
	return out
}

// keepMasks keeps the masks whose kinds are known, as long as any GPU needs them.
func keepMasks(b []byte, keep func(at, n int)) {
	const longest = 64 // bytes
	for at := 0; at+maskHead <= len(b); {
		keep(at, maskHead)
		kind, n := le.Uint16(b[at+2:]), int(min(le.Uint32(b[at+4:]), uint32(len(b))))
		at += maskHead
		if slices.Contains([]uint16{topoGeometry, topoCompute, topoL3, topoEU, topoEU16}, kind) {
			keep(at, min(n, longest))
		}
		at += n
	}
}

func (n *tapedNode) cycles(c intel.Engine) (ticks uint64, when, took int64, err error) {
	err = n.tape.Request(ioctlDeviceQuery, "DEVICE_QUERY", tape.Event{In: queryBytes(queryCycles, cyclesSize),
		Pointer: queryAddress, BufIn: cyclesBytes(c, 0, 0, 0)}, func(e *tape.Event) error {
		if ticks, when, took, err = n.device.cycles(c); err == nil {
			e.BufOut = cyclesBytes(c, ticks, when, took)
		}
		return err
	})
	return ticks, when, took, err
}

// observe makes a request of the observation interface.
func (n *tapedNode) observe(op uint64, name string, buf []byte, do func() (uint64, error)) (uint64, error) {
	var value uint64
	err := n.tape.Request(ioctlObservation, name, tape.Event{In: observationBytes(op), Pointer: observationAddress,
		BufIn: buf}, func(e *tape.Event) (err error) {
		value, err = do()
		e.Value = int64(value)
		return err
	})
	return value, err
}

func (n *tapedNode) addConfig(guid string, regs []oaregisters.Register) (uint64, error) {
	return n.observe(opAddConfig, "OA_ADD_CONFIG", configBytes(guid, regs),
		func() (uint64, error) { return n.device.addConfig(guid, regs) })
}

func (n *tapedNode) removeConfig(id uint64) error {
	_, err := n.observe(opRemoveConfig, "OA_REMOVE_CONFIG", le.AppendUint64(nil, id),
		func() (uint64, error) { return 0, n.device.removeConfig(id) })
	return err
}

func (n *tapedNode) openStream(properties []property) (reportStream, error) {
	var st reportStream
	_, err := n.observe(opStreamOpen, "OA_STREAM_OPEN", propertyBytes(properties...), func() (_ uint64, err error) {
		st, err = n.device.openStream(properties)
		return 0, err
	})
	if err != nil {
		return nil, err
	}
	return &tapedReports{st, n.tape.Made()}, nil
}

func (n *tapedNode) close() error { return n.tape.Close(n.device.close()) }

type tapedReports struct {
	reportStream
	tape *tape.Taped
}

// read delivers reports, of which every byte is known.
func (s *tapedReports) read(buf []byte) (int, error) {
	return s.tape.Read(buf, s.reportStream.read, func([]byte) {})
}

func (s *tapedReports) enable() error {
	return s.tape.Request(ioctlEnable, "OBSERVATION_ENABLE", plain(),
		func(*tape.Event) error { return s.reportStream.enable() })
}

func (s *tapedReports) disable() error {
	return s.tape.Request(ioctlDisable, "OBSERVATION_DISABLE", plain(),
		func(*tape.Event) error { return s.reportStream.disable() })
}

// plain is a request whose argument is the number 0.
func plain() tape.Event { return tape.Event{Plain: true, In: make([]byte, 4)} }

func (s *tapedReports) config(id uint64) (old uint64, err error) {
	err = s.tape.Request(ioctlConfig, "OBSERVATION_CONFIG", tape.Event{In: propertyBytes(property{propSet, id})},
		func(e *tape.Event) error {
			old, err = s.reportStream.config(id)
			e.Value = int64(old)
			return err
		})
	return old, err
}

func (s *tapedReports) status() (status uint64, err error) {
	err = s.tape.Request(ioctlStatus, "OBSERVATION_STATUS", tape.Event{In: statusBytes(0)}, func(e *tape.Event) error {
		if status, err = s.reportStream.status(); err == nil {
			e.Out = statusBytes(status)
		}
		return err
	})
	return status, err
}

func (s *tapedReports) close() error { return s.tape.Close(s.reportStream.close()) }
