import { type GraphQLArgument, isObjectType } from 'graphql'
import { beforeAll, describe, expect, it } from 'vitest'
import { apiSchema } from '../../src/api/schema/schema.js'
import { importScoredPets } from '../kit/pets.js'
import { type Api, initWorld } from '../kit/seed.js'

/** An argument that has no effect beside the others is refused. */

const world = await initWorld()
let api: Api

beforeAll(async () => {
  await importScoredPets(world)
  api = await world.serve({ accord: world.accord })
})

const ofPets = (field: string) => `{ dataset(name: "pets") { ${field} } }`
const ofImages = (field: string) => ofPets(`images(first: 1) { nodes { ${field} } }`)
const ofCopycat = (field: string) => ofPets(`system(name: "copycat") { ${field} }`)
const WORDS = 'words: [{ figure: PHR }], systems: ["detector"]'

interface Refused {
  /** The argument that has no effect. */
  readonly argument: string
  readonly queries: readonly string[]
  /** The same argument where it has one. */
  readonly accepted: string
}

/**
 * The fields with several arguments, but those of mutations, pages and numbers of digits, and what is refused. None: each
 * argument has an effect beside all others.
 */
const FIELDS: Readonly<Record<string, readonly Refused[]>> = {
  'Query.jobs': [],
  'Subscription.jobs': [],
  'Query.captionProblems': [],
  'Dataset.images': [],
  'Dataset.words': [],
  'Dataset.wordAgreement': [],
  'Dataset.usageCurve': [],
  'Dataset.usageFit': [],
  'Dataset.humanAgreement': [],
  'Dataset.scoreTable': [
    {
      argument: 'documents',
      queries: [ofPets('scoreTable(metrics: ["METEOR"], documents: "coco") { externalIds }')],
      accepted: ofPets('scoreTable(metrics: ["CIDEr"], documents: "coco") { externalIds }'),
    },
  ],
  'Dataset.comparisons': [
    {
      argument: 'isHumanIncluded',
      queries: [
        ofPets(
          `comparisons(${WORDS}, isHumanIncluded: true, baseline: { human: LEAVE_ONE_OUT }) { difference }`,
        ),
      ],
      accepted: ofPets(`comparisons(${WORDS}, isHumanIncluded: true) { difference }`),
    },
    {
      argument: 'documents',
      queries: [
        ofPets(`comparisons(${WORDS}, isHumanIncluded: true, documents: "coco") { difference }`),
        ofPets(
          'comparisons(metrics: ["METEOR"], systems: ["copycat"], isHumanIncluded: true, documents: "coco") { difference }',
        ),
      ],
      accepted: ofPets(
        'comparisons(metrics: ["CIDEr-D"], systems: ["copycat"], isHumanIncluded: true, documents: "coco") { difference }',
      ),
    },
  ],
  'Dataset.leaderboards': [
    {
      argument: 'documents',
      queries: [ofPets('leaderboards(metrics: ["METEOR", "BLEU"], documents: "coco") { undefinedReason }')],
      accepted: ofPets('leaderboards(documents: "coco") { undefinedReason }'),
    },
  ],
  'Dataset.wordLeaderboard': [
    {
      argument: 'isBoundIncluded',
      queries: [ofPets('wordLeaderboard(isBoundIncluded: true) { undefinedReason }')],
      accepted: ofPets('wordLeaderboard(figure: WORD_PRECISION, isBoundIncluded: true) { undefinedReason }'),
    },
  ],
  'Image.systemCaptions': [
    {
      argument: 'isBoundIncluded',
      queries: [ofImages('systemCaptions(systems: ["copycat"], isBoundIncluded: true) { totalCount }')],
      accepted: ofImages('systemCaptions(isBoundIncluded: true) { totalCount }'),
    },
  ],
  'SystemCaption.scores': [
    {
      argument: 'against',
      queries: [ofImages('systemCaptions { nodes { scores(references: 1, against: AS_PEOPLE) { value } } }')],
      accepted: ofImages('systemCaptions { nodes { scores(against: AS_PEOPLE) { value } } }'),
    },
  ],
  'Word.systemResult': [],
  'System.score': [
    {
      argument: 'against',
      queries: [ofCopycat('score(metric: "METEOR", references: 1, against: AS_PEOPLE) { value }')],
      accepted: ofCopycat('score(metric: "METEOR", against: AS_PEOPLE) { value }'),
    },
    {
      argument: 'documents',
      queries: [ofCopycat('score(metric: "METEOR", documents: "coco") { value }')],
      accepted: ofCopycat('score(metric: "CIDEr", documents: "coco") { value }'),
    },
  ],
  'System.scores': [
    {
      argument: 'against',
      queries: [ofCopycat('scores(references: 1, against: AS_PEOPLE) { value }')],
      accepted: ofCopycat('scores(against: AS_PEOPLE) { value }'),
    },
    {
      argument: 'documents',
      queries: [ofCopycat('scores(metrics: ["METEOR", "BLEU"], documents: "coco") { value }')],
      accepted: ofCopycat('scores(metrics: ["METEOR", "SPIDEr"], documents: "coco") { value }'),
    },
  ],
  'System.captions': [],
  'System.metricCorrelations': [
    {
      argument: 'documents',
      queries: [ofCopycat('metricCorrelations(metrics: ["METEOR"], documents: "coco") { pearson }')],
      accepted: ofCopycat('metricCorrelations(documents: "coco") { pearson }'),
    },
  ],
  'System.words': [],
  'System.phrSummary': [],
  'ScoreDistribution.bins': [],
  'Dataset.coverage': [],
  'System.imageCoverage': [],
  'Dataset.diversity': [],
  'ContentSelection.imageScores': [],
  // Of ratings, `anchor` is refused: see the tests of judgements.
  'JudgementSet.metaEvaluation': [],
}

const COMMON: ReadonlySet<string> = new Set(['first', 'after', 'last', 'before', 'digits'])

it('all fields with several arguments are listed', () => {
  const isOwn = ({ name }: GraphQLArgument) => !COMMON.has(name)
  const fields = Object.values(apiSchema().getTypeMap()).flatMap((type) =>
    isObjectType(type) && !type.name.startsWith('__') && type.name !== 'Mutation'
      ? Object.values(type.getFields())
          .filter(({ args }) => args.filter(isOwn).length > 1)
          .map(({ name }) => `${type.name}.${name}`)
      : [],
  )
  expect(fields.sort()).toEqual(Object.keys(FIELDS).sort())
})

describe.each(Object.entries(FIELDS).filter(([, refused]) => refused.length > 0))(
  '%s refuses',
  (_field, refused) => {
    it.each(refused)('$argument where it has no effect', async ({ argument, queries, accepted }) => {
      for (const query of queries) {
        const { errors } = await api.query(query)
        expect(errors[0]).toMatchObject({ extensions: { code: 'NOT_APPLICABLE', place: argument } })
      }
      expect((await api.query(accepted)).errors).toEqual([])
    })
  },
)

/** Of pets, which have three captions of each image: the queries of all fields that take a number of references. */
const WITH_REFERENCES: Readonly<Record<string, (references: string) => string>> = {
  'Dataset.wordAgreement': (k) => ofPets(`wordAgreement(${k}) { wordCount }`),
  'Dataset.usageCurve': (k) => ofPets(`usageCurve(${k}) { points { recall } }`),
  'Dataset.usageFit': (k) => ofPets(`usageFit(${k}) { __typename }`),
  'Dataset.humanAgreement': (k) => ofPets(`humanAgreement(${k}) { imageCount }`),
  'Dataset.comparisons': (k) =>
    ofPets(`comparisons(metrics: ["METEOR"], systems: ["copycat", "guesser"], ${k}) { difference }`),
  'Dataset.scoreTable': (k) => ofPets(`scoreTable(${k}) { externalIds }`),
  'Dataset.coverage': (k) => ofPets(`coverage(${k}) { summary }`),
  'System.imageCoverage': (k) => ofCopycat(`imageCoverage(${k}) { signature }`),
  'Dataset.leaderboards': (k) => ofPets(`leaderboards(metrics: ["METEOR"], ${k}) { undefinedReason }`),
  'Dataset.wordLeaderboard': (k) => ofPets(`wordLeaderboard(${k}) { undefinedReason }`),
  'SystemCaption.scores': (k) => ofImages(`systemCaptions { nodes { scores(${k}) { value } } }`),
  'System.score': (k) => ofCopycat(`score(metric: "METEOR", ${k}) { value }`),
  'System.scores': (k) => ofCopycat(`scores(${k}) { value }`),
  'System.metricCorrelations': (k) => ofCopycat(`metricCorrelations(${k}) { pearson }`),
  'System.words': (k) => ofCopycat(`words(first: 1, ${k}) { totalCount }`),
  'System.phrSummary': (k) => ofPets(`system(name: "detector") { phrSummary(${k}) { wordCount } }`),
  'Word.agreement': (k) => ofPets(`word(text: "dog") { agreement(${k}) { referenceCount } }`),
  'Word.systemResult': (k) =>
    ofPets(`word(text: "dog") { systemResult(system: "detector", ${k}) { averagePrecision } }`),
  'Word.systemResults': (k) => ofPets(`word(text: "dog") { systemResults(first: 1, ${k}) { totalCount } }`),
  'WordConnection.columns': (k) => ofPets(`words(first: 1) { columns(${k}) { texts } }`),
  'UsageModel.precision': (k) => ofPets(`word(text: "dog") { usageModel { precision(${k}) } }`),
  'UsageModel.residual': (k) => ofPets(`word(text: "dog") { usageModel { residual(${k}) } }`),
}

it('all fields with a number of references are listed', () => {
  const fields = Object.values(apiSchema().getTypeMap()).flatMap((type) =>
    isObjectType(type)
      ? Object.values(type.getFields())
          .filter(({ args }) => args.some(({ name }) => name === 'references'))
          .map(({ name }) => `${type.name}.${name}`)
      : [],
  )
  expect(fields.sort()).toEqual(Object.keys(WITH_REFERENCES).sort())
})

it.each(Object.entries(WITH_REFERENCES))('%s refuses references out of range', async (field, query) => {
  // What systems say may be compared with all captions: then no person is beside them.
  for (const references of [0, /coverage$/i.test(field) ? 4 : 3, 99]) {
    const { errors } = await api.query(query(`references: ${references}`))
    expect(errors[0]).toMatchObject({ extensions: { code: 'OUT_OF_RANGE', place: 'references' } })
  }
  expect((await api.query(query('references: 2'))).errors).toEqual([])
})

it('systemCaptions refuses the name of a system that does not exist', async () => {
  const { errors } = await api.query(
    ofImages('systemCaptions(systems: ["copycat", "copycats"]) { totalCount }'),
  )
  expect(errors[0]).toMatchObject({
    extensions: { code: 'UNKNOWN_SYSTEM' },
    message: expect.stringContaining('"copycats"'),
  })
})
