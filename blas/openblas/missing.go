//go:build !openblas || !cgo

package openblas

import (
	"errors"

	"github.com/gramworks/gram/blas"
)

var errMissing = errors.New("openblas: not built in: build with CGO_ENABLED=1 and -tags openblas, " +
	"with OpenBLAS and LAPACKE installed (Debian: libopenblas-dev, liblapacke-dev)")

func open(string) (blas.Backend, error) { return nil, errMissing }

func describeMissing() (Info, error) { return Info{}, errMissing }
