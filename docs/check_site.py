#!/usr/bin/env python3
"""Checks the site.

usage: check_site.py SITE [--version VERSION] [--repository ADDRESS] [--operators FILE]

- Every relative link leads to a file of the site, and to an anchor in it.
- No link leads to the repository on the web if its target is in the site.
- Each page of the guide has the version in its header, and the link to the repository if there is one; the
  menu of the reference leads back to the guide, and to the repository.
- The search finds the titles of all pages, and each operator (the headings of FILE) as a title.
"""
import argparse
import html.parser
import json
import pathlib
import re
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.header, self.header_links, self._depth = "", [], 0
        self.of_guide = False  # not a page of Doxygen, or one that an example has
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self._depth += tag == "header"
        if attributes.get("name") == "generator":
            self.of_guide = (attributes.get("content") or "").startswith("mkdocs")
        for name in ("id", "name"):
            if attributes.get(name):
                self.anchors.add(attributes[name])
        for name in ("href", "src"):
            if attributes.get(name):
                self.links.append(attributes[name])
                if self._depth:
                    self.header_links.append(attributes[name])

    def handle_endtag(self, tag):
        self._depth -= tag == "header"

    def handle_data(self, data):
        if self._depth:
            self.header += data


def of_repository(link, repository):
    """The path in the repository that a link leads to, or None."""
    base = repository.rstrip("/")
    if not base or not link.startswith(base + "/"):
        return None
    match = re.match(r"(?:-/)?(?:blob|tree|raw|edit)/[^/]+/(.+)", urllib.parse.urlsplit(link[len(base) + 1:]).path)
    return match and match[1].rstrip("/")


def in_site(name, site):
    """The page or file of the site that a file of the repository became, or None."""
    page = re.sub(r"(^|/)README\.html$", r"\1index.html", re.sub(r"\.md$", ".html", name))
    return page if (site / page).is_file() else None


def broken_links(site, pages, repository):
    reference = site / "reference"
    for path, page in sorted(pages.items()):
        for link in page.links:
            where = f"{path.relative_to(site)}: {link}"
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc:
                name = of_repository(link, repository)
                page_of = name and in_site(name, site)
                if page_of:
                    yield f"{where} leads to the repository, but the site has {page_of}"
                continue
            name = urllib.parse.unquote(parts.path)
            target = (path.parent / name).resolve() if name else path
            if not target.is_relative_to(site):
                yield f"{where} leads out of the site"
            elif not target.exists() or target.is_dir():
                yield f"{where} leads to no file"
            elif path.is_relative_to(reference) and target.is_relative_to(reference):
                pass  # anchors within the reference are Doxygen's
            elif parts.fragment and target in pages:
                if urllib.parse.unquote(parts.fragment) not in pages[target].anchors:
                    yield f"{where} leads to no anchor"


def wrong_headers(site, pages, version, repository):
    for path, page in sorted(pages.items()):
        name = path.relative_to(site)
        if not page.of_guide:
            continue
        if version and version not in page.header:
            yield f"{name}: the header does not have the version {version}"
        if repository and repository not in page.header_links:
            yield f"{name}: the header does not lead to {repository}"
    menu = site / "reference" / "menudata.js"
    if menu.parent.exists():
        text = menu.read_text("utf-8") if menu.exists() else ""
        for address in ["../index.html"] + ([repository] if repository else []):
            if not re.search(rf'url:"\^?{re.escape(address)}"', text):  # ^: on another site
                yield f"reference: the menu does not lead to {address}"


def not_found(site, pages, operators):
    """What the index of the search lacks."""
    index = json.loads((site / "search" / "search_index.json").read_text("utf-8"))
    titles = {}
    for document in index["docs"]:
        titles.setdefault(document["title"], set()).add(document["location"])
    found = {urllib.parse.urlsplit(place).path for places in titles.values() for place in places}
    for path, page in sorted(pages.items()):
        name = str(path.relative_to(site))
        if page.of_guide and name not in found and name != "index.html":
            yield f"search: {name} is not in the index"
    for operator in operators:
        if operator not in titles:
            yield f"search: the operator {operator} is not in the index"


def problems(site, version="", repository="", operators=()):
    pages = {p.resolve(): Page(p.read_text("utf-8", "replace")) for p in site.rglob("*.html")}
    pages.pop(site / "404.html", None)  # its links begin at the root of a server
    yield from broken_links(site, pages, repository)
    yield from wrong_headers(site, pages, version, repository)
    yield from not_found(site, pages, operators)


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("site", type=lambda path: pathlib.Path(path).resolve())
    arguments.add_argument("--version", default="")
    arguments.add_argument("--repository", default="")
    arguments.add_argument("--operators", type=pathlib.Path)
    a = arguments.parse_args()
    operators = re.findall(r"^###? ([a-z]\w*)$", a.operators.read_text("utf-8"), re.M) if a.operators else []
    found = list(problems(a.site, a.version, a.repository, operators))
    for line in found:
        print(line, file=sys.stderr)
    print(f"{sum(1 for _ in a.site.rglob('*.html'))} pages, {len(operators)} operators, {len(found)} problems")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
