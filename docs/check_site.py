#!/usr/bin/env python3
"""Checks the site: every relative link leads to a file of the site, and to an anchor in it.

usage: check_site.py SITE
"""
import html.parser
import pathlib
import sys
import urllib.parse


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.links, self.anchors = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        for name in ("id", "name"):
            if attributes.get(name):
                self.anchors.add(attributes[name])
        for name in ("href", "src"):
            if attributes.get(name):
                self.links.append(attributes[name])


def problems(site):
    pages = {p.resolve(): Page(p.read_text("utf-8", "replace")) for p in site.rglob("*.html")}
    pages.pop(site / "404.html", None)  # its links begin at the root of a server
    for path, page in sorted(pages.items()):
        for link in page.links:
            parts = urllib.parse.urlsplit(link)
            if parts.scheme or parts.netloc or link.startswith("javascript:"):
                continue
            name = urllib.parse.unquote(parts.path)
            target = (path.parent / name).resolve() if name else path
            where = f"{path.relative_to(site)}: {link}"
            if not target.is_relative_to(site):
                yield f"{where} leads out of the site"
            elif not target.exists() or target.is_dir():
                yield f"{where} leads to no file"
            elif parts.fragment and target in pages and "reference" not in target.parts:
                if urllib.parse.unquote(parts.fragment) not in pages[target].anchors:
                    yield f"{where} leads to no anchor"


def main():
    site = pathlib.Path(sys.argv[1]).resolve()
    found = list(problems(site))
    for line in found:
        print(line, file=sys.stderr)
    print(f"{sum(1 for _ in site.rglob('*.html'))} pages, {len(found)} broken links")
    return 1 if found else 0


sys.exit(main())
