// WEBNN_CHECKED_MEMORY: a sanitizer finds accesses behind memory that comes from the heap. Private.
#pragma once

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(memory_sanitizer)
#define WEBNN_CHECKED_MEMORY
#endif
#endif
#if defined(__SANITIZE_ADDRESS__)
#define WEBNN_CHECKED_MEMORY
#endif
