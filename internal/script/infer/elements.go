package infer

// elements says what the lists and dicts of our types hold: signatures only say list or dict. Keys are TYPE.NAME; a
// test checks that each of them is in the method tables.
var elements = map[string]string{
	"Capture.device_names": "str",
	"Capture.labels":       "str",
	"Capture.warnings":     "str",
	"Capture.regions":      "Span",
	"Capture.gaps":         "Span",
	"Capture.late":         "Span",
	"Capture.group_by":     "Capture",
	"Counter.instances":    "Counter",
	"Counter.inputs":       "str",
	"Counter.refs":         "str",
	"Counter.values":       "number",
	"Counter.times":        "float",
	"CounterMap.keys":      "str",
	"CounterMap.values":    "Counter",
	"Mask.spans":           "Span",
	"metrics.gpus":         "str",
	"metrics.list":         "Metric",
	"stats.periodicity":    "number",
	"stats.phases":         "Span",
	"stats.recurrence":     "number",
}

// iterated says what the elements of our types are, where they can be gone through.
var iterated = map[string]string{
	"Capture":    "Sample",
	"Counter":    "number",
	"CounterMap": "str",
}

// universal says what the language's own functions return.
var universal = map[string]string{
	"abs": "number", "all": "bool", "any": "bool", "bool": "bool", "bytes": "bytes", "chr": "str", "dict": "dict",
	"dir": "list", "float": "float",
	"hasattr": "bool", "hash": "int", "int": "int", "len": "int", "ord": "int", "repr": "str", "set": "set",
	"str": "str", "type": "str",
	"print": "NoneType", "fail": "NoneType",
}

// captureName is the name that sessions and guides give a capture: a parameter that nothing else is known of is one.
const captureName = "cap"
