// The values of inputs that the command line has: --value sr=16000.
#pragma once

#include "tools/webnn/model/file_view.h"
#include "tools/webnn/model/formats.h"

namespace webnn::inline v0_1::tool {

using KnownValues = std::map<std::string, KnownValue>;

/// Those of ModelOptions::values, of the types and shapes that the model has for its inputs. Throws
/// Usage for names that it does not have and for what are not its values.
KnownValues known_values(const ModelOptions& options);

/// The options of an import of the model, without values.
ImportOptions import_options(const ModelOptions& options, const Format& format);

/// One value from a text of numbers with commas between them. Sizes below 0 are open. Throws Usage.
KnownValue known_value(const std::string& argument, const std::string& text, MLOperandDataType type,
                       const std::vector<std::int64_t>& sizes);

}  // namespace webnn::inline v0_1::tool
