# Writes OUTPUT, a C++ source with the files of every workflow below SOURCE: each directory that
# holds a workflow.yaml. Run as a script (cmake -D… -P), when one of the files has changed.
file(GLOB_RECURSE files RELATIVE ${SOURCE} ${SOURCE}/*)
list(FILTER files INCLUDE REGEX "/")
list(SORT files)
set(text "// Made by cmake/embed_workflows.cmake.\n#include \"cli/embedded_files.h\"\n\n")
string(APPEND text "namespace teamster::cli {\nnamespace {\n\nusing namespace std::literals;\n\nconstexpr EmbeddedFile kFiles[] = {\n")
foreach(name IN LISTS files)
  file(READ ${SOURCE}/${name} contents)
  # A raw string keeps every byte; its delimiter is not in any prompt.
  string(APPEND text "    {\"${name}\", R\"embedded_file(${contents})embedded_file\"sv},\n")
endforeach()
string(APPEND text "};\n\n}  // namespace\n\n")
string(APPEND text "std::span<const EmbeddedFile> embedded_files() { return kFiles; }\n\n}  // namespace teamster::cli\n")
file(WRITE ${OUTPUT} "${text}")
