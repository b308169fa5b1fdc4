package jsonscan

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"rewatch/model/jsonscan/scantest"
)

// pieces is a reader that gives n bytes at a time.
type pieces struct {
	b []byte
	n int
}

func (p *pieces) Read(to []byte) (int, error) {
	if len(p.b) == 0 {
		return 0, io.EOF
	}
	n := copy(to[:min(len(to), p.n)], p.b)
	p.b = p.b[n:]
	return n, nil
}

// readFrames reads all frames; TooLargeErrors are noted as "size!".
func readFrames(r *FrameReader) (frames []string, err error) {
	for {
		f, err := r.Next()
		var big *TooLargeError
		switch {
		case errors.As(err, &big):
			frames = append(frames, "!"+string(big.Head))
		case err != nil:
			return frames, err
		default:
			frames = append(frames, string(f))
		}
	}
}

func TestFrames(t *testing.T) {
	const max = 20
	for _, c := range []struct {
		body string
		want []string
		err  error
	}{
		{"", nil, io.EOF},
		{" \n\t ", nil, io.EOF},
		{`{"a":1}{"b":[{}]}`, []string{`{"a":1}`, `{"b":[{}]}`}, io.EOF},
		{"\n{\"a\"\n:1}\n\n {}\n", []string{"{\"a\"\n:1}", "{}"}, io.EOF},
		{`{"a":"}{\"]\\"}{}`, []string{`{"a":"}{\"]\\"}`, `{}`}, io.EOF},
		{`{"a":1}{"b`, []string{`{"a":1}`}, io.ErrUnexpectedEOF},
		{`{"a":"\`, nil, io.ErrUnexpectedEOF},
		{`{"a":1}{"aaaaaaaaaaaaaaaa":1}{"b":1}`, []string{`{"a":1}`, `!{"aaaaaaaaaaaaaaaa":1}`, `{"b":1}`}, io.EOF},
		{`{"aaaaaaaaaaaaa":1}{"b":1}`, []string{`{"aaaaaaaaaaaaa":1}`, `{"b":1}`}, io.EOF},
	} {
		for n := 1; n <= len(c.body)+1; n++ {
			r := NewFrameReader(&pieces{[]byte(c.body), n}, max)
			got, err := readFrames(r)
			for i, f := range got { // how much of a head there is depends on the pieces
				if strings.HasPrefix(f, "!{") && strings.HasPrefix(c.want[i], f) {
					got[i] = c.want[i]
				}
			}
			if !slices.Equal(got, c.want) || err != c.err {
				t.Errorf("%q by %d: %q, %v; want %q, %v", c.body, n, got, err, c.want, c.err)
			}
			if err == io.EOF && r.Buffered() != 0 {
				t.Errorf("%q: %d bytes left over", c.body, r.Buffered())
			}
		}
	}
}

// A frame is returned as soon as its last byte is there: waiting for more
// would hold back an event until the next one.
func TestFrameIsNotHeldBack(t *testing.T) {
	pr, pw := io.Pipe()
	r := NewFrameReader(pr, 1<<20)
	for range 3 {
		go func() { _, _ = io.WriteString(pw, `{"a":1}`) }()
		if f, err := r.Next(); err != nil || string(f) != `{"a":1}` {
			t.Fatalf("%q, %v", f, err)
		}
	}
}

func TestFrameCutTellsPartialBytes(t *testing.T) {
	cut := errors.New("connection reset")
	body := io.MultiReader(strings.NewReader(`{"a":1} {"b":2`), iotest.ErrReader(cut))
	r := NewFrameReader(body, 1<<20)
	if _, err := r.Next(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if _, err := r.Next(); err != cut || r.Buffered() != len(`{"b":2`) {
			t.Errorf("%v, %d bytes", err, r.Buffered())
		}
	}
}

func TestFrameTooLarge(t *testing.T) {
	big := `{"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"big","namespace":"n","uid":"u",` +
		`"resourceVersion":"7"},"data":{"k":"` + strings.Repeat(`\"x{`, 1<<20) + `"}}}`
	r := NewFrameReader(strings.NewReader("{}"+big+"{}"+big[:1<<20]), 1<<18)
	if f, err := r.Next(); err != nil || string(f) != "{}" {
		t.Fatalf("%q, %v", f, err)
	}
	_, err := r.Next()
	var tooLarge *TooLargeError
	if !errors.As(err, &tooLarge) || tooLarge.Size != int64(len(big)) || tooLarge.Max != 1<<18 {
		t.Fatalf("%v", err)
	}
	if !strings.HasPrefix(big, string(tooLarge.Head)) || len(tooLarge.Head) != headBytes {
		t.Errorf("head of %d bytes", len(tooLarge.Head))
	}
	if len(r.src.buf) > 1<<20 {
		t.Errorf("holds %d bytes", len(r.src.buf))
	}
	if f, err := r.Next(); err != nil || string(f) != "{}" {
		t.Fatalf("after it: %q, %v", f, err)
	}
	if _, err := r.Next(); !errors.As(err, &tooLarge) || tooLarge.Size != 1<<20 {
		t.Errorf("cut while skipping: %v", err)
	}
	if _, err := r.Next(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

func TestFrameSyntaxError(t *testing.T) {
	for body, excerpt := range map[string]string{
		"<html>\n<body>502 Bad Gateway": "<html>\n<body>502 Bad Gateway",
		"{}nonsense":                    "nonsense", "{}]": "]", "[{}]": "[{}]", "17": "17", `"x"`: `"x"`, "{}}": "}",
		"<" + strings.Repeat("x", 1000): "<" + strings.Repeat("x", 255),
	} {
		_, err := readFrames(NewFrameReader(strings.NewReader(body), 1<<20))
		var syntax *SyntaxError
		if !errors.As(err, &syntax) || syntax.Excerpt != excerpt {
			t.Errorf("%q: %v", body, err)
		}
	}
}

// The buffer that a large frame needed is given back when small ones follow.
func TestFrameBufferShrinks(t *testing.T) {
	var body bytes.Buffer
	for range 3 {
		body.WriteString(`{"a":"` + strings.Repeat("x", 4<<20) + `"}`)
	}
	for range 20_000 {
		body.WriteString(`{"a":"` + strings.Repeat("x", 1000) + `"}`)
	}
	r := NewFrameReader(&pieces{body.Bytes(), 40_000}, 16<<20)
	largest := 0
	for {
		_, err := r.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		largest = max(largest, len(r.src.buf))
	}
	if largest < 4<<20 || len(r.src.buf) > 256<<10 {
		t.Errorf("largest %d, at the end %d", largest, len(r.src.buf))
	}
}

func TestFramesOfCapture(t *testing.T) {
	frames := scantest.Shop(t)
	var body bytes.Buffer
	for _, f := range frames {
		body.Write(f.Raw)
	}
	r := NewFrameReader(iotest.HalfReader(&body), 1<<20)
	for i, f := range frames {
		got, err := r.Next()
		if err != nil || !bytes.Equal(got, f.Raw) {
			t.Fatalf("frame %d: %q, %v", i, got, err)
		}
		typ, object, err := SplitFrame(got)
		var want struct{ Type string }
		if json.Unmarshal(f.Raw, &want) != nil || err != nil || typ != want.Type || !bytes.Equal(object, f.Object(t)) {
			t.Fatalf("frame %d: type %q, %v", i, typ, err)
		}
	}
}

// FuzzFrames compares the frames of well-formed input with those that
// encoding/json finds, however the input is cut in pieces.
func FuzzFrames(f *testing.F) {
	for _, s := range append(identities, `{"a":1}{"b":[{}]}`, "{}\n{\"a\":\"}\"} x", `{"a":"\\"}{"a`) {
		f.Add([]byte(s), 3)
	}
	f.Fuzz(func(t *testing.T, body []byte, n int) {
		got, err := readFrames(NewFrameReader(&pieces{body, max(n, 1)}, 1<<20))
		d := json.NewDecoder(bytes.NewReader(body))
		for i := 0; ; i++ {
			var raw json.RawMessage
			wantErr := d.Decode(&raw)
			if wantErr == io.EOF {
				if i != len(got) || err != io.EOF {
					t.Errorf("%q: %d frames and %v, want %d and EOF", body, len(got), err, i)
				}
				return
			}
			if wantErr != nil || raw[0] != '{' {
				return // what comes after bad input is not compared
			}
			if i >= len(got) || got[i] != string(raw) {
				t.Fatalf("%q: frame %d of %q differs from %q", body, i, got, raw)
			}
		}
	})
}

func TestSplitFrame(t *testing.T) {
	for _, c := range []struct{ frame, typ, object string }{
		{`{"type":"ADDED","object":{"a":{}}}`, "ADDED", `{"a":{}}`},
		{` { "object" : { "type" : "no" } , "x" : [1] , "type" : "DELETED" } ` + "\n", "DELETED", `{ "type" : "no" }`},
		{`{"t\u0079pe":"BOOK\u004dARK","object":{}}`, "BOOKMARK", `{}`},
		{`{"type":"ADDED"}`, "", ""}, {`{"object":{}}`, "", ""}, {`{"type":1,"object":{}}`, "", ""}, {`{"type":"A","object":{}`, "", ""},
		{`{"type":"A","object":{}}x`, "", ""}, {`<html>`, "", ""}, {``, "", ""},
	} {
		typ, object, err := SplitFrame([]byte(c.frame))
		if typ != c.typ || string(object) != c.object || (err != nil) != (c.typ == "") {
			t.Errorf("%s: %q %q %v", c.frame, typ, object, err)
		}
	}
}

func FuzzSplitFrame(f *testing.F) {
	f.Add([]byte(`{"type":"ADDED","object":{"a":{}}}`))
	f.Add([]byte(` { "object" : null , "x" : [1] , "type" : "DELETED" } `))
	f.Fuzz(func(t *testing.T, frame []byte) {
		typ, object, err := SplitFrame(frame)
		m, wantErr := members(frame)
		if !json.Valid(frame) || wantErr != nil {
			return
		}
		var want string
		if json.Unmarshal(m["type"], &want) != nil || want == "" || m["object"] == nil {
			if err == nil && want != "" {
				t.Errorf("%q: no error", frame)
			}
			return
		}
		if err != nil || typ != want || !bytes.Equal(object, m["object"]) {
			t.Errorf("%q: %q %q %v", frame, typ, object, err)
		}
	})
}
