# Times naive Bayes, TAN and wrapper learners of R's bnlearn and bnclassify on one table.
#
# usage: Rscript peers.R PEER FOLDER SECONDS LEARNER...
#   PEER is bnlearn or bnclassify.
#   FOLDER holds shape.txt (rows, columns, classes, then the arities) and codes.bin (int32, column by
#   column, the class last). Learners: nb, tan; of bnclassify also bsej, fssj.
# Prints tab-separated lines:
#   time  TASK  SECONDS        the best of the runs that fit in SECONDS, at least one
#   arc   PARENT  CHILD        column positions, of the TAN
#   skip  REASON
arguments <- commandArgs(trailingOnly = TRUE)
peer <- arguments[1]
folder <- arguments[2]
budget <- as.numeric(arguments[3])
learners <- arguments[-(1:3)]

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

say_arcs <- function(from, to) {
  keep <- from != "class"
  for (i in which(keep)) say("arc", sub("x", "", from[i]), sub("x", "", to[i]))
}

# The last is the longest: whoever is stopped within it has been timed in the others.
say_times <- function(learner, fit) {
  model <- fit()
  say("time", paste(learner, "fit"), best_time(fit))
  row <- data[1, ]
  say("time", paste(learner, "predict_proba, one row"), best_time(function() predict(model, row, prob = TRUE)))
  say("time", paste(learner, "predict_proba"), best_time(function() predict(model, data, prob = TRUE)))
}

if (!requireNamespace(peer, quietly = TRUE)) {
  say("skip", paste("the R package", peer, "is not installed"))
} else if (peer == "bnlearn") {
  suppressPackageStartupMessages(library(bnlearn))
  # By relative frequencies, contexts without rows have no probabilities, and some predictions end R.
  estimate <- function(network) bn.fit(network, data, method = "bayes", iss = 1)
  if ("nb" %in% learners) say_times("nb", function() estimate(naive.bayes(data, "class")))
  if ("tan" %in% learners) {
    fit <- function() estimate(tree.bayes(data, training = "class", root = "x0"))
    arcs <- arcs(bn.net(fit()))
    say_arcs(arcs[, "from"], arcs[, "to"])
    say_times("tan", fit)
  }
} else if (peer == "bnclassify") {
  suppressPackageStartupMessages(library(bnclassify))
  if ("nb" %in% learners) say_times("nb", function() lp(nb("class", data), data, smooth = 1))
  if ("tan" %in% learners) {
    fit <- function() lp(tan_cl("class", data), data, smooth = 1)
    for (family in families(fit())) {
      if (family[1] != "class") {
        for (parent in setdiff(family[-1], "class")) say_arcs(parent, family[1])
      }
    }
    say_times("tan", fit)
  }
  search <- function(learn) {
    best_time(function() {
      set.seed(0)
      learn("class", data, k = 5, epsilon = 0, smooth = 1)
    })
  }
  if ("bsej" %in% learners) say("time", "bsej", search(bsej))
  if ("fssj" %in% learners) say("time", "fssj", search(fssj))
}
