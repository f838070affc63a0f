"""DuckDB over the dataset: one view for each table, with the column `run` from the folder's name."""
import duckdb

from soresolve_fleet.store import SCHEMAS

_DUCK = {"string": "VARCHAR", "int64": "BIGINT", "int32": "INTEGER", "double": "DOUBLE", "bool": "BOOLEAN",
         "timestamp[ms]": "TIMESTAMP", "list<element: string>": "VARCHAR[]",
         "list<item: string>": "VARCHAR[]", "list<element: int64>": "BIGINT[]", "list<item: int64>": "BIGINT[]"}


def open_views(store, runs=None, memory="2GB"):
    """A connection with the tables of these runs (default: all, unfinished ones too) as views.

    A node that was done twice (lost, and done again after a resume) is in `nodes` as it was last.
    """
    connection = duckdb.connect(":memory:")
    connection.execute(f"SET memory_limit = '{memory}'")
    names = store.runs() if runs is None else runs
    for table, schema in SCHEMAS.items():
        files = [path for run in names for path in store.files_of(table, run)]
        if files:
            listed = ", ".join("'" + path.replace("'", "''") + "'" for path in files)
            source = (f"read_parquet([{listed}], hive_partitioning = true, union_by_name = true, "
                      "hive_types = {'run': VARCHAR})")
            select = f"SELECT * FROM {source}"
        else:
            columns = ", ".join(f"NULL::{_DUCK[str(field.type)]} AS \"{field.name}\"" for field in schema)
            select = f"SELECT {columns}, NULL::VARCHAR AS run WHERE false"
        if table == "nodes":
            select += " QUALIFY row_number() OVER (PARTITION BY run, name ORDER BY started DESC) = 1"
        connection.execute(f"CREATE VIEW {table} AS {select}")
    return connection
