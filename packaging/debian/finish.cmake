# cpack runs this between installing and packing (CPACK_PRE_BUILD_SCRIPTS): it compresses manual pages, and
# adds both changelogs, as https://www.debian.org/doc/debian-policy/ch-docs.html says.
find_program(GZIP gzip REQUIRED)
function(webnn_compress file)
  execute_process(COMMAND ${GZIP} -9n ${file} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

file(GLOB pages ${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/man/man1/*.1)
foreach(page IN LISTS pages)
  webnn_compress(${page})
endforeach()

string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)  # of SOURCE_DATE_EPOCH
file(GLOB documents ${CPACK_TEMPORARY_DIRECTORY}/*/usr/share/doc/*/copyright)
if(NOT documents)
  message(FATAL_ERROR "no package in ${CPACK_TEMPORARY_DIRECTORY} has documents")
endif()
foreach(copyright IN LISTS documents)
  get_filename_component(folder ${copyright} DIRECTORY)
  file(COPY_FILE ${CPACK_WEBNN_SOURCE}/CHANGELOG.md ${folder}/changelog)
  file(WRITE ${folder}/changelog.Debian
       "libwebnn (${CPACK_PACKAGE_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE}) ${CPACK_WEBNN_SUITE}; urgency=medium\n\n"
       "  * The file changelog.gz has the changes of this version.\n\n"
       " -- ${CPACK_PACKAGE_CONTACT}  ${date}\n")
  webnn_compress(${folder}/changelog)
  webnn_compress(${folder}/changelog.Debian)
  file(CHMOD ${folder}/changelog.gz ${folder}/changelog.Debian.gz
       PERMISSIONS OWNER_READ OWNER_WRITE GROUP_READ WORLD_READ)
endforeach()
