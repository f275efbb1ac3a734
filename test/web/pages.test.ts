import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { VERSION } from '../../src/project.js'
import { outline } from '../kit/outline.js'
import { type Api, initWorld, type Json, loadEvaluatedSeed } from '../kit/seed.js'
import { isSlow } from '../kit/slow.js'

const ADDRESSES = {
  home: '/',
  leaderboard: '/d/scenes',
  'leaderboard-references': '/d/scenes?references=2&metric=METEOR',
  words: '/d/scenes/words?system=good&pos=NN',
  word: '/d/scenes/words/dog',
  'word-system': '/d/scenes/words/dog?system=good',
  'word-detector': '/d/scenes/words/dog?system=detector-large',
  images: '/d/scenes/images',
  'images-word': '/d/scenes/images?word=dog',
  image: '/d/scenes/images/animals-01',
  explore: '/d/scenes/explore',
  'explore-gap':
    '/d/scenes/explore?systems=good&metrics=METEOR&by=good&minus=people&metric=CIDEr-D&order=DESC&words=dog&max=9&field=objects&value=3%E2%80%935',
  'explore-none': '/d/scenes/explore?objects=unicorn',
  system: '/d/scenes/systems/good',
  detector: '/d/scenes/systems/detector-large',
  compare: '/d/scenes/compare/good/old',
  'compare-worse': '/d/scenes/compare/old/good',
  'compare-metric': '/d/scenes/compare/good/verbose?metric=METEOR',
  // Its captions are longer than those of people: images are compared by coverage.
  'compare-length': '/d/scenes/compare/good/verbose',
  'compare-confirmed': '/d/scenes/compare/good/verbose?metric=confirmed+share',
  'system-length': '/d/scenes/systems/verbose',
  'compare-people': '/d/scenes/compare/good/people',
  agreement: '/d/scenes/agreement',
  selection: '/d/scenes/selection',
  bounds: '/d/scenes/bounds',
  challenges: '/challenges',
  challenge: '/challenges/scenes',
  board: '/challenges/scenes/main',
  submit: '/challenges/scenes/submit',
  host: '/challenges/scenes/host',
  'new-challenge': '/challenges/new',
  // Judgements take seconds.
  ...(isSlow && { metrics: '/metrics' }),
  import: '/import',
  'sign-in': '/sign-in',
  'sign-up': '/sign-up',
  account: '/account',
  'no-dataset': '/d/unknown',
  'no-word': '/d/scenes/words/no-such-word',
  'no-image': '/d/scenes/images/no-such-image',
  'no-system': '/d/scenes/systems/no-such-system',
  'no-challenge': '/challenges/unknown',
}

interface Question {
  readonly document: string
  readonly variables: object
}

// Test files share modules: those with mocks in them are not for others.
vi.resetModules()
afterAll(() => void vi.resetModules())

// Its types are those of browsers: it is checked with the dashboard.
const { drawPage } = await import(new URL('pages/draw.ts', import.meta.url).pathname)

const world = await initWorld()
let api: Api

const zone = process.env.TZ
beforeAll(async () => {
  process.env.TZ = 'UTC'
  await loadEvaluatedSeed(world.accord)
  api = await world.serve({ accord: world.accord })
})
afterAll(() => {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
})

/** An answer with the next day of a day on which pages were drawn. */
function withoutToday(data: Json): Json {
  const text = JSON.stringify(data)
  return JSON.parse(text, (key, value) => (key === 'resetsAt' && value ? '2026-11-29T00:00:00.000Z' : value))
}

// The first one: what a page has asked is known to those after it.
it.each([
  { captions: 'of the usual length', address: ADDRESSES.system, count: 0 },
  { captions: 'of another length', address: ADDRESSES['system-length'], count: 1 },
])(
  'the page of a system with captions $captions asks $count times for coverage, and not for how varied they are',
  async ({ address, count }) => {
    const answers: string[] = []
    await drawPage(address, async ({ document, variables }: Question) => {
      const { data } = await api.query(document, variables)
      answers.push(...Object.keys(data.dataset))
      return data
    })
    expect(answers.filter((field) => field === 'coverage')).toHaveLength(count)
    expect(answers).not.toContain('diversity')
  },
)

// When a page changes on purpose, read the difference, look at the page, and update with `npx vitest run test/web/pages.test.ts -u`.
it.each(Object.entries(ADDRESSES))('%s says what it said before', async (name, address) => {
  const html = await drawPage(address, async ({ document, variables }: Question) => {
    const { data, errors } = await api.query(document, variables)
    expect(errors).toEqual([])
    return withoutToday(data)
  })
  const text = outline(html).replaceAll(VERSION, '(version)')
  expect(text).not.toMatch(/NaN|undefined(?! for \d)|\[object/)
  await expect(text).toMatchFileSnapshot(`pages/${name}.txt`)
})

it('what no test shows is told beside the number of people that a system says as much as', async () => {
  const better: Record<string, string | null> = { good: 'SECOND', old: null, verbose: null }
  const html = await drawPage('/d/scenes?weights=own', async ({ document, variables }: Question) => {
    const { data } = await api.query(document, variables)
    for (const { system, besidePeople } of data.dataset?.coverage?.systems.nodes ?? []) {
      for (const { together } of besidePeople)
        Object.assign(together, { interval: { lower: -1, upper: 1 }, better: better[system.name] })
    }
    return data
  })
  const [, rows] = outline(html).split('people equivalent')
  const cellsOf = (name: string) => rows.split('\n').find((line) => line.startsWith(`| ${name} |`))
  expect(cellsOf('good')).toContain('| &lt; 1 |')
  expect(cellsOf('old')).toContain('| &lt; 1, not significantly |')
  expect(cellsOf('verbose')).toContain('| > 3, not significantly |')
})
