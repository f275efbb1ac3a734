"""Computes stored figures of Accord again, without any code of Accord: Python 3 and its standard library.

    accord verify --dataset NAME | python3 docs/verify.py

Reads lines of JSON: a line with `section`, a definition and values, then what they are computed from. Prints each figure that
differs by more than 1e-9, and the number of figures that agree; exits with 1 if one differs. Computed: BLEU (Papineni
2002, with the constants of the COCO caption toolkit), ROUGE-L (Lin 2004), CIDEr and CIDEr-D (Vedantam 2015), precision and
recall of words when each caption is held out in turn (Chen 2015, section 4.2), precision at human recall (section 4.3),
correlations with ratings (Kendall's tau-b and tau-c, Spearman, Pearson) and accuracies on preferences. Sums over choices of
references are enumerated. The figures of Accord that are not in the lines are listed.
"""

import json
import math
import sys
from collections import Counter
from fractions import Fraction
from itertools import combinations, groupby

TOLERANCE = 1e-9


# ---- Caption metrics


def ngrams(words, n):
    return Counter(tuple(words[i : i + n]) for i in range(len(words) - n + 1))


TINY, SMALL = 1e-15, 1e-9


def bleu_statistics(candidate, references):
    correct, guess = [], []
    for n in range(1, 5):
        most = Counter()
        for reference in references:
            most |= ngrams(reference, n)
        correct.append(sum((ngrams(candidate, n) & most).values()))
        guess.append(max(0, len(candidate) - n + 1))
    length = min((len(r) for r in references), key=lambda r: (abs(r - len(candidate)), r))
    return correct, guess, len(candidate), length


def bleu(statistics):
    correct = [sum(s[0][n] for s in statistics) for n in range(4)]
    guess = [sum(s[1][n] for s in statistics) for n in range(4)]
    ratio = (sum(s[2] for s in statistics) + TINY) / (sum(s[3] for s in statistics) + SMALL)
    penalty = math.exp(1 - 1 / ratio) if ratio < 1 else 1
    scores, product = {}, 1
    for n in range(4):
        product *= (correct[n] + TINY) / (guess[n] + SMALL)
        scores[f"BLEU-{n + 1}"] = product ** (1 / (n + 1)) * penalty
    return scores


def longest_common_subsequence(one, other):
    row = [0] * (len(other) + 1)
    for a in one:
        diagonal = 0
        for j, b in enumerate(other):
            diagonal, row[j + 1] = row[j + 1], diagonal + 1 if a == b else max(row[j + 1], row[j])
    return row[-1]


def rouge_l(candidate, references, beta=1.2):
    if not candidate:
        return 0.0
    lengths = [longest_common_subsequence(candidate, r) for r in references]
    precision = max(lengths) / len(candidate)
    recall = max(length / len(r) for length, r in zip(lengths, references))
    if precision == 0 or recall == 0:
        return 0.0
    return (1 + beta**2) * precision * recall / (recall + beta**2 * precision)


def document_frequencies(references_of):
    frequencies = Counter()
    for references in references_of:
        frequencies.update({g for r in references for n in range(1, 5) for g in ngrams(r, n)})
    return frequencies


def vectors(words, frequencies, images):
    weigh = lambda g: math.log(images) - math.log(max(1, frequencies[g]))
    return [{g: count * weigh(g) for g, count in ngrams(words, n).items()} for n in range(1, 5)]


def norm(vector):
    return math.sqrt(sum(x * x for x in vector.values()))


def ciders(candidate, references, frequencies, images):
    own = vectors(candidate, frequencies, images)
    plain_sum = clipped_sum = 0.0
    for reference in references:
        gap = (len(candidate) - 1 if candidate else 0) - (len(reference) - 1 if reference else 0)
        for a, b in zip(own, vectors(reference, frequencies, images)):
            size = norm(a) * norm(b)
            if size == 0:
                continue
            plain_sum += sum(x * b.get(g, 0) for g, x in a.items()) / size
            clipped = sum(min(x, b.get(g, 0)) * b.get(g, 0) for g, x in a.items())
            clipped_sum += clipped / size * math.exp(-(gap**2) / (2 * 6**2))
    scale = 10 / (4 * len(references))
    return {"CIDEr": plain_sum * scale, "CIDEr-D": clipped_sum * scale}


def mean(values):
    return sum(values) / len(values)


def evaluate(candidates, references_of):
    """Corpus scores, and scores by image, of captions as lists of tokens."""
    frequencies = document_frequencies(references_of)
    images, statistics = [], []
    for candidate, references in zip(candidates, references_of):
        statistics.append(bleu_statistics(candidate, references))
        scores = bleu(statistics[-1:])
        scores["ROUGE-L"] = rouge_l(candidate, references)
        images.append(scores | ciders(candidate, references, frequencies, len(references_of)))
    corpus = bleu(statistics)
    for metric in ["ROUGE-L", "CIDEr", "CIDEr-D"]:
        corpus[metric] = mean([scores[metric] for scores in images])
    return corpus, images


# ---- Words


def ratio(part, whole):
    return None if whole == 0 else part / whole


def human(counts, k, captions):
    """Each caption is held out in turn, against each choice of k of the others. @returns precision and recall"""
    true = false = positive = Fraction(0)
    choices = captions * math.comb(captions - 1, k)
    for count, images in Counter(counts).items():
        uses = [1] * count + [0] * (captions - count)
        for held in range(captions):
            others = uses[:held] + uses[held + 1 :]
            for chosen in combinations(others, k):
                weight = Fraction(images, choices)
                positive += weight * sum(chosen)
                if uses[held]:
                    true += weight * sum(chosen)
                    false += weight * (sum(chosen) == 0)
    return ratio(true, true + false), ratio(true, positive)


def ranked(counts, scores, k, captions):
    """@returns precision at human recall and average precision of scores by image, null for images without one"""
    weights = {}
    for count in range(captions + 1):
        uses = [1] * count + [0] * (captions - count)
        chosen = [sum(c) for c in combinations(uses, k)]
        weights[count] = Fraction(sum(chosen), len(chosen)), Fraction(chosen.count(0), len(chosen))
    thresholds = {}
    for count, score in zip(counts, scores):
        thresholds.setdefault(-math.inf if score is None else score, []).append(count)
    total = sum(weights[count][0] for count in counts)
    if total == 0:
        return None, None
    true = false = Fraction(0)
    points = []
    for score in sorted(thresholds, reverse=True):
        for count in thresholds[score]:
            true += weights[count][0]
            false += weights[count][1]
        points.append((true / total, ratio(true, true + false) or Fraction(0)))
    recall = human(counts, k, captions)[1]
    at_recall = None
    if recall:
        at_recall = next(precision for found, precision in points if found >= recall)
    area, best = Fraction(0), Fraction(0)
    for i in range(len(points) - 1, -1, -1):
        best = max(best, points[i][1])
        area += best * (points[i][0] - (points[i - 1][0] if i else 0))
    return at_recall, area


# ---- Kendall's tau


def tau(scores, ratings):
    """tau-b and tau-c of pairs, all pairs of pairs through counts of equal ones; null where one side is constant."""
    pairs = Counter(zip(scores, ratings))
    levels = sorted(set(ratings))
    below = [0] * len(levels)
    difference = 0
    for _, tied in groupby(sorted(pairs), key=lambda pair: pair[0]):
        tied = list(tied)
        for pair in tied:
            level = levels.index(pair[1])
            difference += pairs[pair] * (sum(below[:level]) - sum(below[level + 1 :]))
        for pair in tied:
            below[levels.index(pair[1])] += pairs[pair]
    n = len(scores)
    ties = lambda values: sum(count * (count - 1) // 2 for count in Counter(values).values())
    smaller = min(len(levels), len(set(scores)))
    if smaller < 2:
        return None, None
    all_pairs = n * (n - 1) // 2
    b = difference / math.sqrt((all_pairs - ties(scores)) * (all_pairs - ties(ratings)))
    return b, 2 * difference / (n * n * (smaller - 1) / smaller)


def pearson(one, other):
    mean_one, mean_other = mean(one), mean(other)
    product = math.fsum((x - mean_one) * (y - mean_other) for x, y in zip(one, other))
    squares = [math.fsum((x - m) ** 2 for x in values) for values, m in [(one, mean_one), (other, mean_other)]]
    return product / math.sqrt(squares[0] * squares[1]) if min(squares) > 0 else None


def ranks(values):
    """Ranks from 1; tied values have the mean of their ranks."""
    place, found = 0, {}
    for value, count in sorted(Counter(values).items()):
        found[value] = place + (count + 1) / 2
        place += count
    return [found[value] for value in values]


# ---- Verification


def verify_metrics(header, lines, report):
    corpus, _ = evaluate([line["candidate"] for line in lines], [line["references"] for line in lines])
    for figure in header["figures"]:
        is_other = figure["metric"].startswith("CIDEr") and "df:own" not in figure["signature"]
        computed = None if is_other else corpus.get(figure["metric"])
        report(figure["metric"], figure["value"], computed, figure["metric"] in corpus and not is_other)


def verify_words(header, lines, report):
    for line in lines:
        counts = [count for count, images in enumerate(line["histogram"]) for _ in range(images)]
        found = human(counts, header["references"], len(line["histogram"]) - 1)
        report(f"precision of {line['word']}", line["precision"], found[0])
        report(f"recall of {line['word']}", line["recall"], found[1])


def verify_phr(header, lines, report):
    for line in lines:
        counts = [count for _, count in line["scored"]]
        scores = [score for score, _ in line["scored"]]
        for count, images in enumerate(line["unscored"]):
            counts += [count] * images
            scores += [None] * images
        found, _ = ranked(counts, scores, header["references"], len(line["unscored"]) - 1)
        report(f"PHR of {line['word']}", line["value"], found)


def verify_preferences(header, lines, report):
    for figure in header["figures"]:
        outcomes = {}
        for line in lines:
            preferred, other = line["scores"][figure["metric"]]
            undefined = preferred is None or other is None or preferred == other
            outcomes.setdefault(line["category"], []).append(0.5 if undefined else float(preferred > other))
        found = {category: mean(own) for category, own in outcomes.items()}
        for category, value in figure["accuracy"].items():
            report(f"accuracy of {figure['metric']} in {category}", value, found.get(category))
        report(f"mean accuracy of {figure['metric']}", figure["mean"], mean(list(found.values())))


def verify_judgements(header, lines, report):
    if "category" in lines[0]:
        return verify_preferences(header, lines, report)
    for figure in header["figures"]:
        pairs = [(line["scores"][figure["metric"]], rating) for line in lines for rating in line["ratings"]]
        defined = [pair for pair in pairs if pair[0] is not None]
        scores, ratings = [score for score, _ in defined], [rating for _, rating in defined]
        found = *tau(scores, ratings), pearson(ranks(scores), ranks(ratings)), pearson(scores, ratings)
        for name, value in zip(["tauB", "tauC", "spearman", "pearson"], found):
            report(f"{name} of {figure['metric']}", figure[name], value)


SECTIONS = {"metrics": verify_metrics, "words": verify_words, "phr": verify_phr, "judgements": verify_judgements}


def verify(file):
    """@returns whether all figures that were computed agree"""
    equal, others, skipped, left_out = 0, 0, [], []

    def report(name, stored, computed, is_computed=True):
        nonlocal equal, others
        if not is_computed:
            skipped.append(name)
        elif (stored is None) == (computed is None) and (
            stored is None or abs(stored - float(computed)) <= TOLERANCE
        ):
            equal += 1
        else:
            others += 1
            shown = None if computed is None else float(computed)
            print(f"{header['section']}: {name}: stored {stored}, computed {shown}")

    header, lines = None, []

    def finish():
        if header is not None and (lines or header["section"] == "words"):
            SECTIONS[header["section"].split("/")[0]](header, lines, report)

    for text in file:
        line = json.loads(text)
        if "leftOut" in line:
            left_out = line["leftOut"]
        elif "section" in line:
            finish()
            header, lines = line, []
        else:
            lines.append(line)
    finish()
    if left_out:
        print(f"not in these lines: {'; '.join(left_out)}")
    if skipped:
        print(f"not computed here: {', '.join(sorted(set(skipped)))}")
    print(f"{equal} figures agree, {others} differ")
    return others == 0 and equal > 0


if __name__ == "__main__":
    sys.exit(0 if verify(sys.stdin) else 1)
