import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { cocoCaptions, cocoResults } from '../kit/coco.js'
import { dogImages, dogResults } from '../kit/dogs.js'
import { initWorld } from '../kit/seed.js'
import { runHere } from './kit.js'

/** What people type that is not quite what a command takes. */

const world = await initWorld()
const IMAGES = 12
const folder = join(world.folder, 'here')
const run = (words: string) => runHere(words, { ACCORD_DATABASE: world.location }, folder)

beforeAll(async () => {
  mkdirSync(folder)
  const captions = dogImages(IMAGES)
  writeFileSync(join(folder, 'people.json'), JSON.stringify(cocoCaptions(captions)))
  writeFileSync(
    join(folder, 'mine.json'),
    JSON.stringify(dogResults(IMAGES, (id) => `a dog ${id} in a park`)),
  )
  const dogs = await world.dataset('dogs', { images: captions })
  for (const name of ['echo', 'other'])
    await dogs.captionSystem(
      name,
      Object.fromEntries(Object.keys(captions).map((id) => [id, `a dog ${name} ${id}`])),
    )
  await dogs.captionSystem(
    'long',
    Object.fromEntries(Object.keys(captions).map((id) => [id, 'a dog and a cat '.repeat(9)])),
  )
})

it('a list of names has commas and spaces', async () => {
  const lists = ['METEOR, BLEU-1', 'METEOR,BLEU-1', 'METEOR BLEU-1', 'METEOR , BLEU-1']
  const outputs = []
  for (const list of lists.slice(0, 3))
    outputs.push(await run(`score people.json mine.json --json --metrics ${list}`))
  expect(outputs.map(({ code }) => code)).toEqual([0, 0, 0])
  expect(new Set(outputs.map(({ stdout }) => stdout)).size).toBe(1)
  const { code, stderr } = await run('score people.json mine.json --metrics , METEOR')
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('Expected non-blank text.') })
})

it('--json beside another format is refused, and formats are read in any case', async () => {
  for (const formats of ['--json --format csv', '--format csv --json']) {
    const { code, stdout, stderr } = await run(`score people.json mine.json ${formats}`)
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringContaining('--json cannot be used with --format csv'),
    })
  }
  const [upper, lower, both] = [
    await run('score people.json mine.json --metrics BLEU-1 --format JSON'),
    await run('score people.json mine.json --metrics BLEU-1 --json'),
    await run('score people.json mine.json --metrics BLEU-1 --json --format json'),
  ]
  expect(upper.code).toBe(0)
  expect(upper.stdout).toBe(lower.stdout)
  expect(both.stdout).toBe(lower.stdout)
})

it('a file that is named twice is noted', async () => {
  const { code, stdout, stderr } = await run('score people.json mine.json mine.json --metrics BLEU-1 --json')
  expect({ code, stderr }).toEqual({
    code: 0,
    stderr: expect.stringContaining('mine.json is named twice, and read once.'),
  })
  expect(JSON.parse(stdout).scores).toHaveLength(1)
  expect((await run('score people.json mine.json --metrics BLEU-1')).stderr).not.toContain('twice')
})

it('names of systems in place of files are those of the dataset', async () => {
  const named = await run('compare echo other --metrics BLEU-1 --json')
  expect(named.code, named.stderr).toBe(0)
  const asked = await run('compare --system echo other --metrics BLEU-1 --json')
  expect(named.stdout).toBe(asked.stdout)
  expect(JSON.parse(named.stdout).comparisons).toMatchObject([{ first: 'echo', second: 'other' }])
  const { stdout: long } = await run('compare echo long --metrics BLEU-1 --width 400')
  expect(long).toContain('BLEU-1 depends on length; accord coverage --dataset dogs compares captions')
  expect((await run('compare echo othr --metrics BLEU-1')).stderr).toMatch(/unknown system.*othr/)
  // Both are wrong, but a dataset is named.
  expect((await run('compare ech othr --dataset dogs')).stderr).toMatch(/unknown system.*ech/)
  expect((await run('compare echo other --dataset dgos')).stderr).toMatch(/unknown dataset.*dgos/)
  expect((await run('compare none.json --metrics BLEU-1')).stderr).toContain('none.json: file not found')
  expect((await run('agreement echo --metrics BLEU-1')).stderr).toContain('echo: file not found')
})

it.each([
  ['examples --metrics CIDEr-D METEOR', 'METEOR: file not found (METEOR is a metric; --metrics takes one)'],
  [
    'score people.json mine.json spice_all',
    'spice_all: file not found (spice_all is a metric; --metrics takes all up to the next option)',
  ],
  [
    'examples --dataset dogs --metrics BLEU-1 METEOR',
    'found "METEOR" (METEOR is a metric; --metrics takes one)',
  ],
])('a metric in place of a file or a system is told: %s', async (words, message) => {
  const { code, stderr } = await run(words)
  expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining(`${message}\n`) })
})

it('agreement takes files of people alone, and its help says so', async () => {
  expect((await run('agreement --help')).stdout).not.toContain('[results...]')
  const { code, stderr } = await run('agreement people.json mine.json')
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringContaining('accord compare --people has both'),
  })
})

it('missing scores are computed by the command that is suggested', async () => {
  const missing = await run('export scores --references 1')
  expect(missing.stderr).toContain('--system echo --references 1')
  const command = /accord (evaluate .*--system echo .*)$/m.exec(missing.stderr)?.[1] as string
  expect((await run(command)).code).toBe(0)
  expect((await run('export scores --references 1 --system echo')).stdout.split('\n').length).toBeGreaterThan(
    IMAGES,
  )
})

it('an object without any of the wanted keys is told which they are', async () => {
  writeFileSync(join(folder, 'list.json'), JSON.stringify(cocoResults({ 1: 'a dog' })))
  writeFileSync(join(folder, 'empty.json'), '{}')
  const { stderr } = await run('score people.json empty.json')
  expect(stderr).not.toMatch(/with ,|with $/)
  expect(stderr).toContain('empty.json')
})

it.each([
  'score people.json mine.json --metrics BLEU-1 -o kept.txt',
  'evaluate --system echo --metrics BLEU-1 --per-image kept.txt',
  'coverage people.json mine.json --plot kept.txt',
  'export captions -o kept.txt',
  'export results --system echo -o kept.txt',
  'export frequencies -o kept.txt',
  'export scores --system echo -o kept.txt',
  'report people.json mine.json --metrics BLEU-1 --markdown -o kept.txt',
  'backup kept.txt',
])('replaces a file only with --force: %s', async (words) => {
  const kept = join(folder, 'kept.txt')
  writeFileSync(kept, 'kept')
  const { code, stdout, stderr } = await run(words)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(
    'kept.txt: the file exists; nothing was written: expected another file, or --force',
  )
  expect(readFileSync(kept, 'utf8')).toBe('kept')
  const replaced = await run(`${words} --force`)
  expect(replaced.code, replaced.stderr).toBe(0)
  expect(readFileSync(kept, 'latin1')).not.toBe('kept')
})

it.each([
  ['scores.csv', /^metric,system,/],
  ['scores.TSV', /^metric\tsystem\t/],
  ['scores.json', /^\{\n {2}"referencesFile"/],
  ['scores.md', /^\| system \|/],
  ['scores.tex', /^\\begin\{tabular\}/],
  ['scores.txt', /^system +BLEU-1\n/],
  ['json.csv --format json', /^\{\n/],
  ['table.csv --format table', /^system +BLEU-1\n/],
])('a file has the format of its name, unless another one is named: %s', async (words, beginning) => {
  const { code, stderr } = await run(`score people.json mine.json --metrics BLEU-1 -o ${words}`)
  expect(code, stderr).toBe(0)
  expect(readFileSync(join(folder, words.split(' ')[0]), 'utf8')).toMatch(beginning)
})

it.each(['paper.tex', 'paper.md'])('a report is a section where its name ends so: %s', async (name) => {
  const { code, stderr } = await run(`report people.json mine.json --metrics BLEU-1 --force -o ${name}`)
  expect(code, stderr).toBe(0)
  const written = readFileSync(join(folder, name), 'utf8')
  expect(written).toMatch(name.endsWith('tex') ? /^\\begin\{table\}/m : /^#/m)
  expect(written).not.toContain('<!doctype')
  for (const end of ['tex', 'md', 'bib']) rmSync(join(folder, `paper.${end}`), { force: true })
})

it.each([
  'score people.json mine.json -o scores.xlsx',
  'report people.json mine.json --latex -o paper.pdf',
  'export results --system echo -o results.json.gz',
])('a file of a kind that is not written is refused: %s', async (words) => {
  const { code, stderr } = await run(words)
  expect(code).toBe(2)
  expect(stderr).toMatch(/such files are not written: expected another name, .* found \.(xlsx|pdf|gz)$/m)
  expect(existsSync(join(folder, words.split(' ').at(-1) as string))).toBe(false)
})

it('captions are no judgements', async () => {
  const { code, stderr } = await run('judge people.json')
  expect(code).toBe(1)
  expect(stderr).toContain('expected true or false (captions alone are no judgements), found nothing')
})

it('a section replaces no file that stands beside it', async () => {
  writeFileSync(join(folder, 'paper.bib'), 'mine')
  const words = 'report people.json mine.json --metrics BLEU-1 --latex -o paper.tex'
  expect(await run(words)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('paper.bib: the file exists'),
  })
  expect(existsSync(join(folder, 'paper.tex'))).toBe(false)
  expect(readFileSync(join(folder, 'paper.bib'), 'utf8')).toBe('mine')
})

it.each([
  'score people.json mne.json',
  'score people.json ./mne.json',
  'score people.json mine.json --fail-if-worse mne.json',
  'compare people.json mne.json',
  'agreement mne.json',
  'judge mne.json',
  'import captions mne.json --dataset new',
  'import results mne.json --dataset dogs --system new',
  'import scores mne.jsonl --dataset dogs --system new',
  'import boxes mne.json --dataset dogs',
  'import judgements mne.json --dataset dogs',
  'score people.json mine.json --metrics CHAIR --objects mne.json',
  'score people.json mine.json --metrics CHAIR --object-words mne.json',
  'restore mne.json',
  'parse mne.json',
  'bounds import mne.json',
  'artefacts import mne.json',
  'datasets --config mne.json',
  'import captions people.json --dataset new --images fodler',
])('a file that does not exist suggests the nearest: %s', async (words) => {
  mkdirSync(join(folder, 'folder'), { recursive: true })
  const { code, stderr } = await run(words)
  expect({ code, stderr }).toEqual({
    code: 2,
    stderr: expect.stringMatching(/did you mean (\.\/)?(mine\.json|folder)\?/),
  })
})

it('results and scores of a system are replaced with all that was computed of them', async () => {
  const scores = (score: number) =>
    Array.from({ length: IMAGES }, (_, id) =>
      JSON.stringify({ image_id: id + 1, words: { dog: score } }),
    ).join('\n')
  writeFileSync(join(folder, 'scores.jsonl'), scores(0.5))
  for (const [kind, file] of [
    ['results', 'mine.json'],
    ['scores', 'scores.jsonl'],
  ]) {
    const words = `import ${kind} ${file} --dataset dogs --system new-${kind}`
    const first = await run(`${words} --replace`)
    expect(first.code, first.stderr).toBe(0)
    const again = await run(words)
    expect({ code: again.code, stderr: again.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('(--replace: replace the system of this name'),
    })
  }
  const scored = 'evaluate --system new-results --metrics BLEU-1 --json'
  const before = JSON.parse((await run(scored)).stdout)
  const other = dogResults(IMAGES, (id) => `a cat ${id}`)
  writeFileSync(join(folder, 'other.json'), JSON.stringify(other))
  writeFileSync(join(folder, 'broken.json'), '[{"image_id":')
  const replacing = (file: string) =>
    run(`import results ${file} --dataset dogs --system new-results --replace`)
  expect((await replacing('broken.json')).code).toBe(1)
  expect(JSON.parse((await run(scored)).stdout)).toEqual(before)
  expect((await replacing('other.json')).code).toBe(0)
  const [{ value }] = JSON.parse(
    (await run('score people.json other.json --metrics BLEU-1 --json')).stdout,
  ).scores
  expect(JSON.parse((await run(scored)).stdout).scores[0].value).toBe(value)
  expect(value).not.toBe(before.scores[0].value)
})
