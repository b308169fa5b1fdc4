package query

import (
	"math"
	"reflect"
	"strconv"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"

	"rewatch/model/jsonscan"
)

// jsonValue is a CEL value of JSON bytes, which it refers to: objects are read
// member by member, as an expression asks for them. Integers of up to 64 bits
// stay integers. Absent and unreadable bytes are null.
func jsonValue(raw []byte) ref.Val {
	if len(raw) == 0 {
		return types.NullValue
	}
	switch raw[0] {
	case '{':
		return &jsonObject{raw: raw}
	case '[':
		spans, _ := jsonscan.AppendElements(nil, raw)
		list := make([]ref.Val, len(spans))
		for i, s := range spans {
			list[i] = jsonValue(s.Of(raw))
		}
		return types.NewRefValList(types.DefaultTypeAdapter, list)
	case '"':
		if s, err := jsonscan.Unquote(raw); err == nil {
			return types.String(s)
		}
	case 't':
		return types.True
	case 'f':
		return types.False
	case 'n':
	default:
		return jsonNumber(string(raw))
	}
	return types.NullValue
}

func jsonNumber(s string) ref.Val {
	if n, err := strconv.ParseInt(s, 10, 64); err == nil {
		return types.Int(n)
	}
	if n, err := strconv.ParseUint(s, 10, 64); err == nil {
		return types.Uint(n)
	}
	f, err := strconv.ParseFloat(s, 64)
	if err != nil {
		return types.NullValue
	}
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 { // 1e3
		return types.Int(f)
	}
	return types.Double(f)
}

// jsonObject is a JSON object as a map of CEL.
type jsonObject struct {
	raw     []byte
	scanned bool
	members []jsonscan.Member
	values  []ref.Val // of the members that were asked for
	all     traits.Mapper
}

var _ traits.Mapper = (*jsonObject)(nil)

func (o *jsonObject) scan() {
	if !o.scanned {
		o.scanned = true
		o.members, _ = jsonscan.AppendMembers(nil, o.raw)
		o.values = make([]ref.Val, len(o.members))
	}
}

func (o *jsonObject) value(i int) ref.Val {
	if o.values[i] == nil {
		o.values[i] = jsonValue(o.members[i].Of(o.raw))
	}
	return o.values[i]
}

// Find is the value of a member.
func (o *jsonObject) Find(key ref.Val) (ref.Val, bool) {
	name, ok := key.(types.String)
	if !ok {
		return types.MaybeNoSuchOverloadErr(key), false
	}
	o.scan()
	for i := range o.members {
		if o.members[i].Key == string(name) {
			return o.value(i), true
		}
	}
	return nil, false
}

// Get is Find with an error for what is absent.
func (o *jsonObject) Get(key ref.Val) ref.Val {
	v, ok := o.Find(key)
	switch {
	case ok:
		return v
	case v != nil:
		return v
	}
	return types.NewErr("no such key: %v", key.Value())
}

// Contains reports whether there is a member of that name.
func (o *jsonObject) Contains(key ref.Val) ref.Val {
	v, ok := o.Find(key)
	if !ok && v != nil {
		return v
	}
	return types.Bool(ok)
}

// Size is the number of members.
func (o *jsonObject) Size() ref.Val {
	o.scan()
	return types.Int(len(o.members))
}

// whole is the object as a map of CEL's own, for what is seldom done.
func (o *jsonObject) whole() traits.Mapper {
	if o.all == nil {
		o.scan()
		m := make(map[ref.Val]ref.Val, len(o.members))
		for i := len(o.members) - 1; i >= 0; i-- { // the first of a key counts
			m[types.String(o.members[i].Key)] = o.value(i)
		}
		o.all = types.NewRefValMap(types.DefaultTypeAdapter, m)
	}
	return o.all
}

// Iterator goes through the keys.
func (o *jsonObject) Iterator() traits.Iterator { return o.whole().Iterator() }

// Equal compares with another map.
func (o *jsonObject) Equal(other ref.Val) ref.Val { return o.whole().Equal(other) }

// ConvertToNative is for callers outside of CEL.
func (o *jsonObject) ConvertToNative(t reflect.Type) (any, error) {
	return o.whole().ConvertToNative(t)
}

// ConvertToType is for type() and map().
func (o *jsonObject) ConvertToType(t ref.Type) ref.Val { return o.whole().ConvertToType(t) }

// Type is that of maps.
func (o *jsonObject) Type() ref.Type { return types.MapType }

// Value is the object as a map of CEL values.
func (o *jsonObject) Value() any { return o.whole().Value() }
