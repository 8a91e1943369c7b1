# Writes tables as Arrow and Parquet files with pyarrow, polars and DuckDB, in the forms that they offer.
import sys

import duckdb
import polars
import pyarrow as pa
import pyarrow.dataset
import pyarrow.feather
import pyarrow.parquet as pq

out = sys.argv[1] + "/"
n = 40_000
rows = range(n)
columns = {"time": pa.array([i * 0.001 for i in rows])}
for k in range(4):
    columns[f"u{k}"] = pa.array([(i * 7919 + k) % 1000003 for i in rows], pa.uint64())
    columns[f"i{k}"] = pa.array([None if i % 11 == k else (i * 31 + k) % 4093 for i in rows], pa.int64())
    columns[f"f{k}"] = pa.array([None if i % 13 == k else i / (k + 3) for i in rows], pa.float64())
columns["h"] = pa.array([i % 100 for i in rows], pa.int16())
columns["d"] = pa.array([i % 977 for i in rows], pa.int64()).cast(pa.decimal128(20, 0))
columns["kernel"] = pa.array([f"kernel {i // 9000}" for i in rows])
columns["coded"] = pa.array([None if i % 17 == 0 else f"pass {i % 3}" for i in rows]).dictionary_encode()
columns["on"] = pa.array([i % 5 == 0 for i in rows])
table = pa.table(columns)
plain = table.select(["time", "u0", "u1", "f0", "f1"])
nested = table.append_column("pair", pa.array([{"x": i, "y": [i, i]} for i in rows]))

for name, t in {"table": table, "plain": plain, "nested": nested}.items():
    for codec in ["uncompressed", "lz4", "zstd"]:
        pa.feather.write_feather(t, f"{out}{name}-{codec}.feather", compression=codec, chunksize=16_000)
    with pa.OSFile(f"{out}{name}.arrows", "wb") as f, pa.ipc.new_stream(f, t.schema) as w:
        w.write_table(t, max_chunksize=10_000)
    for codec in ["NONE", "SNAPPY", "LZ4", "ZSTD"]:
        pq.write_table(t, f"{out}{name}-{codec}.parquet", compression=codec, row_group_size=13_000)
pq.write_table(table, out + "table-v2.parquet", data_page_version="2.0", data_page_size=8192, write_page_index=True)
frame = polars.from_arrow(table.drop_columns(["d"]))
frame.write_ipc(out + "polars.arrow")
frame.write_ipc(out + "polars-zstd.arrow", compression="zstd")
frame.write_parquet(out + "polars.parquet")
counters = table.drop_columns(["d"])
duckdb.sql(f"COPY counters TO '{out}duckdb.parquet' (FORMAT parquet, ROW_GROUP_SIZE 30000)")

# Folders KEY=VALUE, as data sets have them, of captures and of other things.
sets = out + "sets/"
frame = table.select(["time", "u0", "f0"]).slice(0, 500).to_pandas()
frame["build"] = ["a", "b/%"] * 250
frame["who"] = "somebody"
frame.to_parquet(sets + "yes-pandas", partition_cols=["build"])
frame.drop(columns=["time"]).to_parquet(sets + "yes-no-time", partition_cols=["build", "who"])
frame[["who", "build"]].assign(more="text").to_parquet(sets + "no-texts", partition_cols=["build"])
frame[["time", "who", "build"]].to_parquet(sets + "no-counters", partition_cols=["build"])
by = pyarrow.dataset.partitioning(pa.schema([("build", pa.string())]), flavor="hive")
for form in ["arrow", "csv", "feather", "parquet"]:
    name = ("yes-" if form == "parquet" else "no-") + form
    pyarrow.dataset.write_dataset(pa.Table.from_pandas(frame), sets + name, format=form, partitioning=by)
for form, name in {"parquet": "yes-duckdb", "csv": "no-duckdb-csv", "json": "no-duckdb-json"}.items():
    duckdb.sql(f"COPY frame TO '{sets}{name}' (FORMAT {form}, PARTITION_BY (build))")
duckdb.sql(f"COPY (SELECT build, who FROM frame) TO '{sets}no-duckdb-text' (FORMAT parquet, PARTITION_BY (build))")
