import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { parse } from 'csv-parse/sync'
import { beforeAll, describe, expect, it } from 'vitest'
import { openMetricRegistry } from '../../src/compute/resources.js'
import { finishArtefact } from '../../src/formats/models/artefact-file.js'
import { exportFrequencies } from '../../src/services/exports/export.js'
import { evaluateSystem } from '../../src/services/scoring/evaluate.js'
import { insertArtefact } from '../../src/store/metrics.js'
import { cocoCaptions, cocoResults } from '../kit/coco.js'
import { simpleComposite } from '../kit/composites.js'
import { readDocument } from '../kit/documents.js'
import { initWorld, type Json } from '../kit/seed.js'
import { type Outcome, outcomeOf, PROGRAM, runHere, workbench } from './kit.js'

const { path, start, write } = workbench()

const NOUNS = ['dog', 'cat', 'horse', 'bird', 'cow', 'sheep']
const PLACES = ['park', 'field', 'garden']
const images = Array.from({ length: 12 }, (_, index) => ({
  id: String(index + 1),
  noun: NOUNS[index % NOUNS.length],
  place: PLACES[index % PLACES.length],
}))
const HUMAN = Object.fromEntries(
  images.map(({ id, noun, place }) => [
    id,
    [
      `A ${noun} in the ${place}.`,
      `The ${noun} stands in a ${place}.`,
      ...(id === '3' ? [`One small ${noun}.`] : []),
    ],
  ]),
)
const GOOD = Object.fromEntries(images.map(({ id, noun, place }) => [id, `a ${noun} stands in the ${place}`]))
const POOR = Object.fromEntries(
  images.map(({ id }) => [id, Number(id) % 2 ? 'a man riding a wave on a surfboard' : 'a man on a board']),
)

/** In a folder without a database, as a checkout has one after the first start. */
const run = (words: string) =>
  runHere(
    words.split(/ +/).map((word) => (/\.(json|gz|frequencies)$/.test(word) ? path(word) : word)),
    {},
    path('.'),
  )

async function jsonOf(words: string): Promise<Json> {
  const { code, stdout, stderr } = await run(`score ${words} --format json`)
  expect(code, stderr).toBe(0)
  return JSON.parse(stdout)
}

beforeAll(() => {
  write('human.json', cocoCaptions({ ...HUMAN, 99: [] }))
  write('captions_val2017_good_results.json', cocoResults(GOOD))
  write('poor.json.gz', cocoResults(POOR))
  const { 12: _missing, ...most } = GOOD
  write('most.json', cocoResults(most))
  write('more.json', cocoResults({ ...GOOD, 100: '' }))
})

describe('accord score', () => {
  it('scores the images of each value of a field as a file of these images alone', async () => {
    const document = cocoCaptions(HUMAN)
    const domainOf = (id: unknown) => (Number(id) % 3 === 0 ? 'out-domain' : 'in-domain')
    const described = document.images.map((image) => ({ ...image, domain: domainOf(image.id), level: 2.5 }))
    write('domains.json', { ...document, images: described })
    const ours = 'captions_val2017_good_results.json poor.json.gz'
    const metrics = '--metrics BLEU METEOR ROUGE-L'
    const { subsets } = await jsonOf(`domains.json ${ours} ${metrics} --by domain`)
    expect([...new Set(subsets.map(({ subset }: Json) => subset))]).toEqual(['in-domain', 'out-domain'])
    for (const domain of ['in-domain', 'out-domain']) {
      const own = Object.keys(HUMAN).filter((id) => domainOf(id) === domain)
      const pick = (captions: Record<string, string>) =>
        cocoResults(Object.fromEntries(own.map((id) => [id, captions[id]])))
      write('own.json', cocoCaptions(Object.fromEntries(own.map((id) => [id, HUMAN[id]]))))
      write('captions_own_good_results.json', pick(GOOD))
      write('own-poor.json', pick(POOR))
      const { scores } = await jsonOf(`own.json captions_own_good_results.json own-poor.json ${metrics}`)
      const figures = (rows: Json[]) =>
        rows
          .map(({ metric, system, imageCount, value, interval, undefinedReason }) => [
            metric,
            system.replace('own-', ''),
            imageCount,
            value,
            interval,
            undefinedReason,
          ])
          .sort()
      expect(figures(subsets.filter(({ subset }: Json) => subset === domain))).toEqual(figures(scores))
    }
    expect((await run(`score domains.json ${ours} ${metrics} --by split`)).stderr).toContain(
      'domains.json: no image has this field: expected one of domain, level, found "split"',
    )
    const { stdout } = await run(`score domains.json ${ours} ${metrics} --by level`)
    expect(stdout).toContain('By level, all references:')
  })

  it('reads parallel files of human captions in lines, as those of one file', async () => {
    const two = Object.fromEntries(Object.entries(HUMAN).map(([id, captions]) => [id, captions.slice(0, 2)]))
    write('two.json', cocoCaptions(two))
    const ids = Object.keys(two)
    const file = (name: string, lines: readonly string[]) => {
      write(name, `${lines.join('\n')}\n`)
      return path(name)
    }
    const [first, second] = [0, 1].map((place) =>
      file(
        `refs.${place + 1}`,
        ids.map((id) => two[id][place]),
      ),
    )
    const ours = file(
      'ours.txt',
      ids.map((id) => (GOOD as Record<string, string>)[id]),
    )
    const parallel = `${first} ${ours} --more-references ${second} --ids ${file('lines.ids', ids)}`
    const valuesOf = ({ scores }: Json) => scores.map(({ metric, value }: Json) => [metric, value])
    expect(valuesOf(await jsonOf(parallel))).toEqual(
      valuesOf(await jsonOf('two.json captions_val2017_good_results.json')),
    )
  })

  describe('document frequencies', () => {
    const ciderOf = async (words: string) => {
      const { scores, notes } = await jsonOf(
        `human.json captions_val2017_good_results.json --allow-missing ${words} --metrics CIDEr-D`,
      )
      return { value: scores[0].value, signature: scores[0].signature, notes }
    }

    it('of few images have a note; the built-in ones have none, and are in the signature', async () => {
      const own = await ciderOf('')
      expect(own.signature).toMatch(/\|df:own-[0-9a-f]{8}\|/)
      expect(own.notes).toContainEqual(expect.stringMatching(/^Document frequencies of 12 images: .*`coco`/))
      const builtIn = await ciderOf('--document-frequencies coco')
      expect(builtIn.signature).toMatch(/\|df:coco-895ae55b\/5000\|/)
      expect(builtIn.notes).not.toContainEqual(expect.stringContaining('Document frequencies'))
      expect(builtIn.value).not.toBeCloseTo(own.value, 2)
    })

    it('of a dataset, of its exported file, and of the file itself give the same score', async () => {
      const world = await initWorld()
      const { row } = await world.dataset('animals', { images: { ...HUMAN, 99: [] } })
      const bytes = await exportFrequencies(world.accord, row)
      write('animals.frequencies', bytes)
      const { stdout } = await runHere(`export frequencies --database ${world.location}`)
      expect(stdout).toBe(bytes.toString())
      const own = await ciderOf('')
      const dataset = await ciderOf(`--document-frequencies animals --database ${world.location}`)
      const file = await ciderOf('--document-frequencies animals.frequencies')
      expect([dataset.value, file.value]).toEqual([own.value, own.value])
      expect(dataset.signature).toMatch(/\|df:dataset-[0-9a-f]{8}\|/)
      expect(file.signature).toMatch(/\|df:file-[0-9a-f]{8}\|/)
    })
  })

  it('gives the scores and signatures of an evaluation of the imported files', async () => {
    const world = await initWorld()
    const dataset = await world.dataset('animals', { images: { ...HUMAN, 99: [] } })
    await dataset.captionSystem('good', GOOD)
    const evaluation = await evaluateSystem(world.accord, { dataset: 'animals', system: 'good' })
    const all =
      'human.json captions_val2017_good_results.json --allow-missing --metrics BLEU ROUGE CIDEr cider_d METEOR'
    const { referencesFile, scores, notes } = await jsonOf(all)
    expect(referencesFile).toBe(path('human.json'))
    expect(scores).toMatchObject(
      evaluation.scores.map(({ metric, value, lower, upper, signature }) => ({
        system: 'good',
        missingImageCount: 0,
        references: { least: 2, most: 3, folds: null },
        imageCount: 12,
        metric,
        value,
        interval: lower === null ? null : { lower, upper },
        signature,
      })),
    )
    expect(notes).toContain('Fewer than 30 images: intervals and tests are approximate.')
  })

  it('reads composite metrics from a database; one whose features changed is refused with the reason', async () => {
    const world = await initWorld()
    const registry = openMetricRegistry()
    const composite = simpleComposite(registry, 'EvalRC', ['ROUGE-L', 'CIDEr'])
    await insertArtefact(world.database, composite)
    const features = composite.header.features.map((feature, index) =>
      index === 0 ? { ...feature, signature: 'ROUGE-L|rev:0' } : feature,
    )
    await insertArtefact(
      world.database,
      finishArtefact({ ...composite.header, name: 'Old', features }, composite.weights),
    )
    const dataset = await world.dataset('animals', { images: HUMAN })
    await dataset.captionSystem('good', GOOD)
    const evaluated = await evaluateSystem(world.accord, {
      dataset: 'animals',
      system: 'good',
      metrics: ['ROUGE-L', 'EvalRC'],
    })
    write('only.json', cocoCaptions(HUMAN))
    const files = 'only.json captions_val2017_good_results.json poor.json.gz --significance'
    const { scores } = await jsonOf(`${files} --metrics rouge_l evalrc --database ${world.location}`)
    const good = scores.filter(({ system }: Json) => system === 'good')
    expect(good.map(({ value, signature }: Json) => [value, signature])).toEqual(
      evaluated.scores.map(({ value, signature }) => [value, signature]),
    )
    expect(good[1].signature).toContain(`artefact:${composite.hash.slice(0, 16)}`)
    const poor = scores.find(({ system, metric }: Json) => system === 'poor' && metric === 'EvalRC')
    expect(poor.comparison.difference).toBeLessThan(0)

    const old = await run(`score ${files} --metrics Old --database ${world.location}`)
    expect(old.stderr).toMatch(
      /^accord: artefact: Old was trained with another ROUGE-L: expected ROUGE-L\|rev:0, found ROUGE-L\|/m,
    )
    const unknown = await run(`score ${files} --metrics EvalXY --database ${world.location}`)
    expect(unknown.stderr).toMatch(/SPIDEr, .*, found "EvalXY"; did you mean EvalRC\?/)
  })

  it.each([
    ['BLEU CIDEr-D', []],
    ['WMD', ['glove.vectors']],
    ['SPICE', ['english.lexicon', 'english.scene-graphs', 'english.tagger']],
  ])('reads only the language data that the metrics need: %s', (metrics, expected) => {
    // Writes the name of each file that is opened by the process or by one of its threads.
    const report = `data:text/javascript,${encodeURIComponent(`
      import fs from 'node:fs'
      import { syncBuiltinESMExports } from 'node:module'
      for (const name of ['openSync', 'readFileSync']) {
        const read = fs[name]
        fs[name] = (file, ...rest) => {
          if (typeof file === 'string') fs.writeSync(2, 'opened ' + file.split(/[\\\\/]/).at(-1) + '\\n')
          return read(file, ...rest)
        }
      }
      syncBuiltinESMExports()
    `)}`
    const files = [path('human.json'), path('poor.json.gz'), '--allow-missing']
    const words = ['--import', report, PROGRAM, 'score', ...files, '--metrics', ...metrics.split(' ')]
    const { status, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' })
    const opened = Array.from(stderr.matchAll(/^opened (\S+)$/gm), ([, name]) => name)
    expect(status, stderr).toBe(0)
    expect(opened).toContain('human.json')
    const data = opened.filter((name) =>
      /^(english\.(lexicon|scene-graphs|tagger)|glove\.vectors)$/.test(name),
    )
    expect([...new Set(data)].sort()).toEqual(expected)
  })

  it('misses captions of images with one human caption, and none of images without any', async () => {
    write('one.json', cocoCaptions({ 1: ['A dog.', 'A dog runs.'], 2: ['A cat.'], 3: [] }))
    write('first.json', cocoResults({ 1: 'a dog' }))
    const { code, stderr } = await run('score one.json first.json --metrics BLEU')
    expect(code).toBe(1)
    expect(stderr).toContain('expected all 2 images of the dataset with captions, found 1, without 2')
  })

  it('leaves out images without human captions, and says how many', async () => {
    write('all.json', cocoResults({ ...GOOD, 99: 'a dog' }))
    const { code, stdout, stderr } = await run('score human.json all.json --metrics ROUGE-L')
    expect(code, stderr).toBe(0)
    expect(stdout + stderr).toContain('Not scored, without human captions: 1 image.')
  })

  it('compares every system with the first, on the images of both', async () => {
    const files = 'human.json captions_val2017_good_results.json poor.json.gz most.json --allow-missing'
    const { scores } = await jsonOf(`${files} --significance --metrics ROUGE-L CIDEr`)
    const [good, poor, most] = ['good', 'poor', 'most'].map((name) =>
      scores.filter(({ system }: Json) => system === name).map(({ comparison }: Json) => comparison),
    )
    expect(good).toEqual([null, null])
    // Equal figures, and those that cannot be compared, are no tests.
    expect(poor[0]).toMatchObject({
      imageCount: 12,
      undefinedReason: null,
      alone: { better: 'SECOND' },
      together: { better: 'SECOND', tests: 2 },
      conclusion: expect.stringMatching(/^good is better than poor by ROUGE-L: \+\.\d{3} \[/),
    })
    expect(poor[0].difference).toBeLessThan(0)
    expect(poor[0].together.interval.upper).toBeLessThan(0)
    expect(most[0]).toMatchObject({
      imageCount: 11,
      difference: 0,
      alone: { pValue: 1, better: null },
      together: { pValue: 1, better: null },
      conclusion: 'most and good have the same scores by ROUGE-L.',
    })
    expect(most[1]).toMatchObject({ difference: null, undefinedReason: 'OTHER_DOCUMENT_FREQUENCIES' })
  })

  it('prints one table of all systems, in any format', async () => {
    const files = 'human.json captions_val2017_good_results.json poor.json.gz --allow-missing --significance'
    const wide = await run(`score ${files} --metrics METEOR BLEU_1`)
    const [answer, scores, differences, sizes] = wide.stdout.split('\n\n')
    const unnamed = await run(`score ${files}`)
    expect(unnamed.stdout).toMatch(/^good is better than poor by CIDEr-D: /)
    // The metric that is named first is the question.
    expect(answer).toMatch(
      /^good is better than poor by METEOR: \+\.\d+ \[[^\]]+\], p < \.0001,\s12\simages\.$/,
    )
    expect(scores).toMatch(
      /^system +BLEU-1 +METEOR\n─+\ngood( +\d?\.\d{3}){2}\npoor( +\d?\.\d{3}){2}\n +\[\.\d{3}, \.\d{3}\] +±\.\d{3}$/,
    )
    const figures = ' +−\\d?\\.\\d{3} +\\[−\\.\\d{3}, −\\.\\d{3}\\]( +< \\.0001){2}'
    expect(differences.split('\n').toSpliced(1, 1)).toEqual([
      expect.stringMatching(/^figure +first +second +diff\. +95 % interval +p +p alone$/),
      expect.stringMatching(`^BLEU-1 +poor +good \\+${figures}$`),
      expect.stringMatching(`^METEOR +poor +good \\+${figures}$`),
    ])
    expect(sizes).toMatch(/^2 to 3 references per image, over 12 images\.\n/)
    expect(sizes).toMatch(/\nFirst minus second, on 12 images that both have\. \+ marks the better one, by a/)
    const { stdout } = await run(`score ${files} --metrics BLEU_1 METEOR --layout long`)
    const [, table, notes] = stdout.split('\n\n')
    expect(table.split('\n')).toEqual([
      expect.stringMatching(/^metric +system +score +95 % interval +diff\. +95 % interval +p +p alone$/),
      expect.stringMatching(/^─+$/),
      expect.stringMatching(/^BLEU-1 {2}good +\d?\.\d{3} +(–|\[[.\d]+, [.\d]+\])$/),
      expect.stringMatching(/^ +poor +\.\d{3} +.* +−\.\d{3} +\[−\.\d{3}, −\.\d{3}\]( +< \.0001){2}$/),
      expect.stringMatching(/^─+$/),
      expect.stringMatching(/^METEOR {2}good/),
      expect.stringMatching(/^ +poor/),
    ])
    expect(notes).toContain('2 to 3 references per image, over 12 images.\n')
    const csv: Json[] = parse((await run(`score ${files} --metrics BLEU-1 --format csv`)).stdout, {
      columns: true,
    })
    expect(csv.map(({ system, metric }) => [system, metric])).toEqual([
      ['good', 'BLEU-1'],
      ['poor', 'BLEU-1'],
    ])
    expect(Number(csv[1]['comparison.difference'])).toBeLessThan(0)
    const { stdout: markdown } = await run(`score ${files} --metrics BLEU-1 --format markdown --percent`)
    expect(markdown).toMatch(/^\| good \| \*\*\d+\.\d\*\* \|/m)
    // The best is bold without a test too, and wherever it stands.
    const untested = await run(
      'score human.json poor.json.gz captions_val2017_good_results.json --allow-missing --metrics BLEU-1 --format latex',
    )
    expect(untested.stdout).toMatch(/^ {2}poor & \.\d+ \\\\$[\s\S]*^ {2}good & \\textbf\{\d?\.\d+\} \\\\$/m)
  })

  it.each([
    ['--fail-below rouge_l=.9', 'good', 0, ''],
    ['--fail-below ROUGE-L=.2', 'poor', 3, /^accord: poor has ROUGE-L \.\d{3}, below \.200$/m],
    [
      '--fail-below METEOR=.2',
      'poor',
      2,
      /^accord: --fail-below: the metric was not computed: expected one of ROUGE-L, found "METEOR"$/m,
    ],
    ['--fail-below ROUGE-L=20 --percent', 'poor', 3, /^accord: poor has ROUGE-L \d\d?\.\d, below 20\.0$/m],
    [
      '--fail-below ROUGE-L=20',
      'poor',
      2,
      /^accord: --fail-below: no score by ROUGE-L is beyond this: expected 0 to 1, or --percent, found 20$/m,
    ],
    ['--fail-below METEOR', 'poor', 2, /Expected a metric and a score, such as CIDEr-D=\.97\./],
    [
      '--fail-if-worse captions_val2017_good_results.json',
      'poor',
      3,
      /^accord: poor is worse than good by \.\d{3} on ROUGE-L \(p < \.0001\)$/m,
    ],
    ['--fail-if-worse poor.json.gz', 'good', 0, ''],
    // The baseline is below.
    ['--fail-if-worse poor.json.gz --fail-below ROUGE-L=.4', 'good', 0, ''],
  ])('with %s, %s exits with %i', async (condition, system, code, message) => {
    const file = system === 'good' ? 'captions_val2017_good_results.json' : 'poor.json.gz'
    const outcome = await run(`score human.json ${file} ${condition} --allow-missing --metrics ROUGE-L`)
    expect(outcome.code).toBe(code)
    expect(outcome.stderr).toMatch(message)
    if (code === 3) expect(outcome.stdout).toContain('ROUGE-L')
  })

  it.each([
    ['plain', (bytes: Buffer) => bytes],
    ['gzip', gzipSync],
  ])('reads standard input, %s', (_kind, encode) => {
    const input = encode(readFileSync(path('captions_val2017_good_results.json')))
    const words = [
      'score',
      path('human.json'),
      '-',
      '--allow-missing',
      '--metrics',
      'ROUGE-L',
      '--format',
      'csv',
    ]
    const { status, stdout } = spawnSync(process.execPath, [PROGRAM, ...words], { input, encoding: 'utf8' })
    expect({ status, rows: stdout.split('\n').length }).toEqual({ status: 0, rows: 3 })
    expect(stdout).toMatch(/^ROUGE-L,stdin,2,3,,12,0,0\.\d+,/m)
  })

  it('notes how images were found, and what was left out', async () => {
    const named = Object.entries(GOOD).map(([id, caption]) => [
      `COCO_val2014_${id.padStart(12, '0')}.jpg`,
      caption,
    ])
    write('named.json', { predictions: cocoResults(Object.fromEntries(named)) })
    const options = '--allow-extra --metrics ROUGE-L'
    const { scores, notes } = await jsonOf(
      `human.json captions_val2017_good_results.json named.json more.json ${options}`,
    )
    expect(new Set(scores.map(({ value }: Json) => value)).size).toBe(1)
    expect(notes).toContain(
      'named: 12 images matched by number at the end of the name: "COCO_val2014_000000000001.jpg" is 1 (1.jpg),' +
        ' "COCO_val2014_000000000002.jpg" is 2 (2.jpg), "COCO_val2014_000000000003.jpg" is 3 (3.jpg).',
    )
    expect(notes).toContain('good, more: 12 images matched by id: 1 (1.jpg), 2 (2.jpg), 3 (3.jpg).')
    expect(notes).toContain('more: 1 caption of an image that the dataset does not have was left out.')
  })

  describe('files with other columns than the usual ones', () => {
    const valuesOf = ({ scores }: Json) => scores.map(({ value }: Json) => value)
    const csv = (name: string, header: string, rows: readonly (readonly string[])[]) =>
      write(name, `${[header, ...rows.map((row) => row.join())].join('\n')}\n`)

    beforeAll(() => {
      const two = Object.entries(HUMAN).map(([id, [first, second]]) => [id, first, second])
      write('two.json', cocoCaptions(Object.fromEntries(two.map(([id, ...captions]) => [id, captions]))))
      csv('people.csv', 'pic,said_1,said_2', two)
      write(
        'lines.json',
        Object.entries(GOOD)
          .map(([id, said]) => JSON.stringify({ picture: Number(id), prompt: 'Say it.', words: said }))
          .join('\n'),
      )
      csv(
        'both.csv',
        'pic,first,model',
        two.map(([id, first]) => [id, first, (GOOD as Record<string, string>)[id]]),
      )
    })

    it('are read by the names that are given, of each file those that it has', async () => {
      const right = valuesOf(await jsonOf('two.json captions_val2017_good_results.json'))
      const people = path('people.csv')
      expect(
        valuesOf(
          await jsonOf(`${people} captions_val2017_good_results.json --columns image=pic,caption=said_*`),
        ),
      ).toEqual(right)
      expect(
        valuesOf(await jsonOf(`two.json lines.json --columns image=picture --columns caption=words`)),
      ).toEqual(right)
      const both = path('both.csv')
      const columns = '--columns image=pic,references=first,caption=model'
      expect((await jsonOf(`${both} ${both} ${columns}`)).scores[0].references).toEqual({
        least: 1,
        most: 1,
        folds: null,
      })
      const { stderr } = await run(
        'score two.json lines.json --columns image=picture,caption=words,references=gold',
      )
      expect(stderr).toContain('no file has the column: ')
      expect((await run('score two.json lines.json --columns picture=a')).stderr).toContain(
        'Expected image=NAME, caption=NAME',
      )
    })

    it('are refused with a command that reads them', async () => {
      for (const words of [
        'two.json lines.json',
        `${path('people.csv')} captions_val2017_good_results.json`,
      ]) {
        const { code, stderr } = await run(`score ${words}`)
        expect(code).toBe(1)
        const [, command] = /^This reads it:\n {2}accord (.*)$/m.exec(stderr) ?? []
        const { code: again, stderr: remarks } = await runHere(command.split(' '), {}, path('.'))
        expect(again, remarks).toBe(0)
      }
    })
  })

  describe('where the files of images have the numbers of other images', () => {
    const fileOf = (id: string) => `${(Number(id) % 12) + 1}.tif`
    const renamed = (captions: Record<string, unknown>, nameOf: (id: string) => string) =>
      Object.fromEntries(Object.entries(captions).map(([id, caption]) => [nameOf(id), caption]))

    beforeAll(() => {
      const { images: all, annotations } = cocoCaptions(HUMAN)
      const named = all.map((image) => ({ ...image, file_name: fileOf(String(image.id)) }))
      write('rotated.json', { images: named, annotations })
      write(
        'rotated-png.json',
        renamed(GOOD, (id) => fileOf(id).replace('.tif', '.png')),
      )
      write('rotated-numbers.json', GOOD)
      write(
        'dogs.json',
        renamed(HUMAN, (id) => `dog/${id}.jpg`),
      )
      write(
        'cats.json',
        renamed(GOOD, (id) => `cat/${id}.jpg`),
      )
    })

    it('takes file names before numbers, and shows the rule with three images', async () => {
      const valuesOf = ({ scores }: Json) => scores.map(({ value }: Json) => value)
      const right = await jsonOf('human.json captions_val2017_good_results.json')
      const { matching, ...scored } = await jsonOf('rotated.json rotated-png.json')
      expect(valuesOf(scored)).toEqual(valuesOf(right))
      expect(matching).toEqual([
        {
          file: path('rotated-png.json'),
          match: 'stem',
          imageCount: 12,
          pairs: [1, 2, 3].map((id) => ({
            name: `${id + 1}.png`,
            imageId: String(id),
            fileName: `${id + 1}.tif`,
          })),
        },
      ])
      const compared = await run(
        'compare rotated.json rotated-png.json captions_val2017_good_results.json --json',
      )
      expect(JSON.parse(compared.stdout).matching.map(({ match }: Json) => match)).toEqual(['stem', 'id'])
    })

    it('refuses numbers that are ids of some and names of others, unless --match says which', async () => {
      const { code, stderr } = await run('score rotated.json rotated-numbers.json')
      expect(code).toBe(2)
      expect(stderr).toContain(
        'two rules match other images: expected the rule: --match id, name, stem or number, found "1", which is 1 (2.tif) by id,' +
          ' and 12 (1.tif) by file name without folder and extension',
      )
      const matchOf = async (words: string) =>
        (await jsonOf(`rotated.json rotated-numbers.json ${words}`)).matching
      expect(await matchOf('--match id')).toMatchObject([
        { match: 'id', pairs: [{ name: '1', imageId: '1' }, {}, {}] },
      ])
      expect(await matchOf('--match stem')).toMatchObject([
        { match: 'stem', pairs: [{ name: '1', imageId: '12' }, {}, {}] },
      ])
    })

    it('does not take imgid of Karpathy’s JSON, which counts images, for numbers of files', async () => {
      const ids = Object.keys(HUMAN)
      const described = ids.map((id, index) => ({
        filename: `${id}.tif`,
        imgid: index,
        split: 'test',
        sentences: HUMAN[id].map((raw) => ({ raw })),
      }))
      write('karpathy.json', { images: described, dataset: 'ucm' })
      write(
        'counted.json',
        renamed(GOOD, (id) => String(ids.indexOf(id))),
      )
      const { stderr } = await run('score karpathy.json counted.json')
      expect(stderr).toContain('two rules match other images')
      expect(stderr).toContain(
        'found "0", which is no image by file name without folder and extension, and 1.tif by imgid',
      )
      const some = await run('score karpathy.json counted.json --allow-extra --allow-missing')
      expect(some.stderr).toContain('by imgid')
      const named = await jsonOf('karpathy.json rotated-numbers.json --match stem')
      expect(named.matching).toMatchObject([{ match: 'stem', imageCount: 12 }])
      // Images that have an id are not matched by another number.
      write('cocoids.json', { images: described.map((image, index) => ({ ...image, cocoid: index + 1 })) })
      expect((await jsonOf('cocoids.json rotated-numbers.json')).matching).toMatchObject([{ match: 'id' }])
    })

    it('does not take images of one folder for those of another', async () => {
      const { code, stderr } = await run('score dogs.json cats.json')
      expect(code).toBe(1)
      expect(stderr).toContain('(without its folder it is one: --match stem), found "cat/1.jpg"')
      expect((await jsonOf('dogs.json cats.json --match stem')).matching).toMatchObject([{ imageCount: 12 }])
    })
  })

  it('notes markup of models, and scores captions without it as if there was none', async () => {
    const marked = Object.entries(GOOD).map(([id, caption]) => [id, `Assistant: **${caption}**</s>`])
    write('marked.json', cocoResults(Object.fromEntries(marked)))
    const kept = await jsonOf('human.json marked.json --metrics CIDEr-D')
    expect(kept.notes).toContain(
      '12 of 12 captions have markup of models (</s>, Markdown, "Assistant:"); --strip-markup removes it.',
    )
    const stripped = await jsonOf('human.json marked.json --metrics CIDEr-D --strip-markup')
    expect(stripped.notes).toContain(
      'Markup of models was removed from 12 of 12 captions (</s>, Markdown, "Assistant:").',
    )
    const plain = await jsonOf(
      'human.json captions_val2017_good_results.json --metrics CIDEr-D --strip-markup',
    )
    const figuresOf = ({ scores: [{ value, signature, record }] }: Json) => ({ value, signature, record })
    expect(figuresOf(stripped)).toEqual(figuresOf(plain))
    expect(figuresOf(kept).value).toBeLessThan(figuresOf(plain).value)
  })

  it.each([
    [
      'human.json most.json',
      'images are missing: expected all 12 images of the dataset with captions, found 11, without 12 (--allow-missing: accept',
    ],
    ['human.json more.json', 'found "100" (--allow-extra: leave out captions of images that'],
    [
      'human.json human.json',
      /human.json: annotations\[1\].image_id: duplicate image \(are the files swapped\?\)/,
    ],
    ['nowhere.json most.json', 'nowhere.json: file not found'],
    [
      'human.json most.json --allow-missing --metrics TER',
      /expected a composite metric of a database \(accord.sqlite: no database found; an import creates one\), or one of BLEU-1.*, found "TER"$/m,
    ],
    [
      'human.json most.json --metrics METEER',
      /expected one of BLEU-1.*, found "METEER"; did you mean METEOR\?$/m,
    ],
  ])('fails in one line: %s', async (words, message) => {
    const { code, stdout, stderr } = await run(`score ${words}`)
    expect({ code, stdout }).toEqual({ code: /TER$|METEER$|^nowhere/.test(words) ? 2 : 1, stdout: '' })
    expect(stderr).toMatch(message)
    expect(stderr.split('\n').filter((line) => line.startsWith('accord: '))).toHaveLength(1)
  })
})

it('loads neither SQLite nor the validator of schemas', async () => {
  const list = `import module from 'node:module'
    process.on('exit', () => process.stderr.write(Object.keys(module._cache).join('\\n')))`
  const { code, stderr } = await outcomeOf(
    start('score human.json captions_val2017_good_results.json', {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(list)}`,
    }),
  )
  expect(code, stderr).toBe(0)
  const packages = [...stderr.matchAll(/node_modules\/([^/]+)\/.*$/gm)].map(([, name]) => name)
  expect(packages).toContain('commander')
  expect(packages.filter((name) => /^(ajv|better-sqlite3.*)$/.test(name))).toEqual([])
})

it('says how long captions are, and writes a score that is nearly 0 as less than the last decimal', async () => {
  const long = ' and more of the same'.repeat(12)
  write(
    'brief.json',
    cocoCaptions({ 1: ['a dog runs', 'the dog runs'], 2: ['a cat sleeps', 'the cat sleeps'] }),
  )
  write('wordy.json', cocoResults({ 1: `a dog runs${long}`, 2: `a cat sleeps${long}` }))
  const { stdout } = await run('score brief.json wordy.json --metrics CIDEr-D ROUGE-L')
  expect(stdout).toMatch(/^wordy +\.\d{3}( +< \.001){2}$/m)
  expect(stdout.replaceAll('\n', ' ')).toContain(
    'Words per caption: wordy 63.0; references 3.0. Of another length than the references: wordy (21.0 times as long). ROUGE-L and CIDEr-D depend on length; accord coverage compares captions of any length with people.',
  )
  const json = JSON.parse((await run('score brief.json wordy.json --metrics CIDEr-D --json')).stdout)
  expect(json.scores[0]).toMatchObject({ wordsPerCaption: 63, wordsPerReference: 3 })
  expect(json.scores[0].value).toBeGreaterThan(0)
  expect(json.scores[0].value).toBeLessThan(0.001)
})

it('has CIDEr-D with the built-in document frequencies beside the toolkit’s figure, with an interval', async () => {
  const scoresOf = async (options: string) =>
    (await jsonOf(`human.json poor.json.gz --metrics CIDEr-D METEOR${options}`)).scores
  const [[own, meteor], [chosen]] = [await scoresOf(''), await scoresOf(' --document-frequencies coco')]
  expect(own).toMatchObject({ interval: null, undefinedReason: 'OWN_DOCUMENTS' })
  expect(own.signature).toContain('|df:own-')
  expect(own.coco).toEqual({ value: chosen.value, interval: chosen.interval, signature: chosen.signature })
  expect(own.coco.interval.lower).toBeLessThan(own.coco.value)
  expect([chosen.coco, meteor.coco]).toEqual([null, null])
  const [german] = await scoresOf(' --language de')
  expect(german.coco).toBeNull()
})

describe('a metric of the user’s own', () => {
  write('people.json', cocoCaptions({ 1: ['A dog runs.', 'The dog runs!'], 2: ['A cat.', 'The cat.'] }))
  write('ours.json', cocoResults({ 1: 'A dog sleeps', 2: 'the cat' }))
  const [, documented] = readDocument('docs/metrics.md').match(/^```js\n(.*?)^```$/ms) ?? []
  write('overlap.js', documented)
  write(
    'first.mjs',
    "export default { name: 'first', lowest: 0, highest: 1, score: (own, [other]) => +(own[0] === other[0]) }",
  )

  it('is computed beside the default ones, or where it is named, with the hash of its module', async () => {
    const beside = await jsonOf('people.json ours.json --metric-module overlap.js first.mjs')
    const named = await jsonOf('people.json ours.json --metric-module overlap.js first.mjs --metrics first')
    const own = beside.scores.slice(-2)
    expect(own.map(({ metric, value }: Json) => [metric, value])).toEqual([
      ['overlap', (2 / 3 + 1) / 2],
      ['first', 1 / 2],
    ])
    expect(own[0].signature).toMatch(/^overlap\|module:[\da-f]{8}\|/)
    expect(own[1].signature).toContain('|text:raw|')
    expect(beside.scores.map(({ metric }: Json) => metric)).toContain('METEOR')
    expect(named.scores).toEqual([own[1]])
  })

  it('has the figure of people, and is compared with them, where captions are in files', async () => {
    const { stdout } = await run('agreement people.json --metric-module overlap.js --metrics overlap --json')
    expect(JSON.parse(stdout).scores[0]).toMatchObject({ metric: 'overlap', mean: (2 / 3 + 1 / 2) / 2 })
    const compared = await run(
      'compare people.json ours.json --people --metric-module overlap.js --metrics overlap --json',
    )
    expect(compared.stdout).toContain('"overlap"')
    const ofDataset = await run('agreement --dataset people --metric-module overlap.js')
    expect(ofDataset).toMatchObject({ code: 2, stderr: expect.stringContaining('is for files') })
  })

  it.each([
    ['export default 3', 'name: the default export is no metric: expected letters, digits'],
    [
      "export default { name: 'a', lowest: 1, highest: 1, score() {} }",
      'highest: the default export is no metric',
    ],
    [
      "export default { name: 'a', lowest: 0, highest: 1, scores() {} }",
      'score: the default export is no metric: expected a function',
    ],
    [
      "export default { name: 'a', lowest: 0, highest: 1, score() {}, higher: true }",
      'higher: the default export has an unknown field',
    ],
    [
      "export default { name: 'meteor', lowest: 0, highest: 1, score: () => 1 }",
      'the name is that of another metric: expected another name, found meteor',
    ],
    [
      "export default { name: 'a', lowest: 0, highest: 1, score: () => 2 }",
      'the caption "A dog sleeps": the score is outside of its range: expected a number from 0 to 1, found 2',
    ],
    [
      "export default { name: 'a', lowest: 0, highest: 1, score: () => NaN }",
      'expected a number from 0 to 1, found NaN',
    ],
    ['export default', 'the module cannot be loaded'],
  ])('is refused where it is wrong: %s', async (content, message) => {
    const file = `wrong-${content.length}.mjs`
    write(file, content)
    const { code, stdout, stderr } = await run(`score people.json ours.json --metric-module ${file}`)
    const isUsage = message.startsWith('the name is') || message === 'the module cannot be loaded'
    expect({ code, stdout }).toEqual({ code: isUsage ? 2 : 1, stdout: '' })
    expect(stderr).toContain(message)
  })
})

describe('annotated objects', () => {
  write('animals.json', cocoCaptions({ 1: ['a dog runs', 'the dog runs'], 2: ['a cat', 'the cat'] }))
  write('seen.json', cocoResults({ 1: 'a dog and a man', 2: 'a cat and a bus' }))
  write('objects.csv', 'image_id,objects\n1,dog|person\n2,\n9,car\n')

  it('confirm mentions beside references', async () => {
    const scoresOf = async (options: string) =>
      JSON.parse(
        (await run(`score animals.json seen.json --metrics CHAIR object-recall --json${options}`)).stdout,
      ).scores
    const [without, withObjects] = [await scoresOf(''), await scoresOf(' --objects objects.csv')]
    expect(without.map(({ metric, value }: Json) => [metric, value])).toEqual([
      ['CHAIR-i', 2 / 4],
      ['CHAIR-s', 1],
      ['object-recall', 1],
    ])
    expect(withObjects.map(({ value }: Json) => value)).toEqual([1 / 4, 1 / 2, 1])
    expect(withObjects[0].signature).toMatch(
      /^CHAIR-i\|objects:coco80\|words:own\|.*\|res:objects-[0-9a-f]{8}\|/,
    )
    expect(without[0].signature).not.toContain('res:')
  })

  it('count by the first terms of concepts, as those that are imported', async () => {
    write('concepts.json', {
      images: [1, 2].map((id) => ({ id, width: 9, height: 9 })),
      annotations: [1, 2].map((id) => ({ id, image_id: 1, category_id: id, bbox: [0, 0, 5, 5] })),
      categories: [
        { id: 1, name: 'dog.n.01' },
        { id: 2, name: 'person, adult' },
      ],
    })
    const metrics = '--metrics CHAIR-i open-CHAIR-i --json'
    const figuresOf = ({ code, stdout, stderr }: Outcome) => {
      expect(code, stderr).toBe(0)
      return JSON.parse(stdout).scores.map(({ metric, value, signature }: Json) => [
        metric,
        value,
        /res:objects-\w+/.exec(signature)?.[0],
      ])
    }
    const named = figuresOf(await run(`score animals.json seen.json ${metrics} --objects objects.csv`))
    expect(figuresOf(await run(`score animals.json seen.json ${metrics} --objects concepts.json`))).toEqual(
      named,
    )
    const imported = async (words: string) =>
      runHere(`${words} --database concepts.sqlite`.split(' '), {}, path('.'))
    await imported(`import captions ${path('animals.json')} --dataset animals`)
    await imported(`import results ${path('seen.json')} --dataset animals --system seen`)
    const { stdout } = await imported(`import objects ${path('concepts.json')} --dataset animals`)
    expect(stdout).not.toContain('person, adult')
    expect(figuresOf(await imported(`evaluate --dataset animals --system seen ${metrics}`))).toEqual(named)
  })

  it.each([
    ['image_id,objects\n1,unicorn\n', 'line 2, objects: unknown object'],
    ['image_id,objects\n7,dog\n', 'no image of the references has annotated objects'],
    [
      '{"images": [], "annotations": [], "categories": []}',
      'no image of the references has annotated objects',
    ],
  ])('are refused where they are not of the images: %s', async (content, message) => {
    write('wrong.csv', content)
    const { code, stdout, stderr } = await run(
      'score animals.json seen.json --metrics CHAIR --objects wrong.csv',
    )
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' })
    expect(stderr).toContain(message)
  })

  it('are found by the words of a file, and as the published program finds them', async () => {
    write('words.csv', 'object,words\ndog,dog|man\nbus,bus\n')
    const valuesOf = async (options: string) => {
      const { stdout } = await run(
        `score animals.json seen.json --metrics CHAIR --json --object-words ${options}`,
      )
      return JSON.parse(stdout).scores.map(({ value }: Json) => value)
    }
    // Mentions: dog, dog; bus, which no reference has.
    expect(await valuesOf('words.csv')).toEqual([1 / 3, 1 / 2])
    // The singular of bus is bu.
    expect(await valuesOf('words.csv --chair-compatible')).toEqual([0, 0])
    const { code, stderr } = await run('score animals.json seen.json --metrics CHAIR --chair-compatible')
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('--object-words') })
  })

  it.each([
    ['object,words\ndog,\n', 'line 2, words: incomplete row'],
    ['object,words\ndog,dog\ndog,puppy\n', 'line 3, object: duplicate object'],
    ['object,words\n,\n', 'no objects'],
    ['name,words\ndog,dog\n', 'the header object,words'],
  ])('refuse words that are none: %s', async (content, message) => {
    write('wrong-words.csv', content)
    const { code, stderr } = await run(
      'score animals.json seen.json --metrics CHAIR --object-words wrong-words.csv',
    )
    expect(code).toBe(message === 'no objects' ? 2 : 1)
    expect(stderr).toContain(message)
  })

  it('are refused by captions in another language', async () => {
    const { code, stderr } = await run(
      'score animals.json seen.json --metrics CHAIR --language de --objects objects.csv',
    )
    expect(code).toBe(1)
    expect(stderr).toContain('needs English')
  })
})
