# Times TAN and wrapper learners of R's bnlearn and bnclassify on one table.
#
# usage: Rscript peers.R FOLDER SECONDS TASK...
#   FOLDER holds shape.txt (rows, columns, classes, then the arities) and codes.bin (int32, column by
#   column, the class last). Tasks: nb, tan, bsej, fssj.
# Prints tab-separated lines:
#   time  PEER  TASK  SECONDS        the best of the runs that fit in SECONDS, at least one
#   arc   PEER  PARENT  CHILD        column positions, of the TAN
#   skip  PEER  REASON
arguments <- commandArgs(trailingOnly = TRUE)
folder <- arguments[1]
budget <- as.numeric(arguments[2])
tasks <- arguments[-(1:2)]

shape <- scan(file.path(folder, "shape.txt"), quiet = TRUE)
rows <- shape[1]
columns <- shape[2]
arities <- c(shape[-(1:3)], shape[3])
codes <- matrix(readBin(file.path(folder, "codes.bin"), "integer", rows * (columns + 1), size = 4), rows)
names <- c(paste0("x", seq_len(columns) - 1), "class")
data <- as.data.frame(lapply(seq_len(columns + 1), function(i) {
  factor(codes[, i], levels = seq_len(arities[i]) - 1)
}))
colnames(data) <- names

say <- function(...) {
  cat(..., sep = "\t")
  cat("\n")
  flush(stdout())
}

best_time <- function(run) {
  best <- Inf
  spent <- 0
  count <- 0
  while (count == 0 || (spent < budget && count < 15)) {
    seconds <- system.time(run(), gcFirst = FALSE)[["elapsed"]]
    if (seconds < 0.05) { # the clock ticks in milliseconds
      times <- ceiling(0.1 / max(seconds, 0.001))
      seconds <- system.time(for (i in seq_len(times)) run(), gcFirst = FALSE)[["elapsed"]] / times
    }
    best <- min(best, seconds)
    spent <- spent + seconds
    count <- count + 1
  }
  best
}

say_arcs <- function(peer, from, to) {
  keep <- from != "class"
  for (i in which(keep)) say("arc", peer, sub("x", "", from[i]), sub("x", "", to[i]))
}

if (requireNamespace("bnlearn", quietly = TRUE)) {
  suppressPackageStartupMessages(library(bnlearn))
  if ("nb" %in% tasks) {
    say("time", "bnlearn", "nb fit", best_time(function() bn.fit(naive.bayes(data, "class"), data)))
  }
  if ("tan" %in% tasks) {
    fit <- function() {
      network <- tree.bayes(data, training = "class", root = "x0")
      bn.fit(network, data)
      network
    }
    arcs <- fit()$arcs
    say_arcs("bnlearn", arcs[, "from"], arcs[, "to"])
    say("time", "bnlearn", "tan fit", best_time(fit))
  }
} else {
  say("skip", "bnlearn", "the R package bnlearn is not installed")
}

if (requireNamespace("bnclassify", quietly = TRUE)) {
  suppressPackageStartupMessages(library(bnclassify))
  if ("nb" %in% tasks) {
    say("time", "bnclassify", "nb fit", best_time(function() lp(nb("class", data), data, smooth = 1)))
  }
  if ("tan" %in% tasks) {
    fit <- function() lp(tan_cl("class", data), data, smooth = 1)
    families <- families(fit())
    for (family in families) {
      if (family[1] != "class") {
        for (parent in setdiff(family[-1], "class")) say_arcs("bnclassify", parent, family[1])
      }
    }
    say("time", "bnclassify", "tan fit", best_time(fit))
  }
  if ("bsej" %in% tasks) {
    say("time", "bnclassify", "bsej", best_time(function() {
      set.seed(0)
      bsej("class", data, k = 5, epsilon = 0, smooth = 1)
    }))
  }
  if ("fssj" %in% tasks) {
    say("time", "bnclassify", "fssj", best_time(function() {
      set.seed(0)
      fssj("class", data, k = 5, epsilon = 0, smooth = 1)
    }))
  }
} else {
  say("skip", "bnclassify", "the R package bnclassify is not installed")
}
