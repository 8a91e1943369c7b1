"""Prints the rows of a table as lines of JSON: engines.py ENGINE FILE, or engines.py ENGINE --there."""
import json
import math
import sys

engine, file = sys.argv[1:]
if engine == "duckdb":
    import duckdb
elif engine == "pandas":
    import pandas
    import pyarrow  # pandas reads Parquet by it
else:
    import polars
if file == "--there":
    sys.exit()

lines = file.endswith(".jsonl")
if engine == "duckdb":
    table = duckdb.sql(f"SELECT * FROM {'read_json' if lines else 'read_parquet'}('{file}')")
    rows = [dict(zip(table.columns, row)) for row in table.fetchall()]
elif engine == "pandas":
    frame = pandas.read_json(file, lines=True, dtype=False) if lines else pandas.read_parquet(file, dtype_backend="pyarrow")
    rows = frame.astype(object).where(frame.notna(), None).to_dict("records")
else:
    frame = polars.read_ndjson(file, infer_schema_length=None) if lines else polars.read_parquet(file)
    rows = frame.to_dicts()
for row in rows:
    known = {k: v for k, v in row.items() if v is not None and not (isinstance(v, float) and math.isnan(v))}
    for k, v in known.items():
        if not isinstance(v, (bool, str, list)):
            known[k] = float(v)  # integers, decimals and doubles alike
    print(json.dumps(known, sort_keys=True))
