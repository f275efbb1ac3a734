import { join } from 'node:path'
import { openAccord } from '../src/services/open-accord.js'
import { SEED_DATASET, writeSeed } from '../src/services/seed/seed.js'
import { clientOf, type Query } from './client.js'
import { ACCORD, type Figure, medianMilliseconds, note, runAccord, startProgram } from './measure.js'

const REPETITIONS = 15

/** Queries whose answers are computed once per content of the database and kept. */
const QUERIES: Readonly<Record<string, string>> = {
  'comparisons of systems and people on three metrics': `{ dataset(name: "bench") {
    comparisons(metrics: ["BLEU-4", "ROUGE-L", "CIDEr-D"], isHumanIncluded: true, references: 4) { difference alone { pValue } } } }`,
  'comparison of means over words': `{ dataset(name: "bench") {
    comparisons(words: [{ figure: PHR }], isHumanIncluded: true) { difference alone { pValue } } } }`,
  'metrics judged by 16,992 ratings': `{ dataset(name: "judged") {
    judgements { metaEvaluation { rows { metric { name } } } } } }`,
  'usage fits of two models': `{ dataset(name: "bench") {
    moment: usageFit { rSquared } beta: usageFit(model: BETA_BINOMIAL) { rSquared } } }`,
  'intervals of 200 words': `{ dataset(name: "bench") { system(name: "scores") { words(first: 200) { nodes {
    estimates { precisionAtHumanRecall { interval { lower } } gapToPeople { value } } } } } } }`,
  'content selection': `{ dataset(name: "${SEED_DATASET}") { contentSelection {
    humanBound { imageCount } baselines { baseline } systems { nodes { system { name } } } } } }`,
}

/**
 * Asks a server the same questions again. The first answer may be computed by a worker; later ones are kept.
 *
 * @param data folder with COCO val2017; judgements of Flickr8k-Expert are in a folder beside it
 * @param folder for files of the measurement
 */
export async function benchRepeated(data: string, folder: string): Promise<Figure[]> {
  note('asking again')
  const location = join(folder, 'repeated.sqlite')
  await prepare(data, location)
  const server = startProgram(ACCORD, ['serve', '--port', '0', '--database', location])
  try {
    const query = await clientOf(server)
    const figures: Figure[] = []
    for (const [what, text] of Object.entries(QUERIES)) figures.push(await askAgain(query, what, text))
    return figures
  } finally {
    server.child.kill()
    await server.ended
  }
}

/** The bundled dataset, val2017 with two captioning systems and word scores, and judgements. */
async function prepare(data: string, location: string): Promise<void> {
  const accord = await openAccord({ location })
  try {
    await accord.database.transaction((session) => writeSeed(session, () => {}))
  } finally {
    await accord.close()
  }
  const file = (name: string) => join(data, name)
  const run = (...args: string[]) => runAccord(...args, '--database', location)
  const bench = ['--dataset', 'bench']
  const vocabulary = ['--vocabulary', file('vocabulary_1000.csv')]
  await run('import', 'captions', file('captions_val2017.json'), ...bench, ...vocabulary)
  const scores = file('word_scores_val2017_ensemble9.npy')
  const imageIds = ['--image-ids', file('word_scores_val2017_image_ids.json')]
  await run('import', 'scores', scores, ...bench, '--system', 'scores', ...vocabulary, ...imageIds)
  for (const system of ['wu-2016', 'shetty-2016']) {
    const results = file(`captions_val2017_${system}_results.json`)
    await run('import', 'results', results, ...bench, '--system', system)
    const metrics = ['--metrics', 'BLEU-4', 'ROUGE-L', 'CIDEr-D']
    await run('evaluate', ...bench, '--system', system, ...metrics, '--references', '4')
  }
  await run('agreement', ...bench, '--references', '4')
  await run('import', 'judgements', file('../judgements/flickr8k_expert.jsonl.gz'), '--dataset', 'judged')
}

async function askAgain(query: Query, what: string, text: string): Promise<Figure> {
  const first = await medianMilliseconds(1, 0, () => query(text))
  const again = await medianMilliseconds(REPETITIONS, 3, () => query(text))
  return {
    what: `${what}: asked first, asked again`,
    measured: `${first.toFixed(0)} ms, ${again.toFixed(1)} ms`,
    asked: '10 ms again',
  }
}
