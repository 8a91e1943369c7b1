package mistakes

import "maps"

// Elsewhere says what to write for a name that people know from pandas, numpy and other libraries, where they try it on
// a type or module that does not have it; "" where nobody is known to. Names that are only misspelt are found without
// it.
func Elsewhere(owner, name string) string { return otherLibraries[owner][name] }

// otherLibraries has what to write by the name of the type or module and the name tried.
var otherLibraries = map[string]map[string]string{
	"Capture": union(map[string]string{
		"loc":      `cap["Name"] is a counter, cap[i] a sample, cap[a:b] the samples from a to b, cap.where(mask) those that a mask selects`,
		"columns":  `list(cap.counters) are the names of what was measured, list(cap.metrics) those of what the catalogue adds`,
		"shape":    `len(cap) samples of len(cap.counters) counters`,
		"describe": `cap.summary() describes every counter`,
		"query":    `cap.where(cap["Name"].gt(5)) keeps the samples that a mask selects`,
		"to_csv":   `cap.save("x.csv") writes the samples, cap.summary().csv() is the text of a table`,
		"apply":    `counters calculate as columns: cap["A"] / cap["B"]; for s in cap: goes through samples`,
		"iterrows": `for s in cap: goes through the samples; s["Name"] is a value`,
		"tail":     `cap[-5:] are the last samples`, "plot": `plot.timeline(cap["Name"]) draws`,
		"groupby": `cap.group_by("label") gives a dict of captures; cap.labels lists the labels`,
		"merge":   `capture.concat([a, b]) puts captures one after the other`,
		"append":  `capture.concat([a, b]) puts captures one after the other`,
		"dropna":  `reductions skip missing values; cap.where(~cap["Name"].missing()) drops the samples`,
		"fillna":  `reductions skip missing values; cap["Name"].fill(0) puts a number in`,
		"mean":    `a counter has it: cap["Name"].mean()`, "values": `a counter has them: cap["Name"].values`,
		"size":        `len(cap) is the number of samples`,
		"index":       `[s.start for s in cap] are the times of the samples`,
		"drop":        `a capture never changes: take what you need, cap["Name"]`,
		"sort_values": `samples stay in the order of time; cap.head(n).sort("column") sorts a table`,
		"get":         `cap["Name"] is a counter; "Name" in cap tells whether there is one`,
		"close":       `nothing has to be closed`,
		"report":      `astrolabe report FILE draws one; report.new("title", capture = cap) makes your own`,
		"frames":      `cap.group_by("frame") gives a capture for each, stats.frames(cap) judges them`,
		"time":        `cap.duration is its length, [s.start for s in cap] the times`,
	}, map[string]string{
		"iloc": "loc", "at": "loc", "iat": "loc", "ix": "loc", "keys": "columns", "names": "columns",
		"series": "columns", "counter_names": "columns", "info": "describe", "dtypes": "describe", "stats": "describe",
		"print":  "describe",
		"filter": "query", "select": "query", "mask": "query", "to_parquet": "to_csv", "to_json": "to_csv",
		"to_excel": "to_csv", "write": "to_csv", "export": "to_csv", "map": "apply", "agg": "apply",
		"itertuples": "iterrows", "rows": "iterrows", "items": "iterrows", "hist": "plot", "show": "plot",
		"draw": "plot", "join": "merge", "concat": "merge", "isna": "dropna", "isnull": "dropna",
		"sum": "mean", "min": "mean", "max": "mean", "std": "mean", "median": "mean", "percentile": "mean",
		"quantile": "mean", "to_numpy": "values", "array": "values", "len": "size", "length": "size",
		"count": "size", "n": "size",
		"timestamps": "index", "times": "index", "rename": "drop", "assign": "drop", "sort": "sort_values",
		"sort_index": "sort_values", "has": "get", "contains": "get", "group": "groupby", "window": "loc", "cut": "loc",
	}),
	"Counter": union(map[string]string{
		"avg":      "c.mean() is the mean of the samples; of a rate or ratio c.total() is the one over the whole time",
		"quantile": "c.percentile(95) is the value that 95 percent do not exceed",
		"var":      "c.std() is the standard deviation; stats.variance(c)",
		"apply":    "counters calculate as columns: c * 2, c / d; [f(v) for v in c.values] goes through the values",
		"dropna":   "reductions skip missing values",
		"isnull":   "c.missing() is the mask of missing values, c.why() the reason",
		"fillna":   "c.fill(0) puts a number in", "sort_values": "sorted([v for v in c.values if v != None])",
		"value_counts": "stats.histogram(c) counts, plot.histogram(c) draws",
		"plot":         "plot.timeline(c) draws; help(plot) lists the charts",
		"len":          "len(c) is the number of samples",
		"loc":          "c[i] is a value, c[a:b] a counter of the samples from a to b",
		"to_list":      "c.values is the list of values",
		"describe":     "stats.describe(c), or the name of the counter alone in a session",
		"dtype":        "c.unit is the unit, c.kind how it adds up", "isin": "masks combine: c.eq(1) | c.eq(2)",
		"shift": "c.diff() is the change from the sample before", "corr": "stats.correlation(a, b)",
		"idxmax":  "c.values.index(c.max()) is the index",
		"greater": "c.gt(x) is where it is greater, c.ge(x) greater or equal",
		"less":    "c.lt(x) is where it is less, c.le(x) less or equal",
		"equals":  "c.eq(x) is where it is equal, c.ne(x) where not", "round": "round(c.mean(), 2) rounds one number",
		"where":   "cap.where(c.gt(5)) keeps the samples that a mask selects",
		"groupby": `cap.group_by("label") gives captures, whose counters are these`,
		"to_csv":  `cap.save("x.csv") writes the samples`, "per_second": "c.rate() is per second",
		"pow": "c * c; there is no power of a counter", "spans": "a mask has them: c.gt(5).spans()",
		"any": "compare first: c.gt(5).any()",
	}, map[string]string{
		"average": "avg", "value": "avg", "percentiles": "quantile", "p50": "quantile", "p90": "quantile",
		"p95": "quantile", "p99": "quantile", "variance": "var", "stdev": "var", "stddev": "var", "map": "apply",
		"transform": "apply",
		"isna":      "isnull", "notna": "isnull", "notnull": "isnull", "is_missing": "isnull", "sort": "sort_values",
		"hist": "value_counts", "histogram": "value_counts", "unique": "value_counts", "timeline": "plot",
		"draw": "plot", "show": "plot", "length": "len",
		"size": "len", "shape": "len", "samples": "len", "iloc": "loc", "at": "loc", "head": "loc", "tail": "loc",
		"slice": "loc", "tolist": "to_list", "to_numpy": "to_list", "array": "to_list", "data": "to_list",
		"list":    "to_list",
		"summary": "describe", "info": "describe", "type": "dtype", "astype": "dtype", "pct_change": "shift",
		"delta": "shift", "derivative": "shift", "correlation": "corr", "argmax": "idxmax", "idxmin": "idxmax",
		"argmin": "idxmax", "above": "greater", "over": "greater",
		"gte": "greater", "greater_than": "greater", "below": "less", "under": "less", "lte": "less",
		"less_than": "less", "equal": "equals", "filter": "where", "mask": "where", "query": "where",
		"group_by": "groupby", "save": "to_csv", "power": "pow", "all": "any", "per_sec": "per_second",
	}),
	"CounterMap": {
		"names": "m.keys() are the names, and so is list(m)", "list": "m.keys() are the names, m.values() the counters",
		"sort": "sorted(m) are the names in order", "len": "len(m) is their number", "size": "len(m) is their number",
	},
	"Mask": union(map[string]string{
		"sum":    "m.count() is how many are selected",
		"mean":   "m.fraction() is the part that is selected, 0 to 1; 100 * m.fraction() percent",
		"values": "m[i] is one; [i for i in range(len(m)) if m[i]] are the indexes",
		"filter": "cap.where(m) keeps the selected samples", "invert": "~m is the opposite",
		"and": "a & b, a | b, a ^ b combine masks", "len": "len(m) is the number of samples",
	}, map[string]string{"nonzero": "values", "index": "values", "share": "mean", "percent": "mean", "where": "filter",
		"apply": "filter", "not": "invert", "or": "and", "length": "len", "size": "len", "regions": "filter"}),
	"Table": union(map[string]string{
		"to_csv": `write("x.csv", t.csv()) writes it`, "sort_values": `t.sort("column", reverse = True)`,
		"print": "print(t)",
		"loc":   "t.rows[i] is a row, t.head(n) the first ones, t.filter(f) those for which f(row) is true",
		"shape": "len(t.rows) rows, len(t.columns) columns",
	}, map[string]string{"to_markdown": "to_csv", "save": "to_csv", "write": "to_csv", "order_by": "sort_values",
		"sort_by": "sort_values", "show": "print", "iloc": "loc", "where": "loc", "len": "shape", "length": "shape",
		"size": "shape"}),
	"capture": union(map[string]string{
		"load": "capture.open(path) opens a file or folder", "compare": "a capture has it: before.compare(after)",
		"save": `a capture has it: cap.save("x.arrow")`,
		"new":  `capture.from_columns({"a": [1, 2]}, period = "1ms") builds one`,
	}, map[string]string{"read": "load", "read_csv": "load", "read_parquet": "load", "from_csv": "load",
		"from_file": "load", "import_": "load", "start": "load", "from_dict": "new", "create": "new",
		"DataFrame": "new", "write": "save", "merge": "new"}),
	"plot": union(map[string]string{
		"line": "plot.timeline(a, b) draws counters over time",
		"hist": "plot.histogram(c) draws how values are distributed", "show": "a plot has it: plot.timeline(c).show()",
		"save":     `a plot has it: plot.timeline(c).save("x.png")`,
		"title":    `title = "…" is an argument: plot.timeline(c, title = "…")`,
		"subplots": "plot.grid([[a, b], [c]]) sets plots in rows",
	}, map[string]string{"plot": "line", "lines": "line", "chart": "line", "series": "line", "time": "line",
		"distribution": "hist", "figure": "subplots", "subplot": "subplots", "savefig": "save", "display": "show",
		"xlabel": "title", "ylabel": "title", "legend": "title"}),
	"stats": union(map[string]string{
		"corr":       "stats.correlation(a, b)",
		"percentile": "a counter has it: c.percentile(95); stats.quantiles(x, [0.95])",
		"min":        "min(list), max(list), or of a counter c.min()", "sum": "sum(list), or of a counter c.sum()",
		"stdev": "stats.std(x)", "fit": "stats.regression(x, y)",
		"ttest": "stats.t_test(x, y)",
	}, map[string]string{"pearson": "corr", "spearman": "corr", "quantile": "percentile", "percentiles": "percentile",
		"max": "min", "total": "sum", "var": "stdev", "linregress": "fit", "polyfit": "fit",
		"ttest_ind": "ttest", "avg": "sum"}),
	"math": {"abs": "abs(x) needs no module", "max": "max(a, b) needs no module", "min": "min(a, b) needs no module",
		"sum": "sum(list) needs no module", "round": "round(x, 2) needs no module", "ln": "math.log(x)",
		"squareroot": "math.sqrt(x)"},
	"time": {"sleep": "a script does not wait",
		"perf_counter": "time.now needs --allow=clock; in a session :time STATEMENT measures",
		"strftime":     "a time has it: t.format(…)"},
}

// union adds names that are told the same as another.
func union(say, same map[string]string) map[string]string {
	out := maps.Clone(say)
	for name, as := range same {
		out[name] = say[as]
	}
	return out
}
