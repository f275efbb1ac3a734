import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { addSubmissions, addSystems } from '../../bench/crowd.js'
import { reportAgreement } from '../../src/services/agreement/agreement.js'
import { sql } from '../../src/store/engine/sql.js'
import { outcomeOf, workbench } from '../cli/kit.js'
import { documentOf, queriesOfDashboard } from '../kit/dashboard-queries.js'
import { ALL_ENGINES } from '../kit/databases.js'
import { type Api, initWorld } from '../kit/seed.js'

const IMAGES = 24

/** Many rows on SQLite; the same statements on few on PostgreSQL. */
const CROWDS = ALL_ENGINES.map((engine) =>
  engine === 'sqlite'
    ? { engine, systems: 1000, submissions: 10_000 }
    : { engine, systems: 5, submissions: 20 },
)

const VERBS = ['runs', 'sleeps', 'sits']
const PLACES = ['in a park', 'on a sofa', 'near the water', 'beside a tree']

/** Captions of three people, who agree on some words. */
const captionsOf = (image: number): string[] =>
  ['A', 'The', 'One'].map(
    (article, person) =>
      `${article} ${image % 2 === 0 ? 'dog' : 'cat'} ${VERBS[(image + person) % 3]} ${PLACES[(image * (person + 1)) % 4]}.`,
  )

const images = Array.from({ length: IMAGES }, (_, index) => index + 1)
const byImage = <Value>(value: (image: number) => Value) =>
  Object.fromEntries(images.map((image) => [image, value(image)]))

/** Values of the variables of all queries. */
// biome-ignore format: a table
const VARIABLES: Readonly<Record<string, unknown>> = {
  dataset: 'park', word: 'dog', image: '1', system: 'captioner', systems: ['captioner', 'other'],
  first: 'captioner', second: 'other', metric: 'CIDEr-D', metrics: ['CIDEr-D'], count: 2, systemCount: 2,
  baseline: { system: 'other' },
  kind: 'FALSE_NEGATIVE', isAsPeople: true, against: 'AS_PEOPLE', isWithPeople: true, hasDiversity: true, isPeople: true,
  isDataset: true, isSystem: true, isWord: true, isImage: true, isChallenge: true,
  isHumanIncluded: true, isOfMetrics: true, direction: 'ASC', references: 2, filter: { word: 'dog' },
  challenge: 'crowd', phase: 'main', team: 'local', order: { field: 'BLEU-4' },
  annotator: 'anna', caption: 'A dog.', text: '*A dog.*',
  bestWin: '1', nextWin: '2', worstLoss: '3', nextLoss: '2',
  images: ['1'], ids: ['1'], upload: 'none', hasDifferences: true, hasWords: true, compared: ['CIDEr-D'],
  by: 'domain', isByField: true,
}

/** Values of variables whose meaning depends on the query. */
const OF_QUERIES: Readonly<Record<string, object>> = {
  Composite: { name: 'EvalMS' },
  Collection: { name: 'park' },
  BoardSubsets: { by: 'domain' },
  Jobs: { first: 50 },
  PairSubsets: { by: 'domain' },
  HostSubmissions: { count: 200 },
  ChallengeAudit: { count: 200 },
}

describe.each(CROWDS)('with $systems systems and $submissions submissions on $engine', async (crowd) => {
  const world = await initWorld({ engine: crowd.engine })
  const { start } = workbench()
  let api: Api

  beforeAll(async () => {
    const park = await world.dataset('park', {
      images: byImage(captionsOf),
      vocabulary: { dog: 'NN', cat: 'NN', park: 'NN', sofa: 'NN', water: 'NN', runs: 'VB', sleeps: 'VB' },
    })
    await world.database.run(
      sql`UPDATE image SET fields = CASE external_id WHEN '1' THEN '{"domain":"near"}' ELSE '{"domain":"far"}' END`,
    )
    await park.captionSystem(
      'captioner',
      byImage((image) => captionsOf(image)[0]),
    )
    await park.captionSystem(
      'other',
      byImage((image) => captionsOf(image + 1)[1]),
    )
    for (const name of ['captioner', 'other']) await park.evaluate(name)
    await park.scoreSystem(
      'detector',
      byImage((image) => ({ dog: image / IMAGES, cat: 0.3 })),
    )
    await reportAgreement(world.accord, { dataset: 'park' })
    await addSystems(world.accord, 'park', 'captioner', crowd.systems)
    await addSubmissions(world.accord, 'park', {
      submissions: crowd.submissions,
      teams: 1000,
      method: 'We describe *images*.',
    })
    api = await world.serve({ workers: 1 })
  })

  it.each(queriesOfDashboard.map((operation) => [operation.name?.value as string, operation] as const))(
    'the dashboard asks %s',
    async (name, operation) => {
      const isNeeded = new Set(operation.variableDefinitions?.map(({ variable }) => variable.name.value))
      const values = {
        ...VARIABLES,
        name: 'crowd',
        ...OF_QUERIES[name],
        ...(isNeeded.has('id') && { id: await newestJob() }),
        ...(isNeeded.has('submission') && { submission: await newestSubmission() }),
        ...(isNeeded.has('task') && { task: await takenTask() }),
        ...(isNeeded.has('after') && { first: 50 }),
      }
      const variables = Object.fromEntries(Object.entries(values).filter(([key]) => isNeeded.has(key)))
      const { errors } = await api.query(documentOf(operation), variables)
      expect(errors).toEqual([])
    },
  )

  const newestJob = async () => (await api.ask('{ jobs(first: 1) { nodes { id } } }')).jobs.nodes[0].id

  const newestSubmission = async () => {
    const query =
      '{ challenge(name: "crowd") { phase(name: "main") { submissions(first: 1) { nodes { id } } } } }'
    return (await api.ask(query)).challenge.phase.submissions.nodes[0].id
  }

  const takenTask = async () => {
    await api.done('createCollection(input: { dataset: "park" })')
    const input = '{ collection: "park", annotator: "anna" }'
    const { takeTask } = await api.ask(
      `mutation { takeTask(input: ${input}) { ... on TakeTaskSuccess { task { id } } } }`,
    )
    return takeTask.task.id
  }

  it('accord report writes its file', async () => {
    const file = join(world.folder, 'report.html')
    const options = ['--database', world.location, '--dataset', 'park', '--out', file]
    const { code, stderr } = await outcomeOf(start(['report', ...options]))
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.not.stringContaining('accord: ') })
    expect(readFileSync(file, 'utf8')).not.toContain('skeleton"')
  })
})
