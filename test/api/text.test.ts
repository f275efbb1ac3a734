import { beforeAll, describe, expect, it } from 'vitest'
import { type Api, initWorld, type Json } from '../kit/seed.js'

const LONG = Array.from({ length: 1500 }, (_, i) => (i % 3 === 0 ? 'dog' : `word${i % 50}`)).join(' ')

/** Captions with words that they contain. */
const CAPTIONS: readonly [name: string, text: string, words: readonly string[]][] = [
  ['emoji', 'a dog 🐕 on 🏖️ with 👩‍👩‍👧', ['dog', '🐕']],
  ['combining marks', 'un cafe\u0301 crème', ['cafe\u0301', 'crème']],
  ['right to left', 'كلب في الحديقة dog', ['كلب', 'في', 'الحديقة', 'dog']],
  ['control characters', 'a\u0001 dog\u0007 \u001b[31m runs\u007f', ['dog', 'runs']],
  ['line breaks', 'a dog\r\nruns\u2028home', ['dog', 'runs', 'home']],
  ['quotes and markup', `<b>dog</b> "cat" 'x'; DROP TABLE word; --`, ['dog', 'cat']],
  ['a backslash, a percent sign', 'dog\\n %s %_', ['dog']],
]

describe('text', async () => {
  const world = await initWorld()
  let api: Api

  beforeAll(async () => {
    await world.dataset('texts', {
      images: Object.fromEntries([
        ...CAPTIONS.map(([name, text]) => [name, [text, 'a dog.']]),
        ['long', [LONG, LONG]],
        ['plain', ['a dog.', 'the dog.']],
      ]),
    })
    api = await world.serve({ workers: 1 })
  })

  /** Imports captions and waits for the end of their evaluation. */
  async function importAndEvaluate(system: string, captions: readonly Json[]): Promise<Json> {
    const { evaluation } = await importCaptions(system, captions)
    return api.ended(evaluation.id)
  }

  /** The import of captions, which has ended. */
  async function importCaptions(
    system: string,
    captions: readonly Json[],
    options: Json = {},
  ): Promise<Json> {
    const { importResults } = await api.ask(
      `mutation ($input: ImportResultsInput!) { importResults(input: $input) { ... on JobSuccess { job { id } } } }`,
      {
        input: {
          dataset: 'texts',
          system,
          upload: await api.upload(captions),
          isMissingAllowed: true,
          ...options,
        },
      },
    )
    const { id } = importResults.job
    await api.ended(id)
    const JOB = `query ($id: ID!) { job(id: $id) {
      failure { code message } result { ... on ImportResult { evaluation { id } } }
    } }`
    const { failure, result } = (await api.ask(JOB, { id })).job
    return { failure, ...result }
  }

  const IMAGE = `query ($id: ID!) { dataset(name: "texts") { image(externalId: $id) {
  captions { text tokens } systemCaptions { nodes { text tokens scores(metrics: ["METEOR", "BLEU-1"]) { value } } } words { captionCount word { text } }
} } }`

  describe('a caption of a person or a system', () => {
    it('is stored, counted and scored in any script', async () => {
      const captions = CAPTIONS.map(([image_id, caption]) => ({ image_id, caption }))
      expect(await importAndEvaluate('scribe', captions)).toMatchObject({ status: 'DONE' })
      for (const [name, text, words] of CAPTIONS) {
        const { image } = (await api.ask(IMAGE, { id: name })).dataset
        expect(image.captions[0].text, name).toBe(text)
        expect(image.systemCaptions.nodes[0].text, name).toBe(text)
        expect(image.systemCaptions.nodes[0].tokens, name).toEqual(image.captions[0].tokens)
        expect(image.captions[0].tokens, name).toEqual(expect.arrayContaining([...words]))
        for (const { value } of image.systemCaptions.nodes[0].scores) expect(value, name).toBeGreaterThan(0.5)
        for (const text of words) {
          const { dataset } = await api.ask(
            'query ($text: String!) { dataset(name: "texts") { word(text: $text) { captionCount } } }',
            { text },
          )
          expect(dataset.word.captionCount, text).toBeGreaterThan(0)
        }
      }
    })

    it('of 1,500 words is stored, counted and scored', async () => {
      expect(await importAndEvaluate('novelist', [{ image_id: 'long', caption: LONG }])).toMatchObject({
        status: 'DONE',
      })
      const { image } = (await api.ask(IMAGE, { id: 'long' })).dataset
      expect(image.systemCaptions.nodes[0].tokens.length).toBe(1500)
      expect(image.words.find(({ word }: Json) => word.text === 'dog').captionCount).toBe(2)
    })

    it('is scored if it is empty or has only punctuation', async () => {
      const captions = [
        { image_id: 'plain', caption: '' },
        { image_id: 'emoji', caption: ' ' },
        { image_id: 'quotes and markup', caption: '. . . !' },
      ]
      expect(await importAndEvaluate('mute', captions)).toMatchObject({ status: 'DONE' })
      const { system } = (
        await api.ask(
          '{ dataset(name: "texts") { system(name: "mute") { scores { value metric { name } } } } }',
        )
      ).dataset
      expect(system.scores.length).toBeGreaterThan(10)
      for (const { value, metric } of system.scores) expect(value, metric.name).toBeCloseTo(0, 6)
    })

    it('loses markup of models if that is asked for', async () => {
      const [[image_id]] = CAPTIONS
      const textOf = async (system: string, options: Json) => {
        await importCaptions(system, [{ image_id, caption: 'Assistant: a **dog**</s>' }], options)
        const { dataset } = await api.ask(
          `query ($id: ID!, $system: String!) { dataset(name: "texts") { image(externalId: $id) {
            systemCaptions(systems: [$system]) { nodes { text } } } } }`,
          { id: image_id, system },
        )
        return dataset.image.systemCaptions.nodes[0].text
      }
      expect(await textOf('marked', {})).toBe('Assistant: a **dog**</s>')
      expect(await textOf('stripped', { isMarkupStripped: true })).toBe('a dog')
    })
  })

  describe('a lone surrogate', () => {
    it('in a caption is replaced by U+FFFD', async () => {
      const captions = [
        { image_id: 'plain', caption: '\ud83d \udc15 dog' },
        { image_id: 'emoji', caption: 'a\ud83c b\udfff' },
      ]
      expect(await importAndEvaluate('halves', captions)).toMatchObject({ status: 'DONE' })
      const { image } = (await api.ask(IMAGE, { id: 'plain' })).dataset
      expect(image.systemCaptions.nodes.map(({ text }: Json) => text)).toContain('\ufffd \ufffd dog')
    })

    it.each([
      ['a word', 'query ($half: String!) { dataset(name: "texts") { word(text: $half) { text } } }'],
      ['a dataset', 'query ($half: String!) { dataset(name: $half) { name } }'],
      ['a system', 'query ($half: String!) { dataset(name: "texts") { system(name: $half) { name } } }'],
      ['an id', 'query ($half: ID!) { node(id: $half) { id } }'],
      ['an image', 'query ($half: ID!) { dataset(name: "texts") { image(externalId: $half) { id } } }'],
    ])('in the name of %s finds nothing', async (_of, query) => {
      const data = await api.ask(query, { half: '\ud83d' })
      expect(JSON.stringify(data)).toMatch(/null/)
    })

    it('in a filter finds nothing', async () => {
      const { words } = (
        await api.ask(
          'query ($texts: [String!]) { dataset(name: "texts") { words(filter: { texts: $texts }) { totalCount } } }',
          { texts: ['\ud83d', 'dog\ud83d'] },
        )
      ).dataset
      expect(words.totalCount).toBe(0)
    })
  })

  describe('the null character', () => {
    it('is refused in a caption, with its place', async () => {
      const captions = [
        { image_id: 'plain', caption: 'a dog' },
        { image_id: 'emoji', caption: 'a\u0000dog' },
      ]
      expect(await importCaptions('null', captions)).toMatchObject({
        failure: {
          code: 'INVALID_VALUE',
          message: expect.stringMatching(/^upload: \[1\]\.caption: .*U\+0000/),
        },
      })
    })

    it.each([
      ['a word', 'dataset(name: "texts") { word(text: $text) { text } }'],
      ['a dataset', 'dataset(name: $text) { name }'],
      [
        'a system',
        'dataset(name: "texts") { comparisons(systems: [$text, "mute"], metrics: ["METEOR"]) { difference } }',
      ],
      ['an image', 'dataset(name: "texts") { image(externalId: $text) { id } }', 'ID'],
      ['a filter', 'dataset(name: "texts") { words(filter: { texts: ["dog", $text] }) { totalCount } }'],
    ])('is refused in the name of %s', async (_of, field, type = 'String') => {
      const { data, errors } = await api.query(`query ($text: ${type}!) { ${field} }`, { text: 'dog\u0000' })
      expect(errors.map(({ extensions }) => extensions.code)).toEqual(['INVALID_VALUE'])
      expect(JSON.stringify({ data, errors })).not.toMatch(/postgres:|sqlite/)
    })
  })

  describe('a dataset whose captions have lone surrogates', () => {
    it('is imported', async () => {
      const halves = await world.dataset('halves', {
        images: { 1: ['\ud83d dog', '\udc15 cat \ud83c'], 2: ['\udfff dog', 'dog'] },
      })
      const { dataset } = await api.ask(
        '{ dataset(name: "halves") { words(filter: { texts: ["dog"] }) { nodes { captionCount } } } }',
      )
      expect(halves.row.captionCount).toBe(4)
      expect(dataset.words.nodes).toEqual([{ captionCount: 3 }])
    })
  })
})
