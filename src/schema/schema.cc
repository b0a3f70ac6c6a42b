#include "schema/schema.h"

#include "schema/checker.h"
#include "schema/compiler.h"

namespace teamster::schema {

struct Schema::Compiled {
  Nodes nodes;
};

Schema::Schema(std::unique_ptr<const Compiled> compiled) : compiled_(std::move(compiled)) {}
Schema::Schema(Schema&&) noexcept = default;
Schema& Schema::operator=(Schema&&) noexcept = default;
Schema::~Schema() = default;

Result<Schema> Schema::compile(const Json& document) {
  auto nodes = TRY(compile_nodes(document));
  return Schema(std::make_unique<const Compiled>(Compiled{std::move(nodes)}));
}

std::vector<std::string> Schema::check(const Json& value) const { return Checker(compiled_->nodes).run(value); }

}  // namespace teamster::schema
