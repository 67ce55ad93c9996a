"""Reading the event files of TensorBoard back, as TensorBoard does: the start of a session forgets what comes later.

An event file holds records: length uint64, checksum of the length, payload, checksum of the payload; uint32, little
endian. A payload is a protobuf `Event`. Checksums are CRC-32C, masked.
"""

import struct
from pathlib import Path


def read(folder: Path) -> dict:
    """Return what the event files of a folder say, in the order of their names.

    Returns:
        `scalars`, tag -> list of (step, value); `texts`, tag -> (step, text); `images`, tag -> (step, width, height,
        PNG); `times`, step -> time.
    """
    from tensorboardX.proto.event_pb2 import Event

    found: dict = {"scalars": {}, "texts": {}, "images": {}, "times": {}}
    for path in sorted(folder.glob("events.out.tfevents.*")):
        for payload in payloads(path.read_bytes()):
            event = Event.FromString(payload)
            if event.session_log.status == event.session_log.START:
                for tag, values in found["scalars"].items():
                    found["scalars"][tag] = [(step, value) for step, value in values if step < event.step]
            for value in event.summary.value:
                kind = value.WhichOneof("value")
                if kind == "simple_value":
                    found["scalars"].setdefault(value.tag, []).append((event.step, value.simple_value))
                    found["times"][event.step] = event.wall_time
                elif kind == "tensor":
                    found["texts"][value.tag] = (event.step, value.tensor.string_val[0].decode())
                elif kind == "image":
                    image = value.image
                    shown = (event.step, image.width, image.height, image.encoded_image_string)
                    found["images"][value.tag] = shown
    return found


def payloads(data: bytes):
    """Yield the payload of every record; a checksum that is wrong is an error."""
    from tensorboardX.record_writer import masked_crc32c

    at = 0
    while at < len(data):
        header = data[at : at + 8]
        (size,) = struct.unpack("<Q", header)
        payload = data[at + 12 : at + 12 + size]
        sums = struct.unpack("<I", data[at + 8 : at + 12]) + struct.unpack("<I", data[at + 12 + size : at + 16 + size])
        assert sums == (masked_crc32c(header), masked_crc32c(payload))
        yield payload
        at += size + 16
