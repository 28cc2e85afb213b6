package main

import (
	"debug/buildinfo"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"time"

	"github.com/spdx/tools-golang/json"
	"github.com/spdx/tools-golang/spdx/v2/common"
	"github.com/spdx/tools-golang/spdx/v2/v2_3"
)

// writeSPDX writes which modules the programs are linked with, as SPDX 2.3: those that the programs
// say themselves.
func writeSPDX(path, version string, made time.Time, programs map[target]string) error {
	modules := map[string]string{} // their versions
	for _, program := range programs {
		info, err := buildinfo.ReadFile(program)
		if err != nil {
			return err
		}
		modules["std"] = info.GoVersion
		for _, m := range info.Deps {
			modules[m.Path] = m.Version
		}
	}
	own := packageOf(name, version, homepage)
	own.PackageLicenseDeclared = license
	doc := v2_3.Document{
		SPDXVersion: v2_3.Version, DataLicense: v2_3.DataLicense, SPDXIdentifier: "DOCUMENT",
		DocumentName: name + "-" + version, DocumentNamespace: homepage + "/spdx/" + version,
		CreationInfo: &v2_3.CreationInfo{
			Creators: []common.Creator{{CreatorType: "Tool", Creator: name + "-release"}},
			Created:  made.Format(time.RFC3339),
		},
		Packages:      []*v2_3.Package{own},
		Relationships: []*v2_3.Relationship{related("DOCUMENT", "DESCRIBES", own)},
	}
	for _, module := range slices.Sorted(maps.Keys(modules)) {
		p := packageOf(module, modules[module], "NOASSERTION")
		p.PackageExternalReferences = []*v2_3.PackageExternalReference{{
			Category: "PACKAGE-MANAGER", RefType: "purl", Locator: "pkg:golang/" + module + "@" + modules[module],
		}}
		doc.Packages = append(doc.Packages, p)
		doc.Relationships = append(doc.Relationships, related(own.PackageSPDXIdentifier, "STATIC_LINK", p))
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if err := json.Write(doc, file, json.Indent("  ")); err != nil {
		return err
	}
	return file.Close()
}

var notInID = regexp.MustCompile(`[^a-zA-Z0-9.-]+`)

func packageOf(path, version, from string) *v2_3.Package {
	return &v2_3.Package{
		PackageName: path, PackageVersion: version, PackageDownloadLocation: from,
		PackageSPDXIdentifier:  common.ElementID(fmt.Sprintf("Package-%s", notInID.ReplaceAllString(path, "-"))),
		PackageLicenseDeclared: "NOASSERTION", PackageLicenseConcluded: "NOASSERTION",
		PackageCopyrightText: "NOASSERTION",
	}
}

func related(from common.ElementID, how string, to *v2_3.Package) *v2_3.Relationship {
	return &v2_3.Relationship{
		RefA: common.DocElementID{ElementRefID: from}, Relationship: how,
		RefB: common.DocElementID{ElementRefID: to.PackageSPDXIdentifier},
	}
}
