#!/bin/sh
# Makes an environment with logdump from the wheels beside this script, without a network and without root:
#     ./install.sh FOLDER [EXTRAS]        such as  ./install.sh /u01/logdump tui,export
# PYTHON names the Python to use, 3.11 or later, with the module venv; python3 without it.
set -eu
unset PYTHONPATH PYTHONHOME  # packages of others are none of this environment
here=$(CDPATH='' cd -- "$(dirname -- "$0")" && pwd)
folder=${1:?usage: install.sh FOLDER [EXTRAS]}
python=${PYTHON:-python3}
if [ -e "$folder" ] || [ -L "$folder" ]; then
    echo "$folder is there already: install into a new folder, and remove the old one afterwards." >&2
    exit 1
fi
"$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' || {
    echo "$python is no Python of 3.11 or later; PYTHON=/path/to/python3.11 $0 … names another." >&2
    exit 1
}
# whatever ends this script before the last line, also a signal, leaves no folder that looks installed
trap 'rm -rf -- "$folder"' EXIT
trap 'exit 1' HUP INT TERM
"$python" -m venv "$folder" || {
    echo "$python makes no environment: its module venv, or ensurepip, is missing." >&2
    exit 1
}
"$folder/bin/python" -m pip install --quiet --disable-pip-version-check --no-index --find-links "$here/wheels" "logdump${2:+[$2]}" || {
    echo "There is no wheel for this Python or machine in $here/wheels: it names those that are there." >&2
    exit 1
}
"$folder/bin/logdump" --version
trap - EXIT
