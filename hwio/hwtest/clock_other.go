//go:build !linux

package hwtest

import "time"

var started = time.Now()

func monotonic() int64    { return int64(time.Since(started)) }
func monotonicRaw() int64 { return monotonic() }
