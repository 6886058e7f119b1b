# Sourced: functions that list the project's own sources.
cxx_sources() { git ls-files --cached --others --exclude-standard -- '*.cpp' '*.h' | grep -E '^(include|lib|tools|unittests|ascendc|python/bindings)/'; }
