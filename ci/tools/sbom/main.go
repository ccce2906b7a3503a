// Sbom writes the software bill of materials of a Go program that imports gram, as SPDX
// 2.3 in JSON: the program with its SHA-256, the modules that it links with their
// versions and licenses, and the Go that built it. The modules are those that the
// program itself names, and the licenses those of docs/licenses.md. The same program
// gives the same text.
//
//	go run ./ci/tools/sbom PROGRAM
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"time"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sbom PROGRAM")
		os.Exit(2)
	}
	if err := write(os.Stdout, os.Args[1], "docs/licenses.md"); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

type document struct {
	SPDXVersion       string         `json:"spdxVersion"`
	DataLicense       string         `json:"dataLicense"`
	SPDXID            string         `json:"SPDXID"`
	Name              string         `json:"name"`
	DocumentNamespace string         `json:"documentNamespace"`
	CreationInfo      creation       `json:"creationInfo"`
	Packages          []component    `json:"packages"`
	Relationships     []relationship `json:"relationships"`
}

type creation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type component struct {
	SPDXID           string      `json:"SPDXID"`
	Name             string      `json:"name"`
	VersionInfo      string      `json:"versionInfo"`
	DownloadLocation string      `json:"downloadLocation"`
	FilesAnalyzed    bool        `json:"filesAnalyzed"`
	LicenseConcluded string      `json:"licenseConcluded"`
	LicenseDeclared  string      `json:"licenseDeclared"`
	CopyrightText    string      `json:"copyrightText"`
	Checksums        []checksum  `json:"checksums,omitempty"`
	ExternalRefs     []reference `json:"externalRefs,omitempty"`
}

type checksum struct {
	Algorithm string `json:"algorithm"`
	Value     string `json:"checksumValue"`
}

type reference struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type relationship struct {
	Element string `json:"spdxElementId"`
	Type    string `json:"relationshipType"`
	Related string `json:"relatedSpdxElement"`
}

// write writes the bill of the program at path.
func write(w io.Writer, path, licenses string) error {
	info, err := buildinfo.ReadFile(path)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	license, err := readLicenses(licenses)
	if err != nil {
		return err
	}
	created := time.Unix(0, 0).UTC() // of the revision, if the build knows it
	for _, s := range info.Settings {
		if s.Key == "vcs.time" {
			if created, err = time.Parse(time.RFC3339, s.Value); err != nil {
				return err
			}
		}
	}
	sum := fmt.Sprintf("%x", sha256.Sum256(text))
	d := document{
		SPDXVersion: "SPDX-2.3", DataLicense: "CC0-1.0", SPDXID: "SPDXRef-DOCUMENT", Name: filepath.Base(path),
		DocumentNamespace: "https://" + info.Main.Path + "/sbom/" + sum,
		CreationInfo:      creation{created.UTC().Format(time.RFC3339), []string{"Tool: " + "github.com/gramworks/gram/ci/tools/sbom"}},
	}
	program := module(0, &info.Main, "BSD-3-Clause")
	program.Checksums = []checksum{{"SHA256", sum}}
	std := module(1, &debug.Module{Path: "std", Version: strings.TrimPrefix(info.GoVersion, "go")}, "BSD-3-Clause")
	d.Packages = []component{program, std}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		name, known := license[m.Path]
		if m.Path == "github.com/gramworks/gram" {
			name, known = program.LicenseDeclared, true
		}
		if !known {
			return fmt.Errorf("%s does not have the license of %s", licenses, m.Path)
		}
		d.Packages = append(d.Packages, module(len(d.Packages), m, name))
	}
	d.Relationships = []relationship{{d.SPDXID, "DESCRIBES", program.SPDXID}}
	for _, c := range d.Packages[1:] {
		d.Relationships = append(d.Relationships, relationship{program.SPDXID, "DEPENDS_ON", c.SPDXID})
	}
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(d)
}

// module returns the entry of a module in the list of packages, of which it is number i.
func module(i int, m *debug.Module, license string) component {
	return component{
		SPDXID: fmt.Sprintf("SPDXRef-%d", i), Name: m.Path, VersionInfo: m.Version, DownloadLocation: "NOASSERTION",
		LicenseConcluded: license, LicenseDeclared: license, CopyrightText: "NOASSERTION",
		ExternalRefs: []reference{{"PACKAGE-MANAGER", "purl", "pkg:golang/" + m.Path + "@" + m.Version}},
	}
}

// readLicenses reads the table of modules and their licenses, as expressions of SPDX.
func readLicenses(path string) (map[string]string, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	license := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if cells := strings.Split(strings.TrimSpace(line), "|"); len(cells) == 4 {
			license[strings.TrimSpace(cells[1])] = strings.NewReplacer(", ", " AND ", " or ", " OR ").Replace(strings.TrimSpace(cells[2]))
		}
	}
	if len(license) == 0 {
		return nil, errors.New(path + " has no table of licenses")
	}
	return license, nil
}
