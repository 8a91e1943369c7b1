package session

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"astrolabe/capture"
	"astrolabe/hwio"
	"astrolabe/hwio/internal/vendorproc"
)

// refusing is a source that cannot be used.
type refusing struct {
	hwio.Source
	err error
}

func (r refusing) Name() string                      { return "vendor" }
func (r refusing) Probe(context.Context) hwio.Status { return hwio.Status{Reason: r.err.Error()} }
func (r refusing) Counters(context.Context) ([]capture.Meta, error) {
	return nil, fmt.Errorf("list: %w", r.err)
}

func TestASourceThatCannotBeUsedGivesTheStatusOfItsReason(t *testing.T) {
	for _, c := range []struct {
		err  error
		want Status
	}{
		{errors.New("no such GPU is here"), HardwareNotSupported},
		{&vendorproc.Error{Kind: vendorproc.ProgramMissing, Text: "there is no second program"}, LoadFailed},
		{&vendorproc.Error{Kind: vendorproc.LibraryMissing, Text: "no library"}, LibLoadFailed},
		{&vendorproc.Error{Kind: vendorproc.LibraryVersion, Text: "library of another version"}, LibLoadVersionMismatch},
		{&vendorproc.Error{Kind: vendorproc.NoDevice, Text: "no GPU"}, HardwareNotSupported},
		{&vendorproc.Error{Kind: vendorproc.NotPermitted, Text: "not permitted"}, Failed},
	} {
		all := []hwio.Source{refusing{err: c.err}}
		_, err := hwio.Select(t.Context(), all, []string{"vendor"}, true)
		err = Refused(t.Context(), all, err)
		if StatusOf(err) != c.want || !strings.HasPrefix(err.Error(), c.want.Error()+": source vendor cannot be used here: ") {
			t.Errorf("%v: %v, want %s", c.err, err, c.want)
		}
	}
	all := []hwio.Source{refusing{err: errors.New("not asked")}}
	_, err := hwio.Select(t.Context(), all, []string{"nobody"}, true)
	if got := Refused(t.Context(), all, err); got == nil || got != err {
		t.Errorf("an unknown name: %v", got)
	}
}
