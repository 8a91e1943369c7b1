package replay

import (
	"syscall"

	"astrolabe/hwio/hwtest"
	"astrolabe/hwio/hwtest/uapi"
	"astrolabe/hwio/internal/tape"
)

// infoFile is an open node of AMD's driver, which is asked by one request: the question stands behind where the answer
// shall go and how long it may be.
type infoFile struct {
	machine *Machine
	played  *tape.Played
}

// Ioctl implements hwtest.File.
func (f *infoFile) Ioctl(c *hwtest.Call, request uint32, arg uint64) (int64, error) {
	b := make([]byte, request>>16&0x3fff)
	if c.Read(arg, b) != nil {
		return 0, syscall.EFAULT
	}
	if request != uapi.Ioctl("DRM_IOCTL_AMDGPU_INFO") {
		return 0, f.machine.unknown(request, b)
	}
	question := b[uapi.Struct("drm_amdgpu_info").Field("query").Offset:]
	e, _, err := f.played.Request(request, question, nil)
	if e == nil {
		return 0, f.machine.unknown(request, question)
	}
	f.machine.count(func(t *Truth) { t.Answered++ })
	if err != nil {
		return 0, err
	}
	return e.Value, written(c, le.Uint64(b), e.BufOut[:min(len(e.BufOut), int(le.Uint32(b[8:])))])
}

func (*infoFile) Read(*hwtest.Call, int) ([]byte, error) { return nil, syscall.EAGAIN }
func (*infoFile) Close()                                 {}
