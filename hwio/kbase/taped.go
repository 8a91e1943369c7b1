package kbase

import (
	"encoding/binary"
	"slices"

	"astrolabe/hwio"
	"astrolabe/hwio/internal/mali"
	"astrolabe/hwio/internal/sysroot"
	"astrolabe/hwio/internal/tape"
)

// Taped implements hwio.Tapeable.
func (s *Source) Taped(t *tape.Tape) hwio.Source {
	c := *s
	f := &forms{}
	c.root, c.kernel = s.root.Taped(t), mali.Taped(s.kernel, t, f.all())
	return &c
}

// forms knows the driver's requests, and what of their answers is known: fields that this version reads.
type forms struct {
	values [256]int // in a block of a type, as the driver listed them
	packed int      // bytes of a sample of the old interface that blocks of the GPU take
}

func (f *forms) all() map[uint32]mali.Form {
	none := mali.Form{}
	name := func(n string, form mali.Form) mali.Form { form.Name = n; return form }
	whole := func(n int) mali.Form { return mali.Form{Out: []mali.Span{{0, n}}} }
	return map[uint32]mali.Form{
		reqVersionCSF: name("VERSION_CHECK", whole(4)), reqVersionJM: name("VERSION_CHECK", whole(4)),
		reqVersionPreR21: name("VERSION_CHECK", mali.Form{Out: []mali.Span{{8, 4}}}),
		reqSetFlags:      name("SET_FLAGS", none), reqSetFlagsPreR21: name("SET_FLAGS", none),
		reqGetProps: name("GET_GPUPROPS", mali.Form{Blank: func(_, buf []byte) { f.blankProps(buf) }}),
		reqGetPropsPreR21: name("GET_GPUPROPS", mali.Form{Out: oldPropSpans(),
			Told: func(_ *mali.TapedDevice, arg []byte) { f.learn(decodeOldProps(arg)) }}),
		reqEnumInfo: name("KINSTR_PRFCNT_ENUM_INFO", mali.Form{Out: []mali.Span{{0, 8}}, Blank: f.blankEnum}),
		reqSetup: name("KINSTR_PRFCNT_SETUP", mali.Form{Out: []mali.Span{{0, 8}},
			Told: func(d *mali.TapedDevice, arg []byte) { d.Size = int(binary.LittleEndian.Uint32(arg)) }}),
		reqReaderSetup:       name("HWCNT_READER_SETUP", none),
		reqReaderSetupPreR21: name("HWCNT_READER_SETUP", mali.Form{Out: []mali.Span{{28, 4}}}),
		reqCommand:           name("KINSTR_PRFCNT_CMD", none),
		reqGetSample:         name("KINSTR_PRFCNT_GET_SAMPLE", mali.Form{Out: []mali.Span{{0, 16}}, Sample: f.sample}),
		reqPutSample:         name("KINSTR_PRFCNT_PUT_SAMPLE", none),
		reqBufferSize: name("GET_BUFFER_SIZE", mali.Form{Out: []mali.Span{{0, 4}},
			Told: func(d *mali.TapedDevice, arg []byte) { d.Size = int(binary.LittleEndian.Uint32(arg)) }}),
		reqDump: name("DUMP", none), reqClear: name("CLEAR", none), reqSetInterval: name("SET_INTERVAL", none),
		reqGetBuffer:     name("GET_BUFFER", mali.Form{Out: []mali.Span{{0, 16}}, Sample: f.buffer}),
		reqGetBufferLong: name("GET_BUFFER", mali.Form{Out: []mali.Span{{0, 32}}, Sample: f.buffer}),
		reqPutBuffer:     name("PUT_BUFFER", none), reqPutBufferLong: name("PUT_BUFFER", none),
		reqAPIVersion: name("GET_API_VERSION", whole(4)), reqAPIFeatures: name("GET_API_VERSION", whole(8)),
		reqAPIFeaturesW: name("GET_API_VERSION", whole(8)),
	}
}

// knownProps are the properties that decodeProps reads.
func knownProp(id uint32) bool {
	return slices.Contains([]uint32{propProductID, propMaxKHz, propL2Slices, propShaders, propL2Present, propL2Features,
		propGPUID, propGroups, propCoreGroups}, id) || id >= propGroupMask && id <= propGroupMaskEnd
}

// blankProps blanks the values of unknown properties.
func (f *forms) blankProps(buf []byte) {
	at := 0
	for at+4 <= len(buf) {
		key := binary.LittleEndian.Uint32(buf[at:])
		end := at + 4 + 1<<(key&3)
		if end > len(buf) {
			break
		}
		if !knownProp(key >> 2) {
			clear(buf[at+4 : end])
			if key>>2 > 1<<12 { // no number of a property
				binary.LittleEndian.PutUint32(buf[at:], 1<<14|key&3)
			}
		}
		at = end
	}
	clear(buf[at:])
	if g, err := decodeProps(buf); err == nil {
		f.learn(g)
	}
}

func (f *forms) learn(g mali.GPU) {
	if g.CoreMask != 0 {
		g.Identify()
		f.packed = mali.NewPacked(&g).Size
	}
}

// oldPropSpans are the fields that decodeOldProps reads.
func oldPropSpans() []mali.Span {
	out := []mali.Span{{oldMaxKHz, 4}, {oldL2Slices, 1}, {oldShaders, 8}, {oldL2Present, 8}, {oldL2Features, 4},
		{oldGPUID, 4}, {oldGroups, 4}, {oldCoreGroups, 4}}
	for i := range 16 {
		out = append(out, mali.Span{oldGroupMask + i*oldGroupMaskWidth, 8})
	}
	return out
}

// blankEnum blanks what is not known of the driver's list.
func (f *forms) blankEnum(arg, buf []byte) {
	stride := int(binary.LittleEndian.Uint32(arg))
	if stride < enumItemSize {
		clear(buf)
		return
	}
	at := 0
	for ; at+stride <= len(buf); at += stride {
		item := buf[at : at+stride]
		switch binary.LittleEndian.Uint16(item) {
		case enumBlock:
			mali.Keep(item, mali.Span{0, 4}, mali.Span{8, 2}, mali.Span{12, 4})
			if n := int(binary.LittleEndian.Uint16(item[14:])); n > 0 && n <= 128 {
				f.values[item[8]] = n
			}
		case enumRequest:
			mali.Keep(item, mali.Span{0, 4}, mali.Span{8, 2}, mali.Span{12, 4})
		case enumSampleInfo:
			mali.Keep(item, mali.Span{0, 4}, mali.Span{8, 4})
		default:
			mali.Keep(item, mali.Span{0, 4})
		}
	}
	clear(buf[at:])
}

// sample copies the metadata and the values of the blocks of a sample.
func (f *forms) sample(d *mali.TapedDevice, arg []byte) []tape.Piece {
	var out []tape.Piece
	stride := d.Size
	for at := binary.LittleEndian.Uint64(arg[8:]); stride >= metaItemSize && at < uint64(len(d.Mapping)) &&
		len(out) < 2*maxItemCount; at += uint64(stride) {
		item := d.Piece(int(at), stride)
		if len(item.Data) < metaItemSize {
			break
		}
		typ := binary.LittleEndian.Uint16(item.Data)
		switch typ {
		case metaSample:
			mali.Keep(item.Data, mali.Span{0, 4}, mali.Span{8, 36})
		case metaClock:
			mali.Keep(item.Data, mali.Span{0, 4}, mali.Span{8, 40})
		case metaBlock:
			mali.Keep(item.Data, mali.Span{0, 4}, mali.Span{8, 2}, mali.Span{12, 8})
			if n := f.values[item.Data[8]]; n > 0 {
				out = append(out, d.Piece(int(binary.LittleEndian.Uint32(item.Data[16:])), 8*n))
			}
		default:
			mali.Keep(item.Data, mali.Span{0, 4})
		}
		out = append(out, item)
		if typ == metaEnd {
			break
		}
	}
	return out
}

// buffer copies the values of a sample of the old interface.
func (f *forms) buffer(d *mali.TapedDevice, arg []byte) []tape.Piece {
	return []tape.Piece{d.Piece(int(binary.LittleEndian.Uint32(arg[12:]))*d.Size, min(f.packed, d.Size))}
}

// Played implements hwio.Playable.
func (s *Source) Played(p *tape.Player, offset int64) hwio.Source {
	c := *s
	c.root, c.kernel, c.clocks = sysroot.Played(p), mali.Played(p), mali.PlayedClocks(offset)
	return &c
}
