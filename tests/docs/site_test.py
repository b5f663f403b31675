"""Tests of docs/check_site.py and docs/web_address.sh, on small sites with one fault each."""
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
sys.path.insert(0, str(DOCS))
sys.dont_write_bytecode = True
import check_site  # noqa: E402

REPOSITORY = "https://code.example/team/libwebnn"
HEAD = '<meta name="generator" content="mkdocs-1.4.2">'
HEADER = f'<header><a href="index.html">libwebnn 1.2.3</a><a href="{REPOSITORY}">Repository</a></header>'
FILES = {
    "index.html": HEAD + HEADER + '<h1 id="top">Home</h1><a href="docs/a.html#one">a</a>',
    "docs/a.html": HEAD + HEADER.replace("index.html", "../index.html") + '<h2 id="one">One</h2><a href="../index.html#top">home</a>'
                   '<a href="../reference/index.html">headers</a>',
    "docs/source.cpp": "int x;",
    "reference/index.html": '<a href="#of_doxygen">x</a>',
    "reference/menudata.js": f'var menudata={{children:[{{text:"Back",url:"../index.html"}},'
                             f'{{text:"Repository",url:"^{REPOSITORY}"}}]}}',
    "search/search_index.json": json.dumps({"docs": [
        {"location": "index.html", "title": "Home"}, {"location": "docs/a.html", "title": "A"},
        {"location": "docs/a.html#one", "title": "relu"}]}),
}


def problems(**changes):
    """What is wrong with the site when files have other contents; a name has __ for / and _ for a point."""
    with tempfile.TemporaryDirectory() as folder:
        site = pathlib.Path(folder).resolve() / "site"
        files = dict(FILES)
        for name, change in changes.items():
            path = next(f for f in FILES if f.replace("/", "__").replace(".", "_") == name)
            files[path] = change(files[path])
        for name, text in files.items():
            path = site / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
        (site.parent / "outside.html").write_text("x")
        return list(check_site.problems(site, "1.2.3", REPOSITORY, ["relu"]))


def add(html):
    return lambda text: text + html


class Site(unittest.TestCase):
    def test_right(self):
        self.assertEqual(problems(), [])

    def test_links(self):
        for link, what in (("b.html", "leads to no file"), ("../docs", "leads to no file"),
                           ("../../outside.html", "leads out of the site"),
                           ("../index.html#nowhere", "leads to no anchor"), ("#two", "leads to no anchor"),
                           (f"{REPOSITORY}/blob/main/docs/a.md#one", "the site has docs/a.html"),
                           (f"{REPOSITORY}/-/tree/main/README.md", "the site has index.html"),
                           (f"{REPOSITORY}/raw/v1/docs/source.cpp", "the site has docs/source.cpp")):
            with self.subTest(link):
                found = problems(docs__a_html=add(f'<a href="{link}">x</a>'))
                self.assertEqual(len(found), 1)
                self.assertIn(f"docs/a.html: {link} leads", found[0])
                self.assertIn(what, found[0])
        for link in ("https://www.w3.org/TR/webnn/#x", REPOSITORY, f"{REPOSITORY}/issues",
                     f"{REPOSITORY}/blob/main/src/no_page.cpp", "source.cpp", "mailto:a@b.example"):
            with self.subTest(link):
                self.assertEqual(problems(docs__a_html=add(f'<a href="{link}">x</a>')), [])

    def test_header(self):
        self.assertEqual(problems(docs__a_html=lambda text: text.replace(" 1.2.3", "")),
                         ["docs/a.html: the header does not have the version 1.2.3"])
        self.assertEqual(problems(docs__a_html=lambda text: text.replace(f'href="{REPOSITORY}"', "") + "1.2.3"),
                         [f"docs/a.html: the header does not lead to {REPOSITORY}"])

    def test_reference(self):
        self.assertEqual(problems(reference__menudata_js=lambda text: text.replace("../index", "index")),
                         ["reference: the menu does not lead to ../index.html"])
        self.assertEqual(problems(reference__menudata_js=lambda text: text.replace(REPOSITORY, "")),
                         [f"reference: the menu does not lead to {REPOSITORY}"])

    def test_search(self):
        self.assertEqual(problems(search__search_index_json=lambda text: text.replace("relu", "elu")),
                         ["search: the operator relu is not in the index"])
        self.assertEqual(problems(search__search_index_json=lambda text: text.replace("docs/a.html", "b.html")),
                         ["search: docs/a.html is not in the index"])


class WebAddress(unittest.TestCase):
    def test_addresses(self):
        for address, expected in (("git@code.example:team/libwebnn.git", REPOSITORY),
                                  ("ssh://git@code.example:22/team/libwebnn.git", REPOSITORY),
                                  ("https://name:password@code.example/team/libwebnn.git/", REPOSITORY),
                                  (REPOSITORY, REPOSITORY), ("/home/me/libwebnn", ""), ("../libwebnn", ""),
                                  ("file:///home/me/libwebnn.git", "")):
            with self.subTest(address):
                result = subprocess.run([DOCS / "web_address.sh"], input=address + "\n", text=True,
                                        capture_output=True, check=True)
                self.assertEqual(result.stdout.strip(), expected)


unittest.main()
