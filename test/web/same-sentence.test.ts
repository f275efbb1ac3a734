import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { workbench } from '../cli/kit.js'
import { type Api, initWorld, type Json, loadEvaluatedSeed } from '../kit/seed.js'

// Test files share modules: those with mocks in them are not for others.
vi.resetModules()
afterAll(() => void vi.resetModules())

// Its types are those of browsers: it is checked with the dashboard.
const { drawPage } = await import(new URL('pages/draw.ts', import.meta.url).pathname)

const { run } = workbench()
const world = await initWorld()
let api: Api

beforeAll(async () => {
  await loadEvaluatedSeed(world.accord)
  api = await world.serve({ accord: world.accord })
})

const METRICS = ['CIDEr-D', 'METEOR', 'BLEU-4', 'ROUGE-L']

/** The sentence of the page of two sides, by a metric among the others. */
async function onPage(first: string, second: string, metric: string): Promise<string> {
  const html: string = await drawPage(
    `/d/scenes/compare/${first}/${second}?metric=${metric}`,
    async ({ document, variables }: Json) => (await api.query(document, variables)).data,
  )
  // Where captions are of another length, what they say comes first.
  const sentences = Array.from(html.matchAll(/<p class="verdict">(.*?)<\/p>/g), ([, sentence]) => sentence)
  return String(sentences.at(-1))
    .replaceAll(/<\/?span\b[^>]*>/g, '')
    .replaceAll('&lt;', '<')
}

async function byApi(first: string, second: string, metrics: readonly string[], metric: string) {
  const { dataset } = await api.ask(
    `query ($systems: [String!], $metrics: [String!], $people: Boolean) { dataset(name: "scenes") {
      comparisons(systems: $systems, metrics: $metrics, isHumanIncluded: $people, references: 4) {
        metric { name } first { name } second { name } conclusion together { better tests } alone { better } } } }`,
    { systems: [first, second].filter((name) => name !== 'people'), metrics, people: second === 'people' },
  )
  return dataset.comparisons.find((row: Json) => row.metric.name === metric)
}

/** The first paragraph that a command prints, in one line. */
async function byCommand(words: string): Promise<string> {
  const { code, stdout, stderr } = await run(`${words} --database ${world.location}`)
  expect(code, stderr).toBe(0)
  return stdout.split('\n\n')[0].replaceAll('\n', ' ')
}

describe('the same question has the same answer', () => {
  it.each([
    ['good', 'old', 'CIDEr-D'],
    ['old', 'verbose', 'BLEU-4'],
    // As one of four tests it does not differ.
    ['good', 'people', 'METEOR'],
    ['verbose', 'people', 'ROUGE-L'],
  ])('%s and %s by %s', async (first, second, metric) => {
    const { conclusion } = await byApi(first, second, [metric], metric)
    expect(conclusion).toMatch(/: [+−]\.\d+ \[[+−]\.\d+, [+−]\.\d+\], p [=<] \.\d+, 244 images\.$/)
    expect((await byApi(first, second, METRICS, metric)).conclusion).toBe(conclusion)
    expect(await onPage(first, second, metric)).toBe(conclusion)
    const sides = second === 'people' ? `${first} --people` : `${first} ${second}`
    const rest = METRICS.filter((name) => name !== metric).join(' ')
    const compare = `compare --dataset scenes --system ${sides} --references 4 --metrics ${metric}`
    expect(await byCommand(compare)).toBe(conclusion)
    expect(await byCommand(`${compare} ${rest}`)).toBe(conclusion)
    if (second !== 'people') expect(await byCommand(`${compare} ${rest} --people`)).toBe(conclusion)
  })

  it.each([['good'], ['verbose']])('what %s says, beside people', async (system) => {
    const html: string = await drawPage(
      `/d/scenes/compare/${system}/verbose`,
      async ({ document, variables }: Json) => (await api.query(document, variables)).data,
    )
    const [, onPage] = html.match(/<p class="verdict other-length">([^<]*)</) ?? []
    const { dataset } = await api.ask(
      `query ($systems: [String!]) { dataset(name: "scenes") { coverage(systems: $systems, documents: "coco") { summary } } }`,
      { systems: [system] },
    )
    expect(dataset.coverage.summary).toMatch(
      /^\w+ says (less|more) than .* others confirm \.\d{3} of it, and /,
    )
    expect(onPage).toContain(dataset.coverage.summary)
    const command = `coverage --dataset scenes --system ${system} --document-frequencies coco`
    expect(await byCommand(command)).toBe(dataset.coverage.summary)
  })

  it('what the system that says most says, beside people, on the page of the dataset', async () => {
    const html: string = await drawPage(
      '/d/scenes',
      async ({ document, variables }: Json) => (await api.query(document, variables)).data,
    )
    const sentence = await byCommand('coverage --dataset scenes --document-frequencies coco')
    expect(sentence).toMatch(/^verbose says more than three people together/)
    expect(html).toContain(`<p class="verdict">${sentence}</p>`)
  })

  it('and the table says what it says of all its tests', async () => {
    const { alone, together } = await byApi('good', 'people', METRICS, 'METEOR')
    expect([alone.better, together.better, together.tests]).toEqual(['FIRST', null, 4])
  })
})
