package cli

import (
	"os"
	"path/filepath"
)

// aside is a file that has given up its name for another, until that is certain
// to come.
type aside struct{ path, kept string }

// setAside renames a regular file that is to be replaced; without force, or a
// file of that name, it does nothing. Errors are failures with the next step.
func setAside(path string, force bool) (*aside, error) {
	a := &aside{}
	info, err := os.Stat(path)
	if err != nil || !force || !info.Mode().IsRegular() {
		return a, nil // what is wrong with the path, its creation will tell
	}
	if path, err = filepath.EvalSymlinks(path); err != nil {
		return nil, notCreated(path, err)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".replaced-*")
	if err != nil {
		return nil, notCreated(path, err)
	}
	_ = f.Close()
	if err := os.Rename(path, f.Name()); err != nil {
		_ = os.Remove(f.Name())
		return nil, notCreated(path, err)
	}
	a.path, a.kept = path, f.Name()
	return a, nil
}

// back gives the file its name again.
func (a *aside) back() {
	if a.kept != "" {
		_ = os.Rename(a.kept, a.path)
		a.kept = ""
	}
}

// settle lets the file go.
func (a *aside) settle() {
	if a.kept != "" {
		_ = os.Remove(a.kept)
		a.kept = ""
	}
}
