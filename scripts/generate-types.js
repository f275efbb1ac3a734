// Generates src/api/shared/schema-types.ts, the resolver types, from schema.graphql, and src/api/schema/plain-resolvers.ts, the
// resolvers of fields that are no more than another name (`@from`), from its parts.
import { readFileSync, writeFileSync } from 'node:fs'
import { codegen } from '@graphql-codegen/core'
import * as typescript from '@graphql-codegen/typescript'
import * as typescriptResolvers from '@graphql-codegen/typescript-resolvers'
import { Kind, parse } from 'graphql'
import { readSourcedFields } from './schema-parts.js'

const target = new URL('../src/api/shared/schema-types.ts', import.meta.url)
const plainTarget = new URL('../src/api/schema/plain-resolvers.ts', import.meta.url)

const document = parse(readFileSync(new URL('../schema.graphql', import.meta.url), 'utf8'))

/** What resolvers get for an object of a type, where it is not what clients see. */
const MODELS = {
  Viewer: '../../services/accounts/viewer.js#Viewer as ViewerModel',
  Team: '../../services/accounts/viewer.js#Named as TeamModel',
  Token: '../../store/schema/account-tables.js#AccessToken as TokenModel',
  Dataset: '../../store/schema/dataset-tables.js#Dataset as DatasetModel',
  Image: '../../store/schema/dataset-tables.js#Image as ImageModel',
  ImageWord: '../../services/images/images.js#ImageWord as ImageWordModel',
  Caption: '../../store/images.js#CaptionText as CaptionModel',
  SystemCaption: '../../store/systems.js#SystemCaptionText as SystemCaptionModel',
  Word: '../../store/schema/dataset-tables.js#Word as WordModel',
  System: '../../store/schema/system-tables.js#System as SystemModel',
  SystemWordResult: '../../store/schema/system-tables.js#SystemWord as SystemWordModel',
  SystemWordEstimates: '../systems/models.js#SystemWordEstimatesModel',
  WordAgreement: '../../services/words/word-figures.js#AgreementOnWord as WordAgreementModel',
  UsageModel: '../../services/words/word-figures.js#UsageModelOfWord as UsageModelModel',
  WordRate: '../../services/words/word-rates.js#SystemWordRate as WordRateModel',
  WordColumns: '../words/models.js#WordColumnsModel',
  Metric: '../../services/evaluations/metrics.js#MetricWithSignature as MetricModel',
  WordMistake: '../../services/words/mistakes.js#WordMistake as WordMistakeModel',
  ScoreVector: '../scores/scores.js#ScoreVectorModel',
  ScoreTable: '../scores/scores.js#ScoreTableModel',
  ScoreColumn: '../../services/exports/score-table.js#FilledColumn as ScoreColumnModel',
  ScoreDistribution: '../scores/scores.js#ScoreVectorModel as ScoreDistributionModel',
  MetricCorrelation: '../../services/evaluations/image-scores.js#MetricCorrelation as MetricCorrelationModel',
  CaptionScore: '../scores/scores.js#CaptionScoreModel',
  MetricScore: '../scores/scores.js#MetricScoreModel',
  ImageScore: '../../services/evaluations/image-scores.js#ImageScore as ImageScoreModel',
  HumanAgreement: '../scores/scores.js#HumanAgreementModel',
  AgreementScore: '../scores/scores.js#AgreementScoreModel',
  UsageCurve: '../../services/words/word-figures.js#PredictedCurve as UsageCurveModel',
  UsageFit: '../datasets/models.js#UsageFitModel',
  Provenance: '../../core/metrics/provenance.js#ProvenanceRecord as ProvenanceModel',
  ReferenceRange: '../../core/metrics/provenance.js#ReferenceRange as ReferenceRangeModel',
  MeasuredImages: '../../core/metrics/provenance.js#ImageRecord as MeasuredImagesModel',
  ScoreBin: '../../core/stats/histogram.js#Bin as ScoreBinModel',
  AgreementExtrapolation: '../../core/agreement/leave-one-out.js#Extrapolation as ExtrapolationModel',
  RaterAgreement: '../../core/judgements/rater-agreement.js#RaterAgreement as RaterAgreementModel',
  RaterPair: '../../core/judgements/rater-agreement.js#RaterPair as RaterPairModel',
  BoundProgress: '../../core/bounds/settings.js#BoundProgress as BoundProgressModel',
  Epoch: '../../core/composite/artefact.js#Epoch as EpochModel',
  PublishedAgreement: '../datasets/models.js#PublishedAgreementModel',
  PublishedAgreementRow: '../../services/agreement/published.js#PublishedRow as PublishedAgreementRowModel',
  Comparison: '../datasets/models.js#ComparisonModel',
  Leaderboard: '../datasets/models.js#LeaderboardModel',
  LeaderboardRow: '../datasets/models.js#LeaderboardRowModel',
  LeaderboardStanding: '../../services/leaderboard/standings.js#Standing',
  PhrSummary: '../systems/models.js#PhrSummaryModel',
  WordAgreementSummary: '../datasets/models.js#WordAgreementSummaryModel',
  WordMean: '../../services/words/compute-word-means.js#WordMean as WordMeanModel',
  Job: '../../services/jobs/jobs.js#Job as JobModel',
  RecognizedFile: '../../services/uploads/imports.js#RecognizedUpload',
  FilesResult: '../../services/imports/dropped-files.js#ImportedFiles',
  ImportResult: '../../services/jobs/jobs.js#Job as JobModel',
  CompositeTraining: '../../services/jobs/jobs.js#Job as JobModel',
  Box: '../../store/schema/box-tables.js#Box as BoxModel',
  BoxImport: '../../store/schema/box-tables.js#BoxImport as BoxImportModel',
  Mention: '../selection/models.js#MentionModel',
  Description: '../../store/boxes.js#HumanDescription as DescriptionModel',
  SystemDescription: '../../store/boxes.js#SystemDescriptionRow as SystemDescriptionModel',
  Coverage: '../../services/coverage/compute-coverage.js#CoverageReport as CoverageModel',
  CoverageDifference: '../../services/coverage/beside-people.js#TestedDifference as CoverageDifferenceModel',
  Diversity: '../../services/diversity/compute-diversity.js#DiversityReport as DiversityModel',
  SystemDiversity: '../../services/diversity/compute-diversity.js#SystemDiversity as SystemDiversityModel',
  DiversityFigures: '../../core/diversity/diversity.js#Diversity as DiversityFiguresModel',
  PeopleCoverage: '../../services/coverage/compute-coverage.js#PeopleCoverage as PeopleCoverageModel',
  SystemCoverage: '../../services/coverage/compute-coverage.js#MeasuredSystem as SystemCoverageModel',
  ImageCoverage: '../coverage/models.js#ImageCoverageModel',
  UnconfirmedObject: '../coverage/models.js#UnconfirmedObjectModel',
  ContentSelection: '../selection/models.js#ContentSelectionModel',
  SelectionFigures: '../../services/selection/content-selection.js#SelectionResult as SelectionFiguresModel',
  SystemSelection: '../selection/models.js#SystemSelectionModel',
  SelectionSentence: '../selection/models.js#SelectionSentenceModel',
  SelectionCurve: '../../services/selection/content-selection.js#BaselineResult as SelectionCurveModel',
  ImageSelection: '../../services/selection/content-selection.js#ImageSelection as ImageSelectionModel',
  ConceptImportance: '../../core/selection/importance.js#ConceptImportance as ConceptImportanceModel',
  RankedAtom: '../../store/schema/bound-tables.js#AtomRow as RankedAtomModel',
  Atom: '../../core/bounds/atoms.js#Atom as AtomModel',
  AtomVotes: '../bounds/models.js#AtomVotesModel',
  AtomVoteSummary: '../../core/bounds/votes.js#VoteSummary as AtomVoteSummaryModel',
  AtomVoteCount: '../../core/bounds/votes.js#VoteCount as AtomVoteCountModel',
  Bound: '../../store/schema/bound-tables.js#Bound as BoundModel',
  BoundResult: '../bounds/models.js#BoundResultModel',
  BoundSettings: '../../shared/choices.js#BoundSettings as BoundSettingsModel',
  SplitCounts: '../../store/bounds.js#SplitSizes as SplitCountsModel',
  BoundLoss: '../../store/schema/bound-tables.js#BoundLoss as BoundLossModel',
  BoundFigures: '../../services/bounds/bound-figures.js#BoundFigures as BoundFiguresModel',
  BoundPoint: '../bounds/models.js#BoundPointModel',
  SemanticCapacity: '../bounds/models.js#SemanticCapacityModel',
  CaptionLikelihood: '../../services/bounds/bounds.js#CaptionLikelihood as CaptionLikelihoodModel',
  Challenge: '../../store/schema/challenge-tables.js#Challenge as ChallengeModel',
  Phase: '../../store/schema/challenge-tables.js#Phase as PhaseModel',
  Submission: '../../store/schema/challenge-tables.js#Submission as SubmissionModel',
  AuditEntry: '../../store/schema/challenge-tables.js#AuditEntry as AuditEntryModel',
  SubmissionQuota: '../../services/challenges/quota.js#Quota as QuotaModel',
  Board: '../../services/challenges/board.js#Board as BoardModel',
  BoardRow: '../../services/challenges/board.js#BoardRow as BoardRowModel',
  BoardScore: '../../services/challenges/board.js#BoardScore as BoardScoreModel',
  Artefact: '../../store/schema/metric-tables.js#Artefact as ArtefactModel',
  ArtefactFeature: '../../core/composite/artefact.js#ArtefactFeature as ArtefactFeatureModel',
  TrainedNetwork: '../../store/schema/metric-tables.js#TrainingCurve as TrainingCurveModel',
  JudgementSet: '../../store/schema/judgement-tables.js#JudgementSet as JudgementSetModel',
  JudgedCaption: '../../store/schema/judgement-tables.js#JudgedCaption as JudgedCaptionModel',
  Preference: '../../store/schema/judgement-tables.js#PreferenceRow as PreferenceModel',
  MetaEvaluation: '../../services/judgements/judgements.js#MetaEvaluation as MetaEvaluationModel',
  MetaEvaluationRow: '../../services/judgements/judgements.js#MetaEvaluationRow as MetaEvaluationRowModel',
  RatingFigures: '../../core/judgements/meta-evaluation.js#RatingFigures as RatingFiguresModel',
  PreferenceFigures: '../../core/judgements/meta-evaluation.js#PreferenceFigures as PreferenceFiguresModel',
  PublishedFigures: '../../core/judgements/judgement.js#PublishedFigures as PublishedFiguresModel',
  MetricDifference: '../../services/judgements/cluster-contests.js#NamedDifference as MetricDifferenceModel',
  Contest: '../../services/judgements/cluster-contests.js#ClusteredFigures as ContestModel',
  SystemAgreement: '../../services/judgements/cluster-contests.js#ClusteredSystems as SystemAgreementModel',
  MetricCluster: '../../core/judgements/metric-tests.js#Cluster as MetricClusterModel',
  MetricRanking: '../../services/judgements/strengths.js#MetricRanking as MetricRankingModel',
  CompositeBaselines: '../../services/judgements/baselines.js#Baselines as CompositeBaselinesModel',
  CompositeCandidate: '../../services/judgements/baselines.js#Candidate as CompositeCandidateModel',
  JudgedSystem: '../../core/judgements/system-level.js#JudgedSystem as JudgedSystemModel',
  Disagreement: '../../services/judgements/judgements.js#Disagreement as DisagreementModel',
  SceneGraph: '../../core/text/scene-graph/decisions.js#SceneGraph as SceneGraphModel',
  MatchedTuple: '../../services/images/scene-graphs.js#MatchedTuple as MatchedTupleModel',
  Collection: '../../store/schema/collection-tables.js#Collection as CollectionModel',
  Upload: '../../store/uploads.js#ListedUpload as UploadModel',
  CollectionState: '../../store/collections.js#CollectionCounts as CollectionStateModel',
  CollectionImage: '../../store/schema/collection-tables.js#CollectionImage as CollectionImageModel',
  CollectionTask: '../../store/schema/collection-tables.js#CollectionTask as CollectionTaskModel',
  CollectionAgreement: '../collections/resolvers.js#CollectionAgreementModel',
  CollectionAgreementRow:
    '../../services/collections/collection-report.js#AgreementSoFar as CollectionAgreementRowModel',
  Annotator: '../../services/collections/collection-report.js#AnnotatorReport as AnnotatorModel',
  CaptionProblem: '../../services/collections/collections.js#ExplainedProblem as CaptionProblemModel',
}

const output = await codegen({
  filename: target.pathname,
  schema: document,
  documents: [],
  config: {
    useTypeImports: true,
    enumsAsTypes: true,
    immutableTypes: true,
    scalars: { DateTime: 'string' },
    contextType: './context.js#Context',
    mappers: { ...MODELS, ...pageModels() },
  },
  plugins: [{ typescript: {} }, { typescriptResolvers: {} }],
  pluginMap: { typescript, typescriptResolvers },
})
writeFileSync(
  target,
  `// Generated from schema.graphql by scripts/generate-types.js; do not edit.\nimport type { Connection } from './connection.js'\n${output}`,
)

const sourced = readSourcedFields()
const parents = [...new Set(sourced.map(({ parent }) => parent))]
writeFileSync(
  plainTarget,
  `// Generated from src/api/*/schema.graphql by scripts/generate-types.js; do not edit.
import { requireMetric } from '../../services/evaluations/metrics.js'
import { ROWS } from '../node/nodes.js'
import { present } from '../shared/loader.js'
import type { Resolvers } from '../shared/schema-types.js'

/** The resolvers of fields whose value is at another place of the object, or is the row with the id that is there. */
export const plainResolvers: Resolvers = {
${parents.map(resolversOf).join('')}}
`,
)

function resolversOf(parent) {
  const fields = sourced.filter((field) => field.parent === parent)
  return `  ${parent}: {\n${fields.map(resolverOf).join('')}  },\n`
}

function resolverOf({ name, type, isNullable, path }) {
  const [first, ...others] = path.split('.')
  const value = isNullable && others.length > 0 ? `${[first, ...others].join('?.')} ?? null` : path
  if (type === 'Metric')
    return `    ${name}: ({ ${first} }, _args, { accord }) => requireMetric(accord, ${value}),\n`
  if (!path.endsWith('Id')) return `    ${name}: ({ ${first} }) => ${value},\n`
  const row = `ROWS.${type}(context, ${path})`
  const loaded = isNullable ? `(${path} === null ? null : ${row})` : `${row}.then(present)`
  return `    ${name}: ({ ${first} }, _args, context) => ${loaded},\n`
}

/** A page of objects is a page of their models. */
function pageModels() {
  const pages = document.definitions.filter(({ name }) => name.value.endsWith('Connection'))
  return Object.fromEntries(pages.map((page) => [page.name.value, `Connection<${modelOf(nodeOf(page))}>`]))
}

/** The name of a model: `../store/images.js#Image as ImageModel`. */
function modelOf(type) {
  return MODELS[type].split(/#| as /).at(-1)
}

function nodeOf({ fields }) {
  let { type } = fields.find(({ name }) => name.value === 'nodes')
  while (type.kind !== Kind.NAMED_TYPE) type = type.type
  return type.name.value
}
