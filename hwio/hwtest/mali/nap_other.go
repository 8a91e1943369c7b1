//go:build !linux

package mali

import "time"

func nap(d time.Duration) { time.Sleep(d) }
