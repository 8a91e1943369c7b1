package perfetto

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"
	"google.golang.org/protobuf/encoding/protowire"

	"astrolabe/capture/memory"
)

// mostUnpacked bounds what one compressed packet may unpack to. The tracing service keeps them below 512 KiB.
const mostUnpacked = 32 << 20

// each calls f for every field of a message. val is the number of a varint or fixed field, and data the content of a
// length-delimited one.
func each(b []byte, f func(num protowire.Number, typ protowire.Type, val uint64, data []byte) error) error {
	for at := 0; at < len(b); {
		num, typ, n := protowire.ConsumeTag(b[at:])
		if n < 0 {
			return fmt.Errorf("at %d of %d bytes: %w", at, len(b), protowire.ParseError(n))
		}
		at += n
		var val uint64
		var data []byte
		switch typ {
		case protowire.VarintType:
			val, n = protowire.ConsumeVarint(b[at:])
		case protowire.Fixed64Type:
			val, n = protowire.ConsumeFixed64(b[at:])
		case protowire.Fixed32Type:
			var v uint32
			v, n = protowire.ConsumeFixed32(b[at:])
			val = uint64(v)
		case protowire.BytesType:
			data, n = protowire.ConsumeBytes(b[at:])
		default:
			n = protowire.ConsumeFieldValue(num, typ, b[at:])
		}
		if n < 0 {
			return fmt.Errorf("field %d at %d of %d bytes: %w", num, at, len(b), protowire.ParseError(n))
		}
		at += n
		if err := f(num, typ, val, data); err != nil {
			return err
		}
	}
	return nil
}

// numbers appends the values of a repeated number, which may be packed.
func numbers(dst []uint64, typ protowire.Type, val uint64, data []byte, fixed bool) []uint64 {
	if typ != protowire.BytesType {
		return append(dst, val)
	}
	for len(data) > 0 {
		var v uint64
		var n int
		if fixed {
			v, n = protowire.ConsumeFixed64(data)
		} else {
			v, n = protowire.ConsumeVarint(data)
		}
		if n < 0 {
			return dst
		}
		dst = append(dst, v)
		data = data[n:]
	}
	return dst
}

// packetRoom is what taking a packet in takes at most, for each of its bytes: its numbers may be packed into one byte
// each, and move to a larger array while they are read.
const packetRoom = 20

// stream calls packet for every TracePacket of r, size bytes long; at is the byte where it begins. cut says how the
// trace breaks off, "" where it ends as it should.
func stream(ctx context.Context, r io.Reader, size int64,
	packet func(b []byte, at int64) error) (cut string, err error) {
	in := &counted{r: bufio.NewReaderSize(r, 1<<18)}
	var buf []byte
	var tally memory.Tally
	for k := 0; ; k++ {
		if k%1024 == 0 && ctx.Err() != nil {
			return "", ctx.Err()
		}
		at := in.n
		tag, err := in.varint()
		if errors.Is(err, io.EOF) {
			return "", nil
		}
		length := uint64(0)
		if err == nil {
			length, err = in.field(tag, at)
		}
		if err == nil && length > uint64(size-in.n) {
			err = io.ErrUnexpectedEOF
		}
		if err == nil && tag == tracePacket<<3|uint64(protowire.BytesType) {
			if err := tally.Add(packetRoom * length); err != nil {
				return "", fmt.Errorf("the packet of %d bytes at byte %d: %w", length, at, err)
			}
			if uint64(cap(buf)) < length {
				buf = make([]byte, length)
			}
			buf = buf[:length]
			if _, err = io.ReadFull(in, buf); err == nil {
				if err := packet(buf, at); err != nil {
					return "", err
				}
				continue
			}
		} else if err == nil {
			_, err = io.CopyN(io.Discard, in, int64(length))
		}
		switch {
		case err == nil:
		case errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF):
			return fmt.Sprintf("the packet at byte %d is not complete", at), nil
		default:
			return "", err
		}
	}
}

// counted is a reader that knows its offset.
type counted struct {
	r *bufio.Reader
	n int64
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *counted) ReadByte() (byte, error) {
	b, err := c.r.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

func (c *counted) varint() (uint64, error) {
	var v uint64
	for shift := 0; shift < 64; shift += 7 {
		b, err := c.ReadByte()
		if err != nil {
			if shift > 0 && errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return 0, err
		}
		v |= uint64(b&0x7f) << shift
		if b < 0x80 {
			return v, nil
		}
	}
	return 0, fmt.Errorf("damaged at byte %d: a number of more than 64 bits", c.n)
}

// field returns the number of bytes that the value of a field takes; that of a varint is read.
func (c *counted) field(tag uint64, at int64) (uint64, error) {
	switch protowire.Type(tag & 7) {
	case protowire.BytesType:
		return c.varint()
	case protowire.VarintType:
		_, err := c.varint()
		return 0, err
	case protowire.Fixed32Type:
		return 4, nil
	case protowire.Fixed64Type:
		return 8, nil
	}
	return 0, fmt.Errorf("damaged at byte %d: %#x starts no field of a trace", at, tag)
}

// unpack calls packet for every TracePacket in a compressed one.
func unpack(ctx context.Context, data []byte, zstandard bool, at int64, packet func(b []byte, at int64) error) error {
	var r io.Reader
	if zstandard {
		z, err := zstd.NewReader(bytes.NewReader(data), zstd.WithDecoderConcurrency(1),
			zstd.WithDecoderMaxMemory(mostUnpacked))
		if err != nil {
			return fmt.Errorf("damaged: compressed packets at byte %d: %w", at, err)
		}
		defer z.Close()
		r = z
	} else {
		z, err := zlib.NewReader(bytes.NewReader(data))
		if err != nil {
			return fmt.Errorf("damaged: compressed packets at byte %d: %w", at, err)
		}
		defer z.Close()
		r = z
	}
	if err := memory.Room(2 * uint64(min(mostUnpacked, 2000*len(data)))); err != nil { // no codec of these does better
		return fmt.Errorf("compressed packets at byte %d: %w", at, err)
	}
	plain, err := io.ReadAll(io.LimitReader(r, mostUnpacked+1))
	if err != nil {
		return fmt.Errorf("damaged: compressed packets at byte %d: %w", at, err)
	}
	if len(plain) > mostUnpacked {
		return fmt.Errorf(
			"compressed packets at byte %d are more than %d bytes: unpack the trace with Perfetto's traceconv first",
			at, mostUnpacked)
	}
	cut, err := stream(ctx, bytes.NewReader(plain), int64(len(plain)), func(b []byte, _ int64) error {
		return packet(b, at)
	})
	if err == nil && cut != "" {
		err = fmt.Errorf("damaged: compressed packets at byte %d break off", at)
	}
	return err
}

// signed is a varint as the schema's int64.
func signed(v uint64) int64 { return int64(v) }

func floatOf(bits uint64) float64 { return math.Float64frombits(bits) }
