"""omvc for Conan 2: `conan create packaging/conan` builds the checkout that this lies in."""
import os
import re

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load
from conan.tools.gnu import PkgConfigDeps


class Omvc(ConanFile):
    name = "omvc"
    description = "Clustering of incomplete multi-view data as a stream"
    license = "BSD-3-Clause"
    topics = ("clustering", "multi-view", "streaming", "missing-data")
    package_type = "library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "readers": [True, False]}
    default_options = {"shared": False, "readers": False}

    def set_version(self):
        header = load(self, os.path.join(self.recipe_folder, "../../include/omvc/version.hpp"))
        self.version = ".".join(re.search(rf"VERSION_{part} (\d+)", header)[1] for part in ("MAJOR", "MINOR", "PATCH"))

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "../..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "include/*", "src/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def requirements(self):
        self.requires("eigen/3.4.0")
        self.requires("fmt/10.2.1")
        self.requires("highway/1.2.0")
        if self.options.readers:
            for package in ("bzip2/1.0.8", "hdf5/1.14.3", "libzip/1.10.1", "matio/1.5.24", "simdjson/3.9.4",
                            "xz_utils/5.4.5", "zlib/[>=1.2.11 <2]", "zstd/1.5.5"):
                self.requires(package)

    def generate(self):
        toolchain = CMakeToolchain(self)
        for option, value in {"READERS": bool(self.options.readers), "PAGE": False, "MPI": False, "BUILD_CLI": False,
                              "BUILD_TESTS": False}.items():
            toolchain.cache_variables["OMVC_" + option] = value
        toolchain.generate()
        CMakeDeps(self).generate()
        PkgConfigDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "omvc")
        core = self.cpp_info.components["core"]
        core.set_property("cmake_target_name", "omvc::core")
        core.set_property("pkg_config_name", "omvc-core")
        core.libs = ["omvc"]
        core.requires = ["eigen::eigen", "fmt::fmt", "highway::highway"]
        core.system_libs = ["pthread", "m"]
        if self.options.readers:
            readers = self.cpp_info.components["readers"]
            readers.set_property("cmake_target_name", "omvc::readers")
            readers.libs = [] if self.options.shared else ["omvc-readers"]
            readers.requires = ["core", "bzip2::bzip2", "hdf5::hdf5", "libzip::libzip", "matio::matio",
                                "simdjson::simdjson", "xz_utils::xz_utils", "zlib::zlib", "zstd::zstd"]
