/**
 * Measures the README's figures on this machine and prints them as a table: `npm run bench -- [FOLDER]`. The
 * folder holds COCO val2017 captions, a system's results and word scores; by default ../shared/data/coco.
 */
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { toText } from '../src/commands/output.js'
import { projectFile } from '../src/project.js'
import { benchComputing } from './computing.js'
import { LARGE_IMAGE_COUNT, writeLargeDataset } from './generated.js'
import { type Figure, medianRun, type Run, runAccord } from './measure.js'
import { benchServer } from './server.js'

const RUNS = 3

/** The metrics that the reference toolkit computes. */
const METRICS = ['--metrics', 'BLEU-1', 'BLEU-2', 'BLEU-3', 'BLEU-4', 'ROUGE-L', 'CIDEr', 'CIDEr-D', 'METEOR']

const CAPTIONS = 25_014

const data = process.argv[2] ?? projectFile('../shared/data/coco')
if (!existsSync(join(data, 'captions_val2017.json'))) {
  process.stderr.write(`bench: ${data} holds no captions_val2017.json; name a folder that does\n`)
  process.exit(1)
}
const folder = mkdtempSync(join(tmpdir(), 'accord-bench-'))
try {
  const figures = [...(await benchCommands()), ...(await benchComputing(join(folder, 'val.sqlite')))]
  figures.push(...(await benchServer(join(folder, 'val.sqlite'))))
  process.stdout.write(await describe(figures))
} finally {
  rmSync(folder, { recursive: true })
}

/** Whole processes, on val2017 and on a generated set eight times its size. */
async function benchCommands(): Promise<Figure[]> {
  const small = ['--database', join(folder, 'val.sqlite')]
  const large = ['--database', join(folder, 'large.sqlite')]
  const file = (name: string) => join(data, name)
  const vocabulary = ['--vocabulary', file('vocabulary_1000.csv')]
  const dataset = ['--dataset', 'bench']
  const system = ['--system', 'captions']

  note('importing captions')
  const captionImport = await medianRun(RUNS, () => {
    removeDatabase('val.sqlite')
    return runAccord('import', 'captions', file('captions_val2017.json'), ...dataset, ...vocabulary, ...small)
  })
  writeLargeDataset(file('captions_val2017.json'), join(folder, 'large.json'), join(folder, 'results.json'))
  const largeImport = await medianRun(1, () =>
    runAccord('import', 'captions', join(folder, 'large.json'), ...dataset, ...large),
  )

  note('importing word scores')
  const scores = file('word_scores_val2017_ensemble9.npy')
  const imageIds = ['--image-ids', file('word_scores_val2017_image_ids.json')]
  const scoreImport = await medianRun(RUNS, async () => {
    await runAccord('remove', 'system', 'scores', ...dataset, ...small).catch(() => {})
    return runAccord(
      'import',
      'scores',
      scores,
      ...dataset,
      '--system',
      'scores',
      ...vocabulary,
      ...imageIds,
      ...small,
    )
  })

  note('evaluating')
  await runAccord(
    'import',
    'results',
    file('captions_val2017_wu-2016_results.json'),
    ...dataset,
    ...system,
    ...small,
  )
  await runAccord('import', 'results', join(folder, 'results.json'), ...dataset, ...system, ...large)
  const evaluation = await medianRun(RUNS, () =>
    runAccord('evaluate', ...dataset, ...system, ...METRICS, ...small),
  )
  const largeEvaluation = await medianRun(1, () =>
    runAccord('evaluate', ...dataset, ...system, ...METRICS, ...large),
  )

  note('holding out captions')
  const agreement = await medianRun(1, () => runAccord('agreement', ...dataset, ...small))
  return [
    figure('import of 25,014 captions, whole process', seconds(captionImport), '4 s, 400 MB'),
    figure(
      'time per caption at 202,520 captions against 25,014',
      ratio(largeImport.seconds / (LARGE_IMAGE_COUNT * 5), captionImport.seconds / CAPTIONS),
      '1.3 ×',
    ),
    figure('import of 5,000 × 1,000 word scores, PHR and AP included', seconds(scoreImport), '3 s + 3 s'),
    figure('evaluate: BLEU, ROUGE-L, CIDEr, CIDEr-D, METEOR, intervals', seconds(evaluation), '1.5 s'),
    figure('evaluate at 40,504 images', seconds(largeEvaluation), '1 GB'),
    figure(
      'time per image of the process at 40,504 images against 5,000',
      ratio(largeEvaluation.seconds / LARGE_IMAGE_COUNT, evaluation.seconds / 5000),
      '1.2 ×',
    ),
    figure('agreement: 5 folds, all metrics, intervals', seconds(agreement), '4 s'),
  ]
}

function removeDatabase(name: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(join(folder, `${name}${suffix}`), { force: true })
}

function seconds({ seconds: wall, megabytes }: Run): string {
  return `${wall.toFixed(2)} s, ${megabytes.toFixed(0)} MB`
}

function ratio(measured: number, base: number): string {
  return `${(measured / base).toFixed(2)} ×`
}

function figure(what: string, measured: string, asked: string): Figure {
  return { what, measured, asked }
}

function note(step: string): void {
  process.stderr.write(`${step}\n`)
}

async function describe(figures: readonly Figure[]): Promise<string> {
  const [cpu] = cpus()
  const table = await toText({
    head: [['figure', 'measured', 'asked']],
    body: [figures.map(({ what, measured, asked }) => [what, measured, asked])],
    columns: [{ align: 'left' }, { align: 'right' }, { align: 'right' }],
  })
  return `${cpu.model}, ${cpus().length} cores, Node ${process.version}\n\n${table}`
}
