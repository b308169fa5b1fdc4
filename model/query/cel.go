package query

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common"
	"github.com/google/cel-go/common/ast"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/ext"

	"rewatch/model"
)

// program is a CEL expression, ready to be evaluated from any goroutine.
type program struct {
	program  cel.Program
	versions int      // how many versions of the object it may look at
	reads    []string // the variables that it names
}

// costLimit bounds one evaluation, in CEL's own units: a step or a few bytes
// of text each. It is far more than an honest expression takes, and ends a
// runaway after some tens of milliseconds. After maxOverruns rows the term is
// given up for those that follow.
const (
	costLimit   = 200_000
	maxOverruns = 5
)

// variables are the names that an expression may use.
func variables() map[string]*cel.Type {
	return map[string]*cel.Type{
		"type": cel.StringType, "kind": cel.StringType, "namespace": cel.StringType, "name": cel.StringType,
		"object": cel.DynType, "old": cel.DynType, "paths": cel.ListType(cel.StringType), "manager": cel.StringType,
		"stream": cel.StringType, "context": cel.StringType, "gap": cel.BoolType, "synthetic": cel.BoolType,
	}
}

// environment is made when the first expression is read: it takes a
// millisecond, which no start without one has to pay.
var environment = sync.OnceValues(func() (*cel.Env, error) {
	options := []cel.EnvOption{cel.OptionalTypes(), ext.Strings(), cel.CrossTypeNumericComparisons(true),
		cel.ParserRecursionLimit(maxNesting), cel.ParserExpressionSizeLimit(maxText), cel.RegexProgramSizeLimit(1000)}
	for name, t := range variables() {
		options = append(options, cel.Variable(unreserved(name), t))
	}
	return cel.NewEnv(options...)
})

// CEL reserves the word namespace and lets nothing be called so, though it may
// be selected, as in object.metadata.namespace. The variable has another name
// inside, of the same length, so that columns stay where they are.
const namespaceAlias = "Namespace"

// unreserved gives the variable namespace the name that it has inside.
func unreserved(source string) string {
	const word = "namespace"
	b := []byte(source)
	quote := byte(0)
	var last, before byte // the characters before this one, spaces left out
	for i := 0; i < len(b); i++ {
		switch c := b[i]; {
		case quote != 0 && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case identifier(c) && (i == 0 || !identifier(b[i-1])):
			end := i
			for end < len(b) && identifier(b[end]) {
				end++
			}
			selected := last == '.' || last == '?' && before == '.'
			if !selected && string(b[i:end]) == word {
				copy(b[i:], namespaceAlias)
			}
			i = end - 1
		}
		if i < len(b) && b[i] != ' ' && b[i] != '\t' && b[i] != '\n' {
			before, last = last, b[i]
		}
	}
	return string(b)
}

func identifier(c byte) bool {
	return c == '_' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
}

// cel reads an expression: to the end, or to the end of the group at hand.
func (p *parser) cel(at int) (*node, error) {
	p.space()
	from := p.at
	p.at = celEnd(p.text, from, p.depth > 0)
	source := strings.TrimRight(string(p.text[from:p.at]), " \t\n")
	if source == "" {
		return nil, p.fail(from, "for example cel: object.status.phase == 'Failed'", "cel: needs an expression")
	}
	x, err := p.compile(from, source)
	if err != nil {
		return nil, err
	}
	return p.add(&leaf{field: celField, at: at, key: "cel:" + source, cel: x}), nil
}

// celEnd finds the end of an expression.
func celEnd(text []rune, at int, inGroup bool) int {
	open, quote := 0, rune(0)
	for ; at < len(text); at++ {
		switch c := text[at]; {
		case quote != 0 && c == '\\':
			at++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '(':
			open++
		case c == ')':
			if open == 0 && inGroup {
				return at
			}
			open--
		}
	}
	return len(text)
}

func (p *parser) compile(from int, source string) (*program, error) {
	env, err := environment()
	if err != nil {
		return nil, p.fail(from, "", "CEL: %v", err)
	}
	checked, issues := env.Compile(unreserved(source))
	if issues.Err() != nil {
		return nil, p.celError(from, source, issues.Errors()[0])
	}
	if t := checked.OutputType(); t != cel.BoolType && t != cel.DynType {
		return nil, p.fail(from, "compare it with something", "the expression is no condition but a value of type %s", t)
	}
	x, err := env.Program(checked, cel.EvalOptions(cel.OptOptimize), cel.CostLimit(costLimit))
	if err != nil {
		return nil, p.fail(from, "", "%v", err)
	}
	return &program{program: x, versions: versionsOf(checked.NativeRep()), reads: identifiersOf(checked.NativeRep())}, nil
}

// celError says where CEL found something wrong, in a line.
func (p *parser) celError(from int, source string, e *common.Error) error {
	at := from
	lines := strings.SplitAfter(source, "\n")
	for _, l := range lines[:min(max(e.Location.Line()-1, 0), len(lines)-1)] {
		at += len([]rune(l))
	}
	at = min(at+max(e.Location.Column(), 0), len(p.text))
	message := strings.TrimPrefix(e.Message, "Syntax error: ")
	if name, ok := strings.CutPrefix(message, "undeclared reference to '"); ok {
		name, _, _ = strings.Cut(name, "'")
		names := variableNames()
		hint := "variables are " + strings.Join(names, ", ")
		if near := nearest(name, names); near != "" {
			hint = "did you mean " + near + "?"
		}
		return p.fail(at, hint, "CEL knows no %s here", name)
	}
	message, _, _ = strings.Cut(message, " expecting ")
	message, _, _ = strings.Cut(message, "\n")
	return p.fail(at, "", "CEL: %s", strings.ReplaceAll(message, "'<EOF>'", "the end"))
}

// versionsOf is how many versions of the object an expression refers to.
func versionsOf(a *ast.AST) int {
	n := 0
	ast.PostOrderVisit(a.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() != ast.IdentKind {
			return
		}
		switch e.AsIdent() {
		case "object":
			n = max(n, 1)
		case "old", "paths", "manager":
			n = 2
		}
	}))
	return n
}

// identifiersOf lists the names in an expression, those that it gives itself
// included.
func identifiersOf(a *ast.AST) (names []string) {
	ast.PostOrderVisit(a.Expr(), ast.NewExprVisitor(func(e ast.Expr) {
		if e.Kind() == ast.IdentKind && !slices.Contains(names, e.AsIdent()) {
			names = append(names, e.AsIdent())
		}
	}))
	return names
}

// evaluate judges an expression. An error is no match: see Matcher.Problem.
func (r *row) evaluate(x *program) bool {
	if r.overruns >= maxOverruns {
		r.problems++
		return false
	}
	r.cel.row = r
	v, _, err := x.program.Eval(&r.cel)
	if err != nil {
		if strings.Contains(err.Error(), "cost limit exceeded") {
			r.overruns++
			err = errors.New("the expression takes too long: cost limit exceeded")
		}
		if r.problems++; r.problem == "" {
			r.problem = err.Error()
		}
		return false
	}
	b, ok := v.(types.Bool)
	if !ok {
		if r.problems++; r.problem == "" {
			r.problem = fmt.Sprintf("the expression is no condition but a value of type %s", v.Type().TypeName())
		}
	}
	return bool(b)
}

// celRow gives an expression what it names of a row, when it names it.
type celRow struct {
	row         *row
	object, old ref.Val
	identity    model.Identity
	identified  bool
}

func (c *celRow) reset() { c.object, c.old, c.identified = nil, nil, false }

// Parent is none.
func (c *celRow) Parent() cel.Activation { return nil }

// ResolveName is the value of a variable.
func (c *celRow) ResolveName(name string) (any, bool) {
	r := c.row
	switch name {
	case "type":
		return types.String(r.e.Type.String()), true
	case "kind":
		return types.String(c.id().Kind), true
	case namespaceAlias:
		return types.String(c.id().Namespace), true
	case "name":
		return types.String(c.id().Name), true
	case "context":
		return types.String(c.id().Context), true
	case "stream":
		s, _ := r.log.Stream(r.e.Stream)
		return types.String(s.Name()), true
	case "gap":
		return types.Bool(r.e.Type == model.GapFound), true
	case "synthetic":
		return types.Bool(r.e.Has(model.Synthetic)), true
	case "object":
		if c.object == nil {
			c.object = jsonValue(r.object())
		}
		return c.object, true
	case "old":
		if c.old == nil {
			c.old = jsonValue(r.old())
		}
		return c.old, true
	case "manager":
		return c.manager(), true
	case "paths":
		var list []ref.Val
		if r.e.Type == model.Modified {
			for _, x := range r.compare().Changes {
				list = append(list, types.String(x.Path))
			}
		}
		return types.NewRefValList(types.DefaultTypeAdapter, list), true
	}
	return nil, false
}

func (c *celRow) manager() types.String {
	if m := c.row.who(); len(m) > 0 {
		return types.String(m[0])
	}
	return ""
}

// id is the identity of the object; of a row without one, that of its stream as
// far as it goes.
func (c *celRow) id() *model.Identity {
	if !c.identified {
		c.identified = true
		if c.identity = c.row.log.Identity(c.row.e.Object); c.row.e.Object == 0 {
			s, _ := c.row.log.Stream(c.row.e.Stream)
			c.identity = model.Identity{Context: s.Context, Kind: s.Kind, Namespace: s.Namespace}
		}
	}
	return &c.identity
}

func variableNames() []string { return slices.Sorted(maps.Keys(variables())) }
