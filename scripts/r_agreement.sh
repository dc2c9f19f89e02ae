#!/usr/bin/env bash
# The tests against R's bnlearn and bnclassify, none of which may be skipped. Arguments go to pytest.
# R comes from apt where it is absent, and packages that neither R nor R_LIBS (target/r/library) has from R's own repository.
# WHEEL names a wheel that is built already; otherwise a quick one is built.
set -euo pipefail
cd "$(dirname "$0")/.."
folder=target/r
export R_LIBS="${R_LIBS:-$PWD/$folder/library}" TANAGER_R=required
mkdir -p "$folder" "${R_LIBS%%:*}"

if ! command -v Rscript >/dev/null; then
  root=(sudo)
  [ "$(id -u)" != 0 ] || root=()
  "${root[@]}" apt-get update --quiet=2
  "${root[@]}" apt-get install --quiet=2 --yes --no-install-recommends r-base-core gfortran liblapack-dev libblas-dev \
    r-cran-rcpp r-cran-bh r-cran-assertthat r-cran-matrixstats r-cran-rpart
fi
Rscript --no-init-file - <<'R'
# the last that older releases of R take, where what is offered now asks for a newer one
last <- c(entropy = "1.3.2", bnlearn = "4.9", bnclassify = "0.4.8")
absent <- Filter(function(name) !requireNamespace(name, quietly = TRUE), names(last))
if (length(absent)) {
  if ("@CRAN@" %in% getOption("repos")) chooseCRANmirror(ind = 1)
  offered <- rownames(available.packages())
  for (name in absent) {
    if (name %in% offered) {
      install.packages(name, lib = .libPaths()[1])
    } else {
      file <- sprintf("%s_%s.tar.gz", name, last[name])
      archive <- file.path(contrib.url(getOption("repos")[1]), "Archive", name, file)
      download.file(archive, file.path(tempdir(), file), quiet = TRUE)
      install.packages(file.path(tempdir(), file), lib = .libPaths()[1], repos = NULL, type = "source")
    }
  }
}
R

python3 -m venv "$folder/python"
python="$PWD/$folder/python/bin/python"
"$python" -m pip install --quiet 'hypothesis>=6.100' 'pandas>=2.2' 'pytest>=8'
if [ -z "${WHEEL:-}" ]; then
  "$python" -m pip install --quiet 'maturin>=1.9,<2'
  rm -rf "$folder/wheels"
  "$folder/python/bin/maturin" build --quiet --profile quick --interpreter "$python" --out "$folder/wheels"
  WHEEL=$(ls "$folder"/wheels/*.whl)
fi
"$python" -m pip install --quiet --force-reinstall --no-deps "$WHEEL"
"$python" -m pip install --quiet "$WHEEL"
exec "$python" -m pytest tests/test_r_agreement.py "$@"
