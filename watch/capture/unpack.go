package capture

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"

	"rewatch/watch/tape"
)

// maxWindow is that of zstd --long=27. A larger one is refused, since it is
// memory that a small file could ask for.
const maxWindow = 128 << 20

// unpack returns the text of in, whatever it is packed with, and what ends the
// unpacking.
func unpack(in io.Reader) (plain *bufio.Reader, done func(), err error) {
	const size = 256 << 10
	packed := bufio.NewReaderSize(in, size)
	head, err := packed.Peek(4)
	if err != nil && err != io.EOF {
		return nil, nil, err
	}
	none := func() {}
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		z, err := gzip.NewReader(packed)
		if err != nil {
			return nil, nil, fmt.Errorf("gzip: %w", err)
		}
		return bufio.NewReaderSize(named{z, "gzip"}, size), none, nil
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}), len(head) == 4 && head[0]&0xf0 == 0x50 && bytes.HasPrefix(head[1:], []byte{0x2a, 0x4d, 0x18}):
		z, err := zstd.NewReader(packed, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow))
		if err != nil {
			return nil, nil, err
		}
		plain = bufio.NewReaderSize(named{z, "zstd"}, size)
		if beginsTape(plain) {
			z.Close()
			return nil, nil, ErrTape
		}
		return plain, z.Close, nil
	}
	return packed, none, nil
}

// beginsTape reports whether a text begins as that of a tape.
func beginsTape(plain *bufio.Reader) bool {
	head, _ := plain.Peek(256)
	return bytes.Contains(head, []byte(`"format":"`+tape.Format+`"`))
}

// BeginsAsTape reports whether in begins as a tape, of which nothing else needs
// to be whole.
func BeginsAsTape(in io.Reader) bool {
	z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(maxWindow), zstd.IgnoreChecksum(true))
	if err != nil {
		return false
	}
	defer z.Close()
	return beginsTape(bufio.NewReader(z))
}

// named says in errors what could not be unpacked.
type named struct {
	io.Reader
	what string
}

func (n named) Read(p []byte) (int, error) {
	count, err := n.Reader.Read(p)
	if err != nil && err != io.EOF {
		err = fmt.Errorf("%s: %w", n.what, err)
	}
	return count, err
}
