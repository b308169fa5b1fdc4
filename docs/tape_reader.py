"""Print the frames of a rewatch tape, byte for byte: zstd -dc TAPE | python3 tape_reader.py"""
import base64, json, sys


def apply(base, steps):
    out, at = [], 0
    for i, step in enumerate(steps):
        if i % 3 == 0:  # copy
            out.append(base[at:at + step])
            at += step
        elif i % 3 == 1:  # insert
            out.append(step.encode())
        else:  # jump
            at += step
    return b"".join(out)


names = {"A": "ADDED", "M": "MODIFIED", "D": "DELETED", "B": "BOOKMARK"}
streams, objects, roots, now = {}, {}, {0: b""}, 0
for text in sys.stdin.buffer:
    line = json.loads(text)
    if "frame" in line:
        now = line["t"]
    elif "stream" in line:
        streams[line["stream"]["id"]] = line["stream"]["resource"]
    elif "e" in line:
        now, number, kind = now + line.get("t", 0), line.get("o"), line["e"]
        stream, old = objects.get(number, (None, b""))
        stream = line.get("s", stream)
        if "d" not in line and "x" not in line:  # found by a list: no frame
            objects.pop(number if kind == "D" else None, None)
            continue
        base = roots[line["b"]] if "b" in line else old
        raw = base64.b64decode(line["x"]) if "x" in line else apply(base, line["d"])
        if "r" in line:
            roots[line["r"]] = raw
        if kind == "D":
            objects.pop(number, None)
        elif number is not None:
            objects[number] = stream, raw
        if kind == "L" or line.get("f", 0) & 2:  # of a checkpoint, or found by a list
            continue
        before, after = line.get("w", ['{"type":"%s","object":' % names.get(kind), "}"]) if kind != "F" else ("", "")
        time = ("%d.%09d" % divmod(now, 10**9)).removesuffix("000")
        head = '{"t":%s,"stream":%s,"frame":%s' % (time, json.dumps(streams[stream]), before)
        sys.stdout.buffer.write(head.encode() + raw + after.encode() + b"}\n")
    elif "t" in line:  # a transition, gap, note or loss
        now += line["t"]
