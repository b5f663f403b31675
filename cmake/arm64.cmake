# ARM64 on Debian: its cross compiler, its packages of the architecture arm64 beside those of this
# machine, and qemu-user, which runs what the build makes and runs, and the tests.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++)
find_program(qemu_aarch64 NAMES qemu-aarch64 qemu-aarch64-static REQUIRED)
mark_as_advanced(qemu_aarch64)
set(CMAKE_CROSSCOMPILING_EMULATOR ${qemu_aarch64})
set(ENV{PKG_CONFIG_LIBDIR} /usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig)
