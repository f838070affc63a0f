"""Which of many machines or images differ, in what, and since when.

The command `soresolve` judges one root; an engine that exists (Ray, Slurm, processes of one machine) carries it to
many; Parquet keeps the facts, and DuckDB answers. See lib/docs/fleet.md.
"""

__version__ = "0.1.0"
SCHEMA = "soresolve-fleet/1"
