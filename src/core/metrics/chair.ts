/**
 * CHAIR and object recall: Rohrbach et al. 2018, Object Hallucination in Image Captioning, section 3.1; METHODS section 14.
 *
 *     CHAIR-i = unconfirmed mentions of objects / mentions of objects
 *     CHAIR-s = captions with an unconfirmed mention / captions
 *     object recall = distinct confirmed objects / objects of the image
 *
 * Objects are COCO's 80 categories, found by words of our own (src/core/objects). An object of the image is one that is annotated
 * in it, if annotations are given, or that a reference mentions; a mention is confirmed if its object is one of these. Corpus
 * figures are ratios of sums. Range 0 to 1; lower is better for CHAIR. The published program counts an image's annotated
 * objects always, so that its figures are lower than those of references alone.
 */
import {
  CATEGORIES,
  createObjectFinder,
  mentionSequences,
  OBJECT_REVISION,
} from '../objects/object-mentions.js'
import { sequence, type TokenSequences } from '../text/sequences.js'
import { type Metric, type MetricFamily, measureImages, TOKENS_ONLY } from './metric.js'
import { countImages } from './reference-lists.js'

/** Columns of a row. */
const MENTIONS = 0
const UNCONFIRMED = 1
const IS_UNCONFIRMED = 2
const CONFIRMED_OBJECTS = 3
const OBJECTS = 4
const WIDTH = 5

const CITATION = 'Rohrbach et al. 2018: Object Hallucination in Image Captioning, section 3.1'

const describe = (metric: Pick<Metric, 'name' | 'description' | 'higherIsBetter'>): Metric => ({
  ...metric,
  lowest: 0,
  highest: 1,
  citation: CITATION,
  revision: OBJECT_REVISION,
  parameters: { objects: 'coco80', words: 'own' },
  notes: [
    'CHAIR and object recall know 80 categories of objects. Without annotated objects (--objects) one that is in the image but in no reference counts as unconfirmed.',
  ],
})

export const chair: MetricFamily<TokenSequences> = {
  name: 'CHAIR',
  layoutRevision: 1,
  width: WIDTH,
  isDefault: false,
  needs: { ...TOKENS_ONLY, english: true, objects: true },
  metrics: [
    describe({
      name: 'CHAIR-i',
      description:
        'The share of the mentioned objects, of COCO’s 80 categories, that neither a reference mentions nor, if objects are annotated, the image has: each mention counts. Undefined for a caption that mentions none.',
      higherIsBetter: false,
    }),
    describe({
      name: 'CHAIR-s',
      description:
        'The share of the captions that mention an object, of COCO’s 80 categories, that neither a reference mentions nor, if objects are annotated, the image has.',
      higherIsBetter: false,
    }),
    describe({
      name: 'object-recall',
      description:
        'The share of the objects, of COCO’s 80 categories, that the references of an image mention, or that are annotated in it, which the caption mentions: each object counts once.',
      higherIsBetter: true,
    }),
  ],
  prepare: (corpus) => mentionSequences(corpus, createObjectFinder()),

  measure(mentions, trial, progress) {
    const images = countImages(trial)
    const statistics = new Float64Array(images * WIDTH)
    /** Number of the image, from 1, that has an object, or whose caption does. */
    const inImage = new Int32Array(CATEGORIES.length)
    const inCaption = new Int32Array(CATEGORIES.length)
    measureImages(images, progress, (start, end) => {
      for (let image = start; image < end; image++) {
        const row = statistics.subarray(image * WIDTH, (image + 1) * WIDTH)
        const addObjects = (objects: Int32Array) => {
          for (const object of objects) {
            if (inImage[object] === image + 1) continue
            inImage[object] = image + 1
            row[OBJECTS]++
          }
        }
        if (trial.objects) addObjects(sequence(trial.objects, image))
        for (let i = trial.referenceOffsets[image]; i < trial.referenceOffsets[image + 1]; i++) {
          addObjects(sequence(mentions, trial.references[i]))
        }
        for (const object of sequence(mentions, trial.candidates[image])) {
          row[MENTIONS]++
          if (inImage[object] !== image + 1) row[UNCONFIRMED]++
          else if (inCaption[object] !== image + 1) row[CONFIRMED_OBJECTS]++
          inCaption[object] = image + 1
        }
        row[IS_UNCONFIRMED] = row[UNCONFIRMED] > 0 ? 1 : 0
      }
    })
    return statistics
  },

  imageScores(statistics, offset, scores) {
    score(statistics.subarray(offset, offset + WIDTH), 1, scores)
  },
  corpusScores: { from: 'sums', score },
}

/** NaN without mentions, and without objects. */
function score(sums: Float64Array, images: number, scores: Float64Array): void {
  scores[0] = sums[MENTIONS] > 0 ? sums[UNCONFIRMED] / sums[MENTIONS] : Number.NaN
  scores[1] = sums[IS_UNCONFIRMED] / images
  scores[2] = sums[OBJECTS] > 0 ? sums[CONFIRMED_OBJECTS] / sums[OBJECTS] : Number.NaN
}
