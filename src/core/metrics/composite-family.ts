/**
 * Composite metrics: Sharif, White, Bennamoun, Shah 2018. The scores of a caption by several metrics, standardised, are
 * the inputs of a feed-forward network that was trained; its output, between 0 and 1, is the score. It is no probability
 * that a person wrote the caption, since it depends on the training data. Corpus: mean over images. Range 0 to 1.
 */

import { AccordError } from '../../errors.js'
import type { ArtefactFeature, Objective, TrainedComposite } from '../composite/artefact.js'
import { toFeatures } from '../composite/features.js'
import { createNetwork } from '../composite/network.js'
import type { FamilyDefinition, LoadedMetric } from './metric.js'
import {
  captionForm,
  type FamilyDescription,
  type MetricFamily,
  type MetricNeeds,
  meanOfImageScores,
  scoreImages,
  stepProgress,
  TOKENS_ONLY,
} from './metric.js'

const LEARNS: Readonly<Record<Objective, string>> = {
  ORIGIN: 'tell captions of people from those of machines',
  RATINGS: 'rank captions of the same image as people rate them',
  PREFERENCES: 'rank captions of the same image as people prefer them',
}

/** Hexadecimal digits of the hash that the parameters show. */
const SHORT_HASH = 16

/**
 * A trained composite as a family of one metric, which computes the scores of its features itself.
 *
 * @param needsOf needs of the metrics that are features; undefined for a metric that does not exist
 */
export function compositeOf(
  composite: TrainedComposite,
  needsOf: (metric: string) => MetricNeeds | undefined,
): FamilyDefinition {
  const description = describe(composite, needsOf)
  return {
    ...description,
    create: (_resourceOf, load) => createComposite(composite, description, load) as MetricFamily,
  }
}

function describe(
  { header: { name, features, training }, hash }: TrainedComposite,
  needsOf: (metric: string) => MetricNeeds | undefined,
): FamilyDescription {
  const names = features.map(({ metric }) => metric)
  const needs = names.map((metric) => needsOf(metric) ?? TOKENS_ONLY)
  return {
    name: `composite ${name} ${hash}`,
    layoutRevision: 1,
    width: 1,
    isDefault: false,
    needs: {
      text: captionForm(needs.map((own) => ({ needs: own }))),
      resources: [...new Set(needs.flatMap(({ resources }) => resources))],
      metrics: names,
      documentFrequencies: needs.some(({ documentFrequencies }) => documentFrequencies),
      english: true,
      ngrams: needs.some(({ ngrams }) => ngrams),
      // As in the training: by references alone.
      objects: false,
    },
    metrics: [
      {
        name,
        description: `The output of a network that was trained to ${LEARNS[training.objective]} by their scores by ${names.join(', ')}.`,
        lowest: 0,
        highest: 1,
        higherIsBetter: true,
        citation:
          'Sharif, White, Bennamoun, Shah 2018: Learning-based Composite Metrics for Improved Caption Evaluation',
        revision: 1,
      },
    ],
  }
}

/** A feature with what its metric prepared for a corpus. */
interface PreparedFeature {
  readonly family: MetricFamily
  /** Position of the metric in its family. */
  readonly index: number
  readonly prepared: unknown
}

/** `prepare` throws NOT_APPLICABLE where a feature's metric is another one than that of the training. */
function createComposite(
  { header, weights, hash }: TrainedComposite,
  description: FamilyDescription,
  load: (metric: string) => LoadedMetric,
): MetricFamily<readonly PreparedFeature[]> {
  const loadFeature = ({ metric, signature }: ArtefactFeature): LoadedMetric => {
    const feature = load(metric)
    if (feature.featureSignature === signature) return feature
    throw new AccordError('NOT_APPLICABLE', `${header.name} was trained with another ${metric}`, {
      source: 'artefact',
      expected: signature,
      found: feature.featureSignature,
    })
  }
  const network = createNetwork(header.network)
  const parameters = {
    features: header.features.map(({ metric }) => metric).join('+'),
    artefact: hash.slice(0, SHORT_HASH),
  }
  return {
    ...description,
    metrics: description.metrics.map((metric) => ({ ...metric, parameters })),
    prepare: (corpus) =>
      header.features
        .map(loadFeature)
        .map(({ family, metric }) => ({
          family,
          index: family.metrics.findIndex(({ name }) => name === metric.name),
          prepared: family.prepare(corpus),
        })),
    measure(features, { objects: _objects, ...trial }, progress) {
      const columns = features.map(({ family, index, prepared }, step) => {
        const rows = family.measure(prepared, trial, stepProgress(progress, step, features.length))
        return scoreImages(family, rows)[index]
      })
      return network.predict(weights, toFeatures(columns, header.features))
    },
    ...meanOfImageScores,
  }
}
