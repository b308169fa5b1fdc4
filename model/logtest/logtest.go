// Package logtest gives the tests of what is built on the log real logs to
// work with.
package logtest

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"rewatch/model"
	"rewatch/model/jsonscan"
)

// Shop is the log of a small capture of a real cluster that is kept in the
// repository: see model/testdata.
func Shop(tb testing.TB) *model.Log {
	tb.Helper()
	f, err := os.Open(filepath.Join(here(), "../testdata/shop.watch.jsonl.gz"))
	if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	return fill(tb, z)
}

// Load is the log of a large capture, 47,000 frames, that is not part of the
// repository; the test is skipped where it is absent, and in short runs.
func Load(tb testing.TB) *model.Log {
	tb.Helper()
	if testing.Short() {
		tb.Skip("reading the large capture takes seconds")
	}
	f, err := os.Open(filepath.Join(here(), "../../../shared/data/load.watch.jsonl.zst"))
	if errors.Is(err, fs.ErrNotExist) {
		tb.Skip("the large capture is not there: ../shared/data/load.watch.jsonl.zst")
	} else if err != nil {
		tb.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	z, err := zstd.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	defer z.Close()
	return fill(tb, z)
}

// fill appends the lines of a capture to a log, as an engine would.
func fill(tb testing.TB, r io.Reader) *model.Log {
	tb.Helper()
	l := model.NewLog(model.Options{Budget: 4 << 30})
	streams := map[string]model.StreamID{}
	types := map[string]model.Type{"ADDED": model.Added, "MODIFIED": model.Modified, "DELETED": model.Deleted, "BOOKMARK": model.Bookmark}
	in := bufio.NewReaderSize(r, 1<<20)
	for {
		line, err := in.ReadBytes('\n')
		if err == io.EOF {
			return l
		}
		if err != nil {
			tb.Fatal(err)
		}
		when, errT := strconv.ParseFloat(string(jsonscan.Find(line, "t")), 64)
		name, errS := jsonscan.Unquote(jsonscan.Find(line, "stream"))
		typ, object, err := jsonscan.SplitFrame(jsonscan.Find(line, "frame"))
		if err = errors.Join(errT, errS, err); err != nil {
			tb.Fatal(err)
		}
		id, ok := streams[name]
		if !ok {
			id = l.AddStream(streamOf(strings.Clone(name), object))
			streams[strings.Clone(name)] = id
		}
		l.Append(model.Record{Time: time.Unix(0, int64(when*1e9)), Stream: id, Type: types[typ], Raw: object, Bytes: len(line)})
	}
}

// streamOf says what a stream watches, by its name and its first object.
func streamOf(resource string, object []byte) model.StreamInfo {
	m, _ := jsonscan.Identity(object)
	s := model.StreamInfo{Context: "test", Version: strings.Clone(m.APIVersion), Resource: resource, Kind: strings.Clone(m.Kind),
		Namespaced: resource != "nodes", Uncached: resource == "events"}
	if group, version, ok := strings.Cut(s.Version, "/"); ok {
		s.Group, s.Version = group, version
	}
	return s
}

// Many is a log of n small rows: pods, events and leases of objects object
// names, one MODIFIED after the other.
func Many(n, objects int) *model.Log {
	l := model.NewLog(model.Options{Budget: 1 << 40})
	var streams []model.StreamID
	kinds := []string{"Pod", "Event", "Lease"}
	for i, resource := range []string{"pods", "events", "leases"} {
		streams = append(streams, l.AddStream(model.StreamInfo{Context: "prod", Version: "v1", Resource: resource, Kind: kinds[i], Namespaced: true}))
	}
	now := time.Date(2026, 12, 1, 0, 0, 0, 0, time.UTC)
	for i := range n {
		o := i * 7919 % objects
		id := model.Identity{APIVersion: "v1", Kind: kinds[o%3], Namespace: fmt.Sprint("team-", o%20), Name: fmt.Sprintf("checkout-%d-%05x", o%400, o),
			UID: fmt.Sprintf("%08x-0000-4000-8000-%012x", o, o)}
		l.Append(model.Record{Time: now.Add(time.Duration(i) * time.Millisecond), Stream: streams[o%3], Type: model.Modified,
			RV: fmt.Sprint(i + 1), Raw: fmt.Appendf(nil, `{"spec":{"n":%d}}`, i), Identity: id})
	}
	return l
}

// here is the folder of this file, so that the captures are found from the
// tests of any package.
func here() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Dir(file)
}
