# The code blocks of README.md and of the guide, extracted when CMake runs (scripts/extract_code_blocks.awk).
#
#   ```cpp      a whole program: becomes an executable linked to linchpin::linchpin and the test code_blocks.PAGE_k
#   ```sh       commands ./run ... or linchpin ...: run by code_blocks.sh with the built program, one test per page
#   ```console  commands that are shown and not run: they install, build, serve without end, or take long
#
# An edited page makes CMake run again.

find_program(LINCHPIN_AWK awk REQUIRED)
mark_as_advanced(LINCHPIN_AWK)
file(GLOB guide_pages CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/docs/guide/*.md)
set(blocks_dir ${PROJECT_BINARY_DIR}/guide)

foreach(page ${PROJECT_SOURCE_DIR}/README.md ${guide_pages})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${page})
  get_filename_component(stem ${page} NAME_WE)
  file(REMOVE_RECURSE ${blocks_dir}/new)
  file(MAKE_DIRECTORY ${blocks_dir}/new)
  execute_process(
    COMMAND ${LINCHPIN_AWK} -v language=cpp -v prefix=${blocks_dir}/new/${stem}_ -v suffix=.cc
            -f ${PROJECT_SOURCE_DIR}/scripts/extract_code_blocks.awk ${page}
    OUTPUT_VARIABLE programs OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  string(REPLACE "\n" ";" programs "${programs}")
  foreach(program IN LISTS programs)
    get_filename_component(name ${program} NAME_WE)
    set(source ${blocks_dir}/${name}.cc)
    file(COPY_FILE ${program} ${source} ONLY_IF_DIFFERENT)
    add_executable(code_block_${name} ${source})
    target_link_libraries(code_block_${name} PRIVATE linchpin::linchpin)
    file(MAKE_DIRECTORY ${blocks_dir}/${name})  # where it runs: a program may write files
    add_test(NAME code_blocks.${name} COMMAND code_block_${name} WORKING_DIRECTORY ${blocks_dir}/${name})
    set_tests_properties(code_blocks.${name} PROPERTIES LABELS integration TIMEOUT 60)
  endforeach()
  file(STRINGS ${page} commands REGEX "^```sh$")
  if(commands)
    add_test(NAME code_blocks.${stem}.sh
             COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/code_blocks.sh ${page} $<TARGET_FILE:linchpin>)
    set_tests_properties(code_blocks.${stem}.sh PROPERTIES LABELS integration TIMEOUT 120)
  endif()
endforeach()
file(REMOVE_RECURSE ${blocks_dir}/new)
