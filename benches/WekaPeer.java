// Times Weka's naive Bayes and TAN on one table.
//
// usage: java -cp weka.jar WekaPeer.java FOLDER SECONDS LEARNER...
//   FOLDER holds shape.txt and codes.bin, as peers.R reads them. Learners: nb, tan.
// Prints the lines of peers.R, and writes P(class | row) of naive Bayes to FOLDER/posteriors.bin: doubles, row by row,
// of the first thousand rows.

import java.io.DataOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import weka.classifiers.AbstractClassifier;
import weka.classifiers.bayes.BayesNet;
import weka.classifiers.bayes.NaiveBayes;
import weka.core.Attribute;
import weka.core.DenseInstance;
import weka.core.Instances;

public class WekaPeer {
  interface Task {
    void run() throws Exception;
  }

  static void say(Object... words) {
    System.out.println(String.join("\t", Arrays.stream(words).map(String::valueOf).toList()));
  }

  /** The best of the runs that fit in the budget, at most 15; the first is not counted: it compiles. */
  static double bestTime(Task task, double budget) throws Exception {
    task.run();
    double best = Double.POSITIVE_INFINITY;
    double spent = 0;
    for (int count = 0; count == 0 || (spent < budget && count < 15); count++) {
      long start = System.nanoTime();
      task.run();
      double seconds = (System.nanoTime() - start) * 1e-9;
      best = Math.min(best, seconds);
      spent += seconds;
    }
    return best;
  }

  static Instances read(Path folder) throws IOException {
    int[] shape = Arrays.stream(Files.readString(folder.resolve("shape.txt")).trim().split(" "))
        .mapToInt(Integer::parseInt).toArray();
    int rows = shape[0];
    int columns = shape[1];
    ArrayList<Attribute> attributes = new ArrayList<>();
    for (int i = 0; i <= columns; i++) {
      List<String> values = new ArrayList<>();
      for (int value = 0; value < (i < columns ? shape[3 + i] : shape[2]); value++) {
        values.add("v" + value);
      }
      attributes.add(new Attribute(i < columns ? "x" + i : "class", values));
    }
    ByteBuffer codes = ByteBuffer.wrap(Files.readAllBytes(folder.resolve("codes.bin"))).order(ByteOrder.LITTLE_ENDIAN);
    Instances data = new Instances("table", attributes, rows);
    for (int row = 0; row < rows; row++) {
      double[] values = new double[columns + 1];
      for (int i = 0; i <= columns; i++) {
        values[i] = codes.getInt(4 * (i * rows + row));
      }
      data.add(new DenseInstance(1.0, values));
    }
    data.setClassIndex(columns);
    return data;
  }

  static void predict(AbstractClassifier model, Instances data) throws Exception {
    for (int row = 0; row < data.numInstances(); row++) {
      model.distributionForInstance(data.instance(row));
    }
  }

  static void write(AbstractClassifier model, Instances data, Path file) throws Exception {
    try (OutputStream stream = Files.newOutputStream(file); DataOutputStream out = new DataOutputStream(stream)) {
      for (int row = 0; row < Math.min(1000, data.numInstances()); row++) {
        for (double probability : model.distributionForInstance(data.instance(row))) {
          out.writeDouble(probability);
        }
      }
    }
  }

  public static void main(String[] arguments) throws Exception {
    Path folder = Path.of(arguments[0]);
    double budget = Double.parseDouble(arguments[1]);
    List<String> learners = Arrays.asList(arguments).subList(2, arguments.length);
    Instances data = read(folder);
    if (learners.contains("nb")) {
      NaiveBayes model = new NaiveBayes();
      say("time", "nb fit", bestTime(() -> model.buildClassifier(data), budget));
      write(model, data, folder.resolve("posteriors.bin"));
      say("time", "nb predict_proba, one row",
          bestTime(() -> model.distributionForInstance(data.instance(0)), budget));
      say("time", "nb predict_proba", bestTime(() -> predict(model, data), budget));
    }
    if (learners.contains("tan")) {
      BayesNet model = new BayesNet(); // the tree by likelihood, one pseudo-count in each cell
      model.setOptions(weka.core.Utils.splitOptions(
          "-D -Q weka.classifiers.bayes.net.search.local.TAN -- -S ENTROPY"
          + " -E weka.classifiers.bayes.net.estimate.SimpleEstimator -- -A 1.0"));
      double seconds = bestTime(() -> model.buildClassifier(data), budget);
      for (int child = 0; child < data.classIndex(); child++) {
        for (int i = 0; i < model.getNrOfParents(child); i++) {
          int parent = model.getParent(child, i);
          if (parent != data.classIndex()) {
            say("arc", parent, child);
          }
        }
      }
      say("time", "tan fit", seconds);
      say("time", "tan predict_proba, one row",
          bestTime(() -> model.distributionForInstance(data.instance(0)), budget));
      say("time", "tan predict_proba", bestTime(() -> predict(model, data), budget));
    }
  }
}
