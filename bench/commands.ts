import { copyFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { CAPTIONS_PER_IMAGE, type GeneratedFiles, writeDataset } from './generated.js'
import {
  ACCORD,
  describeRatio,
  describeRun,
  type Figure,
  medianRuns,
  note,
  type Run,
  runAccord,
  sized,
  startProgram,
} from './measure.js'
import type { Postgres } from './postgres.js'

const RUNS = 3

/** Number of captions of COCO val2017. */
const CAPTIONS = 25_014
const IMAGES = 5000

/** Sizes of generated datasets. The large one has as many images as the COCO 2014 validation set. */
const MEDIUM_IMAGES = sized(16_761, 100)
const LARGE_IMAGES = sized(40_504, 200)

/** Results of a system on COCO val2017. */
const RESULTS = 'captions_val2017_wu-2016_results.json'

/** The metrics that the reference toolkit computes. */
const METRICS = ['--metrics', 'BLEU-1', 'BLEU-2', 'BLEU-3', 'BLEU-4', 'ROUGE-L', 'CIDEr', 'CIDEr-D', 'METEOR']

const DATASET = ['--dataset', 'bench']
const SYSTEM = ['--system', 'captions']

export interface CommandsOptions {
  /** Folder with COCO val2017. */
  readonly data: string
  /** Folder for files of the measurement. */
  readonly folder: string
  readonly postgres: Postgres
  /** The `main.js` of a build to compare with. */
  readonly baseline: string | undefined
}

export interface CommandsReport {
  /** Locations of the databases with COCO val2017, a captioning system and word scores. */
  readonly databases: { readonly sqlite: string; readonly postgres: string }
  readonly figures: readonly Figure[]
}

/** Whole processes, on val2017 and on generated datasets. */
export async function benchCommands(options: CommandsOptions): Promise<CommandsReport> {
  const { folder, postgres, baseline } = options
  const databases = { sqlite: join(folder, 'val.sqlite'), postgres: await postgres.create('val') }
  const imports = await benchImports(options, databases)
  const small = valFiles(options)
  const medium = generate(options, 'medium', MEDIUM_IMAGES)
  const large = generate(options, 'large', LARGE_IMAGES)
  const builds = [await prepareBuild(folder, 'this', ACCORD, { small, medium })]
  if (baseline !== undefined) builds.push(await prepareBuild(folder, 'older', baseline, { small, medium }))

  note('importing and evaluating a large dataset')
  const largeDatabase = join(folder, 'large.sqlite')
  const largeImport = await importCaptions(ACCORD, large.captions, largeDatabase)
  await importResults(ACCORD, large.results, largeDatabase)
  const evaluate = ['evaluate', ...DATASET, ...SYSTEM, ...METRICS]
  const largeEvaluation = await runAccord(...evaluate, '--database', largeDatabase)

  note('starting commands')
  const start = await compareBuilds(builds, ({ empty }) => ['datasets', '--database', empty], 7)
  note('evaluating')
  const evaluation = await compareBuilds(builds, (build) => [...evaluate, '--database', build.small])
  const mediumEvaluation = await compareBuilds(builds, (build) => [...evaluate, '--database', build.medium])
  note('scoring files')
  const score = (files: GeneratedFiles) => () => runAccord('score', files.captions, files.results)
  const [smallScore, mediumScore] = await medianRuns(RUNS, [score(small), score(medium)])
  note('computing human agreement')
  const agreement = await compareBuilds(builds, ({ small }) => {
    // A copy, because the table is stored in the database.
    const fresh = `${small}.agreement`
    removeDatabase(fresh)
    copyFileSync(small, fresh)
    return ['agreement', '--references', '4', ...DATASET, '--database', fresh]
  })

  const figures = [
    figure('accord datasets, whole process', describeRun(start.now), ''),
    ...start.older.map((run) =>
      figure(
        `the older build: ${describeRun(run)}; difference`,
        `${(run.seconds - start.now.seconds).toFixed(2)} s`,
        '0.15 s',
      ),
    ),
    ...imports.figures,
    figure(
      'time per caption at 202,520 captions, relative to 25,014',
      describeRatio(
        largeImport.seconds / (LARGE_IMAGES * CAPTIONS_PER_IMAGE),
        imports.captions.seconds / CAPTIONS,
      ),
      '1.3 ×',
    ),
    figure('score 5,000 images: BLEU, ROUGE-L, CIDEr-D, METEOR, intervals', describeRun(smallScore), '0.6 s'),
    figure('score 16,761 images', describeRun(mediumScore), '1.5 s'),
    ...compared('evaluate: BLEU, ROUGE-L, CIDEr, CIDEr-D, METEOR, intervals', '1.5 s', evaluation),
    ...compared('evaluate at 16,761 images', '', mediumEvaluation),
    figure('evaluate at 40,504 images', describeRun(largeEvaluation), '1 GB'),
    figure(
      'time per image of the process at 40,504 images, relative to 5,000',
      describeRatio(largeEvaluation.seconds / LARGE_IMAGES, evaluation.now.seconds / IMAGES),
      '1.2 ×',
    ),
    ...compared('agreement: 5 folds, all metrics, intervals', '4 s', agreement),
  ]
  return { databases, figures }
}

/** Imports of val2017 into both databases. */
async function benchImports(
  { data }: CommandsOptions,
  { sqlite, postgres }: CommandsReport['databases'],
): Promise<{ readonly captions: Run; readonly figures: readonly Figure[] }> {
  const file = (name: string) => join(data, name)
  const vocabulary = ['--vocabulary', file('vocabulary_1000.csv')]
  const removeFrom = (location: string, ...what: string[]) =>
    runAccord('remove', ...what, '--database', location).catch(() => undefined)
  const importInto = async (location: string) => {
    await removeFrom(location, 'dataset', 'bench')
    return importCaptions(ACCORD, file('captions_val2017.json'), location, vocabulary)
  }
  note('importing captions')
  const [captions, postgresCaptions] = await medianRuns(RUNS, [
    () => importInto(sqlite),
    () => importInto(postgres),
  ])

  note('importing word scores')
  const scores = [file('word_scores_val2017_ensemble9.npy'), ...DATASET, '--system', 'scores', ...vocabulary]
  const imageIds = ['--image-ids', file('word_scores_val2017_image_ids.json')]
  const importScores = async (location: string) => {
    await removeFrom(location, 'system', 'scores', ...DATASET)
    return runAccord('import', 'scores', ...scores, ...imageIds, '--database', location)
  }
  const [wordScores, postgresScores] = await medianRuns(RUNS, [
    () => importScores(sqlite),
    () => importScores(postgres),
  ])
  for (const location of [sqlite, postgres]) {
    await importResults(ACCORD, file(RESULTS), location)
  }
  return {
    captions,
    figures: [
      figure('import of 25,014 captions, whole process', describeRun(captions), '4 s, 400 MB'),
      figure('the same on PostgreSQL', describeRun(postgresCaptions), '6 s'),
      figure('import of 5,000 × 1,000 word scores with PHR and AP', describeRun(wordScores), '3 s + 3 s'),
      figure('the same on PostgreSQL', describeRun(postgresScores), ''),
    ],
  }
}

function valFiles({ data }: CommandsOptions): GeneratedFiles {
  return { captions: join(data, 'captions_val2017.json'), results: join(data, RESULTS) }
}

function generate({ data, folder }: CommandsOptions, name: string, imageCount: number): GeneratedFiles {
  const files = { captions: join(folder, `${name}.json`), results: join(folder, `${name}-results.json`) }
  writeDataset(join(data, 'captions_val2017.json'), imageCount, files)
  return files
}

/** A build of the command, with databases written by it. */
interface Build {
  readonly program: string
  /** Without a dataset. */
  readonly empty: string
  readonly small: string
  readonly medium: string
}

async function prepareBuild(
  folder: string,
  name: string,
  program: string,
  files: Readonly<Record<'small' | 'medium', GeneratedFiles>>,
): Promise<Build> {
  note(`importing with ${name} build`)
  const database = (size: string) => join(folder, `${name}-${size}.sqlite`)
  const build = { program, empty: database('empty'), small: database('small'), medium: database('medium') }
  for (const size of ['small', 'medium'] as const) {
    await importCaptions(program, files[size].captions, build[size])
    await importResults(program, files[size].results, build[size])
  }
  await importCaptions(program, files.small.captions, build.empty)
  await startProgram(program, ['remove', 'dataset', 'bench', '--database', build.empty]).ended
  return build
}

/** Median runs of this build and the older one. */
interface Comparison {
  readonly now: Run
  readonly older: readonly Run[]
}

/** Runs the builds alternately. */
async function compareBuilds(
  builds: readonly Build[],
  argumentsOf: (build: Build) => string[],
  times = RUNS,
): Promise<Comparison> {
  const [now, ...older] = await medianRuns(
    times,
    builds.map((build) => () => startProgram(build.program, argumentsOf(build)).ended),
  )
  return { now, older }
}

function compared(what: string, asked: string, { now, older }: Comparison): Figure[] {
  return [
    figure(what, describeRun(now), asked),
    ...older.map((run) =>
      figure(
        `the older build: ${describeRun(run)}; faster by`,
        describeRatio(run.seconds, now.seconds),
        '1.6 ×',
      ),
    ),
  ]
}

function importCaptions(
  program: string,
  file: string,
  location: string,
  options: readonly string[] = [],
): Promise<Run> {
  const args = ['import', 'captions', file, ...DATASET, ...options, '--database', location]
  return startProgram(program, args).ended
}

function importResults(program: string, file: string, location: string): Promise<Run> {
  return startProgram(program, ['import', 'results', file, ...DATASET, ...SYSTEM, '--database', location])
    .ended
}

function removeDatabase(file: string): void {
  for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
}

function figure(what: string, measured: string, asked: string): Figure {
  return { what, measured, asked }
}
