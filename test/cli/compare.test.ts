import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, it } from 'vitest'
import { cocoCaptions, cocoResults } from '../kit/coco.js'
import { initWorld, type Json } from '../kit/seed.js'
import { workbench } from './kit.js'

const { run: runIn, write } = workbench()
const world = await initWorld()
const run = (command: string) => runIn(command, { ACCORD_DATABASE: world.location })

const THINGS = ['dog', 'cat', 'bus', 'horse', 'bench', 'tree', 'boat', 'plane', 'clock', 'kite', 'cow', 'car']

/** Twelve images with three captions each. */
const HUMAN = Object.fromEntries(
  THINGS.map((thing) => [
    thing,
    [`A ${thing} in a city.`, `The ${thing} stands there.`, `A ${thing} today.`],
  ]),
)

beforeAll(async () => {
  const vocabulary = Object.fromEntries(THINGS.map((word) => [word, 'NN' as const]))
  const things = await world.dataset('things', { images: HUMAN, vocabulary })
  await things.captionSystem(
    'good',
    captions((thing) => `A ${thing} in a city.`),
  )
  await things.captionSystem(
    'poor',
    captions(() => 'A tree.'),
  )
  await things.captionSystem(
    'few',
    captions((thing) => `The ${thing}.`, THINGS.slice(0, 9)),
  )
  for (const name of ['good', 'poor', 'few']) await things.evaluate(name)
  await things.scoreSystem('detector', Object.fromEntries(THINGS.map((thing) => [thing, { [thing]: 1 }])))
  await things.scoreSystem('blind', Object.fromEntries(THINGS.map((thing) => [thing, { dog: 0.5 }])))
})

function captions(write: (thing: string) => string, things: readonly string[] = THINGS) {
  return Object.fromEntries(things.map((thing) => [thing, write(thing)]))
}

async function succeed(command: string): Promise<string> {
  const { code, stdout, stderr } = await run(command)
  if (code !== 0) throw new Error(stderr)
  return stdout
}

const namesOf = ({ first, second }: Json) => [first, second]

const LONG = Array.from({ length: 12 }, (_, i) => `${i + 1}`)

describe('accord compare', () => {
  it('compares every pair and people on metrics; few images are marked', async () => {
    const flags = '--dataset things --system good poor few --people --metrics ROUGE-L'
    const report = JSON.parse(await succeed(`compare ${flags} --format json`))
    expect(report.dataset).toBe('things')
    const { comparisons } = report
    expect(comparisons).toHaveLength(6)
    for (const pair of comparisons) {
      expect(pair).toMatchObject({ figure: 'METRIC', metric: 'ROUGE-L', word: null })
    }
    const clear = comparisons.find((pair: Json) => namesOf(pair).join() === 'good,poor')
    expect(clear).toMatchObject({
      imageCount: 12,
      references: { least: 2, most: 2, folds: 3 },
      isSmall: true,
      undefinedReason: null,
      notes: expect.arrayContaining([expect.stringContaining('Fewer than 30 images')]),
    })
    const { alone, together } = clear
    expect(alone.pValue).toBeLessThan(0.05)
    expect(together.pValue).toBeGreaterThan(alone.pValue)
    expect([alone.better, together.better, together.tests]).toEqual(['FIRST', 'FIRST', 2])
    expect(clear.conclusion).toMatch(/^good is better than poor by ROUGE-L: /)
    const tooFew = comparisons.filter((pair: Json) => namesOf(pair).includes('few'))
    expect(tooFew).toHaveLength(3)
    for (const pair of tooFew) {
      expect(pair).toMatchObject({
        imageCount: 9,
        alone: { interval: null, pValue: null, better: null },
        undefinedReason: 'TOO_FEW_IMAGES',
      })
    }
    expect(comparisons.filter((pair: Json) => namesOf(pair).includes(null))).toHaveLength(3)

    const table = await succeed(`compare ${flags}`)
    expect(table).toMatch(/^figure +first +second +score +score +diff\. +95 % interval +p +p alone\n/)
    expect(table).toMatch(/^ROUGE-L +good \+ +poor( +−?\.\d{3}){3} +\[\.\d+, \.\d+\]( +< \.0001){2}$/m)
    expect(table).toMatch(/^ROUGE-L .* – +– +–$/m)
    expect(table).toMatch(/^figure +first +second +images\n/m)
    expect(table).toMatch(/^ROUGE-L +good \+ +poor +12$/m)
    expect(table).toMatch(/^ROUGE-L +good +few +9 \*$/m)
    expect(table).toContain('\n* Fewer than 10 images: no interval and no test is reliable.\n')
    expect(table).toContain('\n2 references per image, mean over 3 folds.\n')
    expect(table).toContain('\nFewer than 30 images: intervals and tests are approximate.\n')
    expect(Math.max(...table.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  })

  it('says once how long captions are, and which metrics depend on it', async () => {
    write(
      'plain.json',
      cocoCaptions(Object.fromEntries(LONG.map((id) => [id, ['a dog on grass', 'the dog sits']]))),
    )
    write('usual.json', cocoResults(Object.fromEntries(LONG.map((id) => [id, 'a dog sits here']))))
    write(
      'long.json',
      cocoResults(Object.fromEntries(LONG.map((id) => [id, `a dog ${'and a cat '.repeat(9)}`]))),
    )
    for (const details of ['', ' --details']) {
      const { stdout } = await runIn(
        `compare plain.json usual.json long.json --metrics CIDEr-D METEOR --width 200${details}`,
      )
      expect(stdout.match(/Words per caption: .*/g)).toEqual([
        'Words per caption: usual 4.0, long 29.0; references 3.5.',
      ])
      expect(stdout).toContain('CIDEr-D and METEOR depend on length; accord coverage compares captions')
    }
    // A score that is nearly 0 is not written as 0.
    const { stdout } = await runIn('compare plain.json usual.json long.json --metrics BLEU-4 --width 200')
    expect(stdout).toMatch(/^BLEU-4 +usual +long +< \.001 +< \.001 /m)
    expect(await succeed('compare --dataset things --word-precision')).not.toContain('Words per caption')
  })

  it('has a CSV row for each pair and metric, alone and together', async () => {
    const flags = '--dataset things --system poor good --metrics BLEU-1 METEOR --format csv'
    const rows: Json[] = parse(await succeed(`compare ${flags}`), { columns: true })
    expect(rows.map(({ metric, first, second }) => [metric, first, second])).toEqual([
      ['BLEU-1', 'poor', 'good'],
      ['METEOR', 'poor', 'good'],
    ])
    for (const { firstScore, secondScore, difference, imageCount, wordCount, ...row } of rows) {
      expect(Number(difference)).toBeCloseTo(firstScore - secondScore, 12)
      expect([Number(difference) < 0, row['alone.better'], row['together.better']]).toEqual([
        true,
        'SECOND',
        'SECOND',
      ])
      for (const kind of ['alone', 'together']) {
        expect(Number(row[`${kind}.interval.lower`])).toBeLessThan(Number(difference))
        expect(Number(row[`${kind}.interval.upper`])).toBeGreaterThan(Number(difference))
      }
      expect(Number(row['together.pValue'])).toBeGreaterThan(Number(row['alone.pValue']))
      expect([imageCount, wordCount]).toEqual(['12', ''])
    }
  })

  it.each([
    ['--system detector blind --people --phr', 3, 'PHR', null],
    ['--system detector blind --average-precision --part-of-speech nn', 1, 'AVERAGE_PRECISION', null],
    ['--system detector --people --phr --word dog --references 1', 1, 'PHR', 'dog'],
    ['--system good poor --people --word-precision', 3, 'WORD_PRECISION', null],
    // By default all systems with the figure.
    ['--phr --word dog', 1, 'PHR', 'dog'],
  ])('%s', async (flags, count, figure, word) => {
    const { comparisons } = JSON.parse(await succeed(`compare --dataset things ${flags} --format json`))
    expect(comparisons).toHaveLength(count)
    for (const pair of comparisons) expect(pair).toMatchObject({ figure, metric: null, word, imageCount: 12 })
  })

  it.each([
    [
      '--system good',
      2,
      /^accord: one system is compared with people by --people; name another one to compare the two$/m,
    ],
    ['--system good moon', 2, /^accord: system: unknown system/m],
    ['--system good detector', 1, /^accord: system: caption metrics require captions/m],
    ['--system good poor --phr', 1, /^accord: systems: the system does not have this figure/m],
    ['--system good poor --metrics TER', 2, /^accord: metrics: unknown metric/m],
    ['--system good poor --references 3', 2, /^accord: references: .* found 3$/m],
    ['--system good poor --phr --metrics METEOR', 2, /cannot be used with option/],
    ['--system good poor --word dog', 2, /--word, --part-of-speech and --vocabulary-of require --phr/],
  ])('%s exits with %i', async (flags, status, message) => {
    const { code, stdout, stderr } = await run(`compare --dataset things ${flags}`)
    expect({ code, stdout }).toEqual({ code: status, stdout: '' })
    expect(stderr).toMatch(message)
  })
})

describe('document frequencies of COCO', () => {
  const CIDER = '--dataset things --references 2 --metric CIDEr-D'
  const COCO = '--document-frequencies coco'

  it('put people beside a system that has them too, and are not mixed with those of the folds', async () => {
    await succeed(`evaluate ${CIDER} --system good poor`)
    const own = JSON.parse(await succeed(`compare ${CIDER} --system good --people --format json`))
    const [people] = JSON.parse(await succeed(`agreement ${CIDER} ${COCO} --format json`)).scores
    const [evaluated] = JSON.parse(
      await succeed(`evaluate ${CIDER} --system good ${COCO} --format json`),
    ).scores
    expect(evaluated.signature).toContain('df:coco')
    expect(people.signature).toContain('df:coco')
    expect(evaluated.human.mean).toBe(people.mean)
    const [pair] = JSON.parse(
      await succeed(`compare ${CIDER} --system good --people ${COCO} --format json`),
    ).comparisons
    expect(pair).toMatchObject({
      first: 'good',
      second: null,
      firstScore: evaluated.value,
      secondScore: people.mean,
    })
    expect(pair.signature).toContain('df:coco')
    expect(pair.notes).not.toContainEqual(expect.stringContaining('Document frequencies'))
    expect(own.comparisons[0].signature).not.toContain('df:coco')
    expect(own.comparisons[0].notes).toContainEqual(
      expect.stringMatching(/^Document frequencies of 12 images: .* its interval covers the difference/),
    )
    const { rows } = JSON.parse(await succeed(`leaderboard ${CIDER} --format json`))
    const ranked = rows.filter(({ rank }: Json) => rank !== null)
    const sources = ranked.map(({ provenance }: Json) => provenance.documentFrequencies.source)
    expect(new Set(sources).size).toBe(1)
    expect(ranked.map(({ isHuman }: Json) => isHuman)).toContain(true)
    const refused = await run(`agreement ${CIDER} --document-frequencies things`)
    expect(refused.stderr).toContain('on folds, the document frequencies of a dataset cannot be used')
  })
})

describe('accord leaderboard', () => {
  it('by PHR ranks systems and people, with the share of images without a score', async () => {
    const flags = 'leaderboard --dataset things --phr'
    const { rows, ...about } = JSON.parse(await succeed(`${flags} --format json`))
    expect(about).toEqual({ dataset: 'things', by: 'PHR' })
    expect(rows.map(({ system }: Json) => system ?? 'people').toSorted()).toEqual([
      'blind',
      'detector',
      'people',
    ])
    const blind = rows.find(({ system }: Json) => system === 'blind')
    expect(blind.notes).toEqual([
      expect.stringMatching(/^Means over words depend/),
      'Fewer than 30 images: intervals and tests are approximate.',
      expect.stringMatching(/^A mean PHR is over the words with human recall above 0/),
      expect.stringMatching(/% of the mean PHR comes from 11 of 12 words/),
    ])
    const table = await succeed(flags)
    expect(table).toMatch(/^rank +system +mean PHR +95 % interval +references +words +images/)
    expect(table).toContain('\nblind: ')
  })

  it('by a metric shows people only beside scores on as many references', async () => {
    await succeed('agreement --dataset things --format csv')
    const flags = 'leaderboard --dataset things --metric BLEU-1'
    const all = await succeed(flags)
    expect(all).toMatch(/^ +1 +good +1?\.\d{3}.* 3 +12$/m)
    expect(all).toMatch(/^ +people +– +– +2 +12 +other references$/m)
    expect(all).toMatch(/^ +few .* 9 \(part\) +partial$/m)
    expect(all).toContain('\npartial: The figure is over a part of the images only.\n')
    expect(all).toContain('\n  accord leaderboard --dataset things --metrics BLEU-1 --references 2\n')
    await succeed('evaluate --dataset things --system good --metrics BLEU-1 --references 2')
    const rows: Json[] = parse(await succeed(`${flags} --references 2 --format csv`), { columns: true })
    const ranked = rows.filter(({ group }) => group === 'COMPARABLE')
    expect(ranked.map((row) => [row.system, row['references.most'], row['references.folds']])).toEqual(
      expect.arrayContaining([
        ['', '2', '3'],
        ['good', '2', '3'],
      ]),
    )
  })

  it('by several metrics has a column for each, ranked by the one that is named first, and people as a row', async () => {
    await succeed('agreement --dataset things --format csv')
    await succeed('evaluate --dataset things --system good poor --metrics BLEU --references 2')
    const flags = 'leaderboard --dataset things --metric BLEU-4 bleu_1 --references 2'
    const [table] = (await succeed(flags)).split('\n\n')
    expect(table).toMatch(/^system +BLEU-1 +BLEU-4\n/)
    expect(table).toMatch(/^people +\.376 +< \.001$/m)
    // What is true of all rows of a board names none of them.
    expect(await succeed(flags)).toMatch(/^Fewer than 30 images: /m)
    expect(await succeed(`${flags} --layout long`)).toMatch(/^metric +rank +system/)
    const rows: Json[] = parse(await succeed(`${flags} --format csv`), { columns: true })
    expect([...new Set(rows.map(({ metric }) => metric))]).toEqual(['BLEU-1', 'BLEU-4'])
  })

  it.each([
    ['--dataset moon', 2, /^accord: dataset: unknown dataset/],
    ['--dataset things --metric TER', 2, /^accord: metrics: unknown metric/],
    ['--dataset things --references 3', 2, /^accord: references: .* found 3$/m],
    ['--dataset things --metric BLEU-1 --part-of-speech NN', 2, /cannot be used with option/],
  ])('%s exits with %i', async (flags, status, message) => {
    const { code, stdout, stderr } = await run(`leaderboard ${flags}`)
    expect({ code, stdout }).toEqual({ code: status, stdout: '' })
    expect(stderr).toMatch(message)
  })
})

describe('document frequencies of one table', () => {
  const METRIC = '--dataset things --metrics CIDEr-D'
  const COCO = '--document-frequencies coco'
  const signatureOf = ({ signature }: Json) => signature.match(/df:\w+/)?.[0]

  it('are those of the measured images unless others are named, whatever was evaluated last', async () => {
    await succeed(`evaluate ${METRIC} --system good poor`)
    const compared = async (flags = '') =>
      JSON.parse(await succeed(`compare ${METRIC} --system good poor ${flags} --format json`))
    const before = await compared()
    expect(signatureOf(before.comparisons[0])).toBe('df:own')
    await succeed(`evaluate ${METRIC} --system good ${COCO}`)
    expect(await compared()).toEqual(before)
    const named = await compared(COCO)
    expect(named).toMatchObject({ documentFrequencies: 'coco' })
    expect(signatureOf(named.comparisons[0])).toBe('df:coco')
    expect(named.comparisons[0].undefinedReason).toBeNull()

    const figures = async (command: string) => JSON.parse(await succeed(`${command} --format json`))
    const exported = await figures('export scores --dataset things --system good poor')
    for (const row of exported) expect(row['CIDEr-D.signature']).toContain('|df:own-')
    const other = await figures(`export scores --dataset things --system good poor ${COCO}`)
    for (const row of other) expect(row['CIDEr-D.signature']).toContain('|df:coco-')
    const shown = async (flags: string) =>
      (await figures(`show dog ${METRIC} --system good ${flags}`)).captions.at(-1)
    const own = exported.find(({ system, imageId }: Json) => system === 'good' && imageId === 'dog')
    expect((await shown('')).scores['CIDEr-D']).toBe(own['CIDEr-D'])
    expect((await shown(COCO)).signatures['CIDEr-D']).toContain('|df:coco-')
    const examples = async (flags: string) =>
      figures(`examples ${METRIC} --system good --against poor --worst 1 ${flags}`)
    for (const signature of (await examples('')).signatures) expect(signature).toContain('|df:own-')
    for (const signature of (await examples(COCO)).signatures) expect(signature).toContain('|df:coco-')
    expect(await succeed(`compare ${METRIC} --system good poor`)).toMatch(
      /^Document frequencies of CIDEr, CIDEr-D and SPIDEr: those of the measured images/m,
    )
  })
})
