//go:build !parquet

package dataset

func newParquet(in *input, _ Options) (cells, error) { return nil, missingColumnar(in, "Parquet") }

func newArrow(in *input, _ Options) (cells, error) { return nil, missingColumnar(in, "Arrow") }

func missingColumnar(in *input, name string) error {
	return in.fail(0, 0, "this program was built without %s: build it with -tags parquet (go build -tags parquet ./app/cmd/gram), or convert the file to CSV", name)
}
