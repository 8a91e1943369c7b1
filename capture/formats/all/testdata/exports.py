# Reads what was exported by programs that are not ours: python exports.py ENGINE FILE... prints a line of JSON for each file, an object of columns, each a
# list of values: null where one is missing, the 64 bits of a double as text, a whole number as it is, and other text.
import json
import struct
import sys

engine, files = sys.argv[1], sys.argv[2:]


def value(v):
    if v is None or v != v:
        return None
    if isinstance(v, bool) or isinstance(v, str):
        return str(v)
    if isinstance(v, int):
        return v
    return "0x%016x" % struct.unpack("<Q", struct.pack("<d", float(v)))[0]


def columns(names, series):
    return {name: [value(v) for v in s] for name, s in zip(names, series)}


def pyarrow_(path):
    import pyarrow.csv
    import pyarrow.ipc
    import pyarrow.parquet

    if path.endswith(".csv"):
        t = pyarrow.csv.read_csv(path)
    elif path.endswith(".arrow"):
        t = pyarrow.ipc.open_file(path).read_all()
    else:
        t = pyarrow.parquet.read_table(path)
    return columns(t.column_names, (c.to_pylist() for c in t.columns))


def pandas_(path):
    import pandas

    if path.endswith(".csv"):
        t = pandas.read_csv(path, dtype_backend="numpy_nullable")
    elif path.endswith(".arrow"):
        t = pandas.read_feather(path, dtype_backend="numpy_nullable")
    else:
        t = pandas.read_parquet(path, dtype_backend="numpy_nullable")
    return columns(t.columns, ([None if pandas.isna(v) else v for v in t[c].tolist()] for c in t.columns))


def polars_(path):
    import polars

    if path.endswith(".csv"):
        t = polars.read_csv(path, infer_schema_length=None)
    elif path.endswith(".arrow"):
        t = polars.read_ipc(path)
    else:
        t = polars.read_parquet(path)
    return columns(t.columns, (t[c].to_list() for c in t.columns))


def duckdb_(path):
    import duckdb

    read = "read_csv" if path.endswith(".csv") else "read_parquet"
    t = duckdb.sql(f"SELECT * FROM {read}('{path}')")
    return columns(t.columns, zip(*t.fetchall()))


readers = {"pyarrow": pyarrow_, "pandas": pandas_, "polars": polars_, "duckdb": duckdb_}
if not files:
    __import__(engine)
for f in files:
    print(json.dumps(readers[engine](f)))
