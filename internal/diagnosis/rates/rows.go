package rates

// Names of rows.
const (
	rowFirst            = "clear frames of archetypes: limiter first"
	rowTwo              = "clear frames of archetypes: limiter in the first two"
	rowNamed            = "... limiter named"
	rowShown            = "... where the capture can show it: limiter first"
	rowAsked            = "... where it cannot: limiter, or what to record, first"
	rowAskedFirst       = "... where it cannot: with the first set that it asks for alone"
	rowTold             = "... the reports have a finding for the limiter at all"
	rowOther            = "... another limiter first"
	rowSymptom          = "... only a symptom or a hint first"
	rowNothing          = "... nothing named"
	rowPlant            = "single plants: limiter first"
	rowPlantFirst       = "... with the first set that is asked for alone"
	rowRandom           = "random mixes: limiter first"
	rowQueues           = "queues in turn: named first"
	rowTurns            = "processor and GPU in turn: named first"
	rowHealthy          = "healthy: false alarms"
	rowHealthyElsewhere = "healthy cases of other kinds: false alarms"
	rowCut              = "two phases: cut where they change"
	rowPhases           = "two phases: both named, each in its own"
	rowWithheld         = "limiter's counters withheld: another limiter named"
	rowWithheldNothing  = "limiter's counters withheld: no limiter named"
	rowNotExplained     = "limiter's counters withheld: of its time, not explained"
	rowShares           = "shares: difference from the simulator's"
	rowShareOfLimiter   = "... that of the limiter, of clear frames"
	rowGainTold         = "gains: the limiter named first has one"
	rowGain             = "gains: the simulated one lies in the range"
	rowCoversHigh       = "confidence high, of clear frames"
	rowCoversMedium     = "confidence high or medium, of clear frames"
)

// rowConfidence are the rows of findings by their confidence.
var rowConfidence = map[string]string{"high": "confidence high: right", "medium": "confidence medium: right",
	"low": "confidence low: right"}

// valued are the rows of values, in points of percent.
var valued = map[string]bool{rowNotExplained: true, rowShares: true, rowShareOfLimiter: true}

// rows are all rows in the order in which they are printed, with what is asked of the rebuilt rules: at least so many
// percent, or at most.
var rows = []struct{ name, target string }{
	{rowFirst, ">= 95 %"},
	{rowTwo, ">= 99 %"},
	{rowNamed, ""},
	{rowShown, ""},
	{rowAsked, ""},
	{rowAskedFirst, ""},
	{rowTold, ""},
	{rowOther, ""},
	{rowSymptom, ""},
	{rowNothing, ""},
	{rowPlant, ">= 98 %"},
	{rowPlantFirst, ""},
	{rowRandom, ""},
	{rowQueues, ">= 95 %"},
	{rowTurns, ">= 95 %"},
	{rowHealthy, "0 of 1000"},
	{rowHealthyElsewhere, "0"},
	{rowCut, ""},
	{rowPhases, ">= 90 %"},
	{rowWithheld, "<= 5 %"},
	{rowWithheldNothing, ""},
	{rowNotExplained, ">= 50 %"},
	{rowShares, "<= 10"},
	{rowShareOfLimiter, ""},
	{rowGainTold, ""},
	{rowGain, ">= 80 %"},
	{rowConfidence["high"], ">= 98 %"},
	{rowConfidence["medium"], ">= 85 %"},
	{rowConfidence["low"], ""},
	{rowCoversHigh, ">= 50 %"},
	{rowCoversMedium, ">= 85 %"},
}

// rowIndex is the place of a row.
func rowIndex(name string) int {
	for i, r := range rows {
		if r.name == name {
			return i
		}
	}
	return len(rows)
}
