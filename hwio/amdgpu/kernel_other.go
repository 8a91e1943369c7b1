//go:build !linux

package amdgpu

import (
	"time"

	"astrolabe/hwio"
)

func openNode(string) (node, error) { return nil, hwio.ErrNeedsLinux }

var start = time.Now()

func now() int64 { return int64(time.Since(start)) }

func sleepUntil(t int64) { time.Sleep(time.Duration(t - now())) }

func wakePrecisely() {}
