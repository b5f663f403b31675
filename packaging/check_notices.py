#!/usr/bin/env python3
"""Checks what artifacts say about the works of others: NOTICE, and the bill of materials webnn.spdx.json.

usage: check_notices.py FOLDER...    folders that have both, or the second one in sboms/

- The bill has what SPDX 2.3 requires, and nothing that it does not know:
  https://spdx.github.io/spdx-spec/v2.3/
- Both name the same works, and say of the same ones that they are contained.
- NOTICE has the texts of the licenses of the works that are contained, and no others.
"""
import datetime
import json
import pathlib
import re
import sys
import urllib.parse

LICENSES = pathlib.Path(__file__).resolve().parent / "licenses"
# Without a text in LICENSES: one is the file LICENSE, of the other one the exception has to be there.
OTHERS = {"Apache-2.0", "GPL-3.0-or-later"}
EXCEPTIONS = {"GCC-exception-3.1"}
DOCUMENT = {"SPDXID", "spdxVersion", "creationInfo", "name", "dataLicense", "documentNamespace", "packages",
            "relationships"}
PACKAGE = {"SPDXID", "name", "downloadLocation", "versionInfo", "filesAnalyzed", "homepage", "licenseConcluded",
           "licenseDeclared", "copyrightText"}
RELATIONSHIP = {"spdxElementId", "relationshipType", "relatedSpdxElement"}
VERBS = {"contains": "CONTAINS", "is linked with": "DYNAMIC_LINK", "needs": "DEPENDS_ON"}


def known_licenses():
    return {file.stem for file in LICENSES.glob("*.txt")} - EXCEPTIONS | OTHERS


def ids_of(expression):
    """The licenses and exceptions of an expression of AND, OR and WITH; None if it is not one."""
    found = []
    for part in re.split(r" (?:AND|OR) ", expression):
        match = re.fullmatch(r"([A-Za-z0-9.-]+\+?)(?: WITH ([A-Za-z0-9.-]+))?", part)
        if not match or match[1] not in known_licenses() or match[2] not in EXCEPTIONS | {None}:
            return None
        found += [match[2]] if match[2] else [match[1]]
    return found


def is_uri(text):
    parts = urllib.parse.urlsplit(text)
    return bool(parts.scheme and (parts.netloc or parts.path)) and not re.search(r"\s", text)


def is_time(text):
    try:
        datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%SZ")
    except (TypeError, ValueError):
        return False
    return True


def keys(what, value, required, allowed):
    for key in sorted(required - value.keys()):
        yield f"{what} has no {key}"
    for key in sorted(value.keys() - allowed):
        yield f"{what} has {key}, which this check does not know"
    for key, member in value.items():
        if member in ("", None):
            yield f"{what} has an empty {key}"


def package_problems(package):
    name = package.get("name", "a package")
    yield from keys(name, package, PACKAGE - {"versionInfo", "homepage"}, PACKAGE)
    if not re.fullmatch(r"SPDXRef-[a-zA-Z0-9.-]+", package.get("SPDXID", "")):
        yield f"{name} has the SPDXID {package.get('SPDXID')}"
    if package.get("filesAnalyzed") is not False:
        yield f"{name} has to have filesAnalyzed false, because it lists no files"
    if package.get("downloadLocation") not in ("NOASSERTION", "NONE") and not is_uri(package.get("downloadLocation", "")):
        yield f"{name} has the downloadLocation {package.get('downloadLocation')}"
    if "homepage" in package and not is_uri(package["homepage"]):
        yield f"{name} has the homepage {package['homepage']}"
    for key in ("licenseConcluded", "licenseDeclared"):
        if ids_of(package.get(key, "")) is None:
            yield f"{name} has the {key} {package.get(key)}"


def bill_problems(bill):
    yield from keys("the bill", bill, DOCUMENT, DOCUMENT)
    for key, value in (("spdxVersion", "SPDX-2.3"), ("dataLicense", "CC0-1.0"), ("SPDXID", "SPDXRef-DOCUMENT")):
        if bill.get(key) != value:
            yield f"the bill has the {key} {bill.get(key)}"
    if not is_uri(bill.get("documentNamespace", "")) or "#" in bill["documentNamespace"]:
        yield f"the bill has the documentNamespace {bill.get('documentNamespace')}"
    info = bill.get("creationInfo", {})
    if not is_time(info.get("created")):
        yield f"the bill was created at {info.get('created')}"
    if not info.get("creators") or not all(
            re.match(r"(Person|Organization): .|Tool: .+-.", creator) for creator in info["creators"]):
        yield f"the bill has the creators {info.get('creators')}"
    packages = bill.get("packages", [])
    ids = [package.get("SPDXID") for package in packages]
    for package in packages:
        yield from package_problems(package)
    if len(set(ids)) != len(ids):
        yield "two packages have the same SPDXID"
    related = set()
    for relation in bill.get("relationships", []):
        yield from keys("a relationship", relation, RELATIONSHIP, RELATIONSHIP)
        if relation.get("relationshipType") not in {"DESCRIBES", *VERBS.values()}:
            yield f"a relationship has the type {relation.get('relationshipType')}"
        for end in ("spdxElementId", "relatedSpdxElement"):
            if relation.get(end) not in ids + ["SPDXRef-DOCUMENT"]:
                yield f"a relationship names {relation.get(end)}, which is not there"
        related.add(relation.get("relatedSpdxElement"))
    for name in sorted(set(ids) - related, key=str):
        yield f"nothing is related to {name}"
    described = [r for r in bill.get("relationships", []) if r.get("relationshipType") == "DESCRIBES"]
    if [r.get("spdxElementId") for r in described] != ["SPDXRef-DOCUMENT"]:
        yield "the document does not describe exactly one package"


def notice_problems(notice, bill):
    said = {}  # name: verb, version, address
    for verb, name, version, address in re.findall(
            rf"^webnn ({'|'.join(VERBS)}) (\S+?)(?: (\S+))?, (\S+)$", notice, re.M):
        said[name] = (VERBS[verb], version, address)
    types = {r["relatedSpdxElement"]: r["relationshipType"] for r in bill["relationships"]}
    billed = {p["name"]: (types.get(p["SPDXID"]), p.get("versionInfo", ""), p.get("homepage", ""))
              for p in bill["packages"] if types.get(p["SPDXID"]) != "DESCRIBES"}
    for name in sorted(said.keys() | billed.keys()):
        if said.get(name) != billed.get(name):
            yield f"NOTICE says {said.get(name)} of {name}, and the bill says {billed.get(name)}"
    texts = re.findall(r"^-{64} (\S+)$", notice, re.M)
    wanted = {i for p in bill["packages"] if types.get(p["SPDXID"]) == "CONTAINS"
              for i in ids_of(p["licenseDeclared"]) or []} - OTHERS
    for name in sorted(wanted - set(texts)):
        yield f"NOTICE has no text of the license {name}"
    for name in sorted(set(texts) - wanted):
        yield f"NOTICE has the text of the license {name}, which nothing has that is contained"
    for name in sorted(set(texts) & wanted):
        if (LICENSES / f"{name}.txt").read_text("utf-8") not in notice:
            yield f"NOTICE has another text of the license {name}"


def problems(notice, bill):
    found = list(bill_problems(bill))
    return found or list(notice_problems(notice, bill))


def read(folder):
    bill = next(p for p in (folder / "webnn.spdx.json", folder / "sboms" / "webnn.spdx.json", None)
                if p is None or p.exists())
    if bill is None or not (folder / "NOTICE").exists():
        sys.exit(f"check_notices: {folder} does not have NOTICE and webnn.spdx.json")
    return (folder / "NOTICE").read_text("utf-8"), json.loads(bill.read_text("utf-8"))


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    wrong = False
    for folder in map(pathlib.Path, sys.argv[1:]):
        for problem in problems(*read(folder)):
            print(f"check_notices: {folder}: {problem}", file=sys.stderr)
            wrong = True
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
