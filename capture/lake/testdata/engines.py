"""Prints the tables of a lake as an engine reads them, a row of JSON on a line: engines.py ENGINE FOLDER.

Times are microseconds since 1970 in UTC, and labels an object. The texts of builds stay texts: engines take 007 for a
number where nobody tells them."""

import datetime
import json
import math
import sys


def plain(value):
    if value is None:
        return None
    if isinstance(value, float):
        return None if math.isnan(value) else value
    if isinstance(value, bool):
        return value
    if isinstance(value, datetime.datetime):
        if value != value:  # pandas' NaT
            return None
        since = value.astimezone(datetime.timezone.utc) - datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
        return since // datetime.timedelta(microseconds=1)
    if isinstance(value, dict):
        if set(value) == {"key", "value"} and isinstance(value["key"], list):
            return dict(zip(value["key"], value["value"]))
        return {k: plain(v) for k, v in value.items()}
    if hasattr(value, "tolist") and not isinstance(value, str):
        return plain(value.tolist())
    if isinstance(value, (list, tuple)):
        pairs = [tuple(p.values()) if isinstance(p, dict) else tuple(p) for p in value]
        return dict(pairs)
    return value


def show(table, names, rows):
    for row in rows:
        print(json.dumps({"table": table, **{n: plain(v) for n, v in zip(names, row)}}))


def duckdb(lake):
    import duckdb
    con = duckdb.connect()
    con.execute("SET TimeZone = 'UTC'")
    for table in ["captures", "metrics", "findings"]:
        times = "REPLACE (epoch_us(start_time) AS start_time) " if table == "captures" else ""
        rows = con.execute(f"SELECT * {times}FROM read_parquet('{lake}/{table}/**/*.parquet', hive_partitioning = true, "
                           "hive_types_autocast = false)")
        show(table, [c[0] for c in rows.description], rows.fetchall())


def pandas(lake):
    import pandas as pd
    import pyarrow as pa
    import pyarrow.dataset as ds
    for table in ["captures", "metrics", "findings"]:
        parts = ds.partitioning(pa.schema([("build", pa.string()), ("device", pa.string())]), flavor="hive")
        df = pd.read_parquet(f"{lake}/{table}", partitioning=parts, dtype_backend="pyarrow")
        df = df.astype(object).where(df.notna(), None)
        show(table, list(df.columns), df.itertuples(index=False, name=None))


def polars(lake):
    import polars as pl
    for table in ["captures", "metrics", "findings"]:
        df = pl.scan_parquet(f"{lake}/{table}/**/*.parquet", hive_partitioning=True,
                             hive_schema={"build": pl.String, "device": pl.String}).collect()
        show(table, df.columns, df.rows())


def pyspark(lake):
    from pyspark.sql import SparkSession
    spark = (SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false")
             .config("spark.sql.session.timeZone", "UTC").config("spark.driver.memory", "512m")
             .config("spark.sql.sources.partitionColumnTypeInference.enabled", "false").getOrCreate())
    spark.sparkContext.setLogLevel("ERROR")
    for table in ["captures", "metrics", "findings"]:
        df = spark.read.parquet(f"{lake}/{table}")
        if "start_time" in df.columns:
            df = df.selectExpr(*[c if c != "start_time" else "unix_micros(start_time) AS start_time" for c in df.columns])
        show(table, df.columns, [tuple(r) for r in df.collect()])
    spark.stop()


engine, folder = sys.argv[1:]
if len(sys.argv) == 3 and folder == "--there":
    for module in {"pandas": ["pandas", "pyarrow"]}.get(engine, [engine]):
        __import__(module)
    if engine == "pyspark":
        import shutil
        assert shutil.which("java"), "no java"
else:
    globals()[engine](folder)
