# The viewer's page inside the library: npm builds viewer/ into one HTML file, which viewer_page.cc embeds.
#
# LINCHPIN_BUILD_VIEWER: AUTO builds the page if node and npm are there, and continues without it if npm fails (for want
# of a network, for example); ON makes that an error; OFF never builds it. A library without the page works; the
# function that returns the page says why there is none. The output of npm is in <build>/viewer/npm.log.
set(LINCHPIN_BUILD_VIEWER AUTO CACHE STRING "Build the viewer's page with npm: AUTO, ON or OFF")
set_property(CACHE LINCHPIN_BUILD_VIEWER PROPERTY STRINGS AUTO ON OFF)

# linchpin_embed_page(SOURCE): that file of the room is compiled with LINCHPIN_PAGE_FILE, the path of the page.
function(linchpin_embed_page source)
  set(viewer "${PROJECT_SOURCE_DIR}/viewer")
  set(folder "${PROJECT_BINARY_DIR}/viewer")
  set(page "${folder}/index.html")
  file(MAKE_DIRECTORY "${folder}")

  set(build FALSE)
  if(LINCHPIN_BUILD_VIEWER)  # AUTO and ON
    find_program(LINCHPIN_NPM npm)
    find_program(LINCHPIN_NODE node)
    mark_as_advanced(LINCHPIN_NPM LINCHPIN_NODE)
    if(LINCHPIN_NPM AND LINCHPIN_NODE)
      set(build TRUE)
    elseif(LINCHPIN_BUILD_VIEWER STREQUAL "AUTO")
      message(STATUS "Viewer: no node and npm here; building without the page (linchpin view will say so)")
    else()
      message(FATAL_ERROR "LINCHPIN_BUILD_VIEWER is ${LINCHPIN_BUILD_VIEWER}, but there is no node and npm")
    endif()
  endif()

  if(build)
    # An empty page is one that could not be built: try again after ten minutes.
    if(EXISTS "${page}")
      file(SIZE "${page}" size)
      file(TIMESTAMP "${page}" made "%s" UTC)
      string(TIMESTAMP now "%s" UTC)
      math(EXPR age "${now} - ${made}")
      if(size EQUAL 0 AND age GREATER 600)
        file(REMOVE "${page}")
      endif()
    endif()
    file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${viewer}/src/*")
    add_custom_command(
      OUTPUT "${page}"
      COMMAND "${PROJECT_SOURCE_DIR}/scripts/build_page.sh" "${viewer}" "${folder}" ${LINCHPIN_BUILD_VIEWER}
      DEPENDS "${PROJECT_SOURCE_DIR}/scripts/build_page.sh" ${sources} "${viewer}/index.html" "${viewer}/package.json"
              "${viewer}/package-lock.json" "${viewer}/tsconfig.json" "${viewer}/vite.config.ts"
      COMMENT "Building the viewer's page"
      VERBATIM)
  else()
    file(CONFIGURE OUTPUT "${page}" CONTENT "")  # not rewritten if it is empty already
  endif()
  set_source_files_properties("${source}" PROPERTIES OBJECT_DEPENDS "${page}"
                                                     COMPILE_DEFINITIONS "LINCHPIN_PAGE_FILE=\"${page}\"")
endfunction()
