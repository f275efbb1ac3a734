"""Coverage, consensus coverage and confirmed share of several people as one and of systems on COCO-CN, computed without any code of
Accord: Python 3 and its standard library, sets of words one after the other.

    python3 test/golden/several_people.py FOLDER > test/golden/several_people_coco_cn.json

FOLDER has captions_test.json, six captions of an image, segmented by spaces, and captions_test_<system>_results.json. Two of the
six are references. `test/parity/coverage.test.ts` compares Accord with the file.
"""

import json
import sys
from math import log
from pathlib import Path

SYSTEMS = ["coco-cn", "coco-mt", "seqlearn"]
PEOPLE = 6
REFERENCES = 2


def words(caption):
    return set(caption.lower().split())


def load(folder):
    by_image = {}
    for annotation in json.loads((folder / "captions_test.json").read_text("utf8"))["annotations"]:
        by_image.setdefault(annotation["image_id"], []).append((annotation["id"], annotation["caption"]))
    images = {
        image: [words(caption) for _, caption in sorted(captions)[:PEOPLE]]
        for image, captions in by_image.items()
        if len(captions) >= PEOPLE
    }
    systems = {}
    for system in SYSTEMS:
        rows = json.loads((folder / f"captions_test_{system}_results.json").read_text("utf8"))
        systems[system] = {row["image_id"]: words(row["caption"]) for row in rows}
    return images, systems


def shares(images, candidate, weight):
    """`candidate(image, fold)` is a set of words."""
    said = confirmed = shared = anyone = everyone = 0.0
    for image, captions in images.items():
        for fold in range(PEOPLE):
            # The last r captions after that of the fold, cyclically.
            references = [captions[(fold + PEOPLE - 1 - r) % PEOPLE] for r in range(REFERENCES)]
            union, common = set.union(*references), set.intersection(*references)
            own = candidate(image, fold)
            said += sum(map(weight, own))
            confirmed += sum(map(weight, own & union))
            shared += sum(map(weight, own & common))
            anyone += sum(map(weight, union))
            everyone += sum(map(weight, common))
    return {
        "confirmed": confirmed / said,
        "coverage": confirmed / anyone,
        "consensusCoverage": shared / everyone,
    }


def main(folder):
    images, systems = load(folder)
    frequency = {}
    for captions in images.values():
        for word in set.union(*captions):
            frequency[word] = frequency.get(word, 0) + 1
    weights = {
        "words": lambda word: log(len(images) / frequency.get(word, 1)),
        "types": lambda word: 1,
    }
    figures = {}
    for units, weight in weights.items():
        rows = figures[units] = {}
        for people in range(1, PEOPLE - REFERENCES + 1):
            as_one = lambda image, fold: set.union(
                *(images[image][(fold + j) % PEOPLE] for j in range(people))
            )
            rows[f"people x {people}"] = shares(images, as_one, weight)
        for system, captions in systems.items():
            rows[system] = shares(images, lambda image, fold: captions[image], weight)
    print(json.dumps(figures, indent=1))


main(Path(sys.argv[1]))
