//go:build parquet

package main

import _ "github.com/gramworks/gram/app/columnar" // readers of Parquet and Arrow
