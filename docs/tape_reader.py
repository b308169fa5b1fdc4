"""Print the frames of a rewatch tape, byte for byte: zstd -dc TAPE | python3 tape_reader.py"""
import base64, itertools, json, sys, time, uuid


def value(kind, v):
    """What stands in the line for a value of a form."""
    global at, number
    if kind in "uwe":  # those seen lately are told by their place
        seen = recent[kind]
        v = seen.pop(int(v[1:] or 0)) if v[0] == "~" else str(uuid.UUID(v)) if kind == "u" else v
        recent[kind] = [v] + seen[:15]
    elif kind in "tm":
        at = now + int(v) * (1000 if kind == "m" else 1)
    elif kind == "n":
        v = number = number + int(v)
    elif kind == "x":
        v = "%x" % (at + int(v, 16))
    elif kind == "z":
        v = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(at // 10**9 + int(v)))
    return str(v)


def spliced(base, steps):
    text, cursor = b"", 0
    for copy, insert, jump in itertools.zip_longest(steps[::3], steps[1::3], steps[2::3]):
        text += base[cursor:cursor + copy] + (insert or "").encode()
        cursor += copy + (jump or 0)
    return text + base[cursor:]


types = {"A": "ADDED", "M": "MODIFIED", "D": "DELETED", "B": "BOOKMARK"}
streams, objects, roots = {}, {}, {0: b""}
for line in map(json.loads, sys.stdin.buffer):
    if isinstance(line, str):  # it uses a form
        form, *values = line.split(" ")
        form, at = forms[int(form)], now
        values = [value(kind, v) for kind, v in zip(form["holes"], values)]
        line = json.loads("".join(p if isinstance(p, str) else values[p] for p in form["line"]))
    event, now = line.get("e"), line["t"] if "frame" in line else now + line.get("t", 0)
    if "frame" in line:
        near = newest = line.get("o", 0)
        number, forms, recent = 0, [], {"u": [], "w": [], "e": []}
    elif "form" in line:
        forms.append(line)
    elif "stream" in line:
        streams[line["stream"]["id"]] = line["stream"]["resource"]
    elif event:
        o = near + line["o"] if "o" in line else newest + 1 if "b" in line else None
        if o:
            near, newest = o, max(o, newest)
        stream, text = objects.get(o, (None, b""))
        stream = line.get("s", stream)
        if "x" in line:
            text = base64.b64decode(line["x"])
        elif "d" in line:
            text = spliced(roots[line["b"]] if "b" in line else text, line["d"])
        if "r" in line:
            roots[line["r"]] = text
        if event == "D":
            objects.pop(o, None)
        elif o:
            objects[o] = stream, text
        if event == "L" or not ("d" in line or "x" in line):
            continue  # no frame carried it
        if line.get("f", 0) & 2 and "w" not in line and (event != "A" or line.get("n") != len(text) + 26):
            continue  # a list had it, and no frame; 26 are the bytes of the envelope
        before, after = ("", "") if event == "F" else line.get("w") or ('{"type":"%s","object":' % types[event], "}")
        frame = (before.encode() + text + after.encode()).replace(b"\n", b" ")  # a newline between tokens, where a server may write one
        when = ("%d.%09d" % divmod(now, 10**9)).removesuffix("000")
        sys.stdout.buffer.write(b'{"t":%b,"stream":%b,"frame":%b}\n' % (when.encode(), json.dumps(streams[stream]).encode(), frame))
