import { atomsOfCaption, distinctAtoms, listAtoms } from '../../services/bounds/atoms.js'
import { capacityInterval, capacityReason, figureNotes } from '../../services/bounds/bound-figures.js'
import { boundFigures, type ChosenSettings, startBoundTraining } from '../../services/bounds/bounds.js'
import { castVotes, readVotes } from '../../services/bounds/votes.js'
import { requireMetric } from '../../services/evaluations/scores.js'
import { isEnglishImage, loadCaptions, loadTokens } from '../loaders/datasets.js'
import {
  loadBound,
  loadBoundOfSystem,
  loadBoundsOfDataset,
  loadJob,
  loadLikelihoods,
  loadLosses,
  loadSplitSizes,
} from '../loaders/jobs.js'
import { loadSystem } from '../loaders/systems.js'
import { connect, connectById, connectRows, connectSorted } from '../shared/connection.js'
import type { Context } from '../shared/context.js'
import { rowIdOf, toGlobalId } from '../shared/ids.js'
import { present } from '../shared/loader.js'
import { asData, asJob } from '../shared/mutation-error.js'
import type * as schema from '../shared/schema-types.js'
import { toAtomKind, toAtomKindName, toBoundKind, toBoundKindName } from './models.js'

export const Query: Pick<schema.QueryResolvers, 'bound'> = {
  bound(_parent, { id }, context) {
    const boundId = rowIdOf('Bound', id)
    return boundId === null ? null : loadBound(context, boundId)
  },
}

export const Mutation: Pick<schema.MutationResolvers, 'trainBound' | 'voteOnAtoms'> = {
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

export const Dataset: Pick<schema.DatasetResolvers, 'atoms' | 'atomVotes' | 'bounds' | 'boundFigures'> = {
  atoms: (dataset, { kind, ...page }, { accord, client, outside }) =>
    outside(listAtoms(accord, dataset, toAtomKind(kind), client)).then((list) => connect(list, page)),

  atomVotes: (dataset, _args, { accord }) => readVotes(accord, dataset),

  bounds: ({ id }, page, context) => connectById(loadBoundsOfDataset(context, id), page),

  boundFigures: (dataset, { metric }, { accord, client, outside }) =>
    outside(boundFigures(accord, dataset, { metric, withRetrieval: true }, client)),
}

export const System: Pick<schema.SystemResolvers, 'bound'> = {
  bound: ({ id }, _args, context) => loadBoundOfSystem(context, id),
}

export const Image: Pick<schema.ImageResolvers, 'atoms'> = {
  async atoms({ id }, _args, context) {
    const captions = await loadCaptions(context, id)
    return distinctAtoms((await Promise.all(captions.map((caption) => findAtoms(context, caption)))).flat())
  },
}

export const Caption: Pick<schema.CaptionResolvers, 'atoms' | 'likelihoods'> = {
  atoms: (caption, _args, context) => findAtoms(context, caption),
  likelihoods: ({ id }, page, context) =>
    connectSorted(loadLikelihoods(context, id), ({ boundId }) => boundId, page),
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
export const RankedAtom: schema.RankedAtomResolvers = {
  kind: ({ kind }) => toAtomKindName(kind),
  occurrenceCount: ({ count }) => count,
}
export const AtomVoteSummary: schema.AtomVoteSummaryResolvers = { kind: ({ kind }) => toAtomKindName(kind) }
export const AtomVoteCount: schema.AtomVoteCountResolvers = {
  kind: ({ kind }) => toAtomKindName(kind),
  visualCount: ({ visual }) => visual,
  voterCount: ({ voters }) => voters,
}

export const AtomVotes: schema.AtomVotesResolvers = {
  kinds: ({ summaries }) => summaries,
  atoms: ({ counts }, page) => connectRows(counts, ({ kind, text }) => `${kind} ${text}`, page),
}

export const Bound: schema.BoundResolvers = {
  id: ({ id }) => toGlobalId('Bound', id),
  kind: ({ settings }) => toBoundKindName(settings.kind),
  atomCount: ({ settings }) => settings.atoms,
  replaced: ({ settings }) => settings.replaced,
  isVisualOnly: ({ settings }) => settings.visualOnly,
  split: ({ splitId }, _args, context) => loadSplitSizes(context, splitId).then(present),
  trainingProgress: ({ progress }) => progress,
  isTrained: ({ outcome }) => outcome !== null,
  job: ({ jobId }, _args, context) => (jobId === null ? null : loadJob(context, jobId)),
  losses: ({ id }, _args, context) => loadLosses(context, id),
  result: ({ outcome }) => outcome,
  system: ({ systemId }, _args, context) => (systemId === null ? null : loadSystem(context, systemId)),
  perplexity: ({ outcome }) => outcome?.perplexity ?? null,
  logLikelihood: ({ outcome }) => outcome?.logLikelihood ?? null,
  captionCount: ({ outcome }) => outcome?.captionCount ?? null,
}

export const BoundResult: schema.BoundResultResolvers = {
  stepCount: ({ steps }) => steps,
  knownWordCount: ({ words }) => words,
  knownAtomCount: ({ atoms }) => atoms,
  seconds: ({ trainingSeconds }) => trainingSeconds,
}

export const BoundProgress: schema.BoundProgressResolvers = {
  stepCount: ({ step }) => step,
  maxStepCount: ({ maxSteps }) => maxSteps,
}

export const BoundLoss: schema.BoundLossResolvers = {
  trainingLoss: ({ training }) => training,
  validationLoss: ({ validation }) => validation,
}

export const BoundSettings: schema.BoundSettingsResolvers = {
  maxEpochCount: ({ epochs }) => epochs,
  embeddingSize: ({ embedding }) => embedding,
  stateSize: ({ state }) => state,
  batchSize: ({ batch }) => batch,
  beamWidth: ({ beam }) => beam,
}

export const SplitCounts: schema.SplitCountsResolvers = {
  trainingImageCount: ({ training }) => training,
  validationImageCount: ({ validation }) => validation,
  testImageCount: ({ test }) => test,
}

export const BoundFigures: schema.BoundFiguresResolvers = {
  notes: (figures) => figureNotes(figures),
  split: ({ images }) => images,
  metric: ({ metric }, _args, { accord }) => requireMetric(accord, metric),
  retrieval: ({ retrieval }) => retrieval && toFigure(retrieval),
  people: ({ people }) => people && toFigure(people),
  humanReferenceCount: ({ people }) => people?.references ?? null,
  incompleteSystems: ({ incompleteSystemIds }, page, context) =>
    connectById(Promise.all(incompleteSystemIds.map((id) => loadSystem(context, id).then(present))), page),
}

export const BoundPoint: schema.BoundPointResolvers = {
  value: ({ score }) => score,
  undefinedReason: ({ score, interval }) =>
    score === null ? 'UNDEFINED_FIGURE' : interval ? null : 'TOO_FEW_IMAGES',
  bound: ({ boundId }, _args, context) => loadBound(context, boundId).then(present),
}

export const SemanticCapacity: schema.SemanticCapacityResolvers = {
  value: ({ score }) => score,
  system: ({ systemId }, _args, context) => loadSystem(context, systemId).then(present),
  kind: ({ kind }) => toBoundKindName(kind),
  atomCount: ({ capacity }) => capacity.atoms,
  beyond: ({ capacity }) => capacity.beyond,
  endAtomCount: ({ capacity }) => capacity.limit,
  interval: (capacity) => capacityInterval(capacity)?.interval ?? null,
  isIntervalCut: (capacity) => capacityInterval(capacity)?.isCut ?? false,
  undefinedReason: capacityReason,
}

function toFigure({ value, interval }: Pick<schema.Figure, 'value' | 'interval'>): schema.Figure {
  return { value, interval, undefinedReason: interval ? null : 'TOO_FEW_IMAGES' }
}

export const CaptionLikelihood: schema.CaptionLikelihoodResolvers = {
  bound: ({ boundId }, _args, context) => loadBound(context, boundId).then(present),
}
