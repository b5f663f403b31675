#!/bin/sh
# Prints the address of a repository on the web, from the address that it was cloned from, on the standard
# input; prints nothing for a folder. Names and passwords are left out.
sed -n -E 's|^[^/@]+@([^:/]+):|https://\1/|
  s|^ssh://([^/]*@)?([^/:]+)(:[0-9]+)?/|https://\2/|
  s|^(https?://)[^/]*@|\1|
  s|/*$||
  s|\.git$||
  /^https?:/p'
