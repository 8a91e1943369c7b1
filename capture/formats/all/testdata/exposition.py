# Reads what was written for a Prometheus by its own client library: python exposition.py FILE prints how many samples it finds whose numbers are those
# of their lines, and how many lines of samples there are.
import json
import sys

from prometheus_client import parser
from prometheus_client.openmetrics import parser as strict

text = open(sys.argv[1]).read()
read = strict.text_string_to_metric_families if sys.argv[1].endswith(".openmetrics") else parser.text_string_to_metric_families
lines = [line for line in text.splitlines() if not line.startswith("#")]
samples = [s for family in read(text) for s in family.samples]
same = 0
for line, s in zip(lines, samples):
    name = line.split("{")[0].split(" ")[0]
    rest = line.rsplit("} ", 1)[-1].split(" ")
    if s.name == name and float(rest[0]) == s.value and (len(rest) == 1 or abs(float(s.timestamp) - float(rest[1])) < 1e-6):
        same += 1
print(json.dumps({"samples": same, "text": len(lines)}))
