/** `accord systems`, `show` and `export`, the default dataset, the configuration file and completion. */
import { spawnSync } from 'node:child_process'
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, it } from 'vitest'
import { evaluateSystem } from '../../src/services/scoring/evaluate.js'
import { openDatabase } from '../../src/store/database.js'
import { requireDataset } from '../../src/store/datasets.js'
import { cocoCaptions, cocoResults } from '../kit/coco.js'
import { initWorld } from '../kit/seed.js'
import { runHere, workbench } from './kit.js'

const { path, write } = workbench()
const world = await initWorld()
const environment = { ACCORD_DATABASE: world.location }
const run = (words: string) => runHere(words, environment)

async function succeed(words: string): Promise<string> {
  const { code, stdout, stderr } = await run(words)
  expect(code, stderr).toBe(0)
  return stdout
}

const CAPTIONS = { 1: 'A "small" dog.', 2: 'A cat.', x: 'A bird.' }

beforeAll(async () => {
  const pets = await world.dataset('pets', {
    images: { 1: ['A dog runs.', 'The dog.'], 2: ['A cat.', 'One cat.'], x: ['A bird.', 'Birds.'] },
  })
  await pets.captionSystem('parrot', CAPTIONS)
  await pets.scoreSystem('detector', { 1: { dog: 1 } })
  await evaluateSystem(world.accord, { dataset: 'pets', system: 'parrot', metrics: ['BLEU', 'METEOR'] })
})

describe('accord systems', () => {
  it('lists the systems of the only dataset with what they were evaluated by', async () => {
    const { dataset, systems } = JSON.parse(await succeed('systems --format json'))
    expect(dataset).toBe('pets')
    expect(systems).toMatchObject([
      { system: 'detector', kind: 'WORD_SCORES', missingImageCount: 2, metrics: [] },
      { system: 'parrot', kind: 'CAPTIONS', metrics: ['BLEU-1', 'BLEU-2', 'BLEU-3', 'BLEU-4', 'METEOR'] },
    ])
    expect(await succeed('systems')).toMatch(/^parrot +captions +3 +0 +BLEU-1 BLEU-2 BLEU-3 BLEU-4 METEOR$/m)
  })
})

describe('accord show', () => {
  it('shows the captions of an image with the stored scores', async () => {
    const report = JSON.parse(await succeed('show 1 --metrics bleu-1 CIDEr --format json'))
    expect(report).toMatchObject({
      dataset: 'pets',
      image: { id: '1' },
      captions: [
        { system: null, text: 'A dog runs.', scores: null },
        { system: null, text: 'The dog.', scores: null },
        { system: 'parrot', text: CAPTIONS[1], scores: { 'BLEU-1': expect.any(Number), CIDEr: null } },
      ],
    })
    const table = await succeed('show 1 --metrics bleu-1 CIDEr')
    expect(table).toMatch(/^ +caption +BLEU-1$/m)
    expect(table).toMatch(/^parrot +A "small" dog\. +\.\d{3}$/m)
  })

  it('names the dataset of an unknown image', async () => {
    expect(await run('show 7')).toMatchObject({
      code: 2,
      stderr: 'accord: image: unknown image: expected the id of an image of "pets", found "7"\n',
    })
  })
})

describe('accord export', () => {
  it('writes captions that can be imported as the same dataset', async () => {
    const captions = await succeed('export captions')
    expect(JSON.parse(captions).images.map(({ id }: { id: unknown }) => id)).toEqual([1, 2, 'x'])
    expect(JSON.parse(captions).images[0]).toMatchObject({ width: 640, height: 480 })
    write('exported.json', captions)
    const database = { ACCORD_DATABASE: path('copy.sqlite') }
    const { code } = await runHere(
      ['import', 'captions', path('exported.json'), '--dataset', 'pets'],
      database,
    )
    expect(code).toBe(0)
    const copy = await openDatabase(path('copy.sqlite'))
    const { revision } = await requireDataset(copy, 'pets')
    await copy.close()
    expect(revision).toBe((await requireDataset(world.database, 'pets')).revision)
  })

  it('writes the captions of a system, and their scores', async () => {
    expect(JSON.parse(await succeed('export results --system parrot'))).toEqual([
      { image_id: 1, caption: CAPTIONS[1] },
      { image_id: 2, caption: CAPTIONS[2] },
      { image_id: 'x', caption: CAPTIONS.x },
    ])
    const rows: Record<string, string>[] = parse(await succeed('export scores'), { columns: true })
    expect(rows.map(({ system, imageId }) => [system, imageId])).toEqual([
      ['parrot', '1'],
      ['parrot', '2'],
      ['parrot', 'x'],
    ])
    expect(Number(rows[1].METEOR)).toBe(1)
    expect(await run('export results --system detector')).toMatchObject({ code: 1, stdout: '' })
  })

  it('say so where nothing is stored', async () => {
    write('other.json', cocoCaptions({ 1: ['a dog', 'a cat'] }))
    write('theirs.json', cocoResults({ 1: 'a dog' }))
    const database = `--database ${path('other.sqlite')}`
    await succeed(`import captions ${path('other.json')} --dataset other ${database}`)
    expect(await run(`export scores ${database}`)).toMatchObject({
      code: 0,
      stderr: 'The dataset other has no captioning systems.\n',
    })
    await succeed(`import results ${path('theirs.json')} --system theirs ${database}`)
    expect(await run(`export scores ${database}`)).toMatchObject({
      stdout: 'system,imageId\n',
      stderr: `theirs has no such stored scores; this computes them: accord evaluate --dataset other --system theirs ${database}\n`,
    })
    expect((await run(`leaderboard --metric cider_d ${database}`)).stdout).toContain(`
To compute the scores of people:
  accord agreement --dataset other --metrics CIDEr-D ${database}
To compute the scores of theirs:
  accord evaluate --dataset other --system theirs --metrics CIDEr-D ${database}
`)
  })
})

describe('evaluate --per-image -', () => {
  it('writes the scores of images to stdout instead of those of the systems', async () => {
    const stdout = await succeed('evaluate --metrics ROUGE-L --per-image -')
    expect(stdout.split('\n').map((line) => line.split(',').slice(0, 2))).toEqual([
      ['system', 'imageId'],
      ['parrot', '1'],
      ['parrot', '2'],
      ['parrot', 'x'],
      [''],
    ])
  })
})

describe('a configuration file', () => {
  it('has defaults, which options and variables override', async () => {
    write('accord.json', {
      dataset: 'pets',
      format: 'csv',
      metrics: ['METEOR'],
      percent: true,
      database: 'no.sqlite',
    })
    const config = `--config ${path('accord.json')}`
    expect(await succeed(`systems ${config}`)).toMatch(/^system,kind,imageCount/)
    expect(await succeed(`show 2 ${config}`)).toMatch(/^system,id,text,scores\.METEOR,signatures\.METEOR\n/)
    expect(await succeed(`show 2 ${config} --format table --metrics BLEU-1`)).toMatch(/^ +caption +BLEU-1$/m)
    expect(await succeed(`show 2 ${config} --format table`)).toMatch(/^parrot +A cat\. +100\.0$/m)
  })

  it.each([
    [{ prot: 1 }, 'unknown option: expected one of accounts, admin, against'],
    [{ port: 70_000 }, 'port: invalid value: expected an integer from 0 to 65535, found 70000'],
    [{ percent: 1 }, 'percent: invalid value: expected true or false, found 1'],
    [['dataset'], 'wrong shape: expected an object, found an array'],
    ['{', 'byte 1: not JSON: expected valid JSON, found the end of the file'],
    ['{"port": 1, "port": 2}', 'port: duplicate key'],
  ])('that is not valid: %j', async (content, message) => {
    write('wrong.json', content)
    const command = 'port' in Object(content) ? 'serve' : 'leaderboard'
    const { code, stderr } = await run(`${command} --config ${path('wrong.json')}`)
    // An option that does not exist, or something at a place of the file.
    expect(code).toBe(message.startsWith('unknown option') || message.startsWith('wrong shape') ? 2 : 1)
    expect(stderr).toContain(`accord: ${path('wrong.json')}: `)
    expect(stderr).toContain(message)
  })
})

describe('the default dataset', () => {
  it('is an error if there are several', async () => {
    await world.dataset('second', { images: { 1: ['A.', 'B.'] } })
    expect(await run('leaderboard')).toMatchObject({
      code: 2,
      stderr: 'accord: dataset: no dataset was named: expected one of pets, second\n',
    })
  })
})

describe('accord completion', () => {
  async function complete(line: string, environment: NodeJS.ProcessEnv = {}): Promise<string[]> {
    // As bash does: the command, the word and the one before it.
    const words = ['accord', ...line.split(' ').slice(-2).reverse()]
    const { code, stdout } = await runHere(['complete', '--', ...words], { COMP_LINE: line, ...environment })
    expect(code).toBe(0)
    return stdout.trim().split('\n')
  }

  it.each([
    ['accord le', ['leaderboard']],
    ['accord import capt', ['captions']],
    ['accord import --database a.sqlite res', ['results']],
    ['accord evaluate --pe', ['--people', '--per-image', '--percent']],
    ['accord evaluate --format ma', ['markdown']],
    ['accord completion fi', ['fish']],
    ['accord evaluate --metric CIDEr', ['CIDEr', 'CIDEr-D']],
    ['accord score a.json b.json --metrics METEOR ROUGE-L', ['ROUGE-L']],
    ['accord examples --metric SPID', ['SPIDEr']],
    ['accord score a.json b.json --metrics METEOR --sig', ['--significance', '--signatures']],
    ['accord evaluate --dataset x --dat', ['--dataset', '--database']],
    // Files, which the shell completes.
    ['accord score ', ['']],
    ['accord evaluate --per-image ', ['']],
  ])('%s', async (line, words) => {
    expect(await complete(line)).toEqual(words)
  })

  it('lists all commands but its own, and all options of a command without arguments', async () => {
    const commands = await complete('accord ')
    expect(commands).toEqual(expect.arrayContaining(['score', 'import', 'words']))
    expect(commands).not.toContain('complete')
    expect(await complete('accord datasets ')).toEqual(
      expect.arrayContaining(['--format', '--help', '--database']),
    )
  })

  it('regards what is before the cursor, and describes words for fish', async () => {
    const environment = { COMP_POINT: '9', COMP_SHELL: 'fish' }
    expect(await complete('accord le --metric', environment)).toEqual([
      'leaderboard\trank systems and people',
    ])
  })

  it('is a script that calls it', async () => {
    write('completion', await succeed('completion bash'))
    const { stdout } = spawnSync('bash', ['-c', 'source "$0"; complete -p accord', path('completion')], {
      encoding: 'utf8',
    })
    expect(stdout).toBe("complete -o default -C 'accord complete --' accord\n")
    for (const shell of ['zsh', 'fish'])
      expect(await succeed(`completion ${shell}`)).toContain('accord complete')
  })
})
