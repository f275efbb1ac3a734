import { beforeAll, describe, expect, it } from 'vitest'
import { openMetricRegistry } from '../../src/compute/resources.js'
import { insertArtefact } from '../../src/store/artefacts.js'
import { simpleComposite } from '../kit/composites.js'
import { initWorld } from '../kit/seed.js'
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
  const { run, write, path } = workbench()

  it('are imported, and metrics are judged by them', async () => {
    write('rated.jsonl.gz', RECORDS.map((record) => JSON.stringify(record)).join('\n'))
    const imported = await run('import judgements rated.jsonl.gz --dataset rated')
    expect(imported.stdout).toBe(`Imported judgements as new dataset rated
  images       12, with their references as human captions
  captions     24 judged
  judgements   48 ratings
`)
    const judge = 'judge --dataset rated --metric ROUGE-L --compare ROUGE-L BLEU-1 --resamples 100'
    const [table, json, csv] = await Promise.all(
      ['table', 'json', 'csv'].map((format) => run(`${judge} --format ${format}`)),
    )
    expect(table.stdout).toMatch(/metric +cluster +τ-b +τ-c +95 % interval +p +effective n\n/)
    expect(table.stdout).toMatch(/^[\w-]+ agrees best with people/)
    expect(table.stdout).toMatch(/raters \(ceiling\) +\./)
    expect(table.stdout).toContain('48 ratings of 24 captions of 12 images.')
    const { rows, raters, comparison, ...rest } = JSON.parse(json.stdout)
    expect(rest).toMatchObject({
      dataset: 'rated',
      kind: 'RATINGS',
      judgementCount: 48,
      captionCount: 24,
      imageCount: 12,
    })
    expect(Object.keys(rows[0])).toEqual([
      ...['metric', 'cluster', 'tauB', 'tauC', 'interval', 'pValue', 'effectiveCount', 'spearman', 'pearson'],
      ...['undefinedReason', 'published', 'contests', 'baselines', 'unscoredCaptionCount', 'signature'],
    ])
    expect(rows.map(({ metric }: { metric: string }) => metric)).toEqual(['BLEU-1', 'ROUGE-L'])
    expect(raters.agreement.raterCount).toBeNull()
    expect(comparison).toMatchObject({ first: 'ROUGE-L', second: 'BLEU-1' })
    expect(csv.stdout).toMatch(
      /^metric,cluster\.cluster,cluster\.pValue,tauB,tauC,interval\.lower,interval\.upper,pValue,[^\n]+\nBLEU-1,/,
    )
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
    const judge = [
      'judge',
      '--dataset',
      'rated',
      '--metric',
      'BLEU-1',
      '--resamples',
      '100',
      '--format',
      'json',
    ]
    const named = ['--metric-name', 'Mine', '--metric-version', '7 large']
    const command = `"${process.execPath}" "${path('external.mjs')}"`
    const byCommand = await run([
      ...judge,
      ...named,
      '--metric-command',
      command,
      '--compare',
      'Mine',
      'BLEU-1',
    ])
    expect(byCommand.stderr).not.toContain('accord:')
    const { rows, comparison } = JSON.parse(byCommand.stdout)
    const mine = rows.find(({ metric }: { metric: string }) => metric === 'Mine')
    expect(mine.signature).toBe('external:Mine|7 large|images:24|ci:bootstrap-100|seed:1')
    expect(comparison).toMatchObject({ first: 'Mine', second: 'BLEU-1' })
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
    const fromFile = (file: string) =>
      run([...judge, ...named, '--metric-scores', path(file), '--lower-is-better'])
    const [byFile, few, nameless, taken] = await Promise.all([
      fromFile('scores.jsonl'),
      fromFile('few.jsonl'),
      run([...judge, '--metric-scores', path('scores.jsonl')]),
      run([
        ...judge,
        '--metric-name',
        'meteor',
        '--metric-version',
        '1',
        '--metric-scores',
        path('scores.jsonl'),
      ]),
    ])
    const read = JSON.parse(byFile.stdout).rows.find(({ metric }: { metric: string }) => metric === 'Mine')
    expect(read).toMatchObject({ tauC: mine.tauC, interval: mine.interval })
    expect(read.signature).toContain('|lower-is-better|')
    expect(few.stderr).toContain(
      'a score is missing: expected a score of "A dog runs." of image "10", found none',
    )
    expect([nameless.code, taken.code]).toEqual([2, 1])
    expect(taken.stderr).toContain('metric name: a metric of this name exists')
  })

  it('and composite metrics have usage errors', async () => {
    const outcomes = await Promise.all([
      run('judge --dataset rated --compare BLEU-1'),
      run('train composite --data rated --validation rated --name EvalMS'),
      run('artefacts show EvalMS'),
    ])
    expect(outcomes.map(({ code }) => code)).toEqual([2, 2, 1])
    expect(outcomes.map(({ stderr }) => stderr.split('\n')[0])).toEqual([
      'accord: --compare requires two different metrics',
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
    await dataset.captionSystem('bad', captions('a cat'))
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
    ['compare --system good bad --people --metrics EvalRC', /EvalRC +good \+ +people +\.\d+ .* 12 \*\n/],
    ['show 3 --metrics EvalRC', /caption +EvalRC\n/],
    ['systems', /good +captions +12 +0 +EvalRC\n/],
    ['export scores --system good', /^system,imageId,EvalRC\ngood,0,0\.\d+\n/],
    ['artefacts list', /EvalRC +ROUGE-L CIDEr/],
  ])('is a metric like any other: accord %s', async (command, output) => {
    const { code, stdout, stderr } = await runHere(`${command} --database ${world.location}`)
    expect(code, stderr).toBe(0)
    expect(stdout).toMatch(output)
  })
})
