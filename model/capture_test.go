package model

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"rewatch/model/jsonscan"
)

// frame is one line of a capture.
type frame struct {
	when   time.Time
	stream string
	typ    Type
	object []byte // a part of the line
	line   []byte
}

var wireTypes = map[string]Type{"ADDED": Added, "MODIFIED": Modified, "DELETED": Deleted, "BOOKMARK": Bookmark}

// readCapture reads a capture as the README of testdata describes it.
func readCapture(tb testing.TB, r io.Reader) []frame {
	tb.Helper()
	var out []frame
	in := bufio.NewReaderSize(r, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return out
		}
		if err != nil {
			tb.Fatal(err)
		}
		var l struct {
			T      float64         `json:"t"`
			Stream string          `json:"stream"`
			Frame  json.RawMessage `json:"frame"`
		}
		if err := json.Unmarshal(line, &l); err != nil {
			tb.Fatal(err)
		}
		typ, object, err := jsonscan.SplitFrame(l.Frame)
		if err != nil {
			tb.Fatal(err)
		}
		out = append(out, frame{time.Unix(0, int64(l.T*1e9)), l.Stream, wireTypes[typ], object, l.Frame})
	}
}

// shop is the capture in testdata.
func shop(tb testing.TB) []frame {
	tb.Helper()
	f, err := os.Open("testdata/shop.watch.jsonl.gz")
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	return readCapture(tb, z)
}

// load is the large capture; it is not in the repository.
func load(tb testing.TB) []frame {
	tb.Helper()
	path := filepath.Join("..", "..", "shared", "data", "load.watch.jsonl.zst")
	b, err := os.ReadFile(path)
	if err != nil {
		tb.Skip("needs the large capture: ", err)
	}
	z, err := zstd.NewReader(bytes.NewReader(b))
	if err != nil {
		tb.Fatal(err)
	}
	defer z.Close()
	return readCapture(tb, z)
}

// filler appends frames to a log as an engine would.
type filler struct {
	log     *Log
	streams map[string]StreamID
}

func newFiller(l *Log) *filler { return &filler{l, map[string]StreamID{}} }

func (f *filler) stream(resource string) StreamID {
	id, ok := f.streams[resource]
	if !ok {
		id = f.log.AddStream(StreamInfo{Context: "test", Version: "v1", Resource: resource})
		f.streams[resource] = id
	}
	return id
}

func (f *filler) add(x frame) Event {
	return f.log.Append(Record{Time: x.when, Stream: f.stream(x.stream), Type: x.typ, Raw: x.object, Bytes: len(x.line)})
}
