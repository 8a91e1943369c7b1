//go:build !linux || !(amd64 || arm64)

package main

import (
	"encoding/json"
	"io"
	"os"
	"runtime"

	"astrolabe/hwio/internal/vendorproc"
)

func takeStdout() (io.Writer, error) { return os.Stdout, nil }

// handlers answers every request with what is missing.
func handlers(*vendorproc.Server) map[string]vendorproc.Handler {
	refuse := func(json.RawMessage) (any, error) {
		return nil, &vendorproc.Error{Kind: vendorproc.NotSupported,
			Text: "vendors' libraries are loaded on Linux for amd64 and arm64 only, not on " + runtime.GOOS + "/" +
				runtime.GOARCH}
	}
	return map[string]vendorproc.Handler{vendorproc.OpRocprofilerList: refuse, vendorproc.OpRocprofilerStart: refuse,
		vendorproc.OpRocprofilerBegin: refuse, vendorproc.OpRocprofilerStop: refuse, vendorproc.OpGPAList: refuse}
}
