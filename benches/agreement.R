# What R's bnlearn and bnclassify learn from one table, for comparison with tanager.
#
# usage: Rscript agreement.R FOLDER
#   FOLDER holds the table as peers.R reads it: shape.txt and codes.bin.
# Prints tab-separated lines:
#   version  PEER  VERSION
#   family   PEER  SCORE  CHILD  VALUE    of x0, x1 given x0, x2 given x1, …, each given the class too
#   arc      PEER  TASK  PARENT  CHILD    column positions; the class is left out
#   posterior PEER TASK  ROW  P...        P(class | row) of the first rows
#   skip     PEER  REASON
folder <- commandArgs(trailingOnly = TRUE)[1]
shape <- scan(file.path(folder, "shape.txt"), quiet = TRUE)
rows <- shape[1]
columns <- shape[2]
arities <- c(shape[-(1:3)], shape[3])
codes <- matrix(readBin(file.path(folder, "codes.bin"), "integer", rows * (columns + 1), size = 4), rows)
attributes <- paste0("x", seq_len(columns) - 1)
data <- as.data.frame(lapply(seq_len(columns + 1), function(i) {
  factor(codes[, i], levels = seq_len(arities[i]) - 1)
}))
colnames(data) <- c(attributes, "class")

say <- function(...) {
  cat(..., sep = "\t")
  cat("\n")
}
exact <- function(value) sprintf("%.17g", value)
say_arcs <- function(peer, task, from, to) {
  for (i in which(from != "class")) say("arc", peer, task, sub("x", "", from[i]), sub("x", "", to[i]))
}
say_posterior <- function(peer, task, posterior) {
  for (i in 1:5) say("posterior", peer, task, i - 1, exact(posterior[i, ]))
}

if (requireNamespace("bnlearn", quietly = TRUE)) {
  say("version", "bnlearn", as.character(packageVersion("bnlearn")))
  chain <- bnlearn::empty.graph(colnames(data))
  bnlearn::arcs(chain) <- rbind(
    cbind(from = "class", to = attributes),
    cbind(from = head(attributes, -1), to = tail(attributes, -1))
  )
  kinds <- list(ll = "loglik", aic = "aic", bic = "bic", k2 = "k2", bdeu = "bde")
  for (name in names(kinds)) {
    values <- if (name == "bdeu") {
      bnlearn::score(chain, data, type = "bde", iss = 10, by.node = TRUE)
    } else {
      bnlearn::score(chain, data, type = kinds[[name]], by.node = TRUE)
    }
    for (child in attributes) say("family", "bnlearn", name, sub("x", "", child), exact(values[[child]]))
  }
  tan <- bnlearn::tree.bayes(data, training = "class", root = "x0")$arcs
  say_arcs("bnlearn", "tan:ll", tan[, "from"], tan[, "to"])
  tree <- bnlearn::chow.liu(data[attributes])$arcs
  forward <- tree[, "from"] < tree[, "to"] # an undirected arc is there both ways
  say_arcs("bnlearn", "tree", tree[forward, "from"], tree[forward, "to"])
} else {
  say("skip", "bnlearn", "the R package bnlearn is not installed")
}

if (requireNamespace("bnclassify", quietly = TRUE)) {
  say("version", "bnclassify", as.character(packageVersion("bnclassify")))
  for (name in c("loglik", "aic", "bic")) {
    learned <- bnclassify::tan_cl("class", data, score = name)
    for (family in bnclassify::families(learned)) {
      parents <- setdiff(family[-1], "class")
      if (family[1] != "class" && length(parents)) {
        say_arcs("bnclassify", paste0("tan:", sub("loglik", "ll", name)), parents, family[1])
      }
    }
  }
  naive <- bnclassify::lp(bnclassify::nb("class", data), data, smooth = 1)
  say_posterior("bnclassify", "nb", predict(naive, data, prob = TRUE))
  tan <- bnclassify::lp(bnclassify::tan_cl("class", data), data, smooth = 1)
  say_posterior("bnclassify", "tan", predict(tan, data, prob = TRUE))
} else {
  say("skip", "bnclassify", "the R package bnclassify is not installed")
}
