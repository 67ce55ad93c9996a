"""Reading an offline W&B run back without network.

Format of run-<id>.wandb in wandb 0.31.0: a 7-byte header (b":W&B", uint16 0xBEE1, uint8 version, little endian), then
blocks of 32768 bytes that hold chunks: crc32 uint32, length uint16, kind uint8, payload. Kind 1 is a whole record, 2
its first part, 3 a middle part, 4 its last. A record is a protobuf `Record`. Offsets count from the start of the file;
the last bytes of a block, fewer than 7, are padding.
"""

import json
import struct
import time
from pathlib import Path

BLOCK, HEADER, CHUNK = 32768, 7, 7


def raw_records(path: Path):
    """Yield the bytes of each record, in file order."""
    data = path.read_bytes()
    ident, magic, _ = struct.unpack_from("<4sHB", data, 0)
    assert (ident, magic) == (b":W&B", 0xBEE1)
    at, record = HEADER, b""
    while at < len(data):
        left = BLOCK - at % BLOCK
        if left < CHUNK:
            at += left
            continue
        if at + CHUNK > len(data):
            return
        _, size, kind = struct.unpack_from("<IHB", data, at)
        if kind == 0 or at + CHUNK + size > len(data):
            return  # not yet written
        body = data[at + CHUNK : at + CHUNK + size]
        record = body if kind in (1, 2) else record + body
        at += CHUNK + size
        if kind in (1, 4):
            yield record


def read(folder: Path, timeout: float = 30) -> dict:
    """Return what an offline run says of itself, its config, history rows, summary, artifacts, files and exit code.

    An artifact is its type, aliases, metadata and what is in its files, by its name.

    W&B's own process writes the file a moment after `finish` has returned; wait for its last record.
    """
    deadline = time.monotonic() + timeout
    while True:
        found = _read(folder)
        if found["exit"] is not None or time.monotonic() > deadline:
            return found
        time.sleep(0.1)


def _read(folder: Path) -> dict:
    from wandb.proto import wandb_internal_pb2 as protocol

    (path,) = folder.glob("run-*.wandb")
    out: dict = {"config": {}, "history": [], "summary": {}, "metrics": {}, "artifacts": {}, "files": [], "exit": None}
    for raw in raw_records(path):
        record = protocol.Record()
        record.ParseFromString(raw)
        kind = record.WhichOneof("record_type")
        if kind == "run":
            out["id"], out["project"], out["tags"] = record.run.run_id, record.run.project, list(record.run.tags)
            out["config"] |= _values(record.run.config.update)
            out |= {
                "name": record.run.display_name,
                "group": record.run.run_group,
                "job_type": record.run.job_type,
                "commit": record.run.git.commit,
            }
        elif kind == "history":
            out["history"].append(_values(record.history.item))
        elif kind == "summary":
            out["summary"] |= _values(record.summary.update)
        elif kind == "metric":
            one = record.metric
            out["metrics"][one.name or one.glob_name] = (one.step_metric, one.summary.max, one.summary.mean)
        elif kind == "environment" and record.environment.program:
            out["program"], out["args"] = record.environment.program, list(record.environment.args)
        elif kind == "artifact":
            one = record.artifact
            contents = {entry.path: Path(entry.local_path).read_bytes() for entry in one.manifest.contents}
            metadata = json.loads(one.metadata or "{}")
            out["artifacts"][one.name] = (one.type, list(one.aliases), metadata, contents)
        elif kind == "files":
            out["files"] += [file.path for file in record.files.files]
        elif kind == "exit":
            out["exit"] = record.exit.exit_code
    return out


def _values(items) -> dict:
    """Return items by their names; those of one picture, path, size and so on, as one dictionary."""
    found: dict = {}
    for item in items:
        *outer, name = item.nested_key or [item.key]
        inside = found
        for key in outer:
            inside = inside.setdefault(key, {})
        inside[name] = json.loads(item.value_json)
    return found
