import { selectionNotes } from '../../services/notes.js'
import { listConcepts, listImageSelections } from '../../services/selection.js'
import { connect } from '../connection.js'
import type { Context } from '../context.js'
import { loadDatasetByName } from '../dataset/loaders.js'
import { loadCaptions, loadImage } from '../image/loaders.js'
import { present } from '../present.js'
import { provenanceFields } from '../provenance.js'
import type {
  BoxImportResolvers,
  BoxResolvers,
  CaptionResolvers,
  ConceptImportanceResolvers,
  ContentSelectionResolvers,
  DatasetResolvers,
  DescriptionResolvers,
  ImageResolvers,
  ImageSelectionResolvers,
  SelectionCurveResolvers,
  SelectionScoreResolvers,
  SystemCaptionResolvers,
  SystemDescriptionResolvers,
  SystemSelectionResolvers,
} from '../schema-types.js'
import { loadSystem, loadSystemByName } from '../system/loaders.js'
import {
  loadBoxes,
  loadBoxImports,
  loadDescriptions,
  loadHasBoxes,
  loadMentions,
  loadSelection,
  loadSystemDescriptions,
} from './loaders.js'
import type { ContentSelectionModel } from './models.js'
import { BASELINE_NAMES, MEASURE_NAMES, toBaselineName } from './names.js'
import { sentenceOf } from './sentence.js'

export const Dataset: Pick<DatasetResolvers, 'boxImports' | 'contentSelection'> = {
  boxImports: ({ id }, _args, context) => loadBoxImports(context, id),
  async contentSelection(dataset, { priors, priorsShare }, context) {
    if (!(await loadHasBoxes(context, dataset.id))) return null
    const input = {
      dataset: dataset.name,
      priors: priors ?? undefined,
      priorsShare: priorsShare ?? undefined,
    }
    return { dataset, input }
  },
}

export const Image: Pick<ImageResolvers, 'boxes' | 'descriptions' | 'systemDescriptions'> = {
  boxes: ({ id }, _args, context) => loadBoxes(context, id),
  descriptions: ({ id }, _args, context) => loadDescriptions(context, id),
  systemDescriptions: ({ id }, { systems }, context) =>
    loadSystemDescriptions(context, { imageId: id, systems: systems ?? undefined }),
}

export const Caption: Pick<CaptionResolvers, 'mentions'> = {
  mentions: ({ id }, _args, context) => loadMentions(context, { owner: 'caption', id }),
}

export const SystemCaption: Pick<SystemCaptionResolvers, 'mentions'> = {
  mentions: ({ id }, _args, context) => loadMentions(context, { owner: 'systemCaption', id }),
}

export const Box: BoxResolvers = {
  image: ({ imageId }, _args, context) => loadImage(context, imageId).then(present),
}

export const Description: DescriptionResolvers = {
  async caption({ imageId, captionId }, _args, context) {
    if (captionId === null) return null
    return present((await loadCaptions(context, { imageId })).find(({ id }) => id === captionId))
  },
  mentions: ({ id }, _args, context) => loadMentions(context, { owner: 'description', id }),
}

export const SystemDescription: SystemDescriptionResolvers = {
  system: ({ systemId }, _args, context) => loadSystem(context, systemId).then(present),
  mentions: ({ id }, _args, context) => loadMentions(context, { owner: 'description', id }),
}

export const BoxImport: BoxImportResolvers = {
  images: ({ counts }) => counts.images,
  boxes: ({ counts }) => counts.boxes,
  descriptions: ({ counts }) => counts.descriptions,
  captions: ({ counts }) => counts.captions,
  unknownImages: ({ counts }) => counts.unknownImages,
  imagesWithoutBoxes: ({ counts }) => counts.imagesWithoutBoxes,
  boxesWithoutArea: ({ counts }) => counts.boxesWithoutArea,
  boxesOutsideImage: ({ counts }) => counts.boxesOutsideImage,
  boxesCut: ({ counts }) => counts.boxesCut,
  boxesWithoutConcept: ({ counts }) => counts.boxesWithoutConcept,
  mentionsWithoutBox: ({ counts }) => counts.mentionsWithoutBox,
  descriptionsWithoutMentions: ({ counts }) => counts.descriptionsWithoutMentions,
}

export const ContentSelection: ContentSelectionResolvers = {
  priors: ({ input }, _args, context) =>
    input.priors === undefined ? null : loadDatasetByName(context, input.priors),
  priorsShare: ({ input }) => input.priorsShare ?? null,
  imageCount: async (selection, _args, context) => (await reportOf(selection, context)).imageCount,
  imagesWithoutReferences: async (selection, _args, context) =>
    (await reportOf(selection, context)).imagesWithoutReferences,
  descriptionsWithoutMentions: async (selection, _args, context) =>
    (await reportOf(selection, context)).descriptionsWithoutMentions,
  human: async (selection, _args, context) => (await reportOf(selection, context)).human,

  async notes(selection, _args, context) {
    const { human, baselines, systems } = await reportOf(selection, context)
    return selectionNotes([human, ...baselines.flatMap(({ points }) => points), ...systems])
  },

  ...provenanceFields((selection: ContentSelectionModel, _args, context) => reportOf(selection, context)),

  async baselines(selection, { names }, context) {
    const { baselines } = await reportOf(selection, context)
    return baselines.filter(({ baseline }) => names?.includes(toBaselineName(baseline)) ?? true)
  },

  async systems(selection, _args, context) {
    const { systems } = await reportOf(selection, context)
    const datasetId = selection.dataset.id
    return Promise.all(
      systems.map(async ({ system: name, record, signature, ...score }) => ({
        system: present(await loadSystemByName(context, { datasetId, name })),
        score,
        record,
        signature,
      })),
    )
  },

  imageScores({ input }, { baseline, measure, orderBy, k, system, externalIds, ...page }, context) {
    const options = {
      baseline: baseline && BASELINE_NAMES[baseline],
      k,
      system,
      measure: MEASURE_NAMES[measure ?? 'F'],
      order: orderBy ?? 'WORST_FIRST',
      externalIds,
    }
    const { accord, client, outside } = context
    return outside(connect(listImageSelections(accord, input, options, client), page))
  },

  concepts: async (selection, { minImages, ...page }, context) =>
    connect(listConcepts(await reportOf(selection, context), minImages ?? 1), page),
}

export const SystemSelection: SystemSelectionResolvers = {
  provenance: ({ record }) => record,
}

async function reportOf({ input }: ContentSelectionModel, context: Context) {
  return present(await loadSelection(context, input))
}

export const SelectionCurve: SelectionCurveResolvers = {
  baseline: ({ baseline }) => toBaselineName(baseline),
  points: ({ points }) => points.map((score, index) => ({ k: index + 1, score })),
}

export const SelectionScore: SelectionScoreResolvers = {
  imageCount: ({ images }) => images,
  precision: ({ precision, precisionSd, intervals }) => ({
    mean: precision,
    standardDeviation: precisionSd,
    interval: intervals?.precision ?? null,
  }),
  recall: ({ recall, recallSd, intervals }) => ({
    mean: recall,
    standardDeviation: recallSd,
    interval: intervals?.recall ?? null,
  }),
  f: ({ f, fSd, intervals }) => ({ mean: f, standardDeviation: fSd, interval: intervals?.f ?? null }),
}

export const ImageSelection: ImageSelectionResolvers = {
  image: ({ imageId }, _args, context) => loadImage(context, imageId).then(present),
  async selected({ imageId, selected }, _args, context) {
    if (selected === null) return null
    const boxes = await loadBoxes(context, imageId)
    return selected.flatMap((id) => boxes.find(({ externalId }) => externalId === id) ?? [])
  },
  sentence: (selection, _args, context) => sentenceOf(selection, context),
}

export const ConceptImportance: ConceptImportanceResolvers = {
  imageCount: ({ images }) => images,
  descriptionCount: ({ present: descriptions }) => descriptions,
  namedCount: ({ named }) => named,
}
