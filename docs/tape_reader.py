"""Print the frames of a rewatch tape, byte for byte: zstd -dc TAPE | python3 tape_reader.py"""
import base64, json, sys, time, uuid


def fill(kind, v):
    global at, last
    if kind in "uwe":  # values seen lately are told by their place
        seen = recent.setdefault(kind, [])
        v = seen.pop(int(v[1:] or 0)) if v[0] == "~" else str(uuid.UUID(v)) if kind == "u" else v
        recent[kind] = [v] + seen[:15]
    elif kind in "tm":
        at = now + int(v) * (1000 if kind == "m" else 1)
    elif kind == "z":
        v = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at // 10**9 + int(v)))
    elif kind == "x":
        v = "%x" % (at + int(v, 16))
    elif kind == "n":
        last += int(v)
        v = str(last)
    return v


def apply(base, steps):
    out, cursor = [], 0
    for i, step in enumerate(steps):
        if i % 3 == 0:  # copy
            out.append(base[cursor:cursor + step])
            cursor += step
        elif i % 3 == 1:  # insert
            out.append(step.encode())
        else:  # jump
            cursor += step
    return b"".join(out) + base[cursor:]


names = {"A": "ADDED", "M": "MODIFIED", "D": "DELETED", "B": "BOOKMARK"}
streams, objects, roots = {}, {}, {0: b""}
for text in sys.stdin.buffer:
    line = json.loads(text)
    if isinstance(line, str):  # a form is used
        form, *values = line.split(" ")
        at, form = now, forms[int(form)]
        values = [fill(kind, v) for kind, v in zip(form["holes"], values)]
        line = json.loads("".join(values[p] if isinstance(p, int) else p for p in form["line"]))
    if "form" in line:
        forms.append(line)
    elif "frame" in line:
        now, near, newest, last, forms, recent = line["t"], line.get("o", 0), line.get("o", 0), 0, [], {}
    elif "stream" in line:
        streams[line["stream"]["id"]] = line["stream"]["resource"]
    elif "t" in line or "e" in line:
        now += line.get("t", 0)
        if "o" in line or "b" in line:
            near = near + line["o"] if "o" in line else newest + 1
            newest = max(near, newest)
        kind, has = line.get("e"), "d" in line or "x" in line
        stream, old = objects.get(near, (None, b"")) if "o" in line else (None, b"")
        stream = line.get("s", stream)
        raw = base64.b64decode(line["x"]) if "x" in line else apply(roots[line["b"]] if "b" in line else old, line.get("d", []))
        if "r" in line:
            roots[line["r"]] = raw
        if kind == "D":
            objects.pop(near, None)
        elif "o" in line or "b" in line:
            objects[near] = stream, raw
        if kind not in ("A", "M", "D", "B", "F") or line.get("f", 0) & 2 or not has:  # no frame carried it
            continue
        before, after = line.get("w", ['{"type":"%s","object":' % names.get(kind), "}"]) if kind != "F" else ("", "")
        when = ("%d.%09d" % divmod(now, 10**9)).removesuffix("000")
        head = '{"t":%s,"stream":%s,"frame":' % (when, json.dumps(streams[stream]))
        frame = (before.encode() + raw + after.encode()).replace(b"\n", b" ")  # between tokens, where a server may write some
        sys.stdout.buffer.write(head.encode() + frame + b"}\n")
