package mali

import (
	"encoding/binary"
	"fmt"
	"slices"
	"syscall"

	"astrolabe/hwio/internal/tape"
)

// Span is a part of a structure: its first byte and its length.
type Span [2]int

// Form says what of a request is known. Nothing else reaches the reader, or a tape.
type Form struct {
	Name string
	Out  []Span // of the structure, what the driver answers; the rest keeps what it was asked with
	// Blank blanks what is not known of a buffer that the driver fills; nil where the driver reads it.
	Blank func(arg, buf []byte)
	// Sample returns what of the mapped memory the answer tells of.
	Sample func(d *TapedDevice, arg []byte) []tape.Piece
	// Told is called with an answer, for what later ones depend on.
	Told func(d *TapedDevice, arg []byte)
}

// Taped is a kernel that writes down what it answers, and knows no requests but those with a form.
func Taped(k Kernel, t *tape.Tape, forms map[uint32]Form) Kernel { return &tapedKernel{k, t, forms} }

type tapedKernel struct {
	Kernel
	tape  *tape.Tape
	forms map[uint32]Form
}

func (k *tapedKernel) Character(path string) (exists, character bool) {
	exists, character = k.Kernel.Character(path)
	if exists {
		k.tape.Node(path, character)
	}
	return exists, character
}

func (k *tapedKernel) Open(path string, write bool) (Device, error) {
	d, err := k.Kernel.Open(path, write)
	n, err := k.tape.Device(path, err)
	if err != nil {
		return nil, err
	}
	return &TapedDevice{Device: d, kernel: k, number: n}, nil
}

// TapedDevice is a device of a kernel on tape.
type TapedDevice struct {
	Device
	kernel  *tapedKernel
	number  int
	Mapping []byte // what is mapped of it
	Size    int    // of a sample or of an item of its description, as the driver said
}

func (d *TapedDevice) Request(number uint32, arg []byte) (int, error) {
	return d.request(number, arg, -1, nil, func() (int, error) { return d.Device.Request(number, arg) })
}

func (d *TapedDevice) RequestWith(number uint32, arg []byte, at int, buf []byte) (int, error) {
	return d.request(number, arg, at, buf, func() (int, error) { return d.Device.RequestWith(number, arg, at, buf) })
}

func (d *TapedDevice) request(number uint32, arg []byte, at int, buf []byte, do func() (int, error)) (int, error) {
	form, ok := d.kernel.forms[number]
	if !ok {
		d.kernel.tape.Leave(fmt.Sprintf("request %#x", number), "not on the list of requests")
		return 0, syscall.ENOTTY
	}
	before := slices.Clone(arg)
	if at >= 0 {
		clear(before[at : at+8])
	}
	e := tape.Event{Kind: tape.Request, Pointer: at + 1, Device: d.number, Code: fmt.Sprintf("%#08x", number), Path: form.Name,
		In: slices.Clone(before)}
	if form.Blank == nil {
		e.BufIn = slices.Clone(buf)
	}
	began := d.kernel.tape.Now()
	n, err := do()
	e.Took = d.kernel.tape.Now() - began
	after := slices.Clone(before)
	for _, s := range form.Out {
		copy(after[s[0]:s[0]+s[1]], arg[s[0]:s[0]+s[1]])
	}
	copy(arg, after)
	if form.Blank != nil && buf != nil {
		form.Blank(arg, buf)
		e.BufOut = slices.Clone(buf)
	}
	e.Value, e.Errno = int64(n), tape.Errno(err)
	if len(form.Out) > 0 {
		e.Out = after
	}
	if err == nil && form.Told != nil {
		form.Told(d, arg)
	}
	if err == nil && form.Sample != nil {
		e.Pieces = form.Sample(d, arg)
	}
	d.kernel.tape.Add(e)
	return n, err
}

func (d *TapedDevice) RequestValue(number uint32, value uint32) (int, error) {
	form, ok := d.kernel.forms[number]
	if !ok {
		return 0, syscall.ENOTTY
	}
	began := d.kernel.tape.Now()
	n, err := d.Device.RequestValue(number, value)
	d.kernel.tape.Add(tape.Event{Kind: tape.Request, Device: d.number, Code: fmt.Sprintf("%#08x", number),
		Path: form.Name, Plain: true, In: binary.LittleEndian.AppendUint32(nil, value), Value: int64(n), Errno: tape.Errno(err),
		Took: d.kernel.tape.Now() - began})
	return n, err
}

func (d *TapedDevice) Adopt(fd int, name string) Device {
	t := d.kernel.tape
	out := &TapedDevice{Device: d.Device.Adopt(fd, name), kernel: d.kernel, number: t.NewDevice(), Size: d.Size}
	t.Add(tape.Event{Kind: tape.Open, Device: d.number, New: out.number})
	return out
}

func (d *TapedDevice) Map(size int) ([]byte, error) {
	b, err := d.Device.Map(size)
	d.Mapping = b
	d.kernel.tape.Add(tape.Event{Kind: tape.Map, Device: d.number, Value: int64(size), Errno: tape.Errno(err)})
	return b, err
}

func (d *TapedDevice) Close() error {
	err := d.Device.Close()
	d.kernel.tape.Add(tape.Event{Kind: tape.Close, Device: d.number, Errno: tape.Errno(err)})
	return err
}

// Piece is a copy of a part of the mapping, cut off at its end.
func (d *TapedDevice) Piece(at, n int) tape.Piece {
	at = min(max(at, 0), len(d.Mapping))
	return tape.Piece{At: int64(at), Data: slices.Clone(d.Mapping[at:min(at+max(n, 0), len(d.Mapping))])}
}

// Keep blanks all of b but the spans.
func Keep(b []byte, spans ...Span) {
	kept := slices.Clone(b)
	clear(b)
	for _, s := range spans {
		if s[0] < len(b) {
			copy(b[s[0]:min(s[0]+s[1], len(b))], kept[s[0]:])
		}
	}
}
