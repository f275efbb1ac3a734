import { join } from 'node:path'
import { compareOrigins, train } from '../src/core/composite/train-network.js'
import { type CaptionPairs, calibrateTies } from '../src/core/judgements/caption-level.js'
import { createKendallCounter } from '../src/core/stats/correlation.js'
import { createRandom } from '../src/core/stats/random.js'
import { openWordVectors } from '../src/formats/words/word-vectors.js'
import { openAccord } from '../src/services/open-accord.js'
import { evaluateSystem } from '../src/services/scoring/evaluate.js'
import { type Figure, medianMilliseconds, medianRun, note, type Run, runAccord, sized } from './measure.js'

/** Sizes of Flickr8k-Expert and of COCO val2017 with four systems. */
const RATED_CAPTIONS = sized(5664, 60)
const RATINGS_PER_CAPTION = 3
const PAIRS = sized(1_000_000, 1000)
const EXAMPLES = sized(40_000, 400)
const FEATURES = 4

/** The metrics of the judged captions of THumB. */
const METRICS = ['BLEU-1', 'BLEU-4', 'ROUGE-L', 'METEOR', 'CIDEr-D', 'SPICE', 'SPIDEr', 'WMD']

/**
 * Judging, rank correlation, Word Mover's Distance and the training of composite metrics.
 *
 * @param data folder with COCO val2017; judgements of THumB are in a folder beside it
 */
export async function benchJudging(data: string, folder: string): Promise<Figure[]> {
  note('judging and training')
  const databaseFile = join(folder, 'judging.sqlite')
  const run = (...args: string[]) => runAccord(...args, '--database', databaseFile)
  const bench = ['--dataset', 'bench']
  await run('import', 'captions', join(data, 'captions_val2017.json'), ...bench)
  const results = join(data, 'captions_val2017_wu-2016_results.json')
  await run('import', 'results', results, ...bench, '--system', 'captions')
  const judging = await benchThumb(run, join(data, '../judgements/thumb.jsonl.gz'))
  const { seconds } = await run('evaluate', ...bench, '--system', 'captions', '--metrics', 'WMD')
  const accord = await openAccord({ location: databaseFile, mustExist: true })
  try {
    const options = { dataset: 'bench', system: 'captions', metrics: ['WMD'] }
    const warm = await medianMilliseconds(5, 2, () => evaluateSystem(accord, options))
    const load = await medianMilliseconds(5, 1, async () => openWordVectors().lookUp(['dog']))
    const rated = ratedCaptions()
    const tau = await medianMilliseconds(9, 3, async () => createKendallCounter(rated).tau())
    const pairs = ratedPairs()
    const ties = await medianMilliseconds(5, 1, async () => calibrateTies(pairs, rated.scores))
    const training = await medianMilliseconds(1, 0, trainOnRandom)
    return [
      ...judging,
      { what: 'WMD of 5,000 images, whole process', measured: `${seconds.toFixed(2)} s`, asked: '6 s' },
      { what: 'the same in a warm process', measured: `${warm.toFixed(0)} ms`, asked: '' },
      { what: 'loading word vectors', measured: `${load.toFixed(0)} ms`, asked: '150 ms' },
      { what: 'τ of 16,992 pairs', measured: `${tau.toFixed(1)} ms`, asked: '20 ms' },
      { what: 'calibrating ties of 1,000,000 pairs', measured: `${ties.toFixed(0)} ms`, asked: '1 s' },
      {
        what: 'training a composite on four given features of 5,000 images, five seeds',
        measured: `${(training / 1000).toFixed(1)} s`,
        asked: '60 s',
      },
    ]
  } finally {
    await accord.close()
  }
}

/** The first run scores the captions, and the others find their scores. Other resamples: none is answered by the one before. */
async function benchThumb(run: typeof runAccord, file: string): Promise<Figure[]> {
  await run('import', 'judgements', file, '--dataset', 'thumb')
  let resamples = 1000
  const judge = () =>
    run('judge', '--dataset', 'thumb', '--metrics', ...METRICS, '--resamples', String(resamples++))
  const first = await judge()
  const again = await medianRun(5, judge)
  const shown = ({ seconds, cpuSeconds }: Run) => `${seconds.toFixed(2)} s, CPU ${cpuSeconds.toFixed(2)} s`
  return [
    { what: 'judging THumB by eight metrics, with their scores', measured: shown(first), asked: '' },
    { what: 'the same with stored scores', measured: shown(again), asked: '3 s' },
  ]
}

/** A million pairs of the rated captions, in groups of two sizes. */
function ratedPairs(): CaptionPairs {
  const random = createRandom(3)
  const draw = () => random.below(RATED_CAPTIONS)
  return {
    first: Int32Array.from({ length: PAIRS }, draw),
    second: Int32Array.from({ length: PAIRS }, draw),
    preferred: Int8Array.from({ length: PAIRS }, () => random.below(3) - 1),
    weights: Float64Array.from({ length: PAIRS }, (_, pair) => (1 + (pair % 2)) / (1.5 * PAIRS)),
  }
}

function ratedCaptions() {
  const random = createRandom(1)
  return {
    scores: Float64Array.from({ length: RATED_CAPTIONS }, () => random.next()),
    ratings: Float64Array.from({ length: RATINGS_PER_CAPTION * RATED_CAPTIONS }, () => 1 + random.below(4)),
    offsets: Int32Array.from({ length: RATED_CAPTIONS + 1 }, (_, caption) => RATINGS_PER_CAPTION * caption),
  }
}

async function trainOnRandom(): Promise<void> {
  const random = createRandom(2)
  const features = (rows: number) =>
    Float64Array.from({ length: FEATURES * rows }, () => 2 * random.next() - 1)
  const { ratings, offsets } = ratedCaptions()
  const images = { positions: new Int32Array(RATED_CAPTIONS), count: 1 }
  await train(
    FEATURES,
    {
      features: features(EXAMPLES),
      comparisons: compareOrigins(Uint8Array.from({ length: EXAMPLES }, (_, row) => row % 2)),
    },
    {
      features: features(RATED_CAPTIONS),
      judgements: { kind: 'RATINGS', ratings, offsets, images, systems: null },
    },
    { seeds: sized([1, 2, 3, 4, 5], [1]) },
  )
}
