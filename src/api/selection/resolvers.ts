import type { Baseline } from '../../core/selection/baselines.js'
import type {
  SelectionMeasure,
  SelectionResult,
  Selector,
} from '../../services/selection/content-selection.js'
import {
  labelOf,
  listConcepts,
  listImageSelections,
  selectionNotes,
} from '../../services/selection/selection.js'
import { loadCaptions, loadDatasetByName } from '../loaders/datasets.js'
import * as loaders from '../loaders/selection.js'
import { loadSystemByName } from '../loaders/systems.js'
import { connect, connectById, connectSorted } from '../shared/connection.js'
import type { Context } from '../shared/context.js'
import { present } from '../shared/loader.js'
import { provenanceFields } from '../shared/provenance-fields.js'
import type * as schema from '../shared/schema-types.js'
import { connectBySystem } from '../systems/models.js'
import { type ContentSelectionModel, sentenceOf } from './models.js'

const BASELINE_NAMES = {
  RANDOM: 'random',
  SIZE: 'size',
  POSITION: 'position',
  UNIGRAM: 'unigram',
  BIGRAM: 'bigram',
  UNIGRAM_SIZE: 'unigram+size',
  UNIGRAM_POSITION: 'unigram+position',
  BIGRAM_SIZE: 'bigram+size',
  BIGRAM_POSITION: 'bigram+position',
} as const satisfies Record<schema.SelectionBaseline, Baseline>

const MEASURE_NAMES = { PRECISION: 'precision', RECALL: 'recall', F: 'f' } as const satisfies Record<
  schema.ImageSelectionOrderField,
  SelectionMeasure
>

/** The name of a baseline in the schema: `unigram+size` is `UNIGRAM_SIZE`. */
function toBaselineName(baseline: Baseline): schema.SelectionBaseline {
  return baseline.toUpperCase().replace('+', '_') as schema.SelectionBaseline
}

export const Dataset: schema.DatasetResolvers = {
  boxImports: ({ id }, page, context) => connectById(loaders.loadBoxImports(context, id), page),
  async contentSelection(dataset, { priors }, context) {
    if (!(await loaders.loadHasBoxes(context, dataset.id))) return null
    const input = {
      dataset: dataset.name,
      priors: priors?.dataset ?? undefined,
      priorsShare: priors?.share ?? undefined,
    }
    return { dataset, input }
  },
}

export const Image: schema.ImageResolvers = {
  boxes: ({ id }, _args, context) => loaders.loadBoxes(context, id),
  descriptions: ({ id }, _args, context) => loaders.loadDescriptions(context, id),
  systemDescriptions: ({ id }, { systems, ...page }, context) =>
    connectBySystem(
      loaders.loadSystemDescriptions(context, { imageId: id, systems: systems ?? undefined }),
      page,
      context,
    ),
}

export const Caption: schema.CaptionResolvers = {
  mentions: ({ id }, _args, context) => loaders.loadMentions(context, { owner: 'caption', id }),
}

export const SystemCaption: schema.SystemCaptionResolvers = {
  mentions: ({ id }, _args, context) => loaders.loadMentions(context, { owner: 'systemCaption', id }),
}

export const Box: schema.BoxResolvers = { label: labelOf, attributes: ({ attributes }) => attributes ?? [] }

export const Description: schema.DescriptionResolvers = {
  async caption({ imageId, captionId }, _args, context) {
    if (captionId === null) return null
    return present((await loadCaptions(context, imageId)).find(({ id }) => id === captionId))
  },
  mentions: ({ id }, _args, context) => loaders.loadMentions(context, { owner: 'description', id }),
}

export const SystemDescription: schema.SystemDescriptionResolvers = {
  mentions: ({ id }, _args, context) => loaders.loadMentions(context, { owner: 'description', id }),
}

export const ContentSelection: schema.ContentSelectionResolvers = {
  priors: ({ input }, _args, context) =>
    input.priors === undefined ? null : loadDatasetByName(context, input.priors),
  imageCount: async (selection, _args, context) => (await reportOf(selection, context)).imageCount,
  excludedImageCount: async (selection, _args, context) =>
    (await reportOf(selection, context)).imagesWithoutReferences,
  excludedDescriptionCount: async (selection, _args, context) =>
    (await reportOf(selection, context)).descriptionsWithoutMentions,
  humanBound: async (selection, _args, context) => (await reportOf(selection, context)).human,

  async notes(selection, _args, context) {
    const { human, baselines, systems } = await reportOf(selection, context)
    return selectionNotes([human, ...baselines.flatMap(({ points }) => points), ...systems])
  },

  ...provenanceFields((selection: ContentSelectionModel, _args, context) => reportOf(selection, context)),

  async baselines(selection, { names }, context) {
    const { baselines } = await reportOf(selection, context)
    return baselines.filter(({ baseline }) => names?.includes(toBaselineName(baseline)) ?? true)
  },

  async systems(selection, page, context) {
    const { systems } = await reportOf(selection, context)
    const datasetId = selection.dataset.id
    const rows = Promise.all(
      systems.map(async ({ system: name, record, signature, ...score }) => ({
        system: present(await loadSystemByName(context, { datasetId, name })),
        score,
        record,
        signature,
      })),
    )
    return connectSorted(rows, ({ system }) => system.name, page)
  },

  async imageScores(selection, { of, externalIds, orderBy, ...page }, context) {
    const selector = toSelector(of)
    if (selector.kind === 'baseline') {
      const { baselines } = await reportOf(selection, context)
      const curve = baselines.find(({ baseline }) => baseline === selector.baseline)
      if (curve?.undefinedReason) return null
    }
    const options = {
      selector,
      measure: MEASURE_NAMES[orderBy?.field ?? 'F'],
      direction: orderBy?.direction ?? undefined,
      externalIds,
    }
    const { accord, client, outside } = context
    return outside(connect(listImageSelections(accord, selection.input, options, client), page))
  },

  concepts: async (selection, { minImageCount, ...page }, context) =>
    connect(listConcepts(await reportOf(selection, context), minImageCount ?? 1), page),
}

async function reportOf({ input }: ContentSelectionModel, context: Context) {
  return present(await loaders.loadSelection(context, input))
}

export const SelectionCurve: schema.SelectionCurveResolvers = {
  baseline: ({ baseline }) => toBaselineName(baseline),
  points: ({ points, undefinedReason }) =>
    undefinedReason ? null : points.map((figures, index) => ({ ...figures, boxCount: index + 1 })),
}

export const SelectionFigures: schema.SelectionFiguresResolvers = {
  precisionMean: (result) => toFigure(result, 'precision'),
  recallMean: (result) => toFigure(result, 'recall'),
  fMean: (result) => toFigure(result, 'f'),
}

/** The mean of a measure over images. */
function toFigure(result: SelectionResult, measure: SelectionMeasure): schema.Figure {
  const interval = result.intervals?.[measure] ?? null
  return {
    value: result[measure],
    standardDeviation: result[`${measure}Sd`],
    interval,
    undefinedReason: interval ? null : result.undefinedReason,
    isSmall: result.isSmall,
  }
}

export const ImageSelection: schema.ImageSelectionResolvers = {
  async selected({ imageId, selected }, _args, context) {
    if (selected === null) return null
    const boxes = await loaders.loadBoxes(context, imageId)
    return selected.flatMap((id) => boxes.find(({ externalId }) => externalId === id) ?? [])
  },
  sentence: (selection, _args, context) => sentenceOf(selection, context),
}

export const ConceptImportance: schema.ConceptImportanceResolvers = {
  label: labelOf,
  descriptionCount: ({ present: descriptions }) => descriptions,
}

function toSelector(of: schema.SelectorInput | null | undefined): Selector {
  if (of?.system != null) return { kind: 'system', name: of.system }
  if (of?.baseline != null)
    return { kind: 'baseline', baseline: BASELINE_NAMES[of.baseline.name], k: of.baseline.boxCount }
  return { kind: 'human' }
}
