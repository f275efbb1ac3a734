/**
 * CHAIR and object recall: Rohrbach et al. 2018, Object Hallucination in Image Captioning, section 3.1; METHODS section 14.
 *
 *     CHAIR-i = unconfirmed mentions of objects / mentions of objects
 *     CHAIR-s = captions with an unconfirmed mention / captions
 *     object recall = distinct confirmed objects / objects of the image
 *
 * Objects are COCO's 80 categories, found by words (src/core/objects): ours, or those of a file; `open-CHAIR-i` and so on count the
 * objects of scene graphs, each once in a caption, synonyms being the same object as in SPICE. An object of the image is one that is
 * annotated in it, if annotations are given, or that a reference mentions; a mention is confirmed if its object is one of these. Corpus
 * figures are ratios of sums. Range 0 to 1; lower is better for CHAIR. The published program counts an image's annotated
 * objects always, so that its figures are lower than those of references alone.
 */
import { OBJECT_REVISION } from '../objects/object-mentions.js'
import { mentionSequences, namedObjects, type ObjectVocabulary } from '../objects/object-vocabulary.js'
import { sequence, type TokenSequences } from '../text/sequences.js'
import {
  type FamilyDefinition,
  type FamilyDescription,
  type MetricDescription,
  type MetricFamily,
  measureImages,
  TOKENS_ONLY,
} from './metric.js'
import { countImages } from './reference-lists.js'
import { createOpenVocabulary } from './spice/open-objects.js'

/** Columns of a row. */
const MENTIONS = 0
const UNCONFIRMED = 1
const IS_UNCONFIRMED = 2
const CONFIRMED_OBJECTS = 3
const OBJECTS = 4
const WIDTH = 5

/**
 * @param prefix of the names of the metrics
 * @param objects what they count
 * @param note what to know of these
 */
function describeFamily(
  prefix: string,
  objects: string,
  note: string,
): Pick<FamilyDescription, 'layoutRevision' | 'width' | 'isDefault' | 'metrics'> {
  const describe = ({
    name,
    ...metric
  }: Pick<MetricDescription, 'name' | 'description' | 'higherIsBetter'>): MetricDescription => ({
    ...metric,
    name: `${prefix}${name}`,
    lowest: 0,
    highest: 1,
    citation: 'Rohrbach et al. 2018: Object Hallucination in Image Captioning, section 3.1',
    revision: OBJECT_REVISION,
    notes: [note],
  })
  return {
    layoutRevision: 1,
    width: WIDTH,
    isDefault: false,
    metrics: [
      describe({
        name: 'CHAIR-i',
        description: `The share of the mentioned objects, ${objects}, that neither a reference mentions nor, if objects are annotated, the image has: each mention counts. Undefined for a caption that mentions none.`,
        higherIsBetter: false,
      }),
      describe({
        name: 'CHAIR-s',
        description: `The share of the captions that mention an object, ${objects}, that neither a reference mentions nor, if objects are annotated, the image has.`,
        higherIsBetter: false,
      }),
      describe({
        name: 'object-recall',
        description: `The share of the objects, ${objects}, that the references of an image mention, or that are annotated in it, which the caption mentions: each object counts once.`,
        higherIsBetter: true,
      }),
    ],
  }
}

const description: FamilyDescription = {
  name: 'CHAIR',
  ...describeFamily('', 'of COCO’s 80 categories', 'CHAIR and object recall know 80 categories of objects.'),
  needs: { ...TOKENS_ONLY, english: true, objects: true },
}

const openDescription: FamilyDescription = {
  name: 'open-CHAIR',
  ...describeFamily(
    'open-',
    'of the scene graph',
    'open-CHAIR and open-object-recall count all objects of scene graphs.',
  ),
  needs: { ...TOKENS_ONLY, english: true, objects: true, resources: ['spice'] },
}

/** Of COCO's 80 categories. */
export const chair: FamilyDefinition = {
  ...description,
  create: (resourceOf) => createChair(description, resourceOf('objects')) as MetricFamily,
}

/** Of any objects. */
export const openChair: FamilyDefinition = {
  ...openDescription,
  create: (resourceOf) =>
    createChair(openDescription, createOpenVocabulary(resourceOf('spice'))) as MetricFamily,
}

export function createChair(
  family: FamilyDescription,
  vocabulary: ObjectVocabulary,
): MetricFamily<TokenSequences> {
  const { parameters, text } = vocabulary
  return {
    ...family,
    needs: { ...family.needs, text },
    metrics: family.metrics.map((metric) => ({ ...metric, parameters })),
    prepare: (corpus) => mentionSequences(corpus, vocabulary),
    countsObject: (name) => vocabulary.objectsNamed(name).length > 0,

    measure(mentions, trial, progress) {
      const images = countImages(trial)
      const statistics = new Float64Array(images * WIDTH)
      const annotated = trial.objects && namedObjects(trial.objects, vocabulary)
      measureImages(images, progress, (start, end) => {
        for (let image = start; image < end; image++) {
          const row = statistics.subarray(image * WIDTH, (image + 1) * WIDTH)
          const all = annotated ? [...sequence(annotated, image)] : []
          for (let i = trial.referenceOffsets[image]; i < trial.referenceOffsets[image + 1]; i++)
            all.push(...sequence(mentions, trial.references[i]))
          const groupOf = vocabulary.groupsOf(all)
          const objects = new Set(all.map(groupOf))
          const confirmed = new Set<number>()
          for (const mention of sequence(mentions, trial.candidates[image])) {
            const object = groupOf(mention)
            row[MENTIONS]++
            if (objects.has(object)) confirmed.add(object)
            else row[UNCONFIRMED]++
          }
          row[IS_UNCONFIRMED] = row[UNCONFIRMED] > 0 ? 1 : 0
          row[CONFIRMED_OBJECTS] = confirmed.size
          row[OBJECTS] = objects.size
        }
      })
      return statistics
    },

    imageScores(statistics, offset, scores) {
      score(statistics.subarray(offset, offset + WIDTH), 1, scores)
    },
    corpusScores: { from: 'sums', score },
  }
}

/** NaN without mentions, and without objects. */
function score(sums: Float64Array, images: number, scores: Float64Array): void {
  scores[0] = sums[MENTIONS] > 0 ? sums[UNCONFIRMED] / sums[MENTIONS] : Number.NaN
  scores[1] = sums[IS_UNCONFIRMED] / images
  scores[2] = sums[OBJECTS] > 0 ? sums[CONFIRMED_OBJECTS] / sums[OBJECTS] : Number.NaN
}
