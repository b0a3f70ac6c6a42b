# Writes a C++ file that holds the contents of files: cmake -DROOT=… -DOUT=… -DNAMES="a;b" -P embed.cmake
# Skills that the plugin shares with the workflow collab are that workflow's own in the program.
set(text "// Made by cmake/embed.cmake.\n#include \"builtin/files.h\"\n\nnamespace teamster::builtin {\n\n")
string(APPEND text "const std::map<std::string, std::string>& files() {\n  static const std::map<std::string, std::string> kFiles = {\n")
foreach(name IN LISTS NAMES)
  file(READ "${ROOT}/${name}" content)
  string(REGEX REPLACE "^plugins/teamster/skills/" "workflows/collab/skills/" name "${name}")
  string(APPEND text "      {\"${name}\", R\"~embedded~(${content})~embedded~\"},\n")
endforeach()
string(APPEND text "  };\n  return kFiles;\n}\n\n}  // namespace teamster::builtin\n")
file(WRITE "${OUT}" "${text}")
