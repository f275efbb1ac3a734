import * as bounds from '../bounds/resolvers.js'
import * as composites from '../composites/resolvers.js'
import * as dataset from '../datasets/resolvers.js'
import * as evaluation from '../evaluations/resolvers.js'
import * as image from '../images/resolvers.js'
import * as judgements from '../judgements/resolvers.js'
import * as node from '../node/resolvers.js'
import * as sceneGraphs from '../scene-graphs/resolvers.js'
import * as metric from '../scores/resolvers.js'
import * as selection from '../selection/resolvers.js'
import * as system from '../systems/resolvers.js'
import * as word from '../words/resolvers.js'
import type { Resolvers } from './schema-types.js'

/** The resolvers of all areas of the schema. */
export const resolvers: Resolvers = {
  Query: {
    ...node.Query,
    ...dataset.Query,
    ...metric.Query,
    ...evaluation.Query,
    ...composites.Query,
    ...bounds.Query,
  },
  Mutation: { ...evaluation.Mutation, ...composites.Mutation, ...bounds.Mutation },
  Subscription: evaluation.Subscription,
  Dataset: { ...dataset.Dataset, ...selection.Dataset, ...judgements.Dataset, ...bounds.Dataset },
  Image: { ...image.Image, ...selection.Image, ...judgements.Image, ...bounds.Image },
  Caption: { ...image.Caption, ...selection.Caption, ...sceneGraphs.Caption, ...bounds.Caption },
  SystemCaption: { ...image.SystemCaption, ...selection.SystemCaption, ...sceneGraphs.SystemCaption },
  Word: word.Word,
  WordAgreement: word.WordAgreement,
  UsageModel: word.UsageModel,
  System: { ...system.System, ...bounds.System },
  SystemWordResult: system.SystemWordResult,
  WordMistake: system.WordMistake,
  ScoreVector: system.ScoreVector,
  ScoreDistribution: system.ScoreDistribution,
  MetricCorrelation: system.MetricCorrelation,
  Metric: metric.Metric,
  MetricScore: metric.MetricScore,
  CaptionScore: metric.CaptionScore,
  ImageScore: metric.ImageScore,
  HumanAgreement: metric.HumanAgreement,
  AgreementScore: metric.AgreementScore,
  Provenance: metric.Provenance,
  LeaderboardRow: dataset.LeaderboardRow,
  PublishedAgreement: dataset.PublishedAgreement,
  WordAgreementSummary: dataset.WordAgreementSummary,
  UsageFit: dataset.UsageFit,
  Comparison: dataset.Comparison,
  Leaderboard: dataset.Leaderboard,
  PhrSummary: system.PhrSummary,
  Evaluation: evaluation.Evaluation,
  Box: selection.Box,
  Description: selection.Description,
  SystemDescription: selection.SystemDescription,
  BoxImport: selection.BoxImport,
  ContentSelection: selection.ContentSelection,
  SystemSelection: selection.SystemSelection,
  SelectionCurve: selection.SelectionCurve,
  SelectionScore: selection.SelectionScore,
  ImageSelection: selection.ImageSelection,
  ConceptImportance: selection.ConceptImportance,
  Atom: bounds.Atom,
  RankedAtom: bounds.RankedAtom,
  AtomVotes: bounds.AtomVotes,
  AtomVoteSummary: bounds.AtomVoteSummary,
  AtomVoteCount: bounds.AtomVoteCount,
  Bound: bounds.Bound,
  BoundResult: bounds.BoundResult,
  BoundFigures: bounds.BoundFigures,
  BoundPoint: bounds.BoundPoint,
  SemanticCapacity: bounds.SemanticCapacity,
  RetrievalBound: bounds.RetrievalBound,
  CaptionLikelihood: bounds.CaptionLikelihood,
  Artefact: composites.Artefact,
  TrainedNetwork: composites.TrainedNetwork,
  Training: composites.Training,
  JudgementSet: judgements.JudgementSet,
  JudgedCaption: judgements.JudgedCaption,
  Preference: judgements.Preference,
  MetaEvaluation: judgements.MetaEvaluation,
  MetaEvaluationRow: judgements.MetaEvaluationRow,
  MetricDifference: judgements.MetricDifference,
  PreferenceFigures: judgements.PreferenceFigures,
  PublishedFigures: judgements.PublishedFigures,
  RatingFigures: judgements.RatingFigures,
  SceneGraph: sceneGraphs.SceneGraph,
  MatchedTuple: sceneGraphs.MatchedTuple,
}
