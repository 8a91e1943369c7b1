package mali

import (
	"syscall"

	"astrolabe/hwio/hwtest"
)

type panfrostDevice struct{ board *board }

func (d *panfrostDevice) Open(c *hwtest.Call, flags int) (hwtest.File, error) {
	return nil, syscall.ENODEV
}

type panfrostFile struct{}
