"""Figures of 200 images, computed without any code of Accord: Python 3 and its standard library.

    python3 test/golden/golden.py data       writes data/ from seed/: captions, results and word scores of our own
    python3 test/golden/golden.py figures    writes images.csv, corpus.json and words.csv from data/

Both were run once and their files are committed: `golden.test.ts` compares Accord with them. The formulas are those of
the papers: BLEU (Papineni 2002, with the constants of the COCO caption toolkit), ROUGE-L (Lin 2004), CIDEr and CIDEr-D
(Vedantam 2015), precision and recall of words when each caption is held out in turn (Chen 2015, section 4.2),
precision at human recall and average precision (section 4.3). Sums over choices of references are enumerated.
"""

import csv
import json
import math
import re
import sys
from collections import Counter
from fractions import Fraction
from itertools import combinations
from pathlib import Path

HERE = Path(__file__).parent
SEED = HERE.parent.parent / "seed"
SYSTEMS = ["strong", "middling", "weak"]
IMAGES = 200
CAPTIONS = 5


# ---- Data: 124 scenes, and 76 images of two scenes side by side


def plain(text):
    return re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", text)


def beside(left, right):
    return f"{left.rstrip('.')}, and beside it {right[0].lower()}{right[1:]}"


def write_data():
    scenes = [s for file in sorted(SEED.glob("scenes/*.json")) for s in json.loads(file.read_text())]
    detector = [json.loads(line) for line in (SEED / "scores/detector-large.jsonl").read_text().splitlines()]
    words = {line["image_id"]: line["words"] for line in detector}
    images = []
    for scene in scenes:
        captions = [plain(c) for c in scene["captions"]]
        systems = {name: plain(scene["systems"][name]) for name in SYSTEMS}
        images.append((captions, systems, words[scene["id"]]))
    for i in range(IMAGES - len(scenes)):
        one, other = images[i], images[(7 * i + 31) % len(scenes)]
        captions = [beside(*pair) for pair in zip(one[0], other[0])]
        systems = {name: beside(one[1][name], other[1][name]) for name in SYSTEMS}
        scores = {w: max(one[2].get(w, 0), other[2].get(w, 0)) for w in one[2] | other[2]}
        images.append((captions, systems, scores))
    folder = HERE / "data"
    folder.mkdir(exist_ok=True)
    annotations = [
        {"id": CAPTIONS * i + j + 1, "image_id": i + 1, "caption": caption}
        for i, (captions, _, _) in enumerate(images)
        for j, caption in enumerate(captions)
    ]
    write_json(folder / "captions.json", {"images": [{"id": i + 1} for i in range(IMAGES)], "annotations": annotations})
    for name in SYSTEMS:
        results = [{"image_id": i + 1, "caption": image[1][name]} for i, image in enumerate(images)]
        write_json(folder / f"{name}.json", results)
    with open(folder / "detector.jsonl", "w") as file:
        for i, (_, _, scores) in enumerate(images):
            best = sorted(scores.items(), key=lambda item: (-item[1], item[0]))[:20]
            # Two digits: many images have the same score.
            file.write(json.dumps({"image_id": i + 1, "words": {w: round(s, 2) for w, s in best}}) + "\n")


def write_json(path, value):
    path.write_text(json.dumps(value, ensure_ascii=False).replace("}, {", "},\n{") + "\n")


# ---- Caption metrics


def tokens(caption):
    """Words, with the clitics of the Penn Treebank apart; all that these captions need of its tokenization."""
    text = re.sub(r"(n't|'(?:s|re|ll|ve|m|d))\b", r" \1", caption.lower())
    return re.findall(r"n't|'[a-z]+|[a-z0-9]+(?:-[a-z0-9]+)*", text)


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


def human(counts, k):
    """Each caption is held out in turn, against each choice of k of the others. @returns precision and recall"""
    true = false = positive = Fraction(0)
    choices = CAPTIONS * math.comb(CAPTIONS - 1, k)
    for count, images in Counter(counts).items():
        uses = [1] * count + [0] * (CAPTIONS - count)
        for held in range(CAPTIONS):
            others = uses[:held] + uses[held + 1 :]
            for chosen in combinations(others, k):
                weight = Fraction(images, choices)
                positive += weight * sum(chosen)
                if uses[held]:
                    true += weight * sum(chosen)
                    false += weight * (sum(chosen) == 0)
    return ratio(true, true + false), ratio(true, positive)


def ranked(counts, scores, k):
    """@returns precision at human recall and average precision of scores by image, null for images without one"""
    weights = {}
    for count in range(CAPTIONS + 1):
        uses = [1] * count + [0] * (CAPTIONS - count)
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
    recall = human(counts, k)[1]
    at_recall = None
    if recall:
        at_recall = next(precision for found, precision in points if found >= recall)
    area, best = Fraction(0), Fraction(0)
    for i in range(len(points) - 1, -1, -1):
        best = max(best, points[i][1])
        area += best * (points[i][0] - (points[i - 1][0] if i else 0))
    return at_recall, area


# ---- Figures


def read(name):
    return json.loads((HERE / "data" / name).read_text())


def show(value):
    return "" if value is None else repr(float(value))


def write_figures():
    captions = [[] for _ in range(IMAGES)]
    for annotation in read("captions.json")["annotations"]:
        captions[annotation["image_id"] - 1].append(tokens(annotation["caption"]))
    corpus, rows = {}, []
    for name in SYSTEMS:
        candidates = [tokens(result["caption"]) for result in read(f"{name}.json")]
        corpus[name], images = evaluate(candidates, captions)
        rows += [{"system": name, "image": i + 1} | scores for i, scores in enumerate(images)]
    folds = []
    for held in range(CAPTIONS):
        others = [references[:held] + references[held + 1 :] for references in captions]
        folds.append(evaluate([references[held] for references in captions], others)[0])
    corpus["people"] = folds
    (HERE / "corpus.json").write_text(json.dumps(corpus, indent=1) + "\n")
    with open(HERE / "images.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    write_words(captions)


def write_words(captions):
    scores = [json.loads(line)["words"] for line in (HERE / "data/detector.jsonl").read_text().splitlines()]
    sets = [[set(caption) for caption in image] for image in captions]
    used = Counter(word for image in sets for word in set().union(*image))
    with open(HERE / "words.csv", "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        references = range(1, CAPTIONS)
        header = ["word"] + [f"h{c}" for c in range(CAPTIONS + 1)] + ["recall"]
        header += [f"precision{k}" for k in references]
        writer.writerow(header + [f"{figure}{k}" for figure in ("phr", "ap") for k in references])
        for word in sorted(w for w, images in used.items() if images >= 3):
            counts = [sum(word in caption for caption in image) for image in sets]
            histogram = [counts.count(c) for c in range(CAPTIONS + 1)]
            figures = [human(counts, k) for k in references]
            results = [ranked(counts, [s.get(word) for s in scores], k) for k in references]
            row = [figures[0][1]] + [precision for precision, _ in figures]
            row += [phr for phr, _ in results] + [ap for _, ap in results]
            writer.writerow([word, *histogram, *map(show, row)])


{"data": write_data, "figures": write_figures}[sys.argv[1]]()
