import { listDatasets, unknownDataset } from '../../store/datasets.js'
import type { Artefact, Dataset } from '../../store/schema/entities.js'
import type { Accord } from '../accord.js'
import { idsOf } from '../shared/groups.js'
import { createMemoryUntilChange } from '../shared/memory.js'
import { requireScope, requireUser, type Viewer } from './viewer.js'

/**
 * Who may see and do what on a server with accounts, as data: a rule for each type of the schema and for each mutation. What has
 * no rule is for hosts. The API applies the rules at one place, see api/execution/access.ts.
 */

/**
 * For whom the objects of a type are.
 *
 * - `ALL`: everybody. Fields with objects of other types are checked.
 * - `DATASET`: those who see the dataset that the object belongs to. Everything that is reached from it belongs to the same
 *   dataset.
 * - `HOST`: hosts and administrators.
 */
export type TypeRule = 'ALL' | 'DATASET' | 'HOST'

const TYPES: Readonly<Record<TypeRule, string>> = {
  ALL: `
    Query Mutation Subscription DatasetConnection DatasetEdge Metric MetricConnection MetricEdge
    InvalidInputError NotFoundError NameTakenError NotApplicableError UnavailableError NotAllowedError
    VoteOnAtomsSuccess PageInfo RemoveArtefactSuccess ArtefactConnection ArtefactEdge JobSuccess Viewer
    User Team Token ViewerSuccess BanUserSuccess InviteMemberSuccess CreateTokenSuccess
    Challenge ChallengeConnection ChallengeEdge Phase SubmissionLimits SubmissionQuota Board BoardRow
    BoardRowConnection BoardRowEdge BoardScore Interval Submission SubmissionConnection SubmissionEdge
    AuditEntry AuditEntryConnection AuditEntryEdge CreateChallengeSuccess UpdateChallengeSuccess
    RerunChallengeSuccess RemoveChallengeSuccess SubmitSuccess CancelSubmissionSuccess WithdrawSubmissionSuccess
    ChooseEntrySuccess GrantSubmissionsSuccess Collection CollectionConnection CollectionEdge
    CollectionState CaptionProblem TakeTaskSuccess SubmitCaptionSuccess SkipTaskSuccess
    ReportTaskSuccess RemoveCollectionSuccess`,
  // Jobs name datasets and files, and what annotators write belongs to a dataset later.
  HOST: `
    CollectionAgreement CollectionAgreementRow Annotator AnnotatorConnection AnnotatorEdge CollectionImage
    CollectionImageConnection CollectionImageEdge CollectionTask CollectionTaskConnection
    CollectionTaskEdge
    JobFailure EvaluationJob ImportJob AgreementJob CompositeTrainingJob BoundTrainingJob OtherJob
    JobConnection JobEdge`,
  DATASET: `
    Dataset Image Caption SystemCaption SceneGraph ObjectAttribute ObjectRelation MatchedTuple CaptionScore
    ImageWord Word WordAgreement UsageModel SystemWordResult SystemWordEstimates WordEstimate
    UsageCurve CurvePoint ScoreCurvePoint WordMistake WordMistakeConnection WordMistakeEdge System
    SystemConnection SystemEdge CaptionConnection CaptionEdge SystemCaptionConnection SystemCaptionEdge
    ScoreVector ScoreDistribution ScoreBin ScoreQuantile MetricCorrelation MetricScore Provenance NamedText
    DocumentFrequencies ReferenceRange MeasuredImages ImageScoreConnection ImageScoreEdge ImageScore
    HumanAgreement AgreementFold FoldScore AgreementScore PublishedAgreement PublishedAgreementRow
    AgreementPoint AgreementExtrapolation Comparison WordAgreementSummary WordMean RarefiedMean
    PartOfSpeechAgreement UsageFit OutOfSampleFit PhrSummary Leaderboard LeaderboardRow
    LeaderboardRowConnection LeaderboardRowEdge LeaderboardStanding RankRange Atom RankedAtom
    AtomConnection AtomEdge AtomVotes AtomVoteSummary AtomVoteCount AtomVoteCountConnection
    AtomVoteCountEdge Bound BoundConnection BoundEdge BoundSettings SplitCounts BoundResult BoundProgress
    BoundLoss BoundFigures BoundPoint SemanticCapacity RetrievalBound CaptionLikelihood
    CaptionLikelihoodConnection CaptionLikelihoodEdge ImageConnection ImageEdge WordConnection WordColumns
    WordEdge SystemWordConnection SystemWordEdge Box Mention Description SystemDescription
    SystemDescriptionConnection SystemDescriptionEdge BoxImport BoxImportConnection BoxImportEdge
    ContentSelection SelectionFigures SelectionMean SelectionCurve SelectionPoint SystemSelection
    SystemSelectionConnection SystemSelectionEdge ImageSelection SelectionSentence ConceptImportance
    ImageSelectionConnection ImageSelectionEdge ConceptImportanceConnection ConceptImportanceEdge
    JudgementSet JudgedCaption Rating Preference MetaEvaluation MetaEvaluationRow SystemStrengths
    SystemStrength MetricRanking CompositeBaselines CompositeCandidate BaselineDifference MetricCluster
    Contest SystemAgreement JudgedSystem CaptionAgreement RatingFigures PreferenceFigures CategoryAccuracy
    PublishedFigures RaterAgreement RaterPair MetricDifference Disagreement TrainedNetwork Artefact
    ArtefactFeature TrainingData ValidationData Epoch`,
}

/**
 * Fields that return objects of hosts to others: what their own mutations return, and the jobs of submissions, which their services
 * show to their teams. Of jobs others see no texts.
 */
const OWN_OBJECTS = /^(\w+Success\.\w+|Submission\.job)$/

const JOB_TEXTS = ['input', 'summary', 'message', 'failure']

/** Who may use a mutation: everybody, users, users with the scope SUBMIT, or hosts and administrators. */
export type MutationRule = 'ALL' | 'USER' | 'SUBMIT' | 'HOST'

const MUTATIONS: Readonly<Record<MutationRule, string>> = {
  ALL: 'signUp signIn resetPassword',
  USER: `signOut changePassword deleteAccount createTeam inviteMember acceptInvitation createToken
    revokeToken takeTask submitCaption skipTask reportTask`,
  SUBMIT: 'submit cancelSubmission withdrawSubmission chooseEntry',
  HOST: `
    importCaptions importVocabulary importResults importWordScores importBoxes importDescriptions
    importJudgements importMetricScores importVotes importArtefact importBound startEvaluation trainBound
    voteOnAtoms computeHumanAgreement removeSystem removeDataset trainComposite cancelJob removeArtefact
    banUser createCollection finishCollection removeCollection createChallenge updateChallenge rerunChallenge
    removeChallenge grantSubmissions`,
}

/** What services note in the audit log themselves, with more detail. */
const NOTED = 'banUser createChallenge updateChallenge rerunChallenge removeChallenge grantSubmissions'

/** Arguments and input fields of queries that name a dataset. */
const DATASET_ARGUMENTS = ['dataset', 'vocabularyOf']

const typeRules = byName(TYPES)
const mutationRules = byName(MUTATIONS)

function byName<Rule extends string>(names: Readonly<Record<Rule, string>>): ReadonlyMap<string, Rule> {
  const entries = Object.entries(names) as [Rule, string][]
  return new Map(entries.flatMap(([rule, list]) => (list.match(/\w+/g) ?? []).map((name) => [name, rule])))
}

/** The rule of an object type; undefined if it has none. */
export function ruleOfType(name: string): TypeRule | undefined {
  return typeRules.get(name)
}

/** Whether a field returns objects of hosts to others. @param coordinate type and field */
export function returnsOwnObjects(coordinate: string): boolean {
  return OWN_OBJECTS.test(coordinate)
}

/** Whether a field of a job is a text, which may say something about single images. */
export function isTextOfJob(field: string): boolean {
  return JOB_TEXTS.includes(field)
}

/** Whether a mutation that was used is noted in the audit log: those of hosts, and those on accounts. */
export function isNoted(mutation: string): boolean {
  const rule = ruleOfMutation(mutation)
  const isOfCollection = mutation.endsWith('Task') || mutation === 'submitCaption'
  return (rule === 'HOST' || rule === 'USER') && !isOfCollection && !NOTED.includes(mutation)
}

/** The rule of a mutation; undefined if it has none. */
export function ruleOfMutation(name: string): MutationRule | undefined {
  return mutationRules.get(name)
}

/** Whether a viewer sees and does everything, apart from what administrators do. */
export function isHost({ scopes }: Viewer): boolean {
  return scopes.has('host')
}

/** @throws AccordError UNAUTHENTICATED, FORBIDDEN */
export function requireMutation(viewer: Viewer, name: string): void {
  const rule = ruleOfMutation(name) ?? 'HOST'
  if (rule === 'HOST') requireScope(viewer, 'host')
  else if (rule === 'SUBMIT') requireScope(viewer, 'submit')
  else if (rule === 'USER') requireUser(viewer)
}

/** The datasets that are not private. */
export interface PublicDatasets {
  readonly ids: ReadonlySet<number>
  readonly names: ReadonlySet<string>
}

const memoryOf = createMemoryUntilChange((): { datasets?: PublicDatasets } => ({}))

/** The datasets that are not private, kept in memory for as long as the database is unchanged. */
export async function readPublicDatasets({ database }: Accord): Promise<PublicDatasets> {
  const memory = memoryOf(database)
  if (memory?.datasets) return memory.datasets
  const found = (await listDatasets(database)).filter(isPublic)
  const datasets = { ids: new Set(idsOf(found)), names: new Set(found.map(({ name }) => name)) }
  if (memory) memory.datasets = datasets
  return datasets
}

/** The datasets that a viewer sees. */
export function visibleDatasets(viewer: Viewer, datasets: readonly Dataset[]): readonly Dataset[] {
  return isHost(viewer) ? datasets : datasets.filter(isPublic)
}

function isPublic({ isPrivate }: Dataset): boolean {
  return isPrivate === 0
}

/** Whether everybody may see a composite metric: the datasets that it was made of are there, and none is private. */
export function isPublicArtefact({ header }: Artefact, { names }: PublicDatasets): boolean {
  return names.has(header.training.dataset) && names.has(header.validation.dataset)
}

/** The composite metrics that a viewer sees. */
export async function visibleArtefacts(
  accord: Accord,
  viewer: Viewer,
  artefacts: readonly Artefact[],
): Promise<readonly Artefact[]> {
  if (isHost(viewer)) return artefacts
  const datasets = await readPublicDatasets(accord)
  return artefacts.filter((artefact) => isPublicArtefact(artefact, datasets))
}

/** Whether an argument or input field of a query names a dataset. */
export function namesDataset(argument: string): boolean {
  return DATASET_ARGUMENTS.includes(argument)
}

/**
 * Checks the names of datasets in the arguments of a query, as if there were no private ones.
 *
 * @throws AccordError UNKNOWN_DATASET
 */
export function checkArguments(args: object, datasets: PublicDatasets): void {
  for (const [name, value] of Object.entries(args)) {
    if (typeof value === 'object' && value !== null) checkArguments(value, datasets)
    else if (namesDataset(name) && value !== null && !datasets.names.has(value))
      throw unknownDataset(value, [...datasets.names])
  }
}
