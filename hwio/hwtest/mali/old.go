package mali

import (
	"syscall"

	"astrolabe/hwio/hwtest"
)

// oldIoctl answers the requests of drivers before r21. Each passes a structure led by a header: the function's id goes
// in, 0 comes out.
func (f *kbaseFile) oldIoctl(c *hwtest.Call, request uint32, arg uint64) (int64, error) {
	switch request {
	case oldHandshake:
		f.truth.Handshakes = append(f.truth.Handshakes, "nr 0, 16 bytes")
		return 0, f.oldCall(c, request, arg, idHandshake, f.oldVersion)
	case oldSetFlags:
		return 0, f.oldCall(c, request, arg, idSetFlags,
			func(c *hwtest.Call, b []byte) error { return f.setFlags(c, le.Uint32(b[8:])) })
	case oldGPUProps:
		return 0, f.oldCall(c, request, arg, idGPUProps, func(c *hwtest.Call, b []byte) error {
			copy(b, f.board.oldProps())
			return nil
		})
	case oldReader:
		return 0, f.oldCall(c, request, arg, idReader, f.oldSetup)
	}
	return 0, syscall.ENOTTY
}

// oldCall checks the header, runs a function on the structure and copies it back. Wrong ids and calls out of order are
// EFAULT, the one error that these drivers have.
func (f *kbaseFile) oldCall(c *hwtest.Call, request uint32, arg uint64, id uint32,
	run func(*hwtest.Call, []byte) error) error {
	b, err := fetch(c, arg, requestSize(request))
	if err != nil {
		return err
	}
	if le.Uint32(b) != id || id != idHandshake && f.session == nil || id == idGPUProps && !f.context ||
		id == idReader && !f.context {
		note(c, "id %d", le.Uint32(b))
		return syscall.EFAULT
	}
	if err := run(c, b); err != nil {
		return syscall.EFAULT
	}
	clear(b[:8])
	return c.Write(arg, b)
}

func (f *kbaseFile) oldVersion(c *hwtest.Call, b []byte) error {
	if f.session != nil {
		return syscall.EPERM
	}
	v := f.agree(c, version{le.Uint16(b[8:]), le.Uint16(b[10:])})
	le.PutUint16(b[8:], v.major)
	le.PutUint16(b[10:], v.minor)
	return nil
}

func (f *kbaseFile) oldSetup(c *hwtest.Call, b []byte) error {
	k, err := f.board.newVinstr(c, b[8:28])
	if err != nil {
		return err
	}
	fd, err := f.board.install(c, k)
	if err != nil {
		return err
	}
	le.PutUint32(b[28:], uint32(fd))
	return nil
}
