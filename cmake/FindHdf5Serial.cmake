# find_package(Hdf5Serial): HDF5's C library without MPI, as Hdf5Serial::hdf5.
#
# CMake's own FindHDF5 asks whichever compiler wrapper stands first on the path, and that may be the MPI build's. Debian
# calls the plain one hdf5-serial; elsewhere it is hdf5. Also part of the installed package, which links it.
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
  pkg_search_module(PC_HDF5_SERIAL QUIET hdf5-serial hdf5)
endif()
find_path(Hdf5Serial_INCLUDE_DIR hdf5.h HINTS ${PC_HDF5_SERIAL_INCLUDE_DIRS} PATH_SUFFIXES hdf5/serial)
find_library(Hdf5Serial_LIBRARY NAMES hdf5_serial hdf5 HINTS ${PC_HDF5_SERIAL_LIBRARY_DIRS} PATH_SUFFIXES hdf5/serial)
mark_as_advanced(Hdf5Serial_INCLUDE_DIR Hdf5Serial_LIBRARY)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Hdf5Serial REQUIRED_VARS Hdf5Serial_LIBRARY Hdf5Serial_INCLUDE_DIR
                                  VERSION_VAR PC_HDF5_SERIAL_VERSION)
if(Hdf5Serial_FOUND AND NOT TARGET Hdf5Serial::hdf5)
  add_library(Hdf5Serial::hdf5 UNKNOWN IMPORTED)
  set_target_properties(Hdf5Serial::hdf5 PROPERTIES IMPORTED_LOCATION "${Hdf5Serial_LIBRARY}"
                        INTERFACE_INCLUDE_DIRECTORIES "${Hdf5Serial_INCLUDE_DIR}")
endif()
