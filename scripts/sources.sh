# Sourced: functions that list the project's own sources.
cxx_sources() { find include lib tools unittests ascendc python/bindings -name '*.cpp' -o -name '*.h' | sort; }
