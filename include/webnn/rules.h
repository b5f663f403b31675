// Where the specification and the W3C's tests of it contradict each other.
#pragma once

namespace webnn::inline v0_1 {

/// The rules of a context and of its builders. The specification changed some after browsers had
/// shipped them; web-platform-tests, as they were in 2025, and code written for those browsers
/// still need the earlier ones. The rules differ in the following:
///  - input() with a name that another input has. specification: TypeError. tests2025: accepted;
///    build() throws TypeError when the outputs need both.
///  - scale and zeroPoint of quantizeLinear and dequantizeLinear. specification: they have the rank
///    of input. tests2025: they may have fewer dimensions, which then are the last ones.
///  - pad() of a scalar. specification: its copy. tests2025: TypeError.
///  - convTranspose2d() with channels that groups do not divide. specification: TypeError.
///    tests2025: accepted; build() throws OperationError when the outputs need it.
///  - constant(type, value) with int4 or uint4. specification: accepted. tests2025: TypeError. (The
///    addon refuses a BigInt for a type of floats, too.)
///  - readTensor() into more bytes than the tensor has. specification: TypeError. tests2025: the
///    first of them get the values.
///  - readTensor() and writeTensor() of a destroyed tensor. specification: TypeError. tests2025:
///    InvalidStateError.
/// A builder of tests2025 follows the specification as soon as a dimension has a name. The addon
/// for Node uses tests2025.
enum class Rules { specification, tests2025 };

}  // namespace webnn::inline v0_1
