//go:build amd64 || arm64

package main

import (
	"encoding/json"
	"fmt"

	"astrolabe/hwio/internal/vendorproc"
)

// handlers lists what this program does.
func handlers(s *vendorproc.Server) map[string]vendorproc.Handler {
	r := &rocprofilerService{out: s}
	return map[string]vendorproc.Handler{
		vendorproc.OpRocprofilerList:  decoded(r.list),
		vendorproc.OpRocprofilerStart: decoded(r.start),
		vendorproc.OpRocprofilerBegin: decoded(r.begin),
		vendorproc.OpRocprofilerStop:  decoded(r.stop),
		vendorproc.OpGPAList:          decoded(listGPA),
	}
}

// decoded makes a handler of a function that takes the request's body as a value.
func decoded[T, R any](f func(*T) (R, error)) vendorproc.Handler {
	return func(body json.RawMessage) (any, error) {
		v := new(T)
		if len(body) > 0 {
			if err := json.Unmarshal(body, v); err != nil {
				return nil, &vendorproc.Error{Kind: vendorproc.BadRequest, Text: fmt.Sprintf("the request: %v", err)}
			}
		}
		return f(v)
	}
}
