//! The search for the cuts of one column that looks only where a best cut may lie.

use std::ops::Range;

use crate::control::Control;
use crate::data::mdl_rule::{Amount, Tally, accepts, least_gain};
use crate::data::partition::{Entry, Order, Partition};
use crate::error::{Error, Result};
use crate::memory::{check_bytes, filled};

/// Rows that lie next to each other in ascending order of value.
struct Segment {
    places: Range<usize>,
    order: Order,
    /// Where its class counts stand.
    counts: usize,
}

/// The recursion over one column.
///
/// # Method
/// Rows are partitioned by value into segments, whose class counts are known without sorting them. Let `L` and `R`
/// be the numbers of rows left and right of a segment's middle, `m` those of the segment left of it, `d_c` the segment's
/// own rows of class c, and `h(n) = n log2 n`. The cost
/// `|S1| Ent(S1) + |S2| Ent(S2) = h(|S1|) + h(|S2|) − Σ_c φ_c` of any cut within the segment, at its ends included,
/// with `φ_c = h(n1_c) + h(n2_c)` for the numbers of rows of class c on both sides, is at least
/// ```text
/// h(L) + h(R) − λ m − Σ_c max(φ_c at its start, φ_c at its end − λ d_c),   λ = log2(L / R)
/// ```
/// as `h(|S1|) + h(|S2|)` is convex in `|S1|` and so lies above its tangent in the middle, and `φ_c − λ n1_c` is convex
/// in `n1_c` and so is greatest at an end. A segment is left as it is where this bound exceeds the cost of a cut that
/// is known, or the greatest cost that the MDL rule could accept; else it is divided into smaller segments, of which
/// the same is asked, and in the end sorted and scanned. What is found is what a look at every candidate would find.
pub(super) struct Search<'a, A, W, T> {
    partition: &'a mut Partition,
    /// How many rows a row stands for.
    weight: W,
    /// n log2 n.
    term: T,
    n_classes: usize,
    segments: Vec<Segment>,
    counts: Vec<A>,
    /// Places in `counts` of segments that are no more.
    free: Vec<usize>,
    /// Counters for every second row.
    odd: Vec<A>,
}

impl<'a, A: Amount, W: Fn(usize) -> A, T: Fn(A) -> f64> Search<'a, A, W, T> {
    /// Begins with a segment for each of the parts.
    pub(super) fn new(partition: &'a mut Partition, n_classes: usize, weight: W, term: T) -> Result<Self> {
        let odd = filled(|| "the counts of the classes".into(), A::default(), n_classes)?;
        let (segments, counts, free) = (Vec::new(), Vec::new(), Vec::new());
        let mut search = Self { partition, weight, term, n_classes, segments, counts, free, odd };
        let parts = search.partition.parts().into_iter();
        search.segments = parts.map(|part| search.segment(part, Order::Unknown)).collect::<Result<_>>()?;
        Ok(search)
    }

    /// The accepted cuts, ascending.
    pub(super) fn cut_points(mut self, control: &Control) -> Result<Vec<f64>> {
        let mut cuts = Vec::new();
        // Where intervals begin that are still to be cut. Each ends where the next one begins, the last one with the
        // last segment: segments behind it have been dealt with and are gone.
        let mut starts = vec![0];
        while let Some(start) = starts.pop() {
            control.check()?;
            let whole = self.total(start..self.segments.len());
            if let Some((segment, place)) = self.best_cut(start, &whole)? {
                self.split(segment, place + 1)?;
                let tally = |part| Tally::new(&self.total(part), &self.term);
                let (left, right) = (tally(start..segment + 1), tally(segment + 1..self.segments.len()));
                if accepts(&Tally::new(&whole, &self.term), &left, &right) {
                    if let [a, b] = self.partition.entries(place..place + 2) {
                        cuts.push(midway(a.value, b.value));
                    }
                    starts.extend([start, segment + 1]);
                    continue;
                }
            }
            self.free.extend(self.segments.drain(start..).map(|segment| segment.counts));
        }
        cuts.sort_unstable_by(f64::total_cmp);
        Ok(cuts)
    }

    fn counts_of(&self, segment: &Segment) -> &[A] {
        &self.counts[segment.counts..segment.counts + self.n_classes]
    }

    /// The class counts of an interval.
    fn total(&self, interval: Range<usize>) -> Vec<A> {
        let mut total = vec![A::default(); self.n_classes];
        self.segments[interval].iter().for_each(|segment| add(&mut total, self.counts_of(segment)));
        total
    }

    /// A segment of the given rows.
    fn segment(&mut self, places: Range<usize>, order: Order) -> Result<Segment> {
        let counts = self.place()?;
        // Two counters for each class in turn: one would have to wait for itself.
        let (even, odd) = (&mut self.counts[counts..counts + self.n_classes], &mut self.odd);
        even.fill(A::default());
        odd.fill(A::default());
        let (pairs, rest) = self.partition.entries(places.clone()).as_chunks::<2>();
        for [a, b] in pairs {
            even[a.class as usize] += (self.weight)(a.row as usize);
            odd[b.class as usize] += (self.weight)(b.row as usize);
        }
        rest.iter().for_each(|a| even[a.class as usize] += (self.weight)(a.row as usize));
        add(even, odd);
        Ok(Segment { places, order, counts })
    }

    /// Where the counts of one more segment may stand. As many classes as rows would make a table of their square.
    fn place(&mut self) -> Result<usize> {
        if let Some(place) = self.free.pop() {
            return Ok(place);
        }
        let place = self.counts.len();
        if self.counts.capacity() < place + self.n_classes {
            let n = self.n_classes;
            let what = || format!("the counts of {n} classes in {} intervals", place / n.max(1) + 1);
            let wanted = (place + n).max(2 * place);
            let bytes = check_bytes(what, [wanted, size_of::<A>()])?;
            if self.counts.try_reserve_exact(wanted - place).is_err() {
                return Err(Error::OutOfMemory { what: what(), bytes: bytes as u128 });
            }
        }
        self.counts.resize(place + self.n_classes, A::default());
        Ok(place)
    }

    /// Parts a sorted segment before a place.
    fn split(&mut self, segment: usize, place: usize) -> Result<()> {
        let Segment { places, order, counts } = &self.segments[segment];
        if place < places.end {
            let (places, order, counts) = (places.clone(), *order, *counts);
            self.free.push(counts);
            let left = self.segment(places.start..place, order)?;
            let right = self.segment(place..places.end, order)?;
            self.segments.splice(segment..=segment, [left, right]);
        }
        Ok(())
    }

    /// Segment and place of the last row left of the best cut of the interval from `start`; perhaps none where the
    /// MDL rule would refuse it.
    fn best_cut(&mut self, start: usize, whole: &[A]) -> Result<Option<(usize, usize)>> {
        let tally = Tally::new(whole, &self.term);
        if tally.size <= 1.0 || tally.present < 2.0 {
            return Ok(None);
        }
        let mut scan = Scan::new(whole, &tally);
        let mut bounds = Vec::with_capacity(self.segments.len() - start);
        for segment in &self.segments[start..] {
            bounds.push(scan.bound(self.counts_of(segment), &self.term));
            scan.pass(self.counts_of(segment));
        }
        if bounds.iter().all(|&bound| bound > scan.limit) {
            return Ok(None);
        }
        scan.restart();
        for (segment, bound) in self.segments.split_off(start).into_iter().zip(bounds) {
            self.visit(segment, bound, &mut scan)?;
        }
        Ok(scan.best)
    }

    /// Puts a segment back, or what it is divided into, and looks for the best cut where it may lie.
    fn visit(&mut self, segment: Segment, bound: f64, scan: &mut Scan<A>) -> Result<()> {
        if bound > scan.limit {
            // Neither end is a best cut.
            scan.pending = None;
        } else if segment.order == Order::Unknown {
            self.free.push(segment.counts);
            for (places, order) in self.partition.divide(segment.places) {
                let part = self.segment(places, order)?;
                let bound = scan.bound(self.counts_of(&part), &self.term);
                self.visit(part, bound, scan)?;
            }
            return Ok(());
        } else if segment.order == Order::Constant {
            self.scan_constant(&segment, scan);
        } else {
            self.scan_sorted(&segment, scan);
        }
        scan.skip(self.counts_of(&segment));
        self.segments.push(segment);
        Ok(())
    }

    fn scan_sorted(&self, segment: &Segment, scan: &mut Scan<A>) {
        let mut cost = Cost::new(scan.whole, &scan.left, &self.term);
        let mut end = segment.places.start;
        for block in self.partition.entries(segment.places.clone()).chunk_by(|a, b| a.value == b.value) {
            block.iter().for_each(|entry| cost.move_left(entry, &self.weight));
            end += block.len();
            let class = block[0].class;
            let class = block.iter().all(|entry| entry.class == class).then_some(class);
            scan.meet(Candidate { cut: (self.segments.len(), end - 1), bits: cost.bits(), class });
        }
    }

    /// The same for one block, however long, from its counts.
    fn scan_constant(&self, segment: &Segment, scan: &mut Scan<A>) {
        let counts = self.counts_of(segment);
        let mut left = scan.left.clone();
        add(&mut left, counts);
        let bits = Cost::new(scan.whole, &left, &self.term).bits();
        let mut present = (0..).zip(counts).filter(|&(_, &n)| n > A::default()).map(|(class, _)| class);
        let class = present.next().filter(|_| present.next().is_none());
        scan.meet(Candidate { cut: (self.segments.len(), segment.places.end - 1), bits, class });
    }
}

/// The cut after a block of equal values.
struct Candidate {
    /// Segment and place of the block's last row.
    cut: (usize, usize),
    /// |S1| Ent(S1) + |S2| Ent(S2).
    bits: f64,
    /// The class of all rows of the block, where it is one.
    class: Option<u32>,
}

/// What a look at an interval from left to right has found so far.
struct Scan<'a, A> {
    whole: &'a [A],
    size: A,
    /// The class counts of the segments before.
    left: Vec<A>,
    /// φ_c where the next segment begins, unless it is not known, and where the last one that was asked for ends.
    at_start: Vec<f64>,
    at_end: Vec<f64>,
    /// Costs within this of each other are equal: rounding stays far below, real differences lie far above.
    tolerance: f64,
    /// No cut of a greater cost is looked for.
    limit: f64,
    best: Option<(usize, usize)>,
    /// The cost that a better cut lies below.
    least: f64,
    pending: Option<Candidate>,
}

impl<'a, A: Amount> Scan<'a, A> {
    fn new(whole: &'a [A], tally: &Tally) -> Self {
        let tolerance = 1e-12 * (1.0 + tally.size_term.abs());
        Self {
            whole,
            size: sum(whole),
            left: vec![A::default(); whole.len()],
            at_start: Vec::new(),
            at_end: Vec::new(),
            tolerance,
            limit: tally.bits() - least_gain(tally) + tolerance,
            best: None,
            least: f64::INFINITY,
            pending: None,
        }
    }

    /// The lower bound of the next segment's cuts, given its class counts; its end is a known cut.
    fn bound(&mut self, counts: &[A], term: impl Fn(A) -> f64) -> f64 {
        if self.at_start.is_empty() {
            let sides = self.left.iter().zip(self.whole);
            self.at_start.extend(sides.map(|(&left, &whole)| term(left) + term(whole - left)));
        }
        let (before, rows) = (sum(&self.left), sum(counts));
        let end = sum(&[before, rows]);
        // The tangent touches where there are rows on both sides: at the end of all rows it would be vertical.
        let half = if sum(&[before, rows.half()]) < self.size { rows.half() } else { A::default() };
        let middle = sum(&[before, half]);
        let beyond = self.size - middle;
        let (low, high) = (term(middle), term(beyond));
        // log2 n from n log2 n, which comes from a table.
        let slope = low / middle.into() - high / beyond.into();
        let (mut most, mut spread) = (0.0, 0.0);
        self.at_end.clear();
        for (((&n, &left), &whole), &start) in
            counts.iter().zip(&self.left).zip(self.whole).zip(&self.at_start)
        {
            let left = sum(&[left, n]);
            let end = term(left) + term(whole - left);
            most += start.max(end - slope * n.into());
            spread += end;
            self.at_end.push(end);
        }
        if end < self.size {
            let cost = term(end) + term(self.size - end) - spread;
            self.limit = self.limit.min(cost + self.tolerance);
        }
        low + high - slope * half.into() - most
    }

    /// Goes on behind the segment of these counts, whose bound was asked for last.
    fn pass(&mut self, counts: &[A]) {
        add(&mut self.left, counts);
        std::mem::swap(&mut self.at_start, &mut self.at_end);
    }

    /// Goes on behind a segment of these counts.
    fn skip(&mut self, counts: &[A]) {
        add(&mut self.left, counts);
        self.at_start.clear();
    }

    /// Goes back to the beginning.
    fn restart(&mut self) {
        self.left.fill(A::default());
        self.at_start.clear();
    }

    /// Judges the pending candidate, as the class of the block after it is known now: a cut between blocks of one and
    /// the same class is never the best.
    fn meet(&mut self, next: Candidate) {
        if let Some(before) = self.pending.take()
            && (next.class.is_none() || next.class != before.class)
            && before.bits < self.least
        {
            (self.least, self.best) = (before.bits - self.tolerance, Some(before.cut));
            self.limit = self.limit.min(before.bits + self.tolerance);
        }
        self.pending = Some(next);
    }
}

/// |S1| Ent(S1) + |S2| Ent(S2) while rows move from the right to the left: a row changes two terms only.
struct Cost<'a, A, T> {
    left: Vec<A>,
    right: Vec<A>,
    total_left: A,
    total_right: A,
    /// Σ_c φ_c.
    spread: f64,
    term: &'a T,
}

impl<'a, A: Amount, T: Fn(A) -> f64> Cost<'a, A, T> {
    fn new(whole: &[A], left: &[A], term: &'a T) -> Self {
        let right: Vec<A> = whole.iter().zip(left).map(|(&n, &l)| n - l).collect();
        let (total_left, total_right) = (sum(left), sum(&right));
        let spread = left.iter().zip(&right).map(|(&l, &r)| term(l) + term(r)).sum();
        Self { left: left.to_vec(), right, total_left, total_right, spread, term }
    }

    fn move_left(&mut self, entry: &Entry, weight: &impl Fn(usize) -> A) {
        let class = entry.class;
        let (l, r) = (&mut self.left[class as usize], &mut self.right[class as usize]);
        let amount = weight(entry.row as usize);
        let before = (self.term)(*l) + (self.term)(*r);
        *l += amount;
        *r = *r - amount;
        self.total_left += amount;
        self.total_right = self.total_right - amount;
        self.spread += (self.term)(*l) + (self.term)(*r) - before;
    }

    fn bits(&self) -> f64 {
        (self.term)(self.total_left) + (self.term)(self.total_right) - self.spread
    }
}

fn sum<A: Amount>(counts: &[A]) -> A {
    let mut sum = A::default();
    counts.iter().for_each(|&n| sum += n);
    sum
}

fn add<A: Amount>(sum: &mut [A], counts: &[A]) {
    sum.iter_mut().zip(counts).for_each(|(sum, &n)| *sum += n);
}

/// The middle of `a < b`, never equal to `b`, finite wherever one of them is.
fn midway(a: f64, b: f64) -> f64 {
    let half = (b - a) / 2.0;
    let middle = if half.is_finite() { a + half } else { (a / 2.0 + b / 2.0).clamp(f64::MIN, f64::MAX) };
    if middle < b && middle >= a { middle } else { a }
}
