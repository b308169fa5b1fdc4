// Command mkdemo makes the history that rewatch carries for `rewatch demo`
// from a capture: it replaces the values of Secrets by made-up ones, rewrites
// nothing else, and compresses.
//
//	go run ./internal/mkdemo -o demo.jsonl.zst capture.jsonl.gz
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

func main() {
	out := flag.String("o", "demo.jsonl.zst", "file to write")
	flag.Parse()
	if err := run(*out, flag.Arg(0)); err != nil {
		fmt.Fprintln(os.Stderr, "mkdemo:", err)
		os.Exit(1)
	}
}

func run(out, capture string) error {
	f, err := os.Open(capture)
	if err != nil {
		return err
	}
	defer f.Close()
	gz, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	var plain bytes.Buffer
	if err := convert(&plain, gz); err != nil {
		return err
	}
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression), zstd.WithWindowSize(8<<20))
	if err != nil {
		return err
	}
	return os.WriteFile(out, enc.EncodeAll(plain.Bytes(), nil), 0o644)
}

// convert copies a capture without the values of its Secrets. It learns all of
// them before it writes a line: an earlier one may hold a copy.
func convert(w io.Writer, r io.Reader) error {
	var lines [][]byte
	s := secrets{made: map[string]string{}}
	sc := bufio.NewScanner(r)
	sc.Buffer(nil, 16<<20)
	for sc.Scan() {
		lines = append(lines, bytes.Clone(sc.Bytes()))
		if err := s.collect(sc.Bytes()); err != nil {
			return err
		}
	}
	for _, l := range lines {
		if _, err := w.Write(append(s.hide(l), '\n')); err != nil {
			return err
		}
	}
	return sc.Err()
}

// secrets knows every value of a Secret, as it is written, and what is written in its place: the same for the same value, so that it is
// still visible that a Secret changed.
type secrets struct{ made map[string]string }

// collect learns the values of a line about a Secret.
func (s secrets) collect(line []byte) error {
	var l struct {
		Frame struct {
			Object struct {
				Kind             string
				Data, StringData map[string]string
			}
		}
	}
	if err := json.Unmarshal(line, &l); err != nil {
		return err
	}
	if l.Frame.Object.Kind != "Secret" {
		return nil
	}
	for _, v := range l.Frame.Object.Data {
		plain, err := base64.StdEncoding.DecodeString(v)
		if err != nil {
			return err
		}
		s.add(string(plain))
	}
	for _, v := range l.Frame.Object.StringData {
		s.add(v)
	}
	return nil
}

func (s secrets) add(plain string) {
	encoded := base64.StdEncoding.EncodeToString([]byte(plain))
	if plain == "" || s.made[encoded] != "" {
		return
	}
	made := fmt.Sprintf("made-up-value-%d", len(s.made)/2+1)
	s.made[plain], s.made[encoded] = made, base64.StdEncoding.EncodeToString([]byte(made))
}

func (s secrets) hide(line []byte) []byte {
	for old, made := range s.made {
		line = bytes.ReplaceAll(line, []byte(old), []byte(made))
	}
	return line
}
