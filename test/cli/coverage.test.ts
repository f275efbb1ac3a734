import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'csv-parse/sync'
import { describe, expect, it } from 'vitest'
import { cocoCaptions, cocoResults } from '../kit/coco.js'
import { importPark, runHere, workbench } from './kit.js'

const bench = workbench()
const { path, run, write } = bench

/** Twelve images of four captions. */
const IMAGES = Array.from({ length: 12 }, (_, i) => `${i + 1}`)
write(
  'references.json',
  cocoCaptions(
    Object.fromEntries(
      IMAGES.map((id, i) => [
        id,
        [
          `a dog on grass number${i % 5}`,
          `the dog with ball${i % 3}`,
          `one brown dog and a ball${i % 4}`,
          `dog near tree${i % 2} on grass`,
        ],
      ]),
    ),
  ),
)
write('short.json', cocoResults(Object.fromEntries(IMAGES.map((id) => [id, 'a dog']))))
write(
  'long.json',
  cocoResults(
    Object.fromEntries(
      IMAGES.map((id, i) => [id, `a dog on grass with ball${i % 3} ${'and a cloud '.repeat(i)}`]),
    ),
  ),
)

describe('coverage of files', () => {
  it('prints a sentence, people and systems, and how to read them', async () => {
    const { code, stdout, stderr } = await run(
      'coverage references.json short.json long.json --document-frequencies coco --width 160',
    )
    const matched = (file: string) => `${file}: 12 images matched by id: 1 (1.jpg), 2 (2.jpg), 3 (3.jpg).\n`
    expect({ code, stderr }).toEqual({ code: 0, stderr: matched('short.json') + matched('long.json') })
    const lines = stdout.split('\n')
    expect(lines[0]).toMatch(/^long says .* others confirm \.\d{3} of it/)
    expect(lines[2]).toMatch(
      /^system +words +coverage +interval +consensus +interval +confirmed +interval +people( +95 % interval)? +beside( +interval)?$/,
    )
    expect(lines.map((line) => line.split(/ {2,}/)[0])).toEqual(
      expect.arrayContaining(['one person', 'two people', 'short', 'long']),
    )
    expect(stdout).toContain('Against 2 other captions of an image by people, over 12 images')
    expect(stdout).toContain('Fewer than 30 images')
    expect(stdout).toMatch(/coverage\|units:words\|df:coco-\w{8}\/5000\|refs:2\|folds:4\|images:12\|/)
    expect(stdout).toMatch(/^system +figure +beside +system +people +diff\. +95 % interval +p +system has$/m)
    expect(stdout).toMatch(/^short +coverage +one person +\.\d+ +\.\d+ +−\.\d+ +\[−\.\d+, .*\] .* less$/m)
    expect(stdout).toContain('Words weigh by the document frequencies of 5,000 images (coco)')
    expect(stdout).toMatch(/by a paired test, corrected for \d tests \(worth \d independent ones\)/)
  })

  it('has no intervals and no tests where words weigh by few images, and says what helps', async () => {
    const { stdout } = await run('coverage references.json short.json long.json --width 160')
    expect(stdout.split('\n')[2]).toMatch(/^system +words +coverage +consensus +confirmed +people +beside$/)
    expect(stdout).not.toContain('paired test')
    expect(stdout).toContain(
      'Words weigh by the document frequencies of these images; --document-frequencies',
    )
    const { rows, differences } = JSON.parse((await run('coverage references.json short.json --json')).stdout)
    expect(rows[0].coverage).toMatchObject({ interval: null, undefinedReason: 'OWN_DOCUMENTS' })
    expect(
      differences.map(({ system, figure, people }: Record<string, unknown>) => [system, figure, people]),
    ).toEqual([
      ['short', 'coverage', 1],
      ['short', 'coverage', 2],
      ['short', 'consensusCoverage', 1],
      ['short', 'confirmedShare', null],
    ])
    expect(differences[0]).toMatchObject({
      difference: expect.any(Number),
      together: { interval: null, better: null, tests: 0 },
      undefinedReason: 'OWN_DOCUMENTS',
    })
  })

  it('has figures in JSON, with reasons', async () => {
    const { stdout } = await run('coverage references.json short.json --json --units types --references 1')
    const { rows, ...about } = JSON.parse(stdout)
    expect(about).toMatchObject({
      dataset: 'references',
      units: 'types',
      references: 1,
      captionsPerImage: 4,
      imageCount: 12,
    })
    expect(rows.map(({ system, people }: Record<string, unknown>) => [system, people])).toEqual([
      [null, 1],
      [null, 2],
      [null, 3],
      ['short', null],
    ])
    const short = rows[3]
    expect(Object.keys(short)).toEqual([
      'system',
      'people',
      'imageCount',
      'wordsPerCaption',
      'coverage',
      'consensusCoverage',
      'confirmedShare',
      'peopleEquivalent',
      'confirmedShareBesidePeople',
      'scores',
      'byConsensus',
      'signature',
    ])
    // "dog" is in all four captions, "a" in two; each has 5, 4, 6 and 5 distinct words.
    expect(short.coverage.value).toBeCloseTo(6 / 20, 12)
    expect(short.confirmedShare.value).toBeCloseTo(6 / 8, 12)
    expect(rows[0].peopleEquivalent).toBeNull()
  })

  it('has a row of CSV for each', async () => {
    const { stdout } = await run(
      'coverage references.json short.json --document-frequencies coco --format csv',
    )
    const rows = parse<Record<string, string>>(stdout, { columns: true })
    expect(rows).toHaveLength(3)
    expect(rows[2]).toMatchObject({
      system: 'short',
      people: '',
      'peopleEquivalent.undefinedReason': expect.any(String),
    })
    expect(Number(rows[2]['coverage.interval.lower'])).toBeLessThanOrEqual(Number(rows[2]['coverage.value']))
  })

  it('lists the objects of each system that no person mentions, with units of objects', async () => {
    // Their only object is a dog, which people mention.
    const { stdout } = await run('coverage references.json short.json --units objects --width 160')
    expect(stdout).not.toContain('unconfirmed')
    write('kite.json', cocoResults(Object.fromEntries(IMAGES.map((id) => [id, 'a kite and a dog']))))
    const kites = await run('coverage references.json kite.json --units objects --width 160')
    expect(kites.stdout).toMatch(/^system +unconfirmed +mentions +images +its captions +people’s +such as$/m)
    expect(kites.stdout).toMatch(/^kite +kite +12 +12 +1\.000 +\.000 +1, 2, 3$/m)
    expect(kites.stdout).toContain('the objects that no person mentions')
    const json = JSON.parse((await run('coverage references.json kite.json --units objects --json')).stdout)
    expect(json.unconfirmed).toEqual([
      expect.objectContaining({ system: 'kite', name: 'kite', mentionCount: 12, imageCount: 12, rate: 1 }),
    ])
    const open = await run('coverage references.json kite.json --units open-objects --json')
    expect(JSON.parse(open.stdout).unconfirmed).toMatchObject([{ system: 'kite', name: 'kite' }])
  })

  it('leaves out what only systems have without them', async () => {
    const { stdout } = await run('coverage references.json')
    expect(stdout).toMatch(/^One person says \.\d+ of what others say/)
    expect(stdout).not.toMatch(/^system.*beside/m)
  })

  it('says why there are no people', async () => {
    write('one.json', cocoCaptions({ 1: ['a dog'], 2: ['a cat'] }))
    write('one_results.json', cocoResults({ 1: 'a dog', 2: 'a dog' }))
    const { code, stdout } = await run('coverage one.json one_results.json')
    expect(code).toBe(0)
    expect(stdout).toContain('All captions of an image are references')
    expect(stdout).toContain('Against the only caption of an image by people')
  })

  it.each([
    ['--references 5', 2, 'expected an integer from 1 to 4'],
    ['--references 0', 2, '--references'],
    ['--units types --document-frequencies coco', 1, 'do not change coverage in types'],
    ['--units letters', 2, 'words, types'],
  ])('refuses %s', async (options, code, message) => {
    const outcome = await run(`coverage references.json short.json ${options}`)
    expect(outcome).toMatchObject({ code, stdout: '' })
    expect(outcome.stderr).toContain(message)
  })
})

it('measures a stored dataset, and stores the answer as a job', async () => {
  await importPark(bench, 'with systems')
  const first = await run('coverage --dataset park --json')
  expect(first.code).toBe(0)
  expect(JSON.parse(first.stdout).rows.map(({ system }: { system: string }) => system)).toEqual([
    null,
    'captioner',
  ])
  expect(await run('coverage --dataset park --json')).toEqual(first)
  expect(JSON.parse(first.stdout).rows[1].scores).toEqual({ 'CHAIR-i': null, METEOR: null, 'CIDEr-D': null })
  const bare = await run('coverage --dataset park --width 200')
  expect(bare.stdout).not.toContain('METEOR')
  for (const command of ['evaluate --system captioner', 'agreement'])
    expect((await run(`${command} --dataset park --metrics METEOR`)).code).toBe(0)
  const scored = JSON.parse((await run('coverage --dataset park --json')).stdout).rows
  const board = JSON.parse(
    (await run('leaderboard --dataset park --metrics METEOR --references 2 --json')).stdout,
  )
  const ofBoard = (name: string | null) =>
    board.rows.find(({ system }: { system: string | null }) => system === name).value
  expect(scored.map(({ scores }: { scores: Record<string, number | null> }) => scores.METEOR)).toEqual([
    ofBoard(null),
    ofBoard('captioner'),
  ])
  const { stdout } = await run('coverage --dataset park --width 200')
  expect(stdout).toMatch(/^system +words .* +METEOR$/m)
})

it('writes the picture as SVG that stands alone', async () => {
  const { code, stdout } = await run('coverage references.json short.json long.json --plot picture.svg')
  expect(code).toBe(0)
  const svg = readFileSync(path('picture.svg'), 'utf8')
  expect(svg).toMatch(/^<svg xmlns="http:\/\/www\.w3\.org\/2000\/svg" [^>]*role="img"/)
  expect(svg).toContain('>one person</text>')
  expect(svg).toContain('>long</text>')
  expect(svg).toContain(stdout.split('\n')[0].slice(0, 20))
  expect(svg).toContain('coverage|units:words|df:own-')
  expect(svg).not.toContain('95 % intervals')
  expect(svg).not.toMatch(/NaN|undefined|var\(/)
})

describe('the picture as PNG', () => {
  const command = 'coverage references.json short.json --plot plot.PNG --force'
  const PNG = '89504e470d0a1a0a'

  it('is drawn by a program of this machine', async () => {
    const folder = path('programs')
    mkdirSync(folder, { recursive: true })
    const program = join(folder, 'rsvg-convert')
    writeFileSync(
      program,
      `#!/bin/sh\nfor last; do :; done\ngrep -q '<svg' "$last" && printf '\\211PNG\\r\\n\\032\\n' > "\${2#--output=}"\n`,
    )
    chmodSync(program, 0o755)
    const { code, stderr } = await runHere(command, { PATH: `${folder}:/usr/bin:/bin` }, path('.'))
    expect(code, stderr).toBe(0)
    expect(readFileSync(path('plot.PNG')).toString('hex')).toBe(PNG)
    for (const [status, found] of [
      [3, 'found exit status 3'],
      [0, 'found no picture'],
    ]) {
      writeFileSync(program, `#!/bin/sh\nexit ${status}\n`)
      const failed = await runHere(command, { PATH: folder }, path('.'))
      expect(failed.code).toBe(1)
      expect(failed.stderr).toContain('the picture cannot be drawn as PNG')
      expect(failed.stderr).toContain(found)
    }
  })

  it('is refused without a program, and in other formats', async () => {
    const { code, stderr, stdout } = await runHere(command, { PATH: path('.') }, path('.'))
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toContain('rsvg-convert, resvg, inkscape, chromium')
    expect(stderr).toContain('Write plot.svg')
    const other = await run('coverage references.json short.json --plot plot.jpg')
    expect({ code: other.code, stderr: other.stderr }).toEqual({
      code: 2,
      stderr: expect.stringContaining('Expected a file of SVG or PNG.'),
    })
  })
})

it.each([['no/such/folder/picture.svg'], ['.']])('refuses to write the picture to %s', async (file) => {
  const { code, stderr, stdout } = await run(`coverage references.json short.json --plot ${file}`)
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
  expect(stderr).toContain(file)
})

it('has figures of a caption of 10,000 characters', async () => {
  const words = Array.from({ length: 1400 }, (_, i) => `word${i % 50}`).join(' ')
  write('endless.json', cocoResults(Object.fromEntries(IMAGES.map((id) => [id, `a dog on grass ${words}`]))))
  const { code, stdout } = await run('coverage references.json endless.json --units types --json')
  expect(code).toBe(0)
  const { wordsPerCaption, confirmedShare } = JSON.parse(stdout).rows.at(-1)
  expect(wordsPerCaption).toBe(1404)
  expect(confirmedShare.value).toBeLessThan(4 / 54)
})
