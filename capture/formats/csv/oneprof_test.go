package csv

import "testing"

// TestRowsOfOneprofBeginAndEndWhenTheySay has the columns of Intel's oneprof in both of its spellings: with units, and as the metrics
// library calls them.
func TestRowsOfOneprofBeginAndEndWhenTheySay(t *testing.T) {
	for _, header := range []string{
		"SubDeviceId,GpuTime,EuActive,QueryBeginTime,ReportReason,ContextId",
		"SubDeviceId,GpuTime[ns],EuActive[%],QueryBeginTime[ns],ReportReason,ContextId",
	} {
		c := mustOpen(t, header+"\n0,300,40,66413568000,32,7\n0,100,80,66413569000,32,8\n", nil)
		eq(t, "starts", c.Axis.Start, []int64{66413568000, 66413569000})
		eq(t, "ends", c.Axis.End, []int64{66413568300, 66413569100})
		eq(t, "lengths as a counter", values(t, c, "GpuTime"), []float64{300, 100})
		eq(t, "counters", len(c.Counters), 2)
		for _, name := range []string{"SubDeviceId", "ReportReason", "context"} {
			if c.Label(name) == nil {
				t.Errorf("%s: %s is no label", header, name)
			}
		}
	}
	c := mustOpen(t, "start_us,duration_ms,a\n5,1,1\n2000,,2\n", nil)
	eq(t, "ends of other programs' rows", c.Axis.End, []int64{1005000, 2000000})
	_, err := open(t, "x.csv", "start_us,duration_ms,a\n5,-1,1\n", nil)
	wantError(t, err, `x\.csv:2: column "duration_ms": -1 is no length of a row`)
}

func TestAUnitBehindACommaIsOne(t *testing.T) {
	c := mustOpen(t, "\"GPU Time Elapsed, ns\",\"EU Active, %\",\"Reads, writes\"\n300,40,1\n100,80,2\n", nil)
	eq(t, "ends", c.Axis.End, []int64{300, 400})
	eq(t, "a share", c.Counter("EU Active").Unit, "%")
	eq(t, "two names", values(t, c, "Reads, writes"), []float64{1, 2})
}
