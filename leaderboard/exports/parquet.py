"""A table as Parquet, streamed ten thousand rows a group; needs pyarrow (the extra `parquet`)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from importlib import import_module
from itertools import islice
from typing import Any

from leaderboard.exports.tables import Table

ROWS_A_GROUP = 10_000
MISSING = "Parquet needs pyarrow, which is not installed here: pip install 'arch-kernels[parquet]'"


class NoParquet(Exception):
    """pyarrow is not installed; the message says how to get it."""


class _Sink:
    """A file that hands over what was written to it: nothing is kept."""

    closed = False

    def __init__(self) -> None:
        self.chunks: list[bytes] = []
        self.at = 0

    def write(self, data: Any) -> int:
        self.chunks.append(bytes(data))
        self.at += len(self.chunks[-1])
        return len(self.chunks[-1])

    def take(self) -> bytes:
        taken, self.chunks = b"".join(self.chunks), []
        return taken

    def tell(self) -> int:
        return self.at

    def flush(self) -> None: ...

    def close(self) -> None: ...

    def writable(self) -> bool:
        return True

    def readable(self) -> bool:
        return False

    def seekable(self) -> bool:
        return False


def parquet_bytes(table: Table) -> Iterator[bytes]:
    """The file in chunks; the table's meta is the schema's. Raises NoParquet at once."""
    try:
        pa: Any = import_module("pyarrow")
        pq: Any = import_module("pyarrow.parquet")
    except ImportError as error:
        raise NoParquet(MISSING) from error
    kinds = {
        "number": pa.float64(),
        "int": pa.int64(),
        "bool": pa.bool_(),
        "time": pa.timestamp("us", tz="UTC"),
        "text": pa.string(),
    }
    meta = {key: json.dumps(value, ensure_ascii=False) for key, value in table.meta.items()}
    schema = pa.schema([pa.field(column.name, kinds[column.kind]) for column in table.columns], metadata=meta)
    return _groups(pa, pq, schema, table)


def _groups(pa: Any, pq: Any, schema: Any, table: Table) -> Iterator[bytes]:
    sink, rows = _Sink(), iter(table.values())
    with pq.ParquetWriter(sink, schema) as writer:
        while group := list(islice(rows, ROWS_A_GROUP)):
            columns = {name: [row[i] for row in group] for i, name in enumerate(table.header)}
            writer.write_table(pa.table(columns, schema=schema))
            yield sink.take()
    yield sink.take()
