# The accuracy of bnclassify's BSEJ on one table of words, in stratified folds.
#
# usage: tanager datasets tic-tac-toe --csv > table.csv
#        Rscript bsej.R table.csv [FOLDS] [REPEATS]      10 and 1 unless told; the class is the last column
# Rows are dealt to folds class by class, with seeds 1, 2, …; the search has 5 inner folds and one pseudo-count.
# Prints for each least gain of a step, 0.01 (the package's own) and 0, the mean accuracy in percent and the standard
# deviation over folds.
arguments <- commandArgs(trailingOnly = TRUE)
folds <- if (length(arguments) > 1) as.integer(arguments[2]) else 10
repeats <- if (length(arguments) > 2) as.integer(arguments[3]) else 1
if (!requireNamespace("bnclassify", quietly = TRUE)) stop("the R package bnclassify is not installed")

data <- read.csv(arguments[1], colClasses = "factor", check.names = FALSE)
class <- ncol(data)
colnames(data) <- c(paste0("x", seq_len(class - 1)), "class")

dealt <- function() {
  fold <- integer(nrow(data))
  for (level in levels(data$class)) {
    rows <- sample(which(data$class == level))
    fold[rows] <- rep_len(sample(folds), length(rows))
  }
  fold
}

accuracy <- function(train, test, epsilon) {
  network <- bnclassify::bsej("class", train, k = 5, epsilon = epsilon, smooth = 1)
  mean(predict(bnclassify::lp(network, train, smooth = 1), test) == test$class)
}

cat("bnclassify", as.character(packageVersion("bnclassify")), nrow(data), "rows\n")
for (epsilon in c(0.01, 0)) {
  found <- c()
  for (seed in seq_len(repeats)) {
    set.seed(seed)
    fold <- dealt()
    for (i in seq_len(folds)) {
      found <- c(found, accuracy(data[fold != i, ], data[fold == i, ], epsilon))
    }
  }
  cat(sprintf("least gain %g: %.1f ± %.1f over %d folds\n", epsilon, 100 * mean(found), 100 * sd(found), length(found)))
}
