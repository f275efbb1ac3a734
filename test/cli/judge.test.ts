import { existsSync } from 'node:fs'
import { beforeAll, describe, expect, it } from 'vitest'
import { openMetricRegistry } from '../../src/compute/resources.js'
import { loadMetrics } from '../../src/services/shared/load-metrics.js'
import { insertArtefact } from '../../src/store/metrics.js'
import { temporaryFolder } from '../formats/kit.js'
import { simpleComposite } from '../kit/composites.js'
import { initWorld, type Json } from '../kit/seed.js'
import { runHere, workbench } from './kit.js'

/** Two images, six times each. */
const RECORDS = [
  {
    image_id: 1,
    references: ['A dog runs on grass.', 'The dog is running.'],
    captions: [
      { caption: 'A dog runs.', ratings: [4, 3] },
      { caption: 'A car.', ratings: [1, 1] },
    ],
  },
  {
    image_id: 2,
    references: ['A cat sleeps.', 'The cat is asleep.'],
    captions: [
      { caption: 'The cat is asleep.', ratings: [4, 4] },
      { caption: 'A dog.', ratings: [2, 1] },
    ],
  },
].flatMap((record) =>
  Array.from({ length: 6 }, (_, copy) => ({ ...record, image_id: 10 * record.image_id + copy })),
)

describe('human judgements', () => {
  const { run, write, path, content, folder } = workbench()

  it('are imported, and metrics are judged by them', async () => {
    write('rated.jsonl.gz', RECORDS.map((record) => JSON.stringify(record)).join('\n'))
    const imported = await run('import judgements rated.jsonl.gz --dataset rated')
    expect(imported.stdout).toBe(`Imported judgements as new dataset rated
  images       12, with their references as human captions
  captions     24 judged
  judgements   48 ratings
`)
    const judge = 'judge --dataset rated --metric ROUGE-L --compare ROUGE-L BLEU-1 --resamples 100'
    const [table, json, csv, details] = await Promise.all(
      ['table', 'json', 'csv', 'table --details'].map((format) => run(`${judge} --format ${format}`)),
    )
    expect(table.stdout).toMatch(/metric +cluster +τ-c +95 % interval +p +captions\n/)
    expect(table.stdout.split('\n').length).toBeLessThan(24)
    expect(details.stdout).toMatch(/metric +cluster +τ-b +τ-c +95 % interval +p +effective n\n/)
    expect(details.stdout).toContain('Captions of the same image:')
    expect(table.stdout).toMatch(/^The highest τ-c is that of BLEU-1 and ROUGE-L \(\.\d+\)\.\n/)
    expect(table.stdout).toMatch(/rater by another +\.\d+.*\nrater by the others +\.\d+/)
    expect(table.stdout).toContain('48 ratings of 24 captions of 12 images.')
    const { rows, raters, comparison, ...rest } = JSON.parse(json.stdout)
    expect(rest).toMatchObject({
      dataset: 'rated',
      kind: 'RATINGS',
      judgementCount: 48,
      captionCount: 24,
      imageCount: 12,
      referenceCaptionCount: 6,
    })
    expect(Object.keys(rows[0])).toEqual([
      ...['metric', 'cluster', 'tauB', 'tauC', 'interval', 'pValue', 'chancePValue', 'effectiveCount'],
      ...['spearman', 'pearson', 'undefinedReason', 'published', 'contests', 'baselines'],
      ...['isChosenByJudgements', 'unscoredCaptionCount', 'signature'],
    ])
    expect(rows.map(({ metric }: { metric: string }) => metric)).toEqual(['BLEU-1', 'ROUGE-L'])
    expect(raters.agreement.raterCount).toBeNull()
    expect(comparison).toMatchObject({ first: 'ROUGE-L', second: 'BLEU-1' })
    expect(csv.stdout).toMatch(
      /^metric,cluster\.cluster,cluster\.pValue,tauB,tauC,interval\.lower,interval\.upper,pValue,[^\n]+\nBLEU-1,/,
    )
  })

  it('judge metrics without a database, from a file with references', async () => {
    write('few.jsonl', RECORDS.map((record) => JSON.stringify(record)).join('\n'))
    const judge = '--metric ROUGE-L --resamples 100 --format json --database none.sqlite'
    const { code, stdout, stderr } = await run(`judge few.jsonl ${judge}`)
    expect(code, stderr).toBe(0)
    const stored = await run('judge --dataset rated --metric ROUGE-L --resamples 100 --format json')
    const { dataset, ...judged } = JSON.parse(stdout)
    expect(dataset).toBe('few')
    expect(judged.rows.map(({ metric, tauC }: Json) => [metric, tauC])).toEqual(
      JSON.parse(stored.stdout).rows.map(({ metric, tauC }: Json) => [metric, tauC]),
    )
    expect(existsSync(path('none.sqlite'))).toBe(false)
    write('unreferenced.jsonl', '{"image_id":1,"captions":[{"caption":"a dog","ratings":[1]}]}')
    expect((await run(`judge unreferenced.jsonl ${judge}`)).stderr).toMatch(
      /unreferenced\.jsonl: the judgements have no reference captions: expected references in the file/,
    )
    expect((await run('judge few.jsonl --dataset rated')).code).toBe(2)
  })

  it('and scores are imported by the names of their columns, and matched by the rule that is given', async () => {
    const images = ['1', '2', '3']
    const rows = images.map((id) => `${id}.png,a dog ${id},${id},"['a dog ${id}', 'one dog ${id}']"`)
    write('stars.csv', `pic,said,stars,gold\n${rows.join('\n')}\n`)
    const imported = await run(
      'import judgements stars.csv --dataset stars --columns image=pic,caption=said,rating=stars,references=gold',
    )
    expect([imported.code, imported.stderr]).toEqual([0, ''])
    expect(imported.stdout).toContain('judgements   3 ratings')
    write('named.csv', `picture,said,clip\n${images.map((id) => `${id}.jpg,a dog ${id},.5`).join('\n')}\n`)
    const scores =
      'import metric-scores named.csv --dataset stars --metric Clip --metric-version 1 --range 0 1'
    const columns = '--columns image=picture,caption=said,score=clip'
    expect((await run(`${scores} ${columns} --match id`)).stderr).toContain('unknown image')
    expect((await run(`${scores} ${columns}`)).stdout).toContain(
      '3 images matched by file name without folder and extension: "1.jpg" is 1.png',
    )
    await run('remove dataset stars --yes')
  })

  it('judge scores of another program, by its command or in a file', async () => {
    const program = `process.stdin.setEncoding('utf8'); let text = ''
      process.stdin.on('data', (part) => (text += part)).on('end', () => {
        for (const line of text.trim().split('\\n')) {
          const { caption, references, image_id } = JSON.parse(line)
          console.log(JSON.stringify({ image_id, score: references.includes(caption) ? 2 : caption.length / 100 }))
        }
      })`
    write('external.mjs', program)
    const judge = ['judge', '--dataset', 'rated', '--resamples', '100', '--format', 'json']
    const imports = ['import', 'metric-scores', '--dataset', 'rated', '--metric']
    const stated = ['--metric-version', '7 large', '--range']
    const command = ['--metric-command', `"${process.execPath}" "${path('external.mjs')}"`]
    const imported = await run([...imports, 'Mine', ...stated, '0', '2', ...command])
    expect(imported.stdout).toBe(
      'Imported scores by the new metric Mine\n  people          on folds\n  judged          24 captions\n' +
        '12 images matched by id: 10, 11, 12.\n',
    )
    const scored = RECORDS.flatMap(({ image_id, references, captions }) =>
      captions.map(({ caption }) => ({
        image_id,
        caption,
        score: -(references.includes(caption) ? 2 : caption.length / 100),
      })),
    )
    const toLines = (records: readonly object[]) => records.map((record) => JSON.stringify(record)).join('\n')
    write('scores.jsonl', toLines(scored))
    write('few.jsonl', toLines(scored.slice(1)))
    const lower = [...stated, '-2', '0', '--lower-is-better']
    const before = content()
    const failed = await Promise.all([
      run([...imports, 'Few', ...lower, path('few.jsonl')]),
      run([...imports, 'Few', path('scores.jsonl')]),
      run([...imports, 'Few', ...stated.slice(0, 2), path('scores.jsonl')]),
      run([...imports, 'meteor', ...lower, path('scores.jsonl')]),
      run([...imports, 'mine', ...lower, path('scores.jsonl')]),
      run([...imports, 'Few', ...lower, path('scores.jsonl'), ...command]),
    ])
    expect(failed.map(({ code }) => code)).toEqual([1, 2, 2, 2, 2, 2])
    const errors = failed.map(({ stderr }) => stderr.split('\n').find((line) => line.startsWith('accord: ')))
    expect(errors.map((error) => error?.replace(`${folder}/`, ''))).toEqual([
      'accord: few.jsonl: a score is missing: expected a score of the judged caption "A dog runs." for image "10", found none',
      expect.stringMatching(/^accord: --metric-version: invalid version of the metric: .*, found none$/),
      expect.stringMatching(/^accord: --range: invalid range of the metric: .*, found none$/),
      'accord: metric: a metric of this name exists: expected a new name, found "meteor"',
      'accord: metric: Mine exists with another lowest score: expected 0, or another name, found -2',
      'accord: a file or --metric-command is required, not both',
    ])
    expect(content()).toEqual(before)
    await run([...imports, 'Lower', ...lower, path('scores.jsonl')])
    // Metrics of other programs are judged by default where their scores are stored.
    const { rows } = JSON.parse((await run(judge)).stdout)
    const rowOf = (name: string) => rows.find(({ metric }: { metric: string }) => metric === name)
    const { tauC, interval } = rowOf('Mine')
    expect(rowOf('Mine').signature).toMatch(
      /^external:Mine\|version:7 large\|range:0 to 2\|refs:2\|images:24\|data:\w+\|rev:1\|layout:1\|ci:bootstrap-100\|seed:1\|/,
    )
    expect(rowOf('Lower')).toMatchObject({ tauC, interval })
    expect(rowOf('Lower').signature).toContain('|range:-2 to 0|direction:lower-is-better|')
    const { comparison } = JSON.parse((await run([...judge, '--compare', 'mine', 'BLEU-1'])).stdout)
    expect(comparison).toMatchObject({ first: 'Mine', second: 'BLEU-1' })
  })

  it('and composite metrics have usage errors', async () => {
    const outcomes = await Promise.all([
      run('judge --dataset rated --compare BLEU-1'),
      run('train composite --dataset rated --validation rated --name EvalMS'),
      run('train composite --data rated --validation rated --name EvalMS'),
      run('artefacts show EvalMS'),
    ])
    expect(outcomes.map(({ code }) => code)).toEqual([2, 2, 2, 2])
    expect(outcomes.map(({ stderr }) => stderr.split('\n')[0])).toEqual([
      'accord: --compare requires two different metrics',
      'accord: --name and --features are required, or --all-published',
      'accord: --name and --features are required, or --all-published',
      'accord: name: unknown composite metric: expected a trained one; there is none yet, found "EvalMS"',
    ])
  })
})

describe('a composite metric of the database', async () => {
  const world = await initWorld()
  const images = Object.fromEntries(
    Array.from({ length: 12 }, (_, index) => [index, [`a dog in the park ${index}`, 'the dog is there']]),
  )

  beforeAll(async () => {
    const dataset = await world.dataset('dogs', { images })
    const captions = (caption: string) => Object.fromEntries(Object.keys(images).map((id) => [id, caption]))
    await dataset.captionSystem('good', captions('a dog in the park'))
    await dataset.captionSystem('bad', { ...captions('a cat'), 0: 'a dog in the snow', 1: 'the dog' })
    await insertArtefact(
      world.database,
      simpleComposite(openMetricRegistry(), 'EvalRC', ['ROUGE-L', 'CIDEr']),
    )
  })

  // Each command is a new process, which has to read the metric: only the first one stores scores by it.
  it.each([
    ['evaluate --metrics evalrc', /system +EvalRC\n/],
    ['agreement --metrics EvalRC --references 1', /EvalRC +\.\d/],
    [
      'evaluate --system good --metrics EvalRC ROUGE-L --references 1 --signatures',
      /EvalRC\|features:ROUGE-L\+CIDEr\|artefact:/,
    ],
    ['leaderboard --metric EvalRC --references 1', /people +\.\d{3}/],
    [
      'compare --system good bad --people --metrics EvalRC',
      /EvalRC +good \+ +bad +\.\d+ .* < \.0001 +< \.0001\n/,
    ],
    ['show 3 --metrics EvalRC', /caption +EvalRC\n/],
    ['systems', /good +captions +12 +0 +EvalRC\n/],
    ['export scores --system good', /^system,imageId,EvalRC,EvalRC\.signature\ngood,0,0\.\d+,EvalRC\|/],
    ['artefacts list', /EvalRC +ROUGE-L CIDEr/],
  ])('is a metric like any other: accord %s', async (command, output) => {
    const { code, stdout, stderr } = await runHere(`${command} --database ${world.location}`)
    expect(code, stderr).toBe(0)
    expect(stdout).toMatch(output)
  })

  it('is removed with its scores', async () => {
    const command = `--database ${world.location}`
    expect(await runHere(`artefacts remove EvalRC --yes ${command}`)).toMatchObject({
      code: 0,
      stdout: 'Removed EvalRC and all scores by it\n',
    })
    expect((await runHere(`artefacts list ${command}`)).stdout).not.toContain('EvalRC')
    expect((await runHere(`systems ${command}`)).stdout).not.toContain('EvalRC')
  })
})

describe('a metric of another program', async () => {
  const world = await initWorld()
  const folder = temporaryFolder()
  const images = Array.from({ length: 12 }, (_, index) => String(index))
  const on = `--database ${world.location}`

  beforeAll(async () => {
    const dataset = await world.dataset('dogs', {
      images: Object.fromEntries(images.map((id) => [id, [`a dog in the park ${id}`, 'the dog is there']])),
    })
    const captions = (caption: string) => Object.fromEntries(images.map((id) => [id, caption]))
    await dataset.captionSystem('good', captions('a dog in the park'))
    await dataset.captionSystem('bad', { ...captions('a cat'), 0: 'a dog in the snow', 1: 'the dog' })
    // An error: lower is better. People have .3, .4 on the folds of one reference.
    const scores = images.flatMap((image_id, index) => [
      { image_id, system: 'good', score: 0.2 + index / 100 },
      { image_id, system: 'good', fold: 1, score: 0.25 + index / 100 },
      { image_id, system: 'good', fold: 2, score: 0.27 + index / 100 },
      { image_id, system: 'bad', score: 0.9 - index / 100 },
      { image_id, fold: 1, score: 0.3 + index / 200 },
      { image_id, fold: 2, score: 0.4 + index / 200 },
    ])
    const file = folder.write('scores.jsonl', scores.map((score) => JSON.stringify(score)).join('\n'))
    const metric = '--metric Error --metric-version v1 --range 0 1 --lower-is-better'
    const imported = await runHere(`import metric-scores ${file} --dataset dogs ${metric} ${on}`)
    expect(imported.code, imported.stderr).toBe(0)
    expect(imported.stdout).toBe(`Imported scores by the new metric Error
  all references  good, bad
  folds           good
  people          on folds
12 images matched by id: 0 (0.jpg), 1 (1.jpg), 2 (2.jpg).
`)
  })

  it.each([
    ['evaluate --metrics error --system good', /good +\.255\n +±\.023\n[\s\S]*people +\.378\n/],
    ['agreement', /Error +\.327 +\.428 +\.378 /],
    [
      'evaluate --system good --metrics Error --references 1 --signatures',
      /external:Error\|version:v1\|range:0 to 1\|direction:lower-is-better\|refs:1\|folds:2\|images:12\|data:/,
    ],
    ['leaderboard --metric Error', /1 +good[^\n]*\n +2 +bad[^\n]*\n/],
    [
      'leaderboard --metric Error --references 1',
      /Above people by Error \(paired tests, [^)]*\):\s+good\.\s+This\s+does\s+not\s+mean\s+better\s+captions\.\n/,
    ],
    ['compare --system good bad --metrics Error', /Error/],
    ['compare --system good --people --metrics Error', /Error/],
    ['show 3 --metrics Error', /caption +Error\n/],
    ['systems', /good +captions +12 +0 +Error\n/],
    ['export scores --system good', /^system,imageId,Error,Error\.signature\ngood,0,0\.2,external:Error\|/],
  ])('is a metric like any other: accord %s', async (command, output) => {
    const { code, stdout, stderr } = await runHere(`${command} ${on}`)
    expect(code, stderr).toBe(0)
    expect(stdout).toMatch(output)
  })

  it('is not computed where it has no scores', async () => {
    const { code, stderr } = await runHere(`evaluate --system bad --metrics Error --references 1 ${on}`)
    expect(code).toBe(1)
    expect(stderr).toContain('Error is a metric of another program: expected its scores of these captions')
  })

  it('is a feature of composites', async () => {
    const registry = openMetricRegistry()
    await loadMetrics(world.database, registry)
    await insertArtefact(world.database, simpleComposite(registry, 'EvalER', ['Error', 'ROUGE-L']))
    const commands = [
      'agreement --metrics EvalER --references 1',
      'evaluate --system good --metrics EvalER ROUGE-L',
    ]
    for (const command of commands) expect((await runHere(`${command} ${on}`)).code).toBe(0)
    const { stdout } = await runHere(`export scores --system good ${on}`)
    const [header, ...rows] = stdout
      .trim()
      .split('\n')
      .map((line) => line.split(','))
    expect(header.slice(0, 5)).toEqual(['system', 'imageId', 'ROUGE-L', 'Error', 'EvalER'])
    for (const [rouge, error, score] of rows.map((row) => row.slice(2, 5).map(Number))) {
      expect(score).toBeCloseTo(1 / (1 + Math.exp(-(rouge - 0.5 + error - 0.5) / 0.2)), 9)
    }
  })
})
