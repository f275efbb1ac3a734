"""Figures of 200 images, computed without any code of Accord: Python 3 and its standard library.

    python3 test/golden/golden.py data       writes data/ from seed/: captions, results and word scores of our own
    python3 test/golden/golden.py figures    writes images.csv, corpus.json and words.csv from data/

Both were run once and their files are committed: `golden.test.ts` compares Accord with them. The formulas are those
of `docs/verify.py`.
"""

import csv
import json
import re
import sys
from collections import Counter
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE.parent.parent / "docs"))
from verify import evaluate, human, ranked

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
            figures = [human(counts, k, CAPTIONS) for k in references]
            results = [ranked(counts, [s.get(word) for s in scores], k, CAPTIONS) for k in references]
            row = [figures[0][1]] + [precision for precision, _ in figures]
            row += [phr for phr, _ in results] + [ap for _, ap in results]
            writer.writerow([word, *histogram, *map(show, row)])


{"data": write_data, "figures": write_figures}[sys.argv[1]]()
