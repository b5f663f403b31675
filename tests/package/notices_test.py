"""Tests what the artifacts of a build say about the works of others, and packaging/check_notices.py itself.

usage: notices_test.py FOLDER [tflite]    the folder `notices` of a build, and whether it has that format
"""
import copy
import pathlib
import re
import sys
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "packaging"))
import check_notices  # noqa: E402

FOLDER, TFLITE = pathlib.Path(sys.argv[1]), sys.argv[2:] == ["tflite"]


class Build(unittest.TestCase):
    def test_each_artifact(self):
        folders = [folder for folder in FOLDER.iterdir() if folder.is_dir()]
        self.assertIn(FOLDER / "library", folders)
        for folder in folders:
            with self.subTest(folder.name):
                notice, bill = check_notices.read(folder)
                self.assertEqual(check_notices.problems(notice, bill), [])
                names = {package["name"] for package in bill["packages"]}
                self.assertLessEqual({"libwebnn", "fmt", "Eigen"}, names)
                for work, artifact in (("CLI11", "tools"), ("pybind11", "python"), ("node-addon-api", "node")):
                    self.assertEqual(work in names, folder.name == artifact)
                # The code of the schema of .tflite files is generated from a part of TensorFlow Lite's.
                if TFLITE:
                    self.assertIn("TensorFlow-Lite-schema", names)
                for package in bill["packages"]:
                    self.assertIn(package["copyrightText"], notice)


class Faults(unittest.TestCase):
    def setUp(self):
        self.notice, self.bill = check_notices.read(FOLDER / "library")

    def found(self, expected, change=lambda bill: None, notice=None):
        bill = copy.deepcopy(self.bill)
        change(bill)
        problems = check_notices.problems(self.notice if notice is None else notice, bill)
        self.assertTrue(any(expected in problem for problem in problems), problems)

    def test_document(self):
        for key in ("SPDXID", "spdxVersion", "name", "dataLicense", "documentNamespace", "creationInfo"):
            with self.subTest(key):
                self.found(f"the bill has no {key}", lambda bill, key=key: bill.pop(key))
        for key, value in (("documentNamespace", "urn:uuid:1#a"), ("documentNamespace", "webnn"),
                           ("dataLicense", "MIT"), ("spdxVersion", "SPDX-2.2")):
            with self.subTest(value):
                self.found(f"the bill has the {key} {value}", lambda bill, k=key, v=value: bill.update({k: v}))
        self.found("was created at yesterday", lambda bill: bill["creationInfo"].update(created="yesterday"))
        self.found("the creators ['me']", lambda bill: bill["creationInfo"].update(creators=["me"]))
        self.found("has extra", lambda bill: bill.update(extra=1))

    def test_packages(self):
        for key, value in (("SPDXID", "SPDXRef-libstdc++"), ("downloadLocation", "somewhere"),
                           ("homepage", "somewhere"), ("licenseDeclared", "Apache"),
                           ("licenseConcluded", "MIT WITH Autoconf-exception-3.0")):
            with self.subTest(key):
                self.found(f"fmt has the {key} {value}", lambda bill, k=key, v=value: bill["packages"][1].update({k: v}))
        for key in ("name", "downloadLocation", "copyrightText"):
            with self.subTest(key):
                self.found(f"has no {key}", lambda bill, k=key: bill["packages"][1].pop(k))
        self.found("fmt has to have filesAnalyzed false", lambda bill: bill["packages"][1].pop("filesAnalyzed"))
        self.found("an empty versionInfo", lambda bill: bill["packages"][1].update(versionInfo=""))
        self.found("the same SPDXID",
                   lambda bill: bill["packages"][1].update(SPDXID=bill["packages"][2]["SPDXID"]))

    def test_relationships(self):
        self.found("names SPDXRef-none, which is not there",
                   lambda bill: bill["relationships"][1].update(relatedSpdxElement="SPDXRef-none"))
        self.found("the type USES", lambda bill: bill["relationships"][1].update(relationshipType="USES"))
        self.found("nothing is related to SPDXRef-fmt", lambda bill: bill["relationships"].pop(1))
        self.found("does not describe exactly one", lambda bill: bill["relationships"].pop(0))

    def test_notice(self):
        self.found("of fmt, and the bill says", notice=self.notice.replace("webnn contains fmt", "webnn needs fmt"))
        self.found("of fmt, and the bill says", notice=self.notice.replace("webnn contains fmt ", "webnn contains fmt 0"))
        self.found("NOTICE says None of other", lambda bill: bill["packages"][1].update(name="other"))
        rule = "-" * 64
        self.found("no text of the license MIT", notice=self.notice.replace(f"{rule} MIT\n", "\n"))
        self.found("text of the license Zlib, which nothing has", notice=f"{self.notice}\n{rule} Zlib\n")
        self.found("another text of the license MIT", notice=self.notice.replace("WITHOUT WARRANTY OF ANY KIND", "WITH ALL"))


class Fields(unittest.TestCase):
    """The project has no address of its own on the web yet: recipes and packages name none, least of all another's."""

    SOURCE = pathlib.Path(__file__).resolve().parents[2]
    FIELDS = {
        "packaging/vcpkg/webnn/vcpkg.json": r'"(homepage|maintainers|documentation)"',
        "packaging/conan/conanfile.py": r"^ +(homepage|url|author) *=",
        "packaging/aur/PKGBUILD.in": r"^(url=|# *(Maintainer|Contributor))",
        "packaging/homebrew/libwebnn.rb.in": r"^ *homepage",
        "bindings/node/package.json.in": r'"(homepage|repository|bugs|author|contributors|maintainers|funding)"',
        "bindings/python/make_wheel.py": r"Home-page:|Project-URL:|Author|Maintainer",
        "pyproject.toml": r"^(authors|maintainers|urls)|project\.urls",
        "cmake/package.cmake": r"HOMEPAGE",
        "CMakeLists.txt": r"HOMEPAGE",
    }

    def test_absent(self):
        for name, pattern in self.FIELDS.items():
            with self.subTest(name):
                self.assertIsNone(re.search(pattern, (self.SOURCE / name).read_text("utf-8"), re.M))

    def test_contact_of_no_one(self):
        text = (self.SOURCE / "cmake/package.cmake").read_text("utf-8")
        self.assertRegex(text, r'set\(CPACK_PACKAGE_CONTACT "[^"]*@[a-z.]*\.invalid>" CACHE')


unittest.main(argv=sys.argv[:1])
