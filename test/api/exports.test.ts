import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Type, tableFromIPC } from '@uwdata/flechette'
import { parse } from 'csv-parse/sync'
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { LIMITS } from '../../src/api/schema/limits.js'
import { humanAgreement } from '../../src/services/agreement/agreement.js'
import type { ExportTable } from '../../src/services/exports/export-table.js'
import * as tables from '../../src/services/exports/tables.js'
import { sql } from '../../src/store/engine/sql.js'
import { runHere } from '../cli/kit.js'
import { importScoredPets } from '../kit/pets.js'
import { type Api, initWorld, type SeededDataset } from '../kit/seed.js'
import { signInViewers } from '../kit/viewers.js'

/** Texts that programs for tables would execute, or that would end a field. */
const HOSTILE = ['=1+1', '@SUM(1)', 'a "dog", and\na cat', '-cat', 'dog']

const { exportScores } = tables

const world = await initWorld()
let api: Api
let pets: SeededDataset

beforeAll(async () => {
  pets = await importScoredPets(world)
  await humanAgreement(world.accord, pets.row, { metrics: ['METEOR'] })
  await world.dataset('a/b c', { images: { 1: HOSTILE, 2: ['x', 'y', 'z', 'a', 'b'] } })
  api = await world.serve({ workers: 1 })
})

afterEach(() => {
  vi.restoreAllMocks()
})

const urlOf = (path: string, of = api) => new URL(`/export/${path}`, of.url)
const get = (path: string, options: RequestInit = {}) => fetch(urlOf(path), options)

async function textOf(path: string): Promise<string> {
  const response = await get(path)
  expect(response.status).toBe(200)
  return response.text()
}

const rowsOf = async (path: string): Promise<Record<string, string>[]> =>
  parse(await textOf(path), { columns: true })

async function commandOutput(command: string): Promise<string> {
  const { code, stdout } = await runHere(`${command} --dataset pets --database ${world.location}`)
  expect(code).toBe(0)
  return stdout
}

describe('scores of images', () => {
  it.each(['csv', 'jsonl'])('are byte for byte the %s that accord export scores writes', async (format) => {
    expect(await textOf(`pets/scores.${format}`)).toBe(
      await commandOutput(`export scores --format ${format}`),
    )
    const some = await textOf(`pets/scores.${format}?systems=guesser`)
    expect(some).toBe(await commandOutput(`export scores --system guesser --format ${format}`))
    expect(some.length).toBeGreaterThan(1000)
  })

  it('are those of the API, with people last and null in JSON Lines where there are none', async () => {
    const { dataset } = await api.ask(`{ dataset(name: "pets") {
      scoreTable(systems: ["copycat"], metrics: ["METEOR", "WMD"]) { externalIds columns { values signature } }
      people: scoreTable(systems: [], metrics: ["METEOR"], isHumanIncluded: true) { externalIds columns { values } }
    } }`)
    const lines = (text: string) =>
      text
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line))
    const [{ values, signature }] = dataset.scoreTable.columns
    expect(lines(await textOf('pets/scores.jsonl?systems=copycat&metrics=METEOR&metrics=WMD'))).toEqual(
      dataset.scoreTable.externalIds.map((imageId: string, index: number) => ({
        system: 'copycat',
        imageId,
        METEOR: values[index],
        WMD: null,
        'METEOR.signature': signature,
        'WMD.signature': null,
      })),
    )
    const people = lines(await textOf('pets/scores.jsonl?metrics=METEOR&people=true'))
    expect(people.map(({ system, imageId, METEOR }) => [system, imageId, METEOR])).toEqual(
      dataset.people.externalIds.map((id: string, index: number) => [
        null,
        id,
        dataset.people.columns[0].values[index],
      ]),
    )
    expect(people.length).toBeGreaterThan(3)
  })
})

describe('other tables', () => {
  /** The columns of the file as the command writes them, among others. */
  async function expectSameColumns(path: string, command: string) {
    // The command computes what is missing.
    const written: Record<string, string>[] = parse(await commandOutput(command), { columns: true })
    const rows = await rowsOf(path)
    expect(rows.length).toBeGreaterThan(1)
    const columns = Object.keys(rows[0])
    expect(Object.keys(written[0]).filter((name) => columns.includes(name))).toEqual(columns)
    expect(rows).toEqual(written.map((row) => Object.fromEntries(columns.map((name) => [name, row[name]]))))
  }

  it('have the words of accord words', async () => {
    await expectSameColumns(
      'pets/words.csv?systems=copycat&systems=detector&references=1',
      'words --system copycat detector --references 1 --format csv',
    )
  })

  it('have the comparisons of accord compare', async () => {
    await expectSameColumns(
      'pets/comparisons.csv?metrics=METEOR&systems=copycat&systems=guesser&references=2&people=true',
      'compare --metrics METEOR --system copycat guesser --references 2 --people --format csv',
    )
    await expectSameColumns(
      'pets/comparisons.csv?wordFigures=PHR&systems=detector&systems=noise&partOfSpeech=NN&people=true',
      'compare --phr --system detector noise --part-of-speech NN --people --format csv',
    )
  })

  it('have the comparisons with a baseline, which is the second side', async () => {
    const path = 'pets/comparisons.csv?metrics=METEOR&metrics=ROUGE-L&baseline=guesser'
    const rows = await rowsOf(path)
    expect(rows.map(({ metric, first, second }) => [metric, first, second])).toEqual([
      ['METEOR', 'copycat', 'guesser'],
      ['METEOR', 'newcomer', 'guesser'],
      ['ROUGE-L', 'copycat', 'guesser'],
      ['ROUGE-L', 'newcomer', 'guesser'],
    ])
  })

  it('have the captions of people, or of systems', async () => {
    const people = await rowsOf('pets/captions.csv')
    expect(people.slice(0, 2)).toEqual([
      { system: '', imageId: '10', captionId: expect.stringMatching(/./), caption: 'A dog runs on grass.' },
      { system: '', imageId: '10', captionId: expect.stringMatching(/./), caption: 'The dog is running.' },
    ])
    const systems = await rowsOf('pets/captions.csv?systems=guesser&systems=copycat')
    expect(systems.slice(0, 3)).toEqual([
      { system: 'copycat', imageId: '10', captionId: '', caption: 'A dog runs on grass.' },
      { system: 'guesser', imageId: '10', captionId: '', caption: 'A dog.' },
      { system: 'copycat', imageId: '20', captionId: '', caption: 'A dog and a cat.' },
    ])
  })

  it('have no formulas in CSV, and the texts themselves in JSON Lines', async () => {
    const ofFirst = (rows: readonly { readonly imageId: string; readonly caption: string }[]) =>
      rows.filter(({ imageId }) => imageId === '1').map(({ caption }) => caption)
    expect(ofFirst((await rowsOf('a%2Fb%20c/captions.csv')) as never)).toEqual([
      "'=1+1",
      "'@SUM(1)",
      'a "dog", and\na cat',
      "'-cat",
      'dog',
    ])
    const lines = (await textOf('a%2Fb%20c/captions.jsonl')).trim().split('\n')
    expect(ofFirst(lines.map((line) => JSON.parse(line)))).toEqual(HOSTILE)
  })
})

describe('a file in the format of Arrow', () => {
  it.each([
    'scores.FORMAT?metrics=METEOR&metrics=WMD&people=true',
    'words.FORMAT?systems=copycat',
    'captions.FORMAT',
    'comparisons.FORMAT?metrics=METEOR&systems=copycat&systems=guesser&systems=newcomer',
  ])('has the rows of JSON Lines: %s', async (path) => {
    const response = await get(`pets/${path.replace('FORMAT', 'arrow')}`)
    expect(response.headers.get('content-type')).toBe('application/vnd.apache.arrow.stream')
    expect(response.headers.get('content-encoding')).toMatch(/br|gzip/)
    const table = tableFromIPC(await response.arrayBuffer())
    const lines = (await textOf(`pets/${path.replace('FORMAT', 'jsonl')}`)).trim().split('\n')
    expect(table.toArray()).toEqual(lines.map((line) => JSON.parse(line)))
    expect(lines.length).toBeGreaterThan(2)
  })

  it('has columns of one type, also where no row has a value, and all batches', async () => {
    const images = Object.fromEntries(Array.from({ length: 1001 }, (_, i) => [i, ['a dog', 'a cat']]))
    await world.dataset('many', { images })
    const table = tableFromIPC(await (await get('many/captions.arrow')).arrayBuffer())
    expect([table.numRows, table.getChild('caption').data.length]).toEqual([2002, 2])
    expect(table.schema.fields.map(({ name, type }) => [name, type.typeId])).toEqual(
      ['system', 'imageId', 'captionId', 'caption'].map((name) => [name, Type.Utf8]),
    )
    const none = tableFromIPC(await (await get('many/scores.arrow?metrics=METEOR')).arrayBuffer())
    expect([none.numRows, none.getChild('METEOR').type.typeId]).toEqual([0, Type.Float])
  })
})

describe('headers', () => {
  it('say what the file is, and how its figures were made', async () => {
    const response = await get('pets/scores.csv?metrics=METEOR&systems=copycat')
    const { dataset } = await api.ask(
      '{ dataset(name: "pets") { system(name: "copycat") { score(metric: "METEOR") { signature } } } }',
    )
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/csv; charset=utf-8; header=present',
      'content-disposition': "attachment; filename*=UTF-8''pets-scores.csv",
      'accord-signature': dataset.system.score.signature,
      'x-content-type-options': 'nosniff',
      'content-encoding': expect.stringMatching(/br|gzip/),
    })
    const { headers } = await get('a%2Fb%20c/captions.jsonl')
    expect(headers.get('content-disposition')).toBe("attachment; filename*=UTF-8''a%2Fb%20c-captions.jsonl")
    expect(headers.get('content-type')).toBe('application/jsonl; charset=utf-8')
    expect(headers.has('content-encoding')).toBe(true)
    expect((await get('pets/words.csv?systems=detector')).headers.get('accord-signature')).toMatch(
      /^WORD_PRECISION\|.*, WORD_RECALL\|.*, PHR\|.*, AVERAGE_PRECISION\|/,
    )
  })

  it('are all that HEAD is answered', async () => {
    const path = 'pets/comparisons.csv?metrics=METEOR&systems=copycat&systems=guesser'
    const [whole, head] = [await get(path), await get(path, { method: 'HEAD' })]
    const headersOf = ({ headers }: Response) =>
      Object.fromEntries(
        [...headers].filter(([name]) => !/date|encoding|accept|connection|keep-alive/i.test(name)),
      )
    expect(head.status).toBe(200)
    expect({ ...headersOf(head), vary: null }).toEqual({ ...headersOf(whole), vary: null })
    expect(await head.text()).toBe('')
  })

  it('of a signature with other characters than those of ASCII can be sent, and are not too long', async () => {
    const signatures = ['ümläut|rev:1', ...Array.from({ length: 200 }, (_, i) => `M${i}|${'x'.repeat(90)}`)]
    vi.spyOn(tables, 'exportScores').mockResolvedValue({ ...emptyTable, signatures } as never)
    const sent = (await get('pets/scores.csv')).headers.get('accord-signature') as string
    expect(sent.startsWith('%C3%BCml%C3%A4ut|rev:1, M0|x')).toBe(true)
    expect(sent.length).toBeGreaterThan(7000)
    expect(sent.length).toBeLessThan(9000)
  })

  it('have a tag of the state of the data, by which nothing is sent again', async () => {
    const path = 'pets/scores.csv?systems=newcomer'
    const tagOf = async (other = path) => (await get(other)).headers.get('etag') as string
    const tag = await tagOf()
    const again = await get(path, { headers: { 'if-none-match': tag } })
    expect([again.status, await again.text(), again.headers.get('etag')]).toEqual([304, '', tag])
    expect(again.headers.get('cache-control')).toBe('no-cache')
    expect(await tagOf('pets/scores.jsonl?systems=newcomer')).not.toBe(tag)
    expect(await tagOf('pets/scores.csv?systems=copycat')).not.toBe(tag)
    const documented = await tagOf('pets/scores.csv?systems=copycat&documents=a%2Fb c')
    const other = await world.dataset('other', { images: { 1: ['a dog', 'a cat'] } })
    expect(await tagOf()).toBe(tag)
    await pets.evaluate('newcomer')
    const changed = await get(path, { headers: { 'if-none-match': tag } })
    expect(changed.status).toBe(200)
    expect((await changed.text()).split('\n').length).toBeGreaterThan(5)
    expect(await tagOf()).not.toBe(tag)
    await other.captionSystem('one', { 1: 'a dog' })
    const now = await tagOf('pets/scores.csv?systems=copycat&documents=a%2Fb c')
    expect(now).not.toBe(documented)
  })
})

const emptyTable: ExportTable = {
  columns: [{ name: 'a', type: 'TEXT' }],
  signatures: [],
  scoresInMemory: 0,
  rows: async function* () {},
}

describe('a file', () => {
  /** A table without end. */
  function endless() {
    const state = { rows: 0, isEnded: false }
    const row = ['x'.repeat(1000)]
    vi.spyOn(tables, 'exportCaptionTable').mockResolvedValue({
      ...emptyTable,
      async *rows() {
        try {
          for (;;) {
            state.rows += 100
            yield Array(100).fill(row)
          }
        } finally {
          state.isEnded = true
        }
      },
    })
    return state
  }

  it('is read no faster than the client reads it, and no further when it has gone', async () => {
    const state = endless()
    const abort = new AbortController()
    const options = { signal: abort.signal, headers: { 'accept-encoding': 'identity' } }
    const response = await get('pets/captions.csv', options)
    const isWaiting = async () => {
      const before = state.rows
      for (let i = 0; i < 20; i++) await get('pets/scores.csv?metrics=METEOR').then((other) => other.text())
      return state.rows === before
    }
    await expect.poll(isWaiting).toBe(true)
    expect(state).toMatchObject({ rows: expect.any(Number), isEnded: false })
    // What the buffers of two sockets hold.
    expect(state.rows).toBeLessThan(30_000)
    const reader = response.body?.getReader()
    const before = state.rows
    for (let bytes = 0; bytes < 20_000_000; ) bytes += (await reader?.read())?.value?.length ?? 0
    await expect.poll(() => state.rows).toBeGreaterThan(before)
    abort.abort()
    await expect.poll(() => state.isEnded).toBe(true)
  })

  it('lacks its end where the data changed while it was read', async () => {
    vi.spyOn(tables, 'exportCaptionTable').mockResolvedValue({
      ...emptyTable,
      async *rows() {
        yield Array(100).fill(['x'.repeat(1000)])
        await pets.captionSystem('late', { 10: 'A dog.' })
        yield [['last']]
      },
    })
    const response = await get('pets/captions.csv')
    await expect(response.text()).rejects.toThrow('terminated')
    vi.restoreAllMocks()
    expect(await textOf('pets/captions.csv?systems=late')).toContain('late,10,,A dog.')
  })

  it('whose first row fails is an error with its status', async () => {
    vi.spyOn(tables, 'exportScores').mockImplementation(async (accord, dataset, options) => {
      const made = await exportScores(accord, dataset, options)
      await world.database.run(sql`DELETE FROM metric_score WHERE metric = 'METEOR'`)
      return made
    })
    const response = await get('pets/scores.csv?systems=guesser')
    expect(response.status).toBe(503)
    expect(response.headers.has('etag')).toBe(false)
    expect(await response.json()).toEqual({
      errors: [
        {
          message: 'scores were replaced while they were read: expected another request.',
          extensions: { code: 'CANCELLED' },
        },
      ],
    })
  })

  it('with more scores than there is room for is refused', async () => {
    const scoresInMemory = LIMITS.buffers / 100
    vi.spyOn(tables, 'exportScores').mockResolvedValue({ ...emptyTable, scoresInMemory } as never)
    const response = await get('pets/scores.csv')
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ errors: [{ extensions: { code: 'TOO_COSTLY' } }] })
  })

  it('takes its memory from the share of the client until it is sent', async () => {
    let end = () => {}
    const gate = new Promise<void>((resolve) => {
      end = resolve
    })
    vi.spyOn(tables, 'exportScores').mockImplementation(async () => ({
      ...(emptyTable as tables.ScoresExport),
      scoresInMemory: 600_000,
      async *rows() {
        yield [['x'.repeat(50_000)]]
        await gate
        yield [['end']]
      },
    }))
    const first = await get('pets/scores.csv')
    const second = await get('pets/scores.csv')
    expect([second.status, second.headers.get('retry-after')]).toEqual([503, '1'])
    end()
    expect(await first.text()).toMatch(/end\n$/)
    await expect.poll(async () => (await get('pets/scores.csv')).status).toBe(200)
  })
})

describe('a request', () => {
  it.each([
    ['pets/scores.csv?metrik=METEOR', 400, 'parameters', 'did you mean metrics?'],
    ['pets/scores.csv?partOfSpeech=NN', 400, 'parameters', 'found "partOfSpeech"'],
    ['pets/scores.csv?metrics=', 400, 'metrics', 'expected a value, found ""'],
    ['pets/scores.csv?references=1.5', 400, 'references', 'expected a whole number, found "1.5"'],
    ['pets/scores.csv?references=1&references=2', 400, 'references', 'expected one value, found "1, 2"'],
    ['pets/scores.csv?references=3', 400, 'references', 'expected an integer from 1 to 2, found 3'],
    ['pets/scores.csv?people=yes', 400, 'people', 'expected true or false, found "yes"'],
    ['pets/scores.csv?systems=nobody', 404, 'system', 'found "nobody"'],
    ['pets/scores.csv?metrics=METEORITE', 404, 'metric', 'METEORITE'],
    ['pets/words.csv?partOfSpeech=XX', 400, 'partOfSpeech', 'expected one of NN, VB'],
    ['pets/words.csv?vocabularyOf=nothing', 404, 'dataset', 'found "nothing"'],
    ['pets/comparisons.csv', 400, 'metrics, wordFigures', 'at least one metric or figure of words'],
    ['pets/comparisons.csv?metrics=METEOR&vocabularyOf=pets', 403, 'vocabularyOf', 'beside wordFigures'],
    ['pets/comparisons.csv?wordFigures=PHR&documents=coco', 403, 'documents', 'beside metrics'],
    ['pets/captions.csv?systems=detector', 403, '', 'detector'],
    ['nobody/scores.csv', 404, 'dataset', 'unknown dataset'],
    ['pets/scores.xls', 404, '', 'expected /export/DATASET/TABLE.FORMAT'],
    ['pets/rows.csv', 404, '', 'a table of scores, words, captions, comparisons'],
    ['pets/constructor.csv', 404, '', 'a table of scores'],
    ['pets/scores.csv/more', 404, '', 'expected /export'],
    ['%FF/scores.csv', 404, '', 'not percent-encoded'],
  ])('%s is refused with what was expected', async (path, status, source, message) => {
    const response = await get(path)
    const { errors } = (await response.json()) as { errors: { message: string }[] }
    expect(response.status).toBe(status)
    expect(errors[0].message).toContain(source)
    expect(errors[0].message).toContain(message)
    expect(response.headers.get('content-disposition')).toBeNull()
  })

  it('by other methods than GET and HEAD is refused', async () => {
    expect((await get('pets/scores.csv', { method: 'POST' })).status).toBe(405)
    expect((await get('pets/scores.csv', { method: 'DELETE' })).status).toBe(405)
  })
})

describe('on a server with accounts', () => {
  let own: Api
  let headers: Awaited<ReturnType<typeof signInViewers>>['headers']

  beforeAll(async () => {
    const file = join(world.folder, 'secret.json')
    writeFileSync(file, JSON.stringify({ 7: ['A dog.', 'The dog.'], 8: ['A cat.', 'The cat.'] }))
    await world.accord.run('importCaptions', { dataset: 'secret', file: { path: file }, isPrivate: true })
    own = await world.serve({ accounts: 'OPEN' })
    headers = (await signInViewers(world.accord, own)).headers
  })

  const read = (path: string, viewer: keyof typeof headers, more: Record<string, string> = {}) =>
    fetch(urlOf(path, own), { headers: { ...headers[viewer], ...more } })

  it.each(['anonymous', 'member'] as const)(
    'a private dataset is unknown to %s, by any name',
    async (viewer) => {
      for (const path of [
        'secret/captions.csv',
        'secret/scores.jsonl',
        'pets/words.csv?vocabularyOf=secret',
        'pets/scores.csv?documents=secret',
      ]) {
        const response = await read(path, viewer)
        const { errors } = (await response.json()) as { errors: { message: string }[] }
        expect(response.status).toBe(404)
        expect(errors[0].message).toMatch(
          /^dataset: unknown dataset: expected one of a\/b c, .*, found "secret"/,
        )
        expect(response.headers.has('etag')).toBe(false)
      }
      expect((await read('pets/captions.csv', viewer)).status).toBe(200)
    },
  )

  it('a private dataset is sent to hosts, and to no cache that others share', async () => {
    const response = await read('secret/captions.csv', 'host')
    expect(await response.text()).toContain(',7,')
    expect(response.headers.get('cache-control')).toBe('private, no-cache')
    expect(response.headers.get('vary')).toContain('Authorization, Cookie')
    const tag = response.headers.get('etag') as string
    expect((await read('secret/captions.csv', 'host', { 'if-none-match': tag })).status).toBe(304)
    // A tag tells nothing to those who do not see the dataset.
    expect((await read('secret/captions.csv', 'member', { 'if-none-match': tag })).status).toBe(404)
  })

  it('a session is that of its own pages alone, and an invalid token is an error', async () => {
    expect((await read('secret/captions.csv', 'host', { origin: 'https://evil.example' })).status).toBe(404)
    expect(
      (await read('pets/captions.csv', 'anonymous', { authorization: 'Bearer accord_wrong' })).status,
    ).toBe(401)
  })
})
