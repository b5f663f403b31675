// The only file that includes Eigen.
#pragma once

// A program that links this library may use Eigen too, compiled for another instruction set or with
// other settings: its functions and ours must not have the same names.
#define Eigen webnn_eigen
#define EIGEN_MPL2_ONLY
#define EIGEN_DONT_PARALLELIZE
#define EIGEN_NO_MALLOC  // kernels do not allocate: asserted in debug builds
#define EIGEN_NO_IO
#define EIGEN_FAST_MATH 0  // square roots are exact
#include <Eigen/Core>
