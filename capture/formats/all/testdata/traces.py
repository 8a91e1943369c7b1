# Reads a trace by Perfetto's published schema, or by JSON: python traces.py FILE prints what is in it as JSON: counters by name, each a list of times in ns
# and the bits of values as text, and slices as track, name, start and end in ns.
import json
import struct
import sys


def bits(v):
    return "0x%016x" % struct.unpack("<Q", struct.pack("<d", float(v)))[0]


def perfetto(path):
    from perfetto.protos.perfetto.trace.perfetto_trace_pb2 import Trace, TrackEvent

    trace = Trace()
    trace.ParseFromString(open(path, "rb").read())
    tracks, counters, slices, open_ = {}, {}, [], {}
    for p in trace.packet:
        if p.HasField("track_descriptor"):
            tracks[p.track_descriptor.uuid] = p.track_descriptor
    units = {t.name: t.counter.unit_name for t in tracks.values() if t.HasField("counter")}
    above = lambda uuid: tracks[tracks[uuid].parent_uuid].name if tracks[uuid].parent_uuid else ""
    groups = {t.name: above(t.uuid) for t in tracks.values() if t.HasField("counter")}
    unknown = 0
    for p in trace.packet:
        if not p.HasField("track_event"):
            continue
        e = p.track_event
        unknown += e.track_uuid not in tracks
        name = tracks[e.track_uuid].name
        if e.type == TrackEvent.TYPE_COUNTER:
            v = e.double_counter_value if e.HasField("double_counter_value") else e.counter_value
            counters.setdefault(name, []).append([p.timestamp, bits(v)])
        elif e.type == TrackEvent.TYPE_SLICE_BEGIN:
            open_.setdefault(e.track_uuid, []).append((e.name, p.timestamp))
        elif e.type == TrackEvent.TYPE_SLICE_END:
            what, start = open_[e.track_uuid].pop()
            slices.append([name, what, start, p.timestamp])
    unclosed = sum(len(v) for v in open_.values())
    return {"counters": counters, "slices": slices, "units": units, "groups": groups, "wrong": unknown + unclosed}


def chrome(path):
    trace = json.load(open(path))
    ns = lambda us: round(us * 1000)
    threads, processes, counters, slices, groups = {}, {}, {}, [], {}
    for e in trace["traceEvents"]:
        if e["name"] == "process_name":
            processes[e["pid"]] = e["args"]["name"]
        elif e["name"] == "thread_name":
            threads[e["pid"], e["tid"]] = e["args"]["name"]
        elif e["ph"] == "C":
            for key, v in e["args"].items():
                name = e["name"].rsplit(" (", 1)[0].removesuffix(" by instance")
                name += "" if key == "value" else "[" + key + "]"
                counters.setdefault(name, []).append([ns(e["ts"]), bits(v)])
                groups[name] = processes[e["pid"]]
        elif e["ph"] == "X":
            slices.append([threads[e["pid"], e["tid"]], e["name"], ns(e["ts"]), ns(e["ts"] + e["dur"])])
    units = {c["name"]: c.get("unit", "") for c in trace["counters"]}
    return {"counters": counters, "slices": slices, "units": units, "groups": groups, "wrong": 0}


print(json.dumps((chrome if sys.argv[1].endswith(".json") else perfetto)(sys.argv[1])))
