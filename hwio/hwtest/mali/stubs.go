package mali

import (
	"syscall"

	"astrolabe/hwio/hwtest"
)

func (f *kbaseFile) oldIoctl(c *hwtest.Call, request uint32, arg uint64) (int64, error) {
	return 0, syscall.ENOTTY
}
func (f *kbaseFile) vinstr(c *hwtest.Call, arg uint64) (int64, error) { return 0, syscall.ENOTTY }
func (b *board) startNeighbour()                                      {}
