import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, it } from 'vitest'
import { cocoCaptions, cocoResults, scoreLines, vocabulary } from '../kit/coco.js'
import type { Json } from '../kit/seed.js'
import { importPark, type Outcome, workbench } from './kit.js'

const bench = workbench()
const { run } = bench

let json: Outcome
let csv: Outcome
let table: Outcome
let detailed: Outcome

beforeAll(async () => {
  await importPark(bench, 'with systems')
  const words = 'words --dataset park --system captioner --system detector'
  ;[json, csv, table, detailed] = await Promise.all([
    run(`${words} --format json`),
    run(`${words} --format csv`),
    run(words),
    run(`${words} --details`),
  ])
})

describe('words as JSON', () => {
  it('has the figures of each word, unrounded, and null with a reason if undefined', () => {
    const { code, stdout, stderr } = json
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const { dataset, references, words } = JSON.parse(stdout)
    expect([dataset, references]).toEqual(['park', 2])
    expect(words.map(({ word }: { word: string }) => word)).toEqual(['dog', 'cat', 'walks', 'say "hi", you'])
    const [dog, , , unused] = words
    expect(dog).toMatchObject({
      word: 'dog',
      partOfSpeech: 'NN',
      histogram: [1, 1, 0, 1],
      undefinedReason: null,
    })
    // Hand-computed from the histogram, k = 2: TP = 2, FP = 1/3, POS = 8/3.
    expect(dog.precision).toBeCloseTo(6 / 7, 14)
    expect(dog.recall).toBeCloseTo(3 / 4, 14)
    // p = human recall, q = (4/9) / p, precision = 2p / (2p + (1 − p)²).
    expect(Object.keys(dog.models)).toEqual(['MOMENT', 'BINOMIAL', 'BETA_BINOMIAL'])
    expect(dog.models.MOMENT).toMatchObject({ overdispersion: 0, undefinedReason: null })
    expect(dog.models.MOMENT.usageProbability).toBeCloseTo(3 / 4, 14)
    expect(dog.models.MOMENT.objectProbability).toBeCloseTo(16 / 27, 14)
    expect(dog.models.MOMENT.precision).toBeCloseTo(0.96, 14)
    expect(dog.models.MOMENT.recall).toBeCloseTo(3 / 4, 14)
    expect(dog.isRare).toBe(true)
    expect(dog.precisionInterval.lower).toBeLessThan(6 / 7)
    expect(dog.precisionInterval.upper).toBeGreaterThan(6 / 7)
    expect(dog.models.MOMENT.isWeaklyIdentified).toBe(false)
    expect(dog.models.BINOMIAL.isWeaklyIdentified).toBe(true)
    expect(dog.models.BINOMIAL.objectProbabilityInterval.upper).toBe(1)
    // "A dog." for images 1 and 2: TP = 2 + 2/3, FP = 1/3, and all 8/3 positives.
    expect(dog.systems.captioner).toMatchObject({ precisionAtHumanRecall: null, averagePrecision: null })
    expect(dog.systems.captioner.precision).toBeCloseTo(8 / 9, 14)
    expect(dog.systems.captioner.recall).toBeCloseTo(1, 14)
    // Ranked 1, 3, 2: recall 3/4 at precision 1, then recall 1 at precision 2/3.
    expect(dog.systems.detector).toMatchObject({ precision: null, recall: null, undefinedReason: null })
    expect(dog.systems.detector.precisionAtHumanRecall).toBeCloseTo(1, 14)
    expect(dog.systems.detector.averagePrecision).toBeCloseTo(3 / 4 + 1 / 6, 14)
    const { estimates } = dog.systems.detector
    expect(Object.keys(estimates)).toEqual(['precisionAtHumanRecall', 'averagePrecision', 'gapToPeople'])
    expect(estimates.gapToPeople).toEqual({
      value: expect.closeTo(1 / 7, 12),
      interval: null,
      undefinedReason: 'RARE_WORD',
    })
    const { precision } = dog.systems.captioner.estimates
    expect(precision.interval.lower).toBeLessThan(8 / 9)
    expect(precision.undefinedReason).toBeNull()

    const nothing = { precision: null, recall: null, undefinedReason: 'NO_CAPTION_USES_WORD' }
    expect(unused).toMatchObject({ histogram: [3, 0, 0, 0], ...nothing })
    expect(unused.models.BINOMIAL).toMatchObject({ usageProbability: null, aic: null, ...nothing })
    expect(unused.systems).toMatchObject({ captioner: nothing, detector: nothing })
  })

  it('has means over words with intervals, null with a reason for few images', () => {
    const { means, notes } = JSON.parse(json.stdout)
    const figures = (wanted: string | null) =>
      means
        .filter(({ system }: Json) => system === wanted)
        .map(({ figure, wordCount }: Json) => [figure, wordCount])
    expect(figures(null)).toEqual([
      ['HUMAN_PRECISION', 3],
      ['AGREED_HUMAN_PRECISION', 3],
      ['HUMAN_RECALL', 3],
      ['HELD_OUT_PRECISION', 3],
    ])
    expect(figures('detector')).toContainEqual(['PHR', 3])
    expect(figures('captioner')).toContainEqual(['WORD_PRECISION', 2])
    expect(means[0].value).toBeCloseTo((6 / 7 + 2) / 3, 12)
    expect(means[0]).toMatchObject({ interval: null, undefinedReason: 'TOO_FEW_IMAGES' })
    expect(notes).toEqual([
      expect.stringMatching(/^Means over words depend on the number of images/),
      'Fewer than 10 images: no interval and no test is reliable.',
      expect.stringMatching(
        /^The mean word precision is over all words that the captions use, in the vocabulary or not/,
      ),
      expect.stringMatching(/^A mean PHR is over the words with human recall above 0/),
      expect.stringMatching(/^detector: 16\.7 % of the mean PHR comes from 1 of 3 words/),
    ])
    expect(detailed.stdout).toContain('\nMeans over words depend on the number of images')
  })

  it('has the provenance of figures and fits', () => {
    const { people, systems, fits } = JSON.parse(json.stdout).provenance
    expect(Object.keys(people)).toEqual(['WORD_PRECISION', 'WORD_RECALL', 'PHR'])
    expect(Object.keys(systems.captioner)).toEqual(['WORD_PRECISION', 'WORD_RECALL'])
    expect(Object.keys(systems.detector)).toEqual(['PHR', 'AVERAGE_PRECISION'])
    expect(systems.detector.PHR.signature).toBe(people.PHR.signature)
    expect(systems.detector.PHR.record).toMatchObject({
      metric: 'PHR',
      subject: { kind: 'system' },
      parameters: { words: '4' },
    })
    expect(fits.MOMENT.signature).toMatch(/^USAGE_FIT\|words:4\|model:MOMENT\|/)
  })

  it('has the fit of each model on the words that all of them share', () => {
    const { fits } = JSON.parse(json.stdout)
    // Nobody uses the last word, and all or none of the people use "cat".
    expect(fits).toMatchObject(
      ['MOMENT', 'BINOMIAL', 'BETA_BINOMIAL'].map((model) => ({ model, wordCount: 2 })),
    )
    expect(fits[0].outOfSample.wordCount).toBeLessThanOrEqual(2)
  })

  it.concurrent('is narrowed by references, part of speech and number of words', async () => {
    const [verbs, first] = await Promise.all([
      run('words --dataset park --references 1 --part-of-speech VB OTHER --part-of-speech vb --format json'),
      run('words --dataset park --top 2 --format json'),
    ])
    const { references, words } = JSON.parse(verbs.stdout)
    expect([references, words.map(({ word }: { word: string }) => word)]).toEqual([
      1,
      ['walks', 'say "hi", you'],
    ])
    // h = (2, 0, 1, 0), k = 1: TP = FP = 1/3, POS = 2/3.
    expect(words[0]).toMatchObject({ precision: 0.5, recall: 0.5, undefinedReason: null })
    // Means and fits are over all words.
    const [top, whole] = [JSON.parse(first.stdout), JSON.parse(json.stdout)]
    expect(top.words).toHaveLength(2)
    const ofPeople = ({ system }: Json) => system === null
    expect([top.means, top.fits]).toEqual([whole.means.filter(ofPeople), whole.fits])
  })
})

describe('words as CSV', () => {
  it('has the cells of the JSON under their paths', () => {
    expect(csv).toMatchObject({ code: 0, stderr: '' })
    const rows: Record<string, string>[] = parse(csv.stdout, { columns: true })
    const { words } = JSON.parse(json.stdout)
    expect(Object.keys(rows[0]).slice(0, 10)).toEqual([
      'word',
      'partOfSpeech',
      'histogram.0',
      'histogram.1',
      'histogram.2',
      'histogram.3',
      'isRare',
      'precision',
      'recall',
      'undefinedReason',
    ])
    expect(Object.keys(rows[0])).toHaveLength(11 + 4 + 3 * (9 + 4) + 2 * (5 + 3 * 4))
    expect(rows).toHaveLength(words.length)
    for (const [index, row] of rows.entries()) {
      for (const [path, cell] of Object.entries(row)) {
        const value = path.split('.').reduce((at, key) => at?.[key], words[index])
        expect(cell, `${row.word}, ${path}`).toBe(value === null || value === undefined ? '' : String(value))
      }
    }
  })

  it.concurrent('has a header without words', async () => {
    const { code, stdout } = await run('words --dataset park --part-of-speech PRP --format csv')
    expect(code).toBe(0)
    expect(stdout).toMatch(/^word,partOfSpeech,histogram\.0,.+\n$/)
  })
})

describe('words as a table', () => {
  it('lists words in 80 columns, with the mean of all at the end', () => {
    const { code, stdout, stderr } = table
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const [words] = stdout.split('\n\n')
    // The histogram would not fit beside two systems.
    expect(words.split('\n')).toEqual([
      '                          human         captioner     detector',
      'word               POS        P      R      P      R    PHR     AP',
      '─'.repeat(66),
      'dog            *   NN      .857   .750   .889  1.000  1.000   .917',
      'cat            *   NN     1.000  1.000  1.000  1.000  1.000  1.000',
      'walks          *!  VB     1.000   .500      –   .000   .400   .400',
      'say "hi", you  *   OTHER      –      –      –      –      –      –',
      '─'.repeat(66),
      'mean               all     .952   .750   .944   .667   .800   .772',
      'words                         3      3      2      3      3      3',
    ])
    expect(stdout).not.toMatch(/^Model|model$|moment|~/m)
    expect(detailed.stdout.split('\n\n')[0].split('\n').slice(0, 7)).toEqual([
      '                           images by captions,  human         model',
      'word                POS    0 to 3                   P      R     q      P',
      '─'.repeat(73),
      'dog            *~   NN     1 1 0 1               .857   .750  .593   .960',
      'cat            *~   NN     2 0 0 1              1.000  1.000  .333  1.000',
      'walks          *~!  VB     2 0 1 0              1.000   .500  .444   .800',
      'say "hi", you  *    OTHER  3 0 0 0                  –      –     –      –',
    ])
    expect(stdout).not.toMatch(/gap to people|R²|Means over words/)
    // Of a captioner that by which it is judged, and its gap to people.
    expect(detailed.stdout).toMatch(/^captioner +P +95 % interval +gap to people +95 % interval$/m)
    // Precision and recall have intervals for rare words too, ranked figures have none.
    expect(detailed.stdout).toMatch(/^dog +\.889 +\[\.\d+, 1?\.\d+\] /m)
    expect(detailed.stdout).toMatch(/^detector: 4 words without an interval/m)
    expect(stdout).toContain('*: used in fewer than 20 images')
    expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
  })
})

it('with --details has means by part of speech and with intervals, and how well models fit', () => {
  const { stdout } = detailed
  const [people] = stdout.split('\n\n')
  const rows = people.split('\n').filter((line) => /^(mean| +with a value)/.test(line))
  expect(rows.map((line) => line.replace(/ +/g, ' '))).toEqual(
    [
      'mean NN of 2 words .929 .875 .463 .980',
      'mean VB of 1 word 1.000 .500 .444 .800',
      ' with a value 1 1 1 1',
      'mean OTHER of 1 word – – – –',
      ' with a value 0 0 0 0',
      'mean all of 4 words .952 .750 .457 .920',
      ' with a value 3 3 3 3',
    ].map((start) => expect.stringMatching(new RegExp(`^${start}`))),
  )
  // Without an interval: there are 3 images.
  expect(stdout).toMatch(/^people +precision +mean of the 3 words with .* \.952 +–$/m)
  expect(stdout).toMatch(/^detector +gap to people +mean of the same 3 words +−\.152 +–$/m)
  expect(stdout).toMatch(/^for which all models have a fit +words +R² +error +words +R² +error$/m)
  expect(stdout).toMatch(/^moment +2 +\S+ +\S+ +\d +\S+ +\S+$/m)
  expect(Math.max(...stdout.split('\n').map((line) => line.length))).toBeLessThanOrEqual(80)
})

it('a word that is named is shown alone', async () => {
  const { stdout } = await run('words --dataset park --word dog --system detector')
  expect(stdout).toMatch(/^dog /m)
  expect(stdout).not.toMatch(/^mean|gap to people +mean|R²/m)
})

describe('lists of words', () => {
  const listed = async (flags: string) => {
    const { code, stdout, stderr } = await run(`words --dataset park ${flags} --format json`)
    expect(code, stderr).toBe(0)
    const { words, means } = JSON.parse(stdout)
    expect(means[0].wordCount).toBeGreaterThan(1)
    return words.map(({ word }: Json) => word)
  }
  const both = '--system detector captioner'

  it.concurrent.each([
    // Human recall is 3/4, 1, 1/2 and undefined; residuals are .857 − .96, 0, .2 and undefined.
    ['--sort recall', ['cat', 'dog', 'walks', 'say "hi", you']],
    ['--sort residual', ['walks', 'cat', 'dog', 'say "hi", you']],
    // PHR is 1 for dog and cat, of which people have precision .857 and 1, and less for walks, which scores of no image find.
    [`--sort phr ${both}`, ['dog', 'cat', 'walks', 'say "hi", you']],
    [`--sort gap ${both}`, ['cat', 'dog', 'walks', 'say "hi", you']],
    ['--sort gap --system captioner', ['cat', 'dog', 'walks', 'say "hi", you']],
    ['--min-images 2', ['dog']],
    ['--min-images 1 --top 2', ['dog', 'cat']],
    ['--part-of-speech NN VB --sort recall --top 2', ['cat', 'dog']],
    ['--word cat sofa', ['cat', 'sofa']],
  ])('%s', async (flags, words) => {
    expect(await listed(flags)).toEqual(words)
  })

  it('fit a screen; all words that are named are shown, and data have all', async () => {
    const words = Array.from(
      { length: 40 },
      (_, index) => `word${String.fromCharCode(97 + (index % 26))}${index}`,
    )
    const captions = [words.join(' '), words.slice(0, 30).join(' ')]
    bench.write('many.json', cocoCaptions({ 1: captions, 2: captions, 3: captions }))
    await run('import captions many.json --dataset many --database many.sqlite')
    const lines = async (flags: string) => {
      const { stdout } = await run(`words --database many.sqlite ${flags}`)
      return { all: stdout.split('\n').length, words: stdout.match(/^word[a-z]?\d+ /gm)?.length }
    }
    const plain = await lines('')
    expect(plain).toEqual({ all: expect.any(Number), words: 10 })
    expect(plain.all).toBeLessThanOrEqual(25)
    expect(await lines('--sort recall')).toEqual(plain)
    expect((await lines('--top 20')).all - plain.all).toBe(10)
    for (const name of ['one', 'two']) {
      bench.write(`${name}.json`, cocoResults({ 1: words[0], 2: words[0], 3: words[0] }))
      await run(`import results ${name}.json --dataset many --system ${name} --database many.sqlite`)
    }
    expect((await lines('--system one two')).all).toBeLessThanOrEqual(25)
    expect((await lines('--system one two --sort gap')).all).toBeLessThanOrEqual(25)
    expect((await lines(`--word ${words.slice(0, 12).join(' ')}`)).words).toBe(12)
    expect(
      JSON.parse((await run('words --database many.sqlite --json')).stdout).words.length,
    ).toBeGreaterThan(39)
  })

  it('have the difference that they are sorted by', async () => {
    const byGap = await run('words --dataset park --sort gap --system detector')
    expect(byGap.stdout).toMatch(/^word +POS +gap +at most /m)
    expect(byGap.stdout).toMatch(/^walks +\*~?! +VB +(−?\.\d{3}|–) /m)
    const byRecall = await run('words --dataset park --sort recall --system detector')
    expect(byRecall.stdout).not.toMatch(/POS +gap /)
    expect(byRecall.stdout).not.toContain('P, R below the name of a system')
  })

  it('cannot be sorted by figures that no system has', async () => {
    expect(await run('words --dataset park --sort gap')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('accord: --sort gap requires --system, or files of systems\n'),
    })
    expect(await run('words --dataset park --sort phr --system captioner')).toMatchObject({
      code: 1,
      stderr:
        'accord: sort: words cannot be sorted by phr: expected a system with word scores first, found "captioner"\n',
    })
  })

  it('of words that no caption has name the nearest one', async () => {
    expect((await run('words --dataset park --word walkz')).stderr).toMatch(
      /^accord: word: the dataset has no such word: expected a word of "park", found "walkz"; did you mean walks\?\n$/,
    )
    expect((await run('words --dataset park --word dgo')).stderr).toContain('did you mean dog?')
  })
})

describe('words of unknown datasets and systems', () => {
  it.concurrent.each([
    ['--dataset moon', 'dataset: unknown dataset: expected one of park, found "moon"'],
    [
      '--dataset park --system captioner moon',
      'system: unknown system: expected one of captioner, detector, found "moon"',
    ],
    [
      '--dataset park --part-of-speech PRP --references 3',
      'references: invalid number of references: expected an integer from 1 to 2, found 3',
    ],
  ])('%s', async (flags, message) => {
    expect(await run(`words ${flags}`)).toMatchObject({ code: 2, stdout: '', stderr: `accord: ${message}\n` })
  })
})

describe('words that a detector reaches human recall of only with images that have no score', () => {
  beforeAll(async () => {
    const captions = (text: string) => [text, text, text]
    const images = {
      1: 'a dog in the park',
      2: 'a dog in the park',
      3: 'a cat in the park',
      4: 'a cat in the park',
    }
    bench.write(
      'zoo.json',
      cocoCaptions(Object.fromEntries(Object.entries(images).map(([id, text]) => [id, captions(text)]))),
    )
    bench.write('zoo.csv', vocabulary({ dog: 'NN', cat: 'NN', park: 'NN' }))
    // Every image shows a park: what is predicted everywhere is right, with scores of a single image.
    bench.write(
      'zoo.jsonl',
      scoreLines({
        1: { dog: 0.1, cat: 0.1, park: 0.9 },
        2: { dog: 0.1 },
        3: { cat: 0.9 },
        4: { cat: 0.8, dog: 0.2 },
      }),
    )
    for (const command of [
      'import captions zoo.json --dataset zoo --vocabulary zoo.csv',
      'import scores zoo.jsonl --dataset zoo --system partial',
    ])
      expect(await run(command)).toMatchObject({ code: 0 })
  })

  it('are marked and come last in lists by PHR and its gap', async () => {
    for (const sort of ['phr', 'gap']) {
      const list = `words --dataset zoo --system partial --sort ${sort}`
      const { stdout } = await run(list)
      const words = Array.from(
        stdout.split('\n\n')[0].matchAll(/^(dog|cat|park) +(\S+)/gm),
        ([, ...found]) => found,
      )
      expect(words.at(-1)).toEqual(['park', expect.stringMatching(/^\*~?!$/)])
      expect(words.slice(0, 2).map(([, marks]) => marks)).toEqual([
        expect.not.stringContaining('!'),
        expect.not.stringContaining('!'),
      ])
      expect(stdout.replaceAll('\n', ' ')).toContain(
        '!: a detector reaches human recall only with images that have no score',
      )
    }
    const { stdout } = await run('words --dataset zoo --system partial --json')
    const { words } = JSON.parse(stdout)
    expect(
      words.map(({ word, systems }: Json) => [
        word,
        systems.partial.precisionAtHumanRecall,
        systems.partial.isFromUnscored,
      ]),
    ).toEqual(
      expect.arrayContaining([
        ['park', 1, true],
        ['cat', 1, false],
      ]),
    )
  })

  it('keep their place in lists by other figures', async () => {
    const { stdout } = await run('words --dataset zoo --system partial --sort recall')
    expect(stdout).toMatch(/^park .*!/m)
    expect(
      JSON.parse((await run('words --dataset zoo --system partial --sort recall --json')).stdout).words,
    ).toHaveLength(3)
  })
})
