//! Parameter estimators: from counts to conditional probability tables.
