import { present } from '../present.js'
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
} from '../schema-types.js'
import { pageOfConcepts } from './concepts.js'
import { imageSelectionsOf, sentenceOf, toBaselineName } from './image-selections.js'

export const Dataset: Pick<DatasetResolvers, 'boxImports' | 'contentSelection'> = {
  boxImports: ({ id }, _args, { loaders }) => loaders.boxImports.load(id),
  async contentSelection(dataset, { priors, priorsShare }, { loaders }) {
    if (!(await loaders.hasBoxes.load(dataset.id))) return null
    const input = {
      dataset: dataset.name,
      priors: priors ?? undefined,
      priorsShare: priorsShare ?? undefined,
    }
    return { dataset, input }
  },
}

export const Image: Pick<ImageResolvers, 'boxes' | 'descriptions' | 'systemDescriptions'> = {
  boxes: ({ id }, _args, { loaders }) => loaders.boxes.load(id),
  descriptions: ({ id }, _args, { loaders }) => loaders.descriptions.load(id),
  systemDescriptions: ({ id }, { systems }, { loaders }) =>
    loaders.systemDescriptions.load({ imageId: id, names: systems ?? undefined }),
}

export const Caption: Pick<CaptionResolvers, 'mentions'> = {
  mentions: ({ id }, _args, { loaders }) => loaders.mentions.load({ owner: 'caption', id }),
}

export const SystemCaption: Pick<SystemCaptionResolvers, 'mentions'> = {
  mentions: ({ id }, _args, { loaders }) => loaders.mentions.load({ owner: 'systemCaption', id }),
}

export const Box: BoxResolvers = {
  image: ({ imageId }, _args, { loaders }) => loaders.image.load(imageId).then(present),
}

export const Description: DescriptionResolvers = {
  async caption({ imageId, captionId }, _args, { loaders }) {
    if (captionId === null) return null
    return present((await loaders.captions.load(imageId)).find(({ id }) => id === captionId) ?? null)
  },
  mentions: ({ id }, _args, { loaders }) => loaders.mentions.load({ owner: 'description', id }),
}

export const SystemDescription: SystemDescriptionResolvers = {
  system: ({ systemId }, _args, { loaders }) => loaders.system.load(systemId).then(present),
  mentions: ({ id }, _args, { loaders }) => loaders.mentions.load({ owner: 'description', id }),
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
  priors: ({ input }, _args, { loaders }) =>
    input.priors === undefined ? null : loaders.datasetByName.load(input.priors),
  priorsShare: ({ input }) => input.priorsShare ?? null,
  imageCount: async ({ input }, _args, { loaders }) => (await loaders.selection.load(input)).imageCount,
  imagesWithoutReferences: async ({ input }, _args, { loaders }) =>
    (await loaders.selection.load(input)).imagesWithoutReferences,
  descriptionsWithoutMentions: async ({ input }, _args, { loaders }) =>
    (await loaders.selection.load(input)).descriptionsWithoutMentions,
  human: async ({ input }, _args, { loaders }) => (await loaders.selection.load(input)).human,
  async baselines({ input }, { names }, { loaders }) {
    const { baselines } = await loaders.selection.load(input)
    return baselines.filter(({ baseline }) => names?.includes(toBaselineName(baseline)) ?? true)
  },
  async systems({ dataset, input }, _args, { loaders }) {
    const { systems } = await loaders.selection.load(input)
    const find = (name: string) => loaders.systemByName.load({ datasetId: dataset.id, name }).then(present)
    return Promise.all(systems.map(async ({ system, ...score }) => ({ system: await find(system), score })))
  },
  imageScores: (selection, args, context) => imageSelectionsOf(selection, args, context),
  async concepts({ input }, { minImages, ...args }, { loaders }) {
    const { concepts } = await loaders.selection.load(input)
    return pageOfConcepts(concepts, minImages ?? 1, args)
  },
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
  image: ({ imageId }, _args, { loaders }) => loaders.image.load(imageId).then(present),
  async selected({ imageId, selected }, _args, { loaders }) {
    if (selected === null) return null
    const boxes = await loaders.boxes.load(imageId)
    return selected.flatMap((id) => boxes.find(({ externalId }) => externalId === id) ?? [])
  },
  sentence: (selection, _args, context) => sentenceOf(selection, context),
}

export const ConceptImportance: ConceptImportanceResolvers = {
  imageCount: ({ images }) => images,
  descriptionCount: ({ present: descriptions }) => descriptions,
  namedCount: ({ named }) => named,
}
