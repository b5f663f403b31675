// expect: KnownMemberTypes
namespace webnn {
enum class Mode { a, b };
}
#ifdef FIXED
#include "webnn/data_type.h"
namespace webnn {
constexpr auto names_of(Mode) { return names("a", "b"); }
}  // namespace webnn
#endif
#define MEMBER Mode axis = Mode::a;
#include "operator_form.h"
