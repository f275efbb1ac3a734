import { readFileSync } from 'node:fs'
import { tokenizeCorpus } from '../src/core/text/token-numbers.js'
import type { Progress } from '../src/progress.js'
import { projectFile } from '../src/project.js'
import { sceneGraphOf } from '../src/services/images/scene-graphs.js'
import { openAccord } from '../src/services/open-accord.js'
import { evaluateSystem } from '../src/services/scoring/evaluate.js'
import { TOKENIZERS, type TokenizerName } from '../src/shared/choices.js'
import { type Figure, medianMilliseconds, sized } from './measure.js'

const METRICS = ['BLEU-1', 'BLEU-2', 'BLEU-3', 'BLEU-4', 'ROUGE-L', 'CIDEr', 'CIDEr-D', 'METEOR']

/** Evaluations in a warm process, as in a worker of a server. */
export async function benchComputing(databaseFile: string, captionsFile: string): Promise<Figure[]> {
  process.stderr.write('evaluating in a warm process\n')
  const accord = await openAccord({ location: databaseFile, mustExist: true })
  const evaluate = (metrics: readonly string[] | undefined, progress: Progress) =>
    evaluateSystem(accord, { dataset: 'bench', system: 'captions', metrics }, { progress })
  try {
    const loading = timeOf(() => sceneGraphOf(['a', 'brown', 'dog', 'runs', 'on', 'the', 'beach']))
    const start = performance.now()
    await evaluate(['SPICE'], () => {})
    const spice = (performance.now() - start) / 1000
    const toolkit = await medianMilliseconds(7, 3, () => evaluate(METRICS, () => {}))
    let intervals = 0
    await evaluate(undefined, (_fraction, message) => {
      if (message === 'computing intervals' && intervals === 0) intervals = -performance.now()
      if (message === 'writing') intervals += performance.now()
    })
    return [
      ...tokenizerFigures(captionsFile),
      {
        what: 'the same evaluation in a warm process',
        measured: `${toolkit.toFixed(0)} ms`,
        asked: '400 ms',
      },
      {
        what: 'scores of all 13 default metrics with intervals, from the statistics of 5,000 images',
        measured: `${intervals.toFixed(0)} ms`,
        asked: '1 s',
      },
      {
        what: 'loading the tagger and the parser of scene graphs, first caption',
        measured: `${loading.toFixed(0)} ms`,
        asked: '150 ms',
      },
      {
        what: 'SPICE of 5,000 images with 5 references, and intervals, first evaluation of a process',
        measured: `${spice.toFixed(2)} s`,
        asked: '4 s',
      },
    ]
  } finally {
    await accord.close()
  }
}

/** Tokens per second of each tokenizer on the captions of a file in COCO format, and of `unicode` on Japanese ones. */
function tokenizerFigures(captionsFile: string): Figure[] {
  const { annotations } = JSON.parse(readFileSync(captionsFile, 'utf8'))
  const english: string[] = annotations.map(({ caption }: { readonly caption: string }) => caption)
  const written = JSON.parse(readFileSync(projectFile('seed/languages/animals_ja.json'), 'utf8'))
  const japanese = Array.from({ length: 100 }, () => Object.values<string[]>(written).flat()).flat()
  const measure = (captions: readonly string[], language: string, tokenizer: TokenizerName): Figure => {
    let most = 0
    for (let round = 0; round < sized(5, 1); round++) {
      const start = performance.now()
      const { tokens } = tokenizeCorpus(captions, { language, tokenizer })
      most = Math.max(most, tokens.length / (performance.now() - start))
    }
    return {
      what: `tokenizer ${tokenizer}, ${language}`,
      measured: `${(most / 1000).toFixed(1)} million tokens/s`,
      asked: '',
    }
  }
  return [
    ...TOKENIZERS.map((tokenizer) => measure(english, 'en', tokenizer)),
    measure(japanese, 'ja', 'unicode'),
  ]
}

/** Milliseconds that a call takes. */
function timeOf(call: () => void): number {
  const start = performance.now()
  call()
  return performance.now() - start
}
