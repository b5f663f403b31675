// Mutations of messages of protobuf.
#pragma once

#include <cstddef>
#include <cstdint>

namespace webnn::inline v0_1::fuzz {

using Mutate = std::size_t (*)(std::uint8_t* data, std::size_t size, std::size_t max);

/// Changes a message at any depth: mutates the bytes of a field, copies one, removes one, or puts
/// one in place of another. The lengths of the messages around it are corrected. Bytes that are not
/// a message are mutated as they are. Returns the new size.
std::size_t mutate_protobuf(std::uint8_t* data, std::size_t size, std::size_t max, unsigned seed,
                            Mutate mutate);

}  // namespace webnn::inline v0_1::fuzz
