import { atomsOfCaption, distinctAtoms, listAtoms } from '../../services/bounds/atoms.js'
import { capacityInterval, capacityReason, figureNotes } from '../../services/bounds/bound-figures.js'
import { boundFigures, type ChosenSettings, startBoundTraining } from '../../services/bounds/bounds.js'
import { castVotes, readVotes } from '../../services/bounds/votes.js'
import { isEnglishImage, loadCaptions, loadTokens } from '../loaders/datasets.js'
import * as loaders from '../loaders/jobs.js'
import { loadSystem } from '../loaders/systems.js'
import { connect, connectById, connectRows, connectSorted } from '../shared/connection.js'
import type { Context } from '../shared/context.js'
import { rowIdOf } from '../shared/ids.js'
import { present } from '../shared/loader.js'
import { asData, asJob } from '../shared/mutation-error.js'
import type * as schema from '../shared/schema-types.js'
import { toAtomKind, toAtomKindName, toBoundKind, toBoundKindName } from './models.js'

export const Query: schema.QueryResolvers = {
  bound(_parent, { id }, context) {
    const boundId = rowIdOf('Bound', id)
    return boundId === null ? null : loaders.loadBound(context, boundId)
  },
}

export const Mutation: schema.MutationResolvers = {
  trainBound: (_parent, { input: { dataset, ...settings } }, { accord, client, outside }) =>
    asJob(() => outside(startBoundTraining(accord, { dataset, settings: toSettings(settings) }, client))),

  voteOnAtoms: (_parent, { input }, { accord, client, outside }) =>
    asData('VoteOnAtomsSuccess', async () => ({
      dataset: await outside(castVotes(accord, { ...input, kind: toAtomKind(input.kind) }, client)),
    })),
}

/** Null is the same as absent. */
function toSettings({ kind, ...input }: Omit<schema.TrainBoundInput, 'dataset'>): ChosenSettings {
  const given = Object.entries(input).filter(([, value]) => value !== null)
  const named = given.map(([name, value]) => [SETTINGS[name] ?? name, value])
  return { ...Object.fromEntries(named), ...(kind && { kind: toBoundKind(kind) }) }
}

/** Settings that the schema names in another way. */
const SETTINGS: Readonly<Record<string, keyof ChosenSettings>> = {
  atomCount: 'atoms',
  isVisualOnly: 'visualOnly',
  validationImageCount: 'validationImages',
  testImageCount: 'testImages',
  maxEpochCount: 'epochs',
  embeddingSize: 'embedding',
  stateSize: 'state',
  batchSize: 'batch',
  beamWidth: 'beam',
}

export const Dataset: schema.DatasetResolvers = {
  atoms: (dataset, { kind, ...page }, { accord, client, outside }) =>
    outside(listAtoms(accord, dataset, toAtomKind(kind), client)).then((list) => connect(list, page)),

  atomVotes: (dataset, _args, { accord }) => readVotes(accord, dataset),

  bounds: ({ id }, page, context) => connectById(loaders.loadBoundsOfDataset(context, id), page),

  boundFigures: (dataset, { metric }, { accord, client, outside }) =>
    outside(boundFigures(accord, dataset, { metric, withRetrieval: true }, client)),
}

export const System: schema.SystemResolvers = {
  bound: ({ id }, _args, context) => loaders.loadBoundOfSystem(context, id),
}

export const Image: schema.ImageResolvers = {
  async atoms({ id }, _args, context) {
    const captions = await loadCaptions(context, id)
    return distinctAtoms((await Promise.all(captions.map((caption) => findAtoms(context, caption)))).flat())
  },
}

export const Caption: schema.CaptionResolvers = {
  atoms: (caption, _args, context) => findAtoms(context, caption),
  likelihoods: ({ id }, page, context) =>
    connectSorted(loaders.loadLikelihoods(context, id), ({ boundId }) => boundId, page),
}

async function findAtoms(
  context: Context,
  { id, imageId }: { readonly id: number; readonly imageId: number },
) {
  if (!(await isEnglishImage(context, imageId))) return []
  const texts = await loadTokens(context, id)
  return context.inTurn(() => atomsOfCaption(texts))
}

export const Atom: schema.AtomResolvers = { kind: ({ kind }) => toAtomKindName(kind) }
export const RankedAtom: schema.RankedAtomResolvers = { kind: ({ kind }) => toAtomKindName(kind) }
export const AtomVoteSummary: schema.AtomVoteSummaryResolvers = { kind: ({ kind }) => toAtomKindName(kind) }
export const AtomVoteCount: schema.AtomVoteCountResolvers = { kind: ({ kind }) => toAtomKindName(kind) }

export const AtomVotes: schema.AtomVotesResolvers = {
  atoms: ({ counts }, page) => connectRows(counts, ({ kind, text }) => `${kind} ${text}`, page),
}

export const Bound: schema.BoundResolvers = {
  kind: ({ settings }) => toBoundKindName(settings.kind),
  split: ({ splitId }, _args, context) => loaders.loadSplitSizes(context, splitId).then(present),
  isTrained: ({ outcome }) => outcome !== null,
  losses: ({ id }, _args, context) => loaders.loadLosses(context, id),
}

export const BoundFigures: schema.BoundFiguresResolvers = {
  notes: (figures) => figureNotes(figures),
  retrieval: ({ retrieval }) => retrieval && toFigure(retrieval),
  people: ({ people }) => people && toFigure(people),
  incompleteSystems: ({ incompleteSystemIds }, page, context) =>
    connectById(Promise.all(incompleteSystemIds.map((id) => loadSystem(context, id).then(present))), page),
}

export const BoundPoint: schema.BoundPointResolvers = {
  undefinedReason: ({ score, interval }) =>
    score === null ? 'UNDEFINED_FIGURE' : interval ? null : 'TOO_FEW_IMAGES',
}

export const SemanticCapacity: schema.SemanticCapacityResolvers = {
  kind: ({ kind }) => toBoundKindName(kind),
  interval: (capacity) => capacityInterval(capacity)?.interval ?? null,
  isIntervalCut: (capacity) => capacityInterval(capacity)?.isCut ?? false,
  undefinedReason: capacityReason,
}

function toFigure({ value, interval }: Pick<schema.Figure, 'value' | 'interval'>): schema.Figure {
  return { value, interval, undefinedReason: interval ? null : 'TOO_FEW_IMAGES' }
}
