# linchpin_room: one room of the library, one target.
#
#   # linchpin/dynamics/CMakeLists.txt
#   linchpin_room(
#     NAME dynamics                           # the folder's own name; the target is linchpin_dynamics
#     DEPENDS model                           # rooms that its files may include, with all that those depend on
#     HEADERS kinematics.h aba.h rnea.h       # installed as include/linchpin/dynamics/...
#     SOURCES kinematics.cc rnea.cc           # compiled for the plain machine; private headers need no mention
#     KERNELS aba.cc aba_batch.cc             # compiled for this machine (LINCHPIN_MARCH); see below
#     LANES rnea.cc                           # kernels whose packs of worlds are compiled apart; see below
#     APART augmented.cc                      # sources that the linchpin command does not use; see below
#     TESTS aba_test.cc rnea_test.cc          # GoogleTest files, all in one program test_dynamics, ctest label unit;
#                                             # foo_long_test.cc goes to test_dynamics_long, label long
#     LINK Eigen3::Eigen                      # targets from outside, found in the top CMakeLists.txt; also for tests
#     TEST_LINK sim)                          # what the tests alone need: rooms (later ones too) or targets
#
# All but NAME may be left out; a room of headers only becomes an INTERFACE library. Includes are spelled from the root
# of the repository: #include "linchpin/dynamics/tree/aba.h". scripts/check_arrows.sh reads DEPENDS and TEST_LINK from
# these same calls and holds the includes to them, so write plain names here, no variables.
#
# Floating point. No compiler contracts a*b+c by itself (-ffp-contract=off, also for users of the library, since its
# headers' inline functions must round alike wherever they are compiled): a lane of a pack and a plain double then give
# the same bits. Nothing is ever compiled with -ffast-math.
#
# Kernels. Only KERNELS are compiled with -march, behind interfaces that hold no vector register: whoever calls them may
# be compiled with other flags. Their -O2 -fno-tree-vectorize is measured: g++'s own vectorisers slow scalar kernels by
# up to 1.6 and packs are already vectors.
#
# Compiled apart. A first ./run must not compile what it does not use. The linchpin command simulates one world at a
# time in double, so packs of worlds (LANES) and methods that only tests and reproductions use (APART) go to a second
# library, linchpin_<room>_apart. A file of LANES is compiled twice: for double in the room's library, and for all other
# scalars apart (dynamics/tree/scalars.h). Functions in it that are no templates stand within #ifndef LINCHPIN_APART, or
# they would be defined twice. Rooms and the command link the targets linchpin_<room>; users, tests, examples and
# benchmarks link linchpin::<room>, which brings what is apart in that room and in those that it depends on.
#
# Compiled together. More than half of the time to compile a small file is headers, so several are compiled as one
# (UNITY_BUILD): the SOURCES of a room five at a time, its TESTS four at a time. Such files must not define the same
# name in their unnamed namespaces. KERNELS, LANES and tests with compile options of their own are compiled one by one.
# LINCHPIN_UNITY=OFF compiles the SOURCES one by one too: slower once, faster for whoever changes one file many times.
#
# Eigen. How its types are aligned, and who frees their memory how, depends on -march, and a linker merges its functions
# across a program: a user's AVX copy in place of ours crashes, or changes the last bits. So Eigen stays inside SOURCES,
# neither in HEADERS nor in KERNELS (scripts/check_arrows.sh looks), and there under a namespace of our own,
# linchpin_eigen (the code says Eigen as ever), which nothing merges with. A user of the library needs no Eigen and may
# have any. What LINKs Eigen3::Eigen gets that by itself, and so do its tests; a program in this tree that includes a
# private header with Eigen in it links linchpin::eigen.

set(LINCHPIN_FP_FLAGS -ffp-contract=off)
set(checked $<BOOL:$<TARGET_PROPERTY:LINCHPIN_CHECKED>>)  # within a target
set(LINCHPIN_KERNEL_FLAGS $<$<NOT:$<OR:$<CONFIG:Debug>,${checked}>>:-O2> -fno-tree-vectorize ${LINCHPIN_FP_FLAGS}
                          -fno-math-errno -fno-trapping-math)

# Sanitizers. LINCHPIN_SANITIZE builds everything with sanitizers. LINCHPIN_CHECK, which ./test uses, builds less: the
# libraries a second time with sanitizers, and no test a second time. The objects of test_x are also linked with the
# checked objects of its rooms, as test_x_checked, with the ctest label checked. These are objects, not archives, and
# come before the tests' own: where both have a copy of an inline function, the linker takes the first one.
#
# A kernel is a few functions of hundreds of temporaries, and Eigen thousands of small functions; to guard each of those
# temporaries on the stack took g++ minutes a file. The memory that they share with others, on the heap, is guarded as
# everywhere. Null pointers and vector registers of a wrong alignment end a program anyway; to look at every pointer for
# them took half of the compile time.
set(LINCHPIN_TEST_SANITIZERS "")
set(LINCHPIN_LIGHT_SANITIZERS "")
if("${LINCHPIN_SANITIZE},${LINCHPIN_CHECK}" MATCHES "undefined")
  list(APPEND LINCHPIN_TEST_SANITIZERS -fno-sanitize=null,alignment,object-size,vptr,pointer-overflow)
endif()
if("${LINCHPIN_SANITIZE},${LINCHPIN_CHECK}" MATCHES "address")
  list(APPEND LINCHPIN_LIGHT_SANITIZERS --param=asan-stack=0)
endif()
list(APPEND LINCHPIN_LIGHT_SANITIZERS ${LINCHPIN_TEST_SANITIZERS})
set(LINCHPIN_CHECKED_FLAGS -O1 -g1 -UNDEBUG -DLINCHPIN_FEW_SHAPES -fsanitize=${LINCHPIN_CHECK}
                           -fno-sanitize-recover=all -fno-omit-frame-pointer
                           -w ${LINCHPIN_TEST_SANITIZERS})  # -w: warned once already
if(LINCHPIN_CHECK)
  list(TRANSFORM LINCHPIN_LIGHT_SANITIZERS PREPEND "$<${checked}:")
  list(TRANSFORM LINCHPIN_LIGHT_SANITIZERS APPEND ">")
  set(LINCHPIN_TEST_SANITIZERS "")
endif()
list(APPEND LINCHPIN_KERNEL_FLAGS ${LINCHPIN_LIGHT_SANITIZERS})

# -march=native means another machine on another machine. What it means here becomes part of the compile command, so
# that neither an old build tree nor ccache hands out kernels made for a different processor.
if(LINCHPIN_MARCH)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -march=${LINCHPIN_MARCH} -x c++ -E -v /dev/null
                  OUTPUT_QUIET ERROR_VARIABLE linchpin_machine RESULT_VARIABLE linchpin_failed)
  if(linchpin_failed)
    message(FATAL_ERROR "LINCHPIN_MARCH: ${CMAKE_CXX_COMPILER} does not take -march=${LINCHPIN_MARCH}:\n"
                        "${linchpin_machine}")
  endif()
  string(REGEX MATCHALL "[^\n]*cc1[^\n]*" linchpin_machine "${linchpin_machine}")
  string(SHA1 linchpin_machine "${linchpin_machine}")
  string(SUBSTRING "${linchpin_machine}" 0 8 linchpin_machine)
  list(PREPEND LINCHPIN_KERNEL_FLAGS -march=${LINCHPIN_MARCH} -DLINCHPIN_MACHINE=0x${linchpin_machine})
endif()

add_library(linchpin_eigen INTERFACE)
add_library(linchpin::eigen ALIAS linchpin_eigen)
target_link_libraries(linchpin_eigen INTERFACE Eigen3::Eigen)
target_compile_definitions(linchpin_eigen INTERFACE Eigen=linchpin_eigen)
target_compile_options(linchpin_eigen INTERFACE ${LINCHPIN_LIGHT_SANITIZERS})

# linchpin_few_files(target n): the sources of the target are compiled n at a time, as one file.
function(linchpin_few_files target n)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${n})
  # It warns of classes whose members are of types in unnamed namespaces, in what it takes for headers.
  target_compile_options(${target} PRIVATE -Wno-subobject-linkage)
endfunction()

# Build the unit tests of all rooms, without and with sanitizers, and nothing else.
if(LINCHPIN_BUILD_TESTS)
  add_custom_target(unit_tests)
  add_custom_target(checked_tests)
endif()

# linchpin_test(NAME test_x LABEL label SOURCES a_test.cc ... [LINK targets...] [PREFIX x.] [TOGETHER]
#               [CHECKED rooms...])
# A GoogleTest program, each of whose tests is a ctest, named with the prefix. What belongs to no single room uses it
# from tests/CMakeLists.txt. One label only: gtest_discover_tests takes no list. TOGETHER: several files are compiled as
# one. CHECKED: also test_x_checked, the same tests with the checked objects of these rooms, given as linchpin_x (see
# Sanitizers above).
function(linchpin_test)
  cmake_parse_arguments(PARSE_ARGV 0 test "TOGETHER" "NAME;LABEL;PREFIX" "SOURCES;LINK;CHECKED")
  if(test_UNPARSED_ARGUMENTS OR NOT test_NAME OR NOT test_LABEL OR NOT test_SOURCES)
    message(FATAL_ERROR "linchpin_test: needs NAME, LABEL and SOURCES; does not know '${test_UNPARSED_ARGUMENTS}'")
  endif()
  set(objects ${test_NAME}_objects)
  add_library(${objects} OBJECT ${test_SOURCES})
  target_link_libraries(${objects} PRIVATE ${test_LINK} GTest::gtest)
  # -O1: a test is compiled more often than run, and gives the same numbers.
  # g++ takes the counted operator new and delete (base/allocation_counter.h) for a mismatch with malloc and free.
  target_compile_options(${objects} PRIVATE $<$<CONFIG:Release>:-O1> ${LINCHPIN_TEST_SANITIZERS}
                                            -Wno-mismatched-new-delete)
  if(test_TOGETHER)
    # Batches of four: a changed test recompiles four at most, and two cores share the work of a large room.
    linchpin_few_files(${objects} 4)
  endif()

  add_executable(${test_NAME} $<TARGET_OBJECTS:${objects}>)
  target_link_libraries(${test_NAME} PRIVATE ${test_LINK} GTest::gtest_main)
  # Tests are found when ctest runs, not while building: a broken one fails as a test.
  set(discovery DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60)
  gtest_discover_tests(${test_NAME} TEST_PREFIX "${test_PREFIX}" ${discovery}
                       PROPERTIES LABELS ${test_LABEL} TIMEOUT 300)

  if(LINCHPIN_CHECK AND test_CHECKED)
    add_library(${objects}_last INTERFACE)
    target_sources(${objects}_last INTERFACE $<TARGET_OBJECTS:${objects}>)
    list(TRANSFORM test_CHECKED APPEND _checked)
    add_executable(${test_NAME}_checked EXCLUDE_FROM_ALL)
    set_target_properties(${test_NAME}_checked PROPERTIES LINKER_LANGUAGE CXX)
    # The libraries at the end bring those from outside; of ours nothing is left to link.
    target_link_libraries(${test_NAME}_checked PRIVATE ${test_CHECKED} ${objects}_last ${test_LINK} GTest::gtest_main)
    target_link_options(${test_NAME}_checked PRIVATE -fsanitize=${LINCHPIN_CHECK})
    add_dependencies(checked_tests ${test_NAME}_checked)
    gtest_discover_tests(${test_NAME}_checked TEST_PREFIX "checked.${test_PREFIX}" ${discovery}
                         PROPERTIES LABELS checked TIMEOUT 300)
  endif()
endfunction()

# linchpin_checked(linchpin_x "linchpin_y ..." uses_eigen)
# What the test programs with sanitizers link instead of the library of a room. linchpin_x_checked brings the objects of
# the room and of those it depends on. What is compiled apart is left out: the references for tests in long double take
# g++ more than a minute, and the packs of LANES are made by the same templates as their doubles.
function(linchpin_checked target dependencies uses_eigen)
  add_library(${target}_checked INTERFACE)
  list(TRANSFORM dependencies APPEND _checked)
  target_link_libraries(${target}_checked INTERFACE ${dependencies})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL INTERFACE_LIBRARY)
    return()
  endif()
  get_target_property(sources ${target} SOURCES)
  set(objects ${target}_checked_objects)
  add_library(${objects} OBJECT EXCLUDE_FROM_ALL ${sources})
  target_link_libraries(${objects} PRIVATE ${target})
  if(uses_eigen)
    target_link_libraries(${objects} PRIVATE linchpin_eigen)
  endif()
  target_compile_options(${objects} PRIVATE ${LINCHPIN_CHECKED_FLAGS})
  linchpin_few_files(${objects} 8)
  set_target_properties(${objects} PROPERTIES LINCHPIN_CHECKED ON)
  target_sources(${target}_checked INTERFACE $<TARGET_OBJECTS:${objects}>)
endfunction()

function(linchpin_room)
  cmake_parse_arguments(PARSE_ARGV 0 room "" "NAME"
                        "DEPENDS;HEADERS;SOURCES;KERNELS;LANES;APART;TESTS;LINK;TEST_LINK")
  cmake_path(RELATIVE_PATH CMAKE_CURRENT_SOURCE_DIR BASE_DIRECTORY "${PROJECT_SOURCE_DIR}/linchpin"
             OUTPUT_VARIABLE folder)
  if(room_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "linchpin_room: does not know '${room_UNPARSED_ARGUMENTS}'")
  endif()
  if(NOT room_NAME STREQUAL folder)
    message(FATAL_ERROR "linchpin_room: NAME is '${room_NAME}' but the folder is '${folder}'")
  endif()
  string(REPLACE "/" "_" name "${room_NAME}")
  string(REPLACE "/" "." test_prefix "${room_NAME}.")
  set(dependencies "")
  set(apart "")  # libraries: of this room, and of those that it depends on
  foreach(dependency IN LISTS room_DEPENDS)
    string(REPLACE "/" "_" target "linchpin_${dependency}")
    list(APPEND dependencies ${target})
    get_property(apart_there GLOBAL PROPERTY LINCHPIN_APART_${target})
    list(APPEND apart ${apart_there})
    if(NOT TARGET ${target})
      message(FATAL_ERROR "linchpin_room: ${room_NAME} depends on '${dependency}', which is no room built before it "
                          "(the order is in the top CMakeLists.txt)")
    endif()
  endforeach()
  foreach(item IN LISTS room_LINK)
    if(NOT item MATCHES "::" OR item MATCHES "^linchpin::" OR NOT TARGET ${item})
      message(FATAL_ERROR "linchpin_room: ${room_NAME} links '${item}', which is no target Package::name from outside "
                          "(find_package belongs in the top CMakeLists.txt, rooms in DEPENDS)")
    endif()
  endforeach()

  set(externals ${room_LINK})
  set(uses_eigen FALSE)
  if(Eigen3::Eigen IN_LIST room_LINK)
    list(REMOVE_ITEM externals Eigen3::Eigen)
    set(uses_eigen TRUE)
  endif()

  # The library.
  set(target linchpin_${name})
  if(room_SOURCES OR room_KERNELS OR room_LANES)
    add_library(${target} STATIC ${room_SOURCES} ${room_KERNELS} ${room_LANES} ${room_HEADERS})
    set(scope PUBLIC)
  else()
    add_library(${target} INTERFACE)
    set(scope INTERFACE)
  endif()
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  target_link_libraries(${target} ${scope} ${dependencies} ${externals})
  target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}>
                                                $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  if(scope STREQUAL PUBLIC AND LINCHPIN_UNITY)
    linchpin_few_files(${target} 5)
  endif()
  target_compile_features(${target} ${scope} cxx_std_20)
  target_compile_options(${target} ${scope} ${LINCHPIN_FP_FLAGS})
  set(targets ${target})

  # What is compiled apart.
  if(room_LANES OR room_APART)
    add_library(${target}_apart STATIC ${room_LANES} ${room_APART})
    set_target_properties(${target}_apart PROPERTIES EXPORT_NAME ${name}_apart)
    target_link_libraries(${target}_apart PUBLIC ${target})
    target_link_libraries(${target} INTERFACE $<INSTALL_INTERFACE:linchpin::${name}_apart>)
    target_compile_definitions(${target}_apart PRIVATE LINCHPIN_APART)
    set_source_files_properties(${room_LANES} PROPERTIES COMPILE_DEFINITIONS LINCHPIN_LANES_APART)
    list(APPEND targets ${target}_apart)
    list(PREPEND apart ${target}_apart)
  endif()
  list(REMOVE_DUPLICATES apart)
  set_property(GLOBAL PROPERTY LINCHPIN_APART_${target} ${apart})
  if(apart)
    add_library(${target}_whole INTERFACE)
    target_link_libraries(${target}_whole INTERFACE ${apart} ${target})
    add_library(linchpin::${name} ALIAS ${target}_whole)
  else()
    add_library(linchpin::${name} ALIAS ${target})
  endif()

  if(uses_eigen)
    foreach(library IN LISTS targets)
      target_link_libraries(${library} PRIVATE $<BUILD_INTERFACE:linchpin_eigen>)
    endforeach()
  endif()
  if(LINCHPIN_CHECK)
    linchpin_checked(${target} "${dependencies}" ${uses_eigen})
  endif()
  if(room_KERNELS OR room_LANES)
    set_source_files_properties(${room_KERNELS} ${room_LANES} PROPERTIES COMPILE_OPTIONS "${LINCHPIN_KERNEL_FLAGS}")
  endif()
  set_property(GLOBAL APPEND PROPERTY LINCHPIN_ROOMS ${name})
  set_property(GLOBAL APPEND PROPERTY LINCHPIN_TARGETS ${targets})
  set_property(GLOBAL APPEND PROPERTY LINCHPIN_EXTERNALS ${externals})

  # Its place in an installation.
  install(TARGETS ${targets} EXPORT linchpinTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
  foreach(header IN LISTS room_HEADERS)
    get_filename_component(directory "${header}" DIRECTORY)
    install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/linchpin/${room_NAME}/${directory})
  endforeach()

  # Its tests.
  if(LINCHPIN_BUILD_TESTS AND room_TESTS)
    set(link linchpin::${name})
    set(checked ${target})
    if(uses_eigen)
      list(APPEND link linchpin_eigen)
    endif()
    foreach(item IN LISTS room_TEST_LINK)
      if(item STREQUAL Eigen3::Eigen)
        list(APPEND link linchpin_eigen)
      elseif(EXISTS "${PROJECT_SOURCE_DIR}/linchpin/${item}/CMakeLists.txt")
        string(REPLACE "/" "_" item "${item}")
        list(APPEND link linchpin::${item})
        list(APPEND checked linchpin_${item})
      else()
        list(APPEND link ${item})
      endif()
    endforeach()
    set(long ${room_TESTS})
    list(FILTER long INCLUDE REGEX "_long_test\\.cc$")
    list(FILTER room_TESTS EXCLUDE REGEX "_long_test\\.cc$")
    if(room_TESTS)
      linchpin_test(NAME test_${name} PREFIX ${test_prefix} SOURCES ${room_TESTS} LINK ${link} LABEL unit
                    TOGETHER CHECKED ${checked})
      add_dependencies(unit_tests test_${name})
    endif()
    if(long)
      linchpin_test(NAME test_${name}_long PREFIX ${test_prefix} SOURCES ${long} LINK ${link} LABEL long)
    endif()
  endif()
endfunction()

# linchpin::linchpin, all rooms at once, and the files by which find_package(linchpin) finds them. Called once, after
# the last room.
function(linchpin_umbrella)
  get_property(targets GLOBAL PROPERTY LINCHPIN_TARGETS)
  add_library(linchpin_all INTERFACE)
  add_library(linchpin::linchpin ALIAS linchpin_all)
  set_target_properties(linchpin_all PROPERTIES EXPORT_NAME linchpin)
  target_link_libraries(linchpin_all INTERFACE ${targets})
  install(TARGETS linchpin_all EXPORT linchpinTargets)

  get_property(externals GLOBAL PROPERTY LINCHPIN_EXTERNALS)
  set(LINCHPIN_FIND_DEPENDENCIES "")
  list(TRANSFORM externals REPLACE "::.*" "")
  list(REMOVE_DUPLICATES externals)
  foreach(package IN LISTS externals)
    string(APPEND LINCHPIN_FIND_DEPENDENCIES "find_dependency(${package})\n")
  endforeach()

  set(destination ${CMAKE_INSTALL_LIBDIR}/cmake/linchpin)
  configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/linchpinConfig.cmake.in
                                ${PROJECT_BINARY_DIR}/linchpinConfig.cmake INSTALL_DESTINATION ${destination})
  write_basic_package_version_file(${PROJECT_BINARY_DIR}/linchpinConfigVersion.cmake COMPATIBILITY SameMinorVersion)
  install(FILES ${PROJECT_BINARY_DIR}/linchpinConfig.cmake ${PROJECT_BINARY_DIR}/linchpinConfigVersion.cmake
                ${PROJECT_SOURCE_DIR}/cmake/FindHdf5Serial.cmake
          DESTINATION ${destination})
  install(EXPORT linchpinTargets NAMESPACE linchpin:: DESTINATION ${destination})
endfunction()
