# The trials of bnlearn and bnclassify.
#
# usage: Rscript trials.R FOLDER, where rows.csv has the table, other.bif a network that tanager wrote with
# other.csv, what it says, and weights.csv the weights of rows. Prints LIBRARY<tab>FEATURE<tab>OUTCOME: "yes",
# "needs PACKAGE" or what failed. A network that is written goes to LIBRARY.bif, and its P(class | row) to
# LIBRARY.csv: whether another library reads it is seen elsewhere.

folder <- commandArgs(trailingOnly = TRUE)[1]
file_in <- function(name) file.path(folder, name)
set.seed(1)

rows <- read.csv(file_in("rows.csv"), stringsAsFactors = TRUE)
attributes_ <- c("colour", "size", "shape")
nominal <- rows[c(attributes_, "kind")]
x <- nominal[attributes_]
weights <- read.csv(file_in("weights.csv"))[[1]]
repeated <- nominal[rep(seq_along(weights), weights), ]
blanks <- x
blanks$colour[seq(1, nrow(x), 7)] <- NA
blanks$shape[seq(1, nrow(x), 5)] <- NA
strange <- x
levels(strange$size) <- c(levels(x$size), "huge")
strange$size[seq(1, nrow(x), 4)] <- "huge"

need <- function(package) if (!requireNamespace(package, quietly = TRUE)) stop("needs ", package, call. = FALSE)

# Probabilities of both classes for all rows, which tell the classes better than a guess would.
check <- function(p, least = 0.75) {
  p <- as.matrix(p)
  stopifnot(nrow(p) == nrow(rows), ncol(p) == 2, all(is.finite(p)), all(p >= 0), all(abs(rowSums(p) - 1) < 1e-5))
  right <- mean(c("no", "yes")[max.col(p, "first")] == rows$kind)
  if (right < least) stop("right in ", right, " of the rows")
  invisible(p)
}

same <- function(left, right, tolerance = 1e-5) {
  gap <- max(abs(check(left) - check(right)))
  if (gap > tolerance) stop("they differ by ", gap)
}

check_drawn <- function(drawn) {
  stopifnot(nrow(drawn) >= 1000)
  for (name in names(nominal)) {
    stopifnot(abs(prop.table(table(drawn[[name]])) - prop.table(table(nominal[[name]]))) < 0.1)
  }
}

write_outcome <- function(library, p) write.csv(check(p), file_in(paste0(library, ".csv")), row.names = FALSE)

report <- function(library, trials) {
  for (feature in names(trials)) {
    outcome <- tryCatch({
      suppressWarnings(suppressMessages(trials[[feature]]()))
      "yes"
    }, error = function(e) gsub("[\t\n]", " ", conditionMessage(e)))
    cat(library, "\t", feature, "\t", outcome, "\n", sep = "")
  }
}

# bnlearn's own classifier for complete rows; for others its inference by weighted samples, which asks for no other package.
bn_fit <- function(data, explanatory = attributes_) {
  bnlearn::bn.fit(bnlearn::naive.bayes(data, "kind", explanatory), data, method = "bayes", iss = 1)
}
bn_p <- function(fitted, data) {
  t(attr(predict(fitted, data, prob = TRUE), "prob"))[, c("no", "yes")]
}
bn_query <- function(fitted, data) {
  class(fitted) <- setdiff(class(fitted), c("bn.naive", "bn.tan"))
  found <- sapply(seq_len(nrow(data)), function(i) {
    known <- lapply(data[i, !is.na(data[i, ]), drop = FALSE], as.character)
    drawn <- bnlearn::cpdist(fitted, nodes = "kind", evidence = known, method = "lw", n = 2000)
    tapply(attr(drawn, "weights"), drawn$kind, sum) / sum(attr(drawn, "weights"))
  })
  t(found)
}
# By the likelihood of the row with each class, for a network of any shape.
bn_likely <- function(fitted, data, label) {
  joint <- exp(sapply(c("no", "yes"), function(value) {
    assumed <- data
    assumed[[label]] <- factor(value, levels = c("no", "yes"))
    logLik(fitted, assumed, by.sample = TRUE)
  }))
  joint / rowSums(joint)
}
bnlearn_trials <- list(
  text = function() check(bn_p(bn_fit(nominal), x)),
  numbers = function() {
    cut <- cbind(nominal, bnlearn::discretize(rows["weight"], "quantile", breaks = 5))
    check(bn_p(bn_fit(cut, c(attributes_, "weight")), cut), 0.9)
  },
  densities = function() {
    mixed <- rows[c("weight", "colour", "kind")]
    fitted <- bnlearn::bn.fit(bnlearn::model2network("[kind][colour|kind][weight|kind]"), mixed)
    check(bn_likely(fitted, mixed, "kind"), 0.9)
  },
  missing_fit = function() check(bn_p(bnlearn::bn.fit(
    bnlearn::naive.bayes(nominal, "kind"), cbind(blanks, nominal["kind"]), method = "bayes", iss = 1), x)),
  missing_predict = function() {
    fitted <- bn_fit(nominal)
    check(tryCatch(bn_p(fitted, blanks), error = function(e) bn_query(fitted, blanks)))
  },
  unknown = function() {
    fitted <- bn_fit(nominal)
    check(tryCatch(bn_p(fitted, strange), error = function(e) bn_query(fitted, strange)), 0.7)
  },
  explained = function() {
    # the terms of the attributes for each class, by node
    fitted <- bn_fit(nominal)
    terms <- lapply(names(nominal), function(node) sapply(c("no", "yes"), function(value) {
      assumed <- nominal
      assumed$kind[] <- value
      logLik(fitted, assumed, nodes = node, by.sample = TRUE)
    }))
    joint <- exp(Reduce(`+`, terms))
    same(joint / rowSums(joint), bn_p(fitted, x))
  },
  sampled = function() check_drawn(bnlearn::rbn(bn_fit(nominal), 2000)),
  saved = function() {
    fitted <- bn_fit(nominal)
    saveRDS(fitted, file_in("bnlearn.rds"))
    same(bn_p(readRDS(file_in("bnlearn.rds")), x), bn_p(fitted, x), 0)
  },
  written = function() {
    fitted <- bn_fit(nominal)
    bnlearn::write.bif(file_in("bnlearn.bif"), fitted)
    write_outcome("bnlearn", bn_p(fitted, x))
  },
  read = function() {
    fitted <- bnlearn::read.bif(file_in("other.bif"))
    label <- setdiff(bnlearn::nodes(fitted), attributes_)
    data <- lapply(attributes_, function(a) factor(x[[a]], levels = dimnames(fitted[[a]]$prob)[[1]]))
    names(data) <- attributes_
    same(bn_likely(fitted, as.data.frame(data), label), read.csv(file_in("other.csv")), 1e-4)
  },
  arcs = function() {
    forbidden <- data.frame(from = c("colour", "size"), to = c("size", "colour"))
    learned <- bnlearn::hc(nominal, whitelist = data.frame(from = "shape", to = "size"), blacklist = forbidden)
    pairs <- apply(bnlearn::arcs(learned), 1, paste, collapse = " ")
    stopifnot("shape size" %in% pairs, !c("colour size", "size colour") %in% pairs)
  }
)

bnc_fit <- function(data, learner = "tan_cl") bnclassify::bnc(learner, "kind", data, smooth = 1)
bnc_p <- function(fitted, data) predict(fitted, data, prob = TRUE)[, c("no", "yes")]
grain_of <- function(fitted) {
  need("gRain")
  bnclassify::as_grain(fitted)
}
bnclassify_trials <- list(
  text = function() check(bnc_p(bnc_fit(nominal), x)),
  missing_fit = function() check(bnc_p(bnc_fit(cbind(blanks, nominal["kind"]), "nb"), x)),
  missing_predict = function() {
    fitted <- bnc_fit(nominal)
    p <- tryCatch(bnc_p(fitted, blanks), error = function(e) {
      need("gRain")
      stop(e)
    })
    check(p)
  },
  unknown = function() check(bnc_p(bnc_fit(nominal), strange), 0.7),
  selection = function() {
    fitted <- bnclassify::lp(bnclassify::fssj("kind", nominal, k = 5), nominal, smooth = 1)
    check(bnc_p(fitted, x))
    stopifnot(!"shape" %in% bnclassify::features(fitted))
  },
  sampled = function() check_drawn(simulate(grain_of(bnc_fit(nominal)), nsim = 2000)),
  saved = function() {
    fitted <- bnc_fit(nominal)
    saveRDS(fitted, file_in("bnclassify.rds"))
    same(bnc_p(readRDS(file_in("bnclassify.rds")), x), bnc_p(fitted, x), 0)
  },
  written = function() {
    fitted <- bnc_fit(nominal)
    bnlearn::write.bif(file_in("bnclassify.bif"), bnlearn::as.bn.fit(grain_of(fitted)))
    write_outcome("bnclassify", bnc_p(fitted, x))
  }
)

for (library in c("bnlearn", "bnclassify")) {
  if (requireNamespace(library, quietly = TRUE)) report(library, get(paste0(library, "_trials")))
}
