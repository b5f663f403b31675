"""Builds the checkout that this recipe is in: conan create packaging/conan --build=missing"""
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load

# Options, the library of each, and the switches of CMake that it stands for.
PARTS = {
    "simd": ("highway/1.2.0", ["SIMD"]),
    "onednn": ("onednn/3.5.3", ["ONEDNN"]),
    "tflite": ("flatbuffers/24.3.25", ["TFLITE", "EXECUTORCH"]),
    "onnx": ("protozero/1.7.1", ["ONNX"]),
    "json": ("nlohmann_json/3.11.3", ["SAFETENSORS", "TEXT", "GRAPHINFO", "NNRT"]),
}


class Webnn(ConanFile):
    name = "webnn"
    description = "The Web Neural Network API for C++"
    license = "Apache-2.0"
    settings = "os", "compiler", "build_type", "arch"
    options = {"shared": [True, False], **{part: [True, False] for part in PARTS}}
    default_options = {"shared": False, "onednn": False, "simd": True, "tflite": True,
                       "onnx": True, "json": True}

    @property
    def _root(self):
        return os.path.join(self.recipe_folder, "..", "..")

    def set_version(self):
        header = load(self, os.path.join(self._root, "include", "webnn", "version.h"))
        self.version = ".".join(re.findall(r"#define WEBNN_VERSION_[A-Z]+ (\d+)", header))

    def export_sources(self):
        for part in ("CMakeLists.txt", "LICENSE", "bindings/c/*", "cmake/*", "docs/*", "include/*",
                     "packaging/licenses/*", "src/*"):
            copy(self, part, self._root, self.export_sources_folder)

    def requirements(self):
        self.requires("eigen/3.4.0")
        self.requires("fmt/10.2.1")
        for part, (library, _) in PARTS.items():
            if self.options.get_safe(part):
                self.requires(library)

    def build_requirements(self):
        if self.options.tflite:
            self.tool_requires("flatbuffers/<host_version>")

    def layout(self):
        cmake_layout(self)

    def generate(self):
        CMakeDeps(self).generate()
        toolchain = CMakeToolchain(self)
        off = ["BUILD_TESTS", "BUILD_EXAMPLES", "BUILD_BENCH", "BUILD_TOOLS", "NODE", "PYTHON",
               "XNNPACK", "LM"]
        for switch in off:
            toolchain.cache_variables[f"WEBNN_{switch}"] = False
        for part, (_, switches) in PARTS.items():
            for switch in switches:
                toolchain.cache_variables[f"WEBNN_{switch}"] = bool(self.options.get_safe(part))
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        licenses = os.path.join(self.package_folder, "licenses")
        copy(self, "LICENSE", self.source_folder, licenses)
        copy(self, "NOTICE", os.path.join(self.build_folder, "notices", "library"), licenses)

    def package_info(self):
        # The library's own CMake package has the targets and the components.
        self.cpp_info.set_property("cmake_find_mode", "none")
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "webnn")]
