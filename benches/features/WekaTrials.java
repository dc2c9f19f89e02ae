// Weka's trials.
//
// usage: java -cp weka.jar WekaTrials.java FOLDER, where rows.csv, weights.csv, other.xml and other.csv are as
// trials.R has them. Prints what that prints, and writes Weka.xml and Weka.csv.

import java.io.File;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import weka.attributeSelection.GreedyStepwise;
import weka.attributeSelection.WrapperSubsetEval;
import weka.classifiers.Classifier;
import weka.classifiers.bayes.BayesNet;
import weka.classifiers.bayes.NaiveBayes;
import weka.classifiers.bayes.NaiveBayesUpdateable;
import weka.classifiers.bayes.net.BIFReader;
import weka.classifiers.meta.AttributeSelectedClassifier;
import weka.classifiers.misc.InputMappedClassifier;
import weka.core.Attribute;
import weka.core.Instance;
import weka.core.Instances;
import weka.core.SerializationHelper;
import weka.core.Utils;
import weka.core.converters.CSVLoader;
import weka.filters.Filter;
import weka.filters.unsupervised.attribute.AddValues;
import weka.filters.unsupervised.attribute.Remove;

public class WekaTrials {
  interface Trial {
    void run() throws Exception;
  }

  static final PrintStream out = System.out;
  static Path folder;
  static Instances mixed;
  static Instances nominal;

  static void trial(String feature, Trial trial) {
    String outcome = "yes";
    try {
      trial.run();
    } catch (Throwable failure) {
      outcome = String.valueOf(failure).replaceAll("\\s+", " ");
    }
    out.println("Weka\t" + feature + "\t" + outcome);
  }

  static void require(boolean holds, String what) {
    if (!holds) {
      throw new AssertionError(what);
    }
  }

  static Instances read() throws Exception {
    CSVLoader loader = new CSVLoader();
    loader.setSource(folder.resolve("rows.csv").toFile());
    Instances data = loader.getDataSet();
    data.setClass(data.attribute("kind"));
    return data;
  }

  static Instances without(Instances data, String name) throws Exception {
    Remove filter = new Remove();
    filter.setAttributeIndicesArray(new int[] {data.attribute(name).index()});
    filter.setInputFormat(data);
    return Filter.useFilter(data, filter);
  }

  /** P("no") and P("yes") of each row; they tell the classes better than a guess would. */
  static double[][] check(Classifier model, Instances data, double least) throws Exception {
    double[][] found = new double[data.numInstances()][];
    Attribute label = data.classAttribute();
    double right = 0;
    for (int i = 0; i < found.length; i++) {
      double[] p = model.distributionForInstance(data.instance(i));
      require(p.length == 2 && p[0] >= 0 && p[1] >= 0 && Math.abs(p[0] + p[1] - 1) < 1e-5, "no probabilities");
      right += Utils.maxIndex(p) == (int) data.instance(i).classValue() ? 1 : 0;
      found[i] = new double[] {p[label.indexOfValue("no")], p[label.indexOfValue("yes")]};
    }
    require(right / found.length >= least, "right in " + right + " rows");
    return found;
  }

  static void same(double[][] left, double[][] right, double tolerance) {
    for (int i = 0; i < left.length; i++) {
      require(Math.abs(left[i][0] - right[i][0]) <= tolerance, "they differ in row " + i);
    }
  }

  static double[][] numbers(String name) throws Exception {
    List<String> lines = Files.readAllLines(folder.resolve(name));
    double[][] found = new double[lines.size() - 1][];
    for (int i = 0; i < found.length; i++) {
      String[] cells = lines.get(i + 1).split(",");
      found[i] = new double[cells.length];
      for (int j = 0; j < cells.length; j++) {
        found[i][j] = Double.parseDouble(cells[j]);
      }
    }
    return found;
  }

  static <T extends Classifier> T fitted(T model, Instances data) throws Exception {
    model.buildClassifier(data);
    return model;
  }

  static BayesNet tree() throws Exception {
    BayesNet model = new BayesNet();
    model.setOptions(Utils.splitOptions("-D -Q weka.classifiers.bayes.net.search.local.TAN -- -S BAYES"
        + " -E weka.classifiers.bayes.net.estimate.SimpleEstimator -- -A 0.5"));
    return model;
  }

  static Instances blanks() {
    Instances data = new Instances(nominal);
    for (int i = 0; i < data.numInstances(); i += 5) {
      data.instance(i).setMissing(data.attribute("shape"));
      data.instance(i * 7 % data.numInstances()).setMissing(data.attribute("colour"));
    }
    return data;
  }

  /** A table whose `size` has a value that the other table did not declare. */
  static Instances strange() throws Exception {
    AddValues filter = new AddValues();
    filter.setAttributeIndex("" + (nominal.attribute("size").index() + 1));
    filter.setLabels("huge");
    filter.setInputFormat(nominal);
    Instances data = Filter.useFilter(nominal, filter);
    for (int i = 0; i < data.numInstances(); i += 4) {
      data.instance(i).setValue(data.attribute("size"), "huge");
    }
    return data;
  }

  static void weights() throws Exception {
    double[][] weights = numbers("weights.csv");
    Instances weighted = new Instances(nominal);
    Instances repeated = new Instances(nominal);
    for (int i = 0; i < weights.length; i++) {
      weighted.instance(i).setWeight(weights[i][0]);
      if (weights[i][0] == 2) {
        repeated.add((Instance) nominal.instance(i).copy());
      }
    }
    same(check(fitted(tree(), weighted), nominal, 0.75), check(fitted(tree(), repeated), nominal, 0.75), 1e-5);
  }

  static void parts() throws Exception {
    NaiveBayesUpdateable model = fitted(new NaiveBayesUpdateable(), new Instances(nominal, 0));
    for (int i = 0; i < nominal.numInstances(); i++) {
      model.updateClassifier(nominal.instance(i));
    }
    same(check(model, nominal, 0.75), check(fitted(new NaiveBayes(), nominal), nominal, 0.75), 1e-9);
  }

  static void selection() throws Exception {
    WrapperSubsetEval evaluator = new WrapperSubsetEval();
    evaluator.setClassifier(new NaiveBayes());
    AttributeSelectedClassifier model = new AttributeSelectedClassifier();
    model.setEvaluator(evaluator);
    model.setSearch(new GreedyStepwise());
    model.setClassifier(new NaiveBayes());
    check(fitted(model, nominal), nominal, 0.75);
    require(model.measureNumAttributesSelected() < 3, "all attributes are used");
  }

  /** By the generator, which writes a table that it draws from a network in a file. */
  static void sampled() throws Exception {
    Path file = folder.resolve("drawn.xml");
    Files.writeString(file, fitted(tree(), nominal).toXMLBIF03());
    weka.classifiers.bayes.net.BayesNetGenerator generator = new weka.classifiers.bayes.net.BayesNetGenerator();
    generator.setOptions(new String[] {"-F", file.toString(), "-M", "2000", "-S", "1"});
    generator.generateRandomNetwork();
    generator.generateInstances();
    String text = generator.toString();
    Instances drawn = new Instances(new java.io.StringReader(text.substring(text.indexOf("@relation"))));
    require(drawn.numInstances() >= 1000, "too few rows");
    for (int j = 0; j < nominal.numAttributes(); j++) {
      Attribute attribute = nominal.attribute(j);
      int[] counts = drawn.attributeStats(drawn.attribute(attribute.name()).index()).nominalCounts;
      for (int value = 0; value < counts.length; value++) {
        int expected = nominal.attributeStats(j).nominalCounts[
            attribute.indexOfValue(drawn.attribute(attribute.name()).value(value))];
        double gap = (double) counts[value] / drawn.numInstances() - (double) expected / nominal.numInstances();
        require(Math.abs(gap) < 0.1, "other shares of " + attribute.name());
      }
    }
  }

  static void saved() throws Exception {
    BayesNet model = fitted(tree(), mixed);
    String file = folder.resolve("model.weka").toString();
    SerializationHelper.write(file, model);
    same(check((Classifier) SerializationHelper.read(file), mixed, 0.9), check(model, mixed, 0.9), 0);
  }

  static void written() throws Exception {
    BayesNet model = fitted(tree(), nominal);
    Files.writeString(folder.resolve("Weka.xml"), model.toXMLBIF03());
    StringBuilder text = new StringBuilder("no,yes\n");
    for (double[] p : check(model, nominal, 0.75)) {
      text.append(p[0]).append(',').append(p[1]).append('\n');
    }
    Files.writeString(folder.resolve("Weka.csv"), text);
  }

  /** The network of another library, asked for the class with the attributes' values as evidence. */
  static void readOther() throws Exception {
    weka.classifiers.bayes.net.EditableBayesNet network = new weka.classifiers.bayes.net.EditableBayesNet(
        new BIFReader().processFile(folder.resolve("other.xml").toString()));
    weka.classifiers.bayes.net.MarginCalculator calculator = new weka.classifiers.bayes.net.MarginCalculator();
    calculator.calcMargins(network);
    double[][] found = new double[nominal.numInstances()][];
    int label = network.getNode("class");
    for (int i = 0; i < found.length; i++) {
      weka.classifiers.bayes.net.MarginCalculator asked = new weka.classifiers.bayes.net.MarginCalculator();
      asked.calcMargins(network);
      for (String name : List.of("colour", "size", "shape")) {
        int node = network.getNode(name);
        String value = nominal.instance(i).stringValue(nominal.attribute(name));
        asked.setEvidence(node, List.of(network.getValues(node)).indexOf(value));
      }
      found[i] = asked.getMargin(label);
    }
    require(network.getValueName(label, 0).equals("no"), "the classes are in another order");
    same(found, numbers("other.csv"), 1e-4);
  }

  public static void main(String[] arguments) throws Exception {
    folder = Path.of(arguments[0]);
    System.setErr(new PrintStream(PrintStream.nullOutputStream()));
    System.setOut(new PrintStream(PrintStream.nullOutputStream()));
    mixed = read();
    nominal = without(mixed, "weight");
    NaiveBayes kernels = new NaiveBayes();
    kernels.setUseKernelEstimator(true);
    InputMappedClassifier mapped = new InputMappedClassifier();
    mapped.setOptions(new String[] {"-M", "-W", "weka.classifiers.bayes.NaiveBayes"});
    trial("text", () -> check(fitted(tree(), nominal), nominal, 0.75));
    trial("numbers", () -> check(fitted(tree(), mixed), mixed, 0.9));
    trial("densities", () -> {
      check(fitted(new NaiveBayes(), mixed), mixed, 0.9);
      check(fitted(kernels, mixed), mixed, 0.9);
    });
    trial("missing_fit", () -> check(fitted(tree(), blanks()), nominal, 0.75));
    trial("missing_predict", () -> check(fitted(tree(), nominal), blanks(), 0.75));
    trial("unknown", () -> check(fitted(mapped, nominal), strange(), 0.7));
    trial("weights", WekaTrials::weights);
    trial("parts", WekaTrials::parts);
    trial("selection", WekaTrials::selection);
    trial("sampled", WekaTrials::sampled);
    trial("saved", WekaTrials::saved);
    trial("written", WekaTrials::written);
    trial("read", WekaTrials::readOther);
  }
}
