/**
 * The images that simulations draw from: COCO val2017 with captioning systems and word scores, or the dataset that
 * comes with Accord. Every figure of the whole population is known, so that it can be counted how often an interval
 * contains it.
 */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openMetricRegistry } from '../src/compute/resources.js'
import { leaveOneOutTrials } from '../src/core/agreement/leave-one-out.js'
import {
  type CurvePoint,
  differencesFromPeople,
  humanCurve,
  type PeopleDifference,
  type PeopleRows,
  type SystemCoverage,
  systemCoverage,
} from '../src/core/coverage/coverage-figures.js'
import { CANDIDATE_WIDTH, createImageMeasure, peopleWidth } from '../src/core/coverage/image-coverage.js'
import { createUnitCounter, EQUAL_WEIGHTS } from '../src/core/coverage/unit-weights.js'
import { cider } from '../src/core/metrics/cider.js'
import type { MetricFamily, Trial } from '../src/core/metrics/metric.js'
import type { ReferenceLists } from '../src/core/metrics/reference-lists.js'
import { type Random, shuffle } from '../src/core/stats/random.js'
import { type Corpus, sequence } from '../src/core/text/sequences.js'
import { tokenizeCorpus } from '../src/core/text/token-numbers.js'
import { ENGLISH } from '../src/core/text/tokenization.js'
import { tokenize } from '../src/core/text/tokenizer.js'
import { readScenes } from '../src/formats/boxes/scenes.js'
import { readNpy } from '../src/formats/io/npy.js'
import { projectFile } from '../src/project.js'

/** Captions of people and of systems, image by image. */
export interface CaptionedImage {
  readonly people: readonly string[]
  /** One caption per system. */
  readonly systems: readonly string[]
}

/** A word of the population. */
export interface PopulationWord {
  readonly text: string
  /** Per image, how many of the K captions contain the word. */
  readonly counts: Uint8Array
  /** By person, per image whether their caption of the K contains the word: 0 or 1. */
  readonly users: readonly Uint8Array[]
  /** Per image, the score of the word detector. */
  readonly scores: Float32Array
}

export interface Population {
  readonly name: string
  readonly imageCount: number
  /** With the first K captions of people. */
  readonly images: readonly CaptionedImage[]
  /** K. */
  readonly captionsPerImage: number
  readonly families: readonly MetricFamily[]
  readonly systems: readonly string[]
  /** By family and system: one row per image. */
  readonly systemRows: readonly (readonly Float64Array[])[]
  /** By family: one array of rows per fold of the K human captions. */
  readonly humanRows: readonly (readonly Float64Array[])[]
  /** By family: one array of rows per fold, of the last system against the references of the fold. */
  readonly foldRows: readonly (readonly Float64Array[])[]
  /** Rows of CIDEr on some images, with document frequencies that are counted in these images alone. */
  recount(images: Int32Array): RecountedRows
  /** Coverage of people and of systems on some images, beside two references. */
  cover(images: Int32Array, weights: WordWeights): Covered
  /** How a random person of each image as a system differs from the other people, one of whom is a reference. */
  coverPerson(images: Int32Array, weights: WordWeights, random: Random): readonly PeopleDifference[]
  readonly words: readonly PopulationWord[]
}

/** By which images words weigh: by all of the population, by those that are measured, or alike. */
export type WordWeights = 'population' | 'own' | 'types'

/** Figures of one, two … people as one, and of a system. */
interface Covered {
  readonly people: readonly CurvePoint[]
  readonly last: SystemCoverage
  /** The captions of all systems as one. */
  readonly together: SystemCoverage
}

/** Rows of the first and the last system, of people by fold, and of the last system by fold. */
interface RecountedRows {
  readonly first: Float64Array
  readonly last: Float64Array
  readonly people: readonly Float64Array[]
  readonly folds: readonly Float64Array[]
}

/** The metrics whose families are measured. */
const METRICS = ['BLEU-4', 'ROUGE-L', 'METEOR', 'CIDEr-D']

const COCO_SYSTEMS = ['dai-2017', 'shetty-2016', 'vinyals-2017', 'wu-2016']

/** Words of the seed dataset: those that the detector scores. */
const SEED_DETECTOR = 'seed/scores/detector-large.jsonl'

/** The population of a folder with COCO val2017, or of the seed if the folder has no captions. */
export function readPopulation(folder: string): Population {
  return existsSync(join(folder, 'captions_val2017.json')) ? readCoco(folder) : readSeed()
}

function readCoco(folder: string): Population {
  const file = (name: string) => join(folder, name)
  const json = (name: string) => JSON.parse(readFileSync(file(name), 'utf8'))
  const imageIds: number[] = json('word_scores_val2017_image_ids.json')
  const captionsOf = new Map(imageIds.map((id): [number, { id: number; caption: string }[]] => [id, []]))
  for (const annotation of json('captions_val2017.json').annotations) {
    captionsOf.get(annotation.image_id)?.push(annotation)
  }
  const results = COCO_SYSTEMS.map((system) => {
    const rows: { image_id: number; caption: string }[] = json(`captions_val2017_${system}_results.json`)
    return new Map(rows.map(({ image_id, caption }) => [image_id, caption]))
  })
  const images = imageIds.map(
    (imageId): CaptionedImage => ({
      people: (captionsOf.get(imageId) ?? []).sort((a, b) => a.id - b.id).map(({ caption }) => caption),
      systems: results.map((captions) => captions.get(imageId) ?? ''),
    }),
  )
  const vocabulary = readFileSync(file('vocabulary_1000.csv'), 'utf8')
    .trim()
    .split(/\r?\n/)
    .slice(1)
    .map((line) => line.slice(0, line.lastIndexOf(',')).replaceAll('"', ''))
  return measurePopulation(
    'COCO val2017',
    images,
    5,
    COCO_SYSTEMS,
    vocabulary,
    readColumns(file('word_scores_val2017_ensemble9.npy')),
  )
}

/** The columns of an array of scores. */
function readColumns(file: string): Float32Array[] {
  const columns: Float32Array[] = []
  const blocks = readNpy(file, ({ rows, columns: count }) => {
    for (let column = 0; column < count; column++) columns.push(new Float32Array(rows))
  })
  for (const { firstRow, rowCount, values } of blocks) {
    columns.forEach((column, index) => {
      column.set(values.subarray(index * rowCount, (index + 1) * rowCount), firstRow)
    })
  }
  return columns
}

function readSeed(): Population {
  const scenes = readScenes(projectFile('seed/scenes'))
  const systems = [...scenes[0].systems.keys()]
  const images = scenes.map(
    ({ captions, systems: written }): CaptionedImage => ({
      people: captions.map(({ sentence }) => sentence.text),
      systems: systems.map((system) => written.get(system)?.sentence.text ?? ''),
    }),
  )
  const lines = readFileSync(projectFile(SEED_DETECTOR), 'utf8').trim().split('\n')
  const scored = new Map(
    lines.map((line) => {
      const { image_id, words }: { image_id: string; words: Record<string, number> } = JSON.parse(line)
      return [image_id, new Map(Object.entries(words))]
    }),
  )
  const vocabulary = [...new Set([...scored.values()].flatMap((words) => [...words.keys()]))]
  const scores = vocabulary.map((word) =>
    Float32Array.from(scenes, ({ imageId }) => scored.get(imageId)?.get(word) ?? 0),
  )
  const captionsPerImage = Math.min(...images.map(({ people }) => people.length))
  return measurePopulation('seed dataset', images, captionsPerImage, systems, vocabulary, scores)
}

function measurePopulation(
  name: string,
  images: readonly CaptionedImage[],
  captionsPerImage: number,
  systems: readonly string[],
  vocabulary: readonly string[],
  scores: readonly Float32Array[],
): Population {
  const corpus = tokenizeCorpus(
    images.flatMap(({ people, systems: written }) => [...people, ...written]),
    ENGLISH,
  )
  const references: number[] = []
  const referenceOffsets = [0]
  const candidates = systems.map(() => new Int32Array(images.length))
  let caption = 0
  images.forEach(({ people, systems: written }, image) => {
    for (let person = 0; person < people.length; person++) references.push(caption++)
    referenceOffsets.push(references.length)
    for (let system = 0; system < written.length; system++) candidates[system][image] = caption++
  })
  const people = {
    references: Int32Array.from(references),
    referenceOffsets: Int32Array.from(referenceOffsets),
  }
  const folds = leaveOneOutTrials(people, captionsPerImage, captionsPerImage - 1).trials
  const { families } = openMetricRegistry().choose(METRICS)
  const systemRows: Float64Array[][] = []
  const humanRows: Float64Array[][] = []
  const foldRows: Float64Array[][] = []
  const last = candidates[candidates.length - 1]
  const lastOnFolds = folds.map((fold) => ({ ...fold, candidates: last }))
  for (const family of families) {
    const prepared = family.prepare(corpus)
    const measure = (trial: Trial) => family.measure(prepared, trial)
    systemRows.push(candidates.map((captions) => measure({ ...people, candidates: captions })))
    humanRows.push(folds.map(measure))
    foldRows.push(lastOnFolds.map(measure))
  }
  const prepared = cider.prepare(corpus)
  return {
    name,
    imageCount: images.length,
    images: images.map(({ people, systems }) => ({ people: people.slice(0, captionsPerImage), systems })),
    captionsPerImage,
    families,
    systems,
    systemRows,
    humanRows,
    foldRows,
    recount(images) {
      const measure = (trial: Trial) => cider.measure(prepared, takeImages(trial, images))
      return {
        first: measure({ ...people, candidates: candidates[0] }),
        last: measure({ ...people, candidates: last }),
        people: folds.map(measure),
        folds: lastOnFolds.map(measure),
      }
    },
    cover(chosen, weights) {
      const { rows, systems: own } = measureCoverage(
        { corpus, people, captionsPerImage, references: 2, systems: [[last], candidates] },
        chosen,
        weights,
      )
      return {
        people: humanCurve(rows),
        last: systemCoverage(own[0], rows),
        together: systemCoverage(own[1], rows),
      }
    },
    coverPerson: (chosen, weights, random) =>
      measurePerson({ corpus, people, captionsPerImage }, chosen, weights, random),
    words: countVocabulary(images, captionsPerImage, vocabulary, scores),
  }
}

type CaptionsOfPeople = Pick<CoverageMaterial, 'corpus' | 'people' | 'captionsPerImage'>

/** Words weigh by the other people of the images, or by all people of the images that are not chosen. */
function measurePerson(
  { corpus, people, captionsPerImage }: CaptionsOfPeople,
  images: Int32Array,
  weights: WordWeights,
  random: Random,
): PeopleDifference[] {
  const design = { captionsPerImage: captionsPerImage - 1, references: 1 }
  const firstOf = (image: number) => people.references[people.referenceOffsets[image]]
  const counter = createUnitCounter()
  const captions = Array.from(images, (image) => {
    const all = Array.from({ length: captionsPerImage }, (_, person) =>
      sequence(corpus, firstOf(image) + person),
    )
    shuffle(all, random)
    const others = all.slice(1)
    const offsets = Int32Array.from([
      0,
      ...others.map((_, end) => others.slice(0, end + 1).flatMap((one) => [...one]).length),
    ])
    return { own: all[0], others: { tokens: Int32Array.from(others.flatMap((one) => [...one])), offsets } }
  })
  const chosen = new Set(images)
  if (weights === 'own') for (const { others } of captions) counter.add(others, 0, captionsPerImage - 1)
  else
    for (let image = 0; image + 1 < people.referenceOffsets.length; image++)
      if (!chosen.has(image)) counter.add(corpus, firstOf(image), firstOf(image) + captionsPerImage)
  const measure = createImageMeasure(design, weights === 'types' ? EQUAL_WEIGHTS : counter.weights())
  const width = peopleWidth(design)
  const rows = new Float64Array(images.length * width)
  const own = new Float64Array(images.length * CANDIDATE_WIDTH)
  captions.forEach((ofImage, index) => {
    measure.addPeople(ofImage.others, 0, rows.subarray(index * width, (index + 1) * width))
    measure.addSystem(ofImage.own, own.subarray(index * CANDIDATE_WIDTH, (index + 1) * CANDIDATE_WIDTH))
  })
  return differencesFromPeople(own, { design, rows, untested: null }, images)
}

interface CoverageMaterial {
  readonly corpus: Corpus
  readonly people: ReferenceLists
  readonly captionsPerImage: number
  /** r */
  readonly references: number
  /** Of each, captions by image, which are one together. */
  readonly systems: readonly (readonly Int32Array[])[]
}

function measureCoverage(
  { corpus, people, captionsPerImage, references, systems }: CoverageMaterial,
  images: Int32Array,
  weights: WordWeights,
): { readonly rows: PeopleRows; readonly systems: readonly Float64Array[] } {
  const design = { captionsPerImage, references }
  const firstOf = (image: number) => people.references[people.referenceOffsets[image]]
  const counter = createUnitCounter()
  const all = Int32Array.from({ length: people.referenceOffsets.length - 1 }, (_, image) => image)
  for (const image of weights === 'population' ? all : images)
    counter.add(corpus, firstOf(image), firstOf(image) + captionsPerImage)
  const measure = createImageMeasure(design, weights === 'types' ? EQUAL_WEIGHTS : counter.weights())
  const width = peopleWidth(design)
  const rows = new Float64Array(images.length * width)
  const own = systems.map(() => new Float64Array(images.length * CANDIDATE_WIDTH))
  images.forEach((image, index) => {
    measure.addPeople(corpus, firstOf(image), rows.subarray(index * width, (index + 1) * width))
    systems.forEach((captions, system) => {
      const units = captions.flatMap((ofImages) => Array.from(sequence(corpus, ofImages[image])))
      const row = own[system].subarray(index * CANDIDATE_WIDTH, (index + 1) * CANDIDATE_WIDTH)
      measure.addSystem(Int32Array.from(units), row)
    })
  })
  return { rows: { design, rows, untested: null }, systems: own }
}

/** The images of a sample, which may have an image several times. */
function takeImages({ candidates, references, referenceOffsets }: Trial, images: Int32Array): Trial {
  const chosen: number[] = []
  const offsets = new Int32Array(images.length + 1)
  images.forEach((image, position) => {
    for (let r = referenceOffsets[image]; r < referenceOffsets[image + 1]; r++) chosen.push(references[r])
    offsets[position + 1] = chosen.length
  })
  return {
    candidates: images.map((image) => candidates[image]),
    references: Int32Array.from(chosen),
    referenceOffsets: offsets,
  }
}

function countVocabulary(
  images: readonly CaptionedImage[],
  captionsPerImage: number,
  vocabulary: readonly string[],
  scores: readonly Float32Array[],
): PopulationWord[] {
  const words = vocabulary.map((text, word) => ({
    text,
    counts: new Uint8Array(images.length),
    users: Array.from({ length: captionsPerImage }, () => new Uint8Array(images.length)),
    scores: scores[word],
  }))
  const byText = new Map(words.map((word) => [word.text, word]))
  images.forEach(({ people }, image) => {
    people.slice(0, captionsPerImage).forEach((caption, person) => {
      for (const token of new Set(tokenize(caption))) {
        const word = byText.get(token)
        if (!word) continue
        word.counts[image]++
        word.users[person][image] = 1
      }
    })
  })
  return words
}
