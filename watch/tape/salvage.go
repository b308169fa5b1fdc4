package tape

import (
	"bytes"
	"fmt"
	"time"

	"github.com/klauspost/compress/zstd"
)

// Of a data frame that is torn or damaged, what was sealed before comes back:
// the writer ends a block with each sync line, and a decoder needs nothing
// behind a block to unpack it.

// salvage appends to dst what of the text of a data frame is proven by a sync
// line, without regard to the checksum and to what is behind it: raw may be
// damaged anywhere, or torn, and is changed. Errors are not about raw.
func (t *Tape) salvage(dst, raw []byte) ([]byte, error) {
	var h zstd.Header
	if h.Decode(raw) != nil || h.Skippable || h.HasFCS || h.DictionaryID != 0 {
		return dst, nil
	}
	end, last := h.HeaderSize, -1
	for end+3 <= len(raw) {
		size := int(raw[end]) | int(raw[end+1])<<8 | int(raw[end+2])<<16
		kind := size >> 1 & 3
		if size >>= 3; kind == 1 {
			size = 1
		}
		if kind == 3 || size > len(raw)-end-3 {
			break
		}
		last, end = end, end+3+size
		if raw[last]&1 != 0 {
			break
		}
	}
	if last < 0 {
		return dst, nil
	}
	// The blocks that seem whole, as a frame that ends with the last of them
	// and has no checksum.
	const hasChecksum = 1 << 2
	raw[4] &^= hasChecksum
	raw[last] |= 1
	d, err := t.decoder()
	if err != nil {
		return dst, err
	}
	defer t.decoders.Put(d)
	text, _ := d.DecodeAll(raw[:end], dst) // what is right of it is for the sync lines to say
	if len(text)-len(dst) > t.limits.Frame || len(text) < len(dst) {
		return dst, nil
	}
	return text[:len(dst)+sealed(text[len(dst):])], nil
}

// sealed returns how much of a text is up to the last sync line that agrees
// with it.
func sealed(text []byte) int {
	end, sum := 0, uint32(0)
	var l line
	for at := 0; ; {
		n := bytes.IndexByte(text[at:], '\n') + 1
		if n == 0 {
			return end
		}
		one := text[at : at+n]
		if bytes.HasPrefix(one, []byte(`{"sync":`)) && l.parse(one[:n-1]) == nil && l.sync == uint64(sum) {
			end = at + n
		}
		sum = crcUpdate(sum, one)
		at += n
	}
}

// lost is the damage of a data frame of which so many records came back, the
// newest of them at a time.
func (p *part) lost(records, newest int64, why string) *Damage {
	d := &Damage{Offset: p.offset, Size: p.Size, Records: int(max(p.Records-records, 0)), Text: why}
	if p.Records > 0 {
		d.From, d.To = time.Unix(0, p.From), time.Unix(0, p.To)
	}
	if records > 0 {
		d.From = time.Unix(0, newest)
		d.Text = fmt.Sprintf("%s; the %d records before came back", why, records)
	}
	return d
}
