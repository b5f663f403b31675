// The test runner's main, for both generations of Catch2.
#if __has_include(<catch2/catch.hpp>)
#define CATCH_CONFIG_RUNNER
#include <catch2/catch.hpp>
#else
#include <catch2/catch_session.hpp>
#endif

int main(int argc, char** argv) { return Catch::Session().run(argc, argv); }
