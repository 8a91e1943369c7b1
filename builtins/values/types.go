package values

import "astrolabe/builtins/binding"

// Types documents the types, in the order of the reference.
var Types = []binding.Documented{&captureTable, &CounterTable, &maskTable, &sampleTable, &spanTable, &metricTable,
	&plotTable, &noteTable, &screenshotsTable, &reportTable,
	&accountValueTable, &tableTable, &mapTable, &sessionTable}
